from datetime import UTC, datetime, timedelta, timezone

import pytest

from outbound.limits import Reach, allowed, hold_reasons, quota_left, window_closes, window_open

NOW = datetime(2026, 5, 4, 9, 30, tzinfo=UTC)
FINE = Reach("wm_1", private=True, now=NOW, last_customer_at=NOW - timedelta(hours=1), used=0)


def changed(**changes: object) -> Reach:
    fields = {name: getattr(FINE, name) for name in FINE.__dataclass_fields__}
    return Reach(**{**fields, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("entries", "recipient", "may"),
    [
        ([], "wm_1", False),
        (["wm_1"], "wm_1", True),
        (["*"], "wm_1", True),
        (["wm_2", "*"], "wm_1", True),
        # literal: nothing is a pattern, trimmed or folded
        (["wm_."], "wm_1", False),
        ([".*"], "wm_1", False),
        (["wm_*"], "wm_1", False),
        (["wm_1 "], "wm_1", False),
        (["WM_1"], "wm_1", False),
        (["wm_"], "wm_1", False),
        (["wm_11"], "wm_1", False),
        ([""], "", False),
        (["*"], "", False),
        ("wm_1", "wm_", False),
    ],
)
def test_allowlist_is_literal_and_empty_means_nobody(entries, recipient, may):
    assert allowed(recipient, [entries] if isinstance(entries, str) else entries) is may


@pytest.mark.parametrize(
    ("ago", "is_open"),
    [
        (timedelta(0), True),
        (timedelta(hours=47, minutes=54, seconds=59), True),
        (timedelta(hours=47, minutes=55), False),
        (timedelta(hours=48), False),
        (timedelta(days=3), False),
        (timedelta(seconds=-30), True),
    ],
)
def test_window_closes_five_minutes_early(ago, is_open):
    assert window_open(NOW - ago, NOW) is is_open


def test_window_never_opened_without_a_customer_message():
    assert not window_open(None, NOW)


def test_window_compares_instants_not_clock_faces():
    beijing = timezone(timedelta(hours=8))
    last = datetime(2026, 5, 2, 17, 30, tzinfo=beijing)
    assert window_closes(last) == datetime(2026, 5, 4, 9, 25, tzinfo=UTC)
    assert not window_open(last, NOW)


@pytest.mark.parametrize(
    ("used", "reserve", "left"), [(0, 1, 4), (3, 1, 1), (4, 1, 0), (4, 0, 1), (5, 0, 0), (9, 1, 0), (-2, 1, 4)]
)
def test_quota_keeps_one_in_reserve(used, reserve, left):
    assert quota_left(used, reserve=reserve) == left


@pytest.mark.parametrize(
    ("reach", "reasons"),
    [
        (FINE, ()),
        (changed(recipient="wm_2"), ("not_allowed",)),
        (changed(private=False), ("group_chat",)),
        (changed(private=False, internal=True), ()),
        (changed(private=False, internal=True, last_customer_at=None, used=50), ()),
        (changed(last_customer_at=None), ("window_closed",)),
        (changed(used=4), ("quota_used",)),
        (changed(used=3, segments=2), ("quota_used",)),
        (changed(used=2, segments=2), ()),
        (
            changed(recipient="x", private=False, last_customer_at=None, used=5),
            ("not_allowed", "group_chat", "window_closed", "quota_used"),
        ),
    ],
)
def test_hold_reasons_name_every_limit(reach, reasons):
    assert hold_reasons(reach, ["wm_1"]) == reasons


def test_a_person_may_use_the_reserve():
    assert hold_reasons(changed(used=4), ["wm_1"], reserve=0) == ()
    assert hold_reasons(changed(used=5), ["wm_1"], reserve=0) == ("quota_used",)


def test_a_house_may_be_stricter_than_the_channel():
    assert hold_reasons(FINE, ["wm_1"], quota=1) == ("quota_used",)
    assert hold_reasons(FINE, ["wm_1"], window=timedelta(hours=1)) == ("window_closed",)
