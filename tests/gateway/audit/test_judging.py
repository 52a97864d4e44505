"""What a row says of a policy is what the gateway would do under it."""

import json

import pytest

from gateway.audit.errors import AuditError
from gateway.audit.judging import Rules, judge, versions
from gateway.audit.stored import from_document
from gateway.audit.table import COLUMNS
from gateway.packs import PackShelf
from planner.pack import BUILT_IN
from tests.gateway.audit.kit import rows, turn

SHELF = PackShelf()


def judged(*args, shelf=SHELF, **draft):
    return judge(from_document({"turn": turn(1, *args, **draft)}), shelf, 90)


def relaxed_packs(folder, scenario):
    (folder / "property").mkdir(parents=True)
    pack = f'name: property\ninclude: ["{BUILT_IN}/property/pack.yaml"]\nscenarios:\n  - {{id: {scenario}, human: decide}}\n'
    (folder / "property" / "pack.yaml").write_text(pack)
    return folder


@pytest.mark.parametrize(
    ("asked", "said", "actions"),
    [
        ("这套多大面积", "建筑面积104平米。", ("hold", "send", "send")),
        ("这套多大面积", "建筑面积140平米。", ("rewrite", "rewrite", "rewrite")),
        ("好的谢谢", "不客气。", ("no_reply", "no_reply", "no_reply")),
        ("能便宜十万吗", "我这就把您转给同事。", ("rewrite", "rewrite", "rewrite")),
    ],
)
def test_each_mode_decides_as_the_gate_does(asked, said, actions):
    row = judged(asked, said)
    assert (row["review"], row["auto"], row["autopilot"]) == actions


def test_autopilot_sends_what_nobody_asked_for():
    """A follow-up: the last word was ours."""
    stored = turn(1)
    answered = {"id": "m-2", "role": "agent", "text": "我看一下。", "at": "2026-09-14T10:01:00+08:00"}
    stored["conversation"]["messages"].append(answered)
    row = judge(from_document({"turn": stored}), SHELF, 90)
    assert (row["auto"], row["autopilot"]) == ("hold", "send")


@pytest.mark.parametrize(
    ("asked", "said", "scenario", "action"),
    [
        ("挂牌价多少", "挂牌价315万。", "pricing", "send"),
        ("挂牌价多少", "挂牌价351万。", "pricing", "rewrite"),
        ("能便宜十万吗", "挂牌价315万。", None, None),  # bargaining stays with people
        ("挂牌价多少，房本满五年了吗", "挂牌价315万。", None, None),  # two scenarios: one alone does not help
        ("这套多大面积", "建筑面积104平米。", None, None),
    ],
)
def test_relaxing_a_scenario_is_what_a_relaxed_pack_would_do(tmp_path, asked, said, scenario, action):
    row = judged(asked, said)
    assert (row["relaxable"], row["relaxedAction"]) == (scenario, action)
    if scenario is not None:
        packs = PackShelf(relaxed_packs(tmp_path / scenario, scenario))
        assert judged(asked, said, shelf=packs)["auto"] == action


def test_a_stage_that_always_wants_a_person_keeps_it(tmp_path):
    """A pack's stage may be stricter than its scenarios: relaxing the scenario would change nothing there."""
    (tmp_path / "property").mkdir()
    stage = "stagePlaybook:\n  - {id: deal, goal: 成交, alwaysHuman: [pricing]}\n"
    pack = f'name: property\ninclude: ["{BUILT_IN}/property/pack.yaml"]\n{stage}'
    (tmp_path / "property" / "pack.yaml").write_text(pack)
    stored = turn(1, "挂牌价多少", "挂牌价315万。")
    stored["conversation"]["stage"] = "deal"
    row = judge(from_document({"turn": stored}), PackShelf(tmp_path), 90)
    assert (row["requiresHuman"], row["relaxable"]) == (True, None)


def test_a_handoff_by_the_agent_s_own_word_is_not_relaxed_away():
    row = judged("挂牌价多少", "挂牌价315万，我这就把您转给同事。", requiresHuman=True)
    assert (row["relaxable"], row["relaxedAction"]) == ("pricing", "hold")


def test_what_cannot_be_judged_is_null_and_held():
    row = judged(citations=[{"id": str(n), "text": "long " * 3_900} for n in range(22)])
    assert (row["passed"], row["score"], row["status"], row["band"]) == (None, None, None, None)
    assert (row["auto"], row["fallbackReason"]) == ("hold", "quality_unavailable")
    assert row["unavailable"]


def test_a_row_has_the_columns_of_the_table():
    for document in rows(7):
        row = judge(from_document(document), SHELF, 90)
        assert {*row, "row", "file", "line"} == set(COLUMNS)
        json.dumps(row)


def test_the_topic_is_the_subject_else_a_source_else_the_scenario():
    assert judged()["topic"] == "云栖湾 8-1203"
    assert judged()["sources"] == ["云栖湾 8-1203"]
    bare = turn(1, "挂牌价多少", "我核实一下。", citations=[])
    del bare["conversation"]["subject"]
    assert judge(from_document({"turn": bare}), SHELF, 90)["topic"] == "pricing"


def test_a_worker_with_other_rules_refuses():
    """Another release on a machine of the cluster must not mix its verdicts in."""
    rules = Rules()
    assert Rules(expected=tuple(versions(rules).items())).checked_shelf().names() == SHELF.names()
    with pytest.raises(AuditError, match="other rules"):
        Rules(expected=(("property", "0.0.1+x"),)).checked_shelf()
