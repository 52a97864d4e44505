"""A pack remembers the short texts that it read last; what it remembers never changes an answer."""

from datetime import UTC, datetime, timedelta, timezone

from planner.pack import load_pack
from planner.reading import MAX_REMEMBERED, read_text, remembered

PACK = load_pack("property")
NOON = datetime(2026, 3, 5, 12, tzinfo=UTC)


def test_the_same_words_are_read_once_a_day() -> None:
    """A message of the history is no new work for the next draft."""
    first = remembered("明天下午三点看房", NOON, PACK)
    assert remembered("明天下午三点看房", NOON + timedelta(hours=3), PACK) is first
    assert remembered("明天下午三点看房。", NOON, PACK) is not first


def test_another_day_reads_anew() -> None:
    """Tomorrow is counted from the day of the text, as its own clock shows it."""
    late = datetime(2026, 3, 5, 23, tzinfo=UTC)
    same_instant = late.astimezone(timezone(timedelta(hours=8)))
    for now in (NOON, NOON + timedelta(days=1), late, same_instant):
        kept, fresh = remembered("明天上午到店", now, PACK), read_text("明天上午到店", now)
        assert kept.quantities == fresh.quantities
    values = {str(remembered("明天上午到店", at, PACK).quantities[0].value) for at in (late, same_instant)}
    assert len(values) == 2


def test_packs_do_not_share() -> None:
    """What a pack's words found in a text is its own."""
    other = load_pack("used_car")
    assert remembered("这台车多少钱", NOON, PACK) is not remembered("这台车多少钱", NOON, other)


def test_a_document_is_not_remembered() -> None:
    """The room is bounded: long texts are read and let go."""
    text = "字" * (MAX_REMEMBERED + 1)
    assert remembered(text, NOON, PACK) is not remembered(text, NOON, PACK)
