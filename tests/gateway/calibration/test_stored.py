"""A calibration that holds: it names the bands of drafts, may hold what is below, is audited, shown and forgotten."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from starlette.testclient import TestClient

from gateway import people
from gateway.app import create_app
from gateway.calibration import stored
from gateway.calibration.choose import Aim, calibrate
from gateway.calibration.report import Provenance
from gateway.errors import Refused
from gateway.tables import AuditRow
from gateway.tx import table_of
from tests.gateway.calibration.test_choose import sample

KEPT = stored.Stored(
    high=0.8, middle=0.5, send_from=None, rules={}, file="turns.jsonl", sha256="ab" * 32, rows=900, drafts=880,
    most_wrong=0.02, of="released", wrong_of_released=(2.0, 400.0, 0.0006, 0.018), wrong_of_wrong=(2.0, 90.0, 0.0, 0.08),
    made_at="2026-11-30T10:00:00+00:00", actor="command line",
)  # fmt: skip


def keep(desk, **values):
    """Let a calibration hold that was made under the running rules, unless they are given."""
    given = {"rules": {"property": desk.service.look(lambda tx: stored.rules_now(tx.shelf, "property"))}} | values
    desk.run(lambda tx: stored.save(tx, replace(KEPT, **given), "test"))


def posted(desk, **values):
    desk.says("小区人车分流吗")
    return desk.post_good(**values)


def test_nothing_holds_at_first(desk):
    assert desk.service.look(stored.load) is None
    assert posted(desk)["action"] == "send"


def test_what_was_stored_is_what_holds(desk):
    keep(desk)
    held = desk.service.look(stored.load)
    assert (held.high, held.wrong_of_released, held.send_from) == (0.8, (2.0, 400.0, 0.0006, 0.018), None)
    keep(desk, high=0.9)
    assert desk.service.look(stored.load).high == 0.9


@pytest.mark.parametrize(("high", "middle", "band"), [(0.1, 0.05, "high"), (2, 0.05, "middle"), (2, 1.5, "low")])
def test_it_names_the_bands_of_drafts(desk, high, middle, band):
    keep(desk, high=high, middle=middle)
    draft = posted(desk)
    assert (draft["band"], draft["action"]) == (band, "send"), "a band alone holds nothing"


@pytest.mark.parametrize(("high", "action", "reasons"), [(0.1, "send", []), (2, "hold", ["low_band"])])
def test_it_may_hold_what_is_below(desk, high, action, reasons):
    keep(desk, high=high, send_from="high")
    draft = posted(desk)
    assert (draft["action"], draft["holdReasons"]) == (action, reasons)


def test_the_send_entry_reads_it_again(desk):
    """A calibration that comes between the decision and the sending holds the message."""
    draft = posted(desk)
    assert draft["action"] == "send"
    keep(desk, high=2, send_from="high")
    desk.carry()
    assert desk.arrived == [] and desk.draft(draft["draftId"])["holdReasons"] == ["low_band"]


@pytest.mark.parametrize("rules", [{"property": "0.0.1+other"}, {"used_car": "0.0.1+other"}, {}])
def test_under_other_rules_it_loosens_nothing(desk, rules):
    """Of its threshold and the pack's own the higher one counts, and what it holds stays held."""
    keep(desk, rules=rules, high=0.01, middle=0.01)
    loose = posted(desk)
    desk.run(lambda tx: stored.forget(tx, "test"))
    assert loose["band"] == posted(desk)["band"], "its low thresholds do not count"
    keep(desk, rules=rules, high=2, middle=1.5, send_from="middle")
    assert (late := posted(desk))["band"] == "low" and late["holdReasons"] == ["low_band"]


@pytest.mark.parametrize(
    ("setting", "asked", "least"),
    [(None, None, None), ("low", None, "low"), (None, "high", "high"), ("high", "middle", "high"),
     ("low", "high", "high"), ("middle", "middle", "middle")],
)  # fmt: skip
def test_of_the_setting_and_the_calibration_the_stricter_one_counts(setting, asked, least):
    assert stored.least_band(setting, replace(KEPT, send_from=asked)) == least
    assert stored.least_band(setting, None) == setting


def test_a_pack_that_is_gone_makes_it_outdated(desk):
    late = replace(KEPT, rules={"property": "1", "no_such_pack": "1"})
    assert desk.service.look(lambda tx: stored.outdated(late, tx.shelf)) == ["property", "no_such_pack"]


def test_each_change_is_audited(desk):
    keep(desk)
    keep(desk, high=0.9)
    assert desk.run(lambda tx: stored.forget(tx, "lin"))
    assert not desk.run(lambda tx: stored.forget(tx, "lin"))
    table = table_of(AuditRow)
    query = table.select().where(table.c.event.like("calibration%")).order_by(table.c.seq)
    rows = desk.service.look(lambda tx: tx.conn.execute(query).all())
    told = [(r.actor, r.event, r.detail["before"].get("high"), r.detail["after"].get("high")) for r in rows]
    assert told == [
        ("test", "calibration_applied", None, 0.8),
        ("test", "calibration_applied", 0.8, 0.9),
        ("lin", "calibration_forgotten", 0.9, None),
    ]


def origin():
    return Provenance("turns.jsonl", "ab" * 32, datetime(2026, 11, 30, tzinfo=UTC), "0.1.0", {"property": "1+a"})


def test_what_is_stored_comes_from_the_half_that_measured():
    found = calibrate(sample(2000, 0.6, seed=2, refused=900), Aim())
    kept = stored.stored_from(found, origin(), "high", "lin")
    assert (kept.high, kept.middle) == (found.high.value, min(found.low.value or 0.6, found.high.value))
    assert kept.wrong_of_released[:2] == (found.high.measured.wrong_released, found.high.measured.released.count)
    assert (kept.rules, kept.send_from, kept.actor) == ({"property": "1+a"}, "high", "lin")


def test_nothing_is_stored_without_a_threshold():
    with pytest.raises(Refused, match="too_little"):
        stored.stored_from(calibrate(sample(50, 0.5), Aim()), origin(), None, "lin")
    found = calibrate(sample(2000, 0.6, seed=2), Aim())
    with pytest.raises(Refused, match="low, middle, high"):
        stored.stored_from(found, origin(), "highest", "lin")


@pytest.fixture
def page(desk):
    """Open the settings as an administrator."""
    desk.run(
        lambda tx: people.add_operator(
            tx, operator_id="boss", name="店长", password_hash="x", role="admin", actor="test"
        )
    )
    secret = desk.run(lambda tx: people.open_session(tx, "boss"))
    client = TestClient(create_app(desk.service, scheduler=False), cookies={"draftgate": secret})
    return lambda language="zh": client.get(f"/settings?lang={language}").text


def test_the_settings_show_it_with_its_provenance(desk, page):
    assert "没有校准" in page() and "Not calibrated" in page("en")
    keep(desk, send_from="high")
    shown = page()
    assert all(
        part in shown for part in ("高 ≥ 0.8，中 ≥ 0.5", "turns.jsonl", "ab" * 32, "1.8%", "放行 400 条，错 2 条")
    )
    assert "自动只发 高 及以上" in shown and "过时" not in shown and "采用校准" in shown
    keep(desk, rules={"property": "0.0.1+other"})
    assert "过时" in page() and "Outdated" in page("en")
