"""The figures are those that one counts by hand."""

import json

import pytest

from gateway.audit.drift import drift
from gateway.audit.errors import AuditError
from gateway.audit.figures import figures
from gateway.audit.judging import Rules
from gateway.audit.page import record, write_page
from gateway.calibration.intervals import Share
from tests.gateway.audit.kit import audited, rows, turn, write
from tests.gateway.audit.test_judging import relaxed_packs

RULES = Rules()


@pytest.fixture(scope="module")
def audit(tmp_path_factory):
    """Seventy replies: thirty about facts, ten thanks, twenty about the price (a scenario), with one bad row."""
    folder = tmp_path_factory.mktemp("figures")
    audited(write(folder / "in.jsonl", [*rows(70), "no json\n"]), folder / "out", RULES, 20)
    return folder / "out"


def policy(found, name):
    return next(p for p in found.policies if p.id == name)


def test_what_each_policy_would_automate(audit):
    found = figures(audit)
    assert (found.rows, found.bad) == (70, 1)
    assert found.labelled == Share(30, 60)
    assert policy(found, "review").sent == Share(0, 70)
    auto = policy(found, "auto")
    assert (auto.sent, auto.wrong, auto.held) == (Share(20, 70), Share(0, 20), Share(10, 30))
    assert policy(found, "autopilot").sent == auto.sent
    assert policy(found, "band:low").sent == auto.sent
    relaxed = policy(found, "relax:pricing")
    assert (relaxed.sent, relaxed.more, relaxed.wrong_more) == (Share(30, 70), 10, Share(0, 10))
    assert relaxed.held == Share(0, 30)


def test_checks_and_topics(audit):
    found = figures(audit)
    checks = {line.id: line for line in found.checks}
    assert checks["fact_evidence"].failed == Share(30, 70)
    assert checks["fact_evidence"].right == Share(0, 30)
    assert checks["human_handoff"].failed == Share(20, 70)
    topics = {(t.kind, t.name): t for t in found.topics}
    assert topics["scenario", "pricing"].failed == Share(20, 20)
    assert topics["topic", "云栖湾 8-1203"].failed == Share(40, 70)
    assert topics["source", "云栖湾 8-1203"].wrong == Share(30, 60)
    assert topics["pack", "property"].failed == Share(40, 70)
    assert topics["agent", "a-1"].fact_support < 1


def test_the_relaxed_pack_sends_what_was_told(audit, tmp_path):
    """Before and after: the promise about a relaxed scenario, kept by a pack that relaxes it."""
    packs = relaxed_packs(tmp_path / "packs", "pricing")
    audited(str(audit.parent / "in.jsonl"), tmp_path / "out", Rules(str(packs)), 20)
    assert policy(figures(tmp_path / "out"), "auto").sent == policy(figures(audit), "relax:pricing").sent
    changed = drift(tmp_path / "out", audit, tmp_path / "changes.jsonl")
    assert (changed.compared, changed.changed, changed.now_passes, changed.now_fails) == (70, 20, 10, 0)
    assert changed.no_longer == {"human_handoff": 20}
    assert changed.newly == {}
    told = [json.loads(line) for line in (tmp_path / "changes.jsonl").read_text().splitlines()]
    assert {(c["was"]["auto"], c["now"]["auto"]) for c in told} == {("rewrite", "send"), ("rewrite", "rewrite")}
    assert all(c["was"]["requiresHuman"] and not c["now"]["requiresHuman"] for c in told)


def test_an_audit_does_not_drift_from_itself(audit, tmp_path):
    changed = drift(audit, audit, tmp_path / "changes.jsonl")
    assert (changed.compared, changed.changed, changed.examples) == (70, 0, ())


def test_drift_from_what_the_rows_say(tmp_path):
    """Half a memory is compared as far as it goes: without failed checks, only the pass."""
    given = [
        {"turn": turn(1), "passed": True, "failedCheckIds": [], "rulesVersion": "old"},
        {"turn": turn(2), "passed": False, "failedCheckIds": ["tone"], "rulesVersion": "old"},
        {"turn": turn(3), "passed": True, "failedCheckIds": ["tone"]},
        {"turn": turn(4, said="建筑面积140平米。"), "passed": True},
        {"turn": turn(5), "passed": True},
        {"turn": turn(6)},
    ]
    audited(write(tmp_path / "in.jsonl", given), tmp_path / "out", RULES)
    changed = drift(tmp_path / "out", None, tmp_path / "changes.jsonl")
    assert (changed.compared, changed.changed, changed.now_passes, changed.now_fails) == (5, 3, 1, 1)
    assert [example["id"] for example in changed.examples] == ["t-2", "t-4", "t-3"]
    assert (changed.newly, changed.no_longer) == ({}, {"tone": 2})


def test_rows_without_a_memory_have_no_drift(audit, tmp_path):
    assert drift(audit, None, tmp_path / "changes.jsonl") is None
    with pytest.raises(AuditError, match="no finished audit"):
        drift(audit, tmp_path, tmp_path / "changes.jsonl")


def test_the_page_stands_alone_and_tells_the_same_figures(audit, tmp_path):
    found = figures(audit)
    changed = drift(audit, audit, tmp_path / "changes.jsonl")
    write_page(audit, found, changed)
    page = (audit / "summary.html").read_text()
    assert json.loads((audit / "summary.json").read_text()) == json.loads(json.dumps(record(found, changed)))
    for words in ("放宽", "价格", "28.6%", "20 / 70", "云栖湾 8-1203", "事实有依据", "fact_evidence"):
        assert words in page, words
    assert not any(sign in page for sign in ("http://", "https://", "<script", " src="))
    assert page.count("<svg") == page.count("<title>") - 1
