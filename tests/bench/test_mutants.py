"""The tool that changes facts: a change is a change of meaning, in a claim that stands, and survivors are told."""

from dataclasses import replace

import pytest

from bench.mutants import count
from bench.mutations import Mutant, mutants, spoiled
from bench.sets import Sample
from gateway.evaluate import evaluate_turn
from planner.turn import Citation, Grounding
from tests.verifier.turns import cite, tool, turn
from verifier.verdict import Judged

CHANGES = [
    # (pack, asked, draft, evidence, kind, the changed text)
    ("property", "多少钱", "总价350万", "总价350万元", "digit", "总价650万"),
    ("property", "多少钱", "总价三百五十万", "总价350万元", "digit", "总价七百五十万"),
    ("property", "多大", "建面89平", "建筑面积89平米", "digit", "建面82平"),
    ("property", "多少钱", "总价350万", "总价350万元", "unit", "总价350千"),
    ("property", "多大", "建面89平", "建筑面积89平米，套内71平米", "role", "套内89平"),
    ("property", "哪天交房", "2027年6月交房", "2027年6月交房", "date", "2027年9月交房"),
    ("property", "有电梯吗", "有电梯", "该楼有电梯", "polarity", "没有电梯"),
    ("property", "抵押吗", "没有抵押", "无抵押", "polarity", "有抵押"),
    ("used_car", "什么挡", "自动挡", "变速箱：自动挡", "option", "手动挡"),
    ("used_car", "How many km?", "It has run 38,000 km", "Odometer 38,000 km", "digit", "It has run 68,000 km"),
]


def _made(pack: str, asked: str, draft: str, evidence: str, **fields) -> list[Mutant]:
    reading = turn(draft, cite(evidence), asked=asked, pack=pack, **fields)
    verdict = evaluate_turn(replace(reading.turn, pack=pack)).verdict
    assert isinstance(verdict, Judged)
    return list(mutants(reading, verdict.claims))


@pytest.mark.parametrize(("pack", "asked", "draft", "evidence", "kind", "text"), CHANGES)
def test_a_claim_that_stands_is_changed(pack, asked, draft, evidence, kind, text) -> None:
    made = _made(pack, asked, draft, evidence)
    assert text in [m.turn.draft.text for m in made if m.kind == kind]


SAME = [
    ("多大", "您想要三室还是两室", "建筑面积89平米"),  # a question
    ("多少钱", "价格我核实后回您，大概350万", "单价4万"),  # not settled
    ("多少钱", "总价400万", "总价350万元"),  # a claim that does not stand
    ("在吗", "您好，在的", "总价350万元"),
]


@pytest.mark.parametrize(("asked", "draft", "evidence"), SAME)
def test_what_claims_nothing_is_not_changed(asked, draft, evidence) -> None:
    assert not [m for m in _made("property", asked, draft, evidence) if m.kind in ("digit", "unit", "date")]


def test_a_rough_number_is_changed_beyond_its_tolerance() -> None:
    made = [
        m.turn.draft.text for m in _made("property", "多大", "建面大概89平", "建筑面积89.3平米") if m.kind == "digit"
    ]
    assert made == ["建面大概19平"]


def test_a_declared_quote_that_is_changed_is_not_declared_any_more() -> None:
    declared = (Grounding("总价350万", "c1", "总价350万元"),)
    made = _made("property", "多少钱", "总价350万", "总价350万元", grounding=declared)
    assert made and not any(m.turn.draft.grounding for m in made)


def test_evidence_is_taken_away_in_three_ways() -> None:
    given = turn("有电梯", cite("有电梯"), tool({"电梯": "有"}), subject="云栖里3栋").turn
    ways = dict(spoiled(given))
    assert list(ways) == ["removed", "withdrawn", "other subject"]
    assert not ways["removed"].draft.citations and not ways["removed"].draft.tool_results
    assert ways["withdrawn"].draft.citations[0].withdrawn and ways["withdrawn"].draft.tool_results[0].status == "error"
    assert ways["other subject"].draft.citations[0].subject not in (None, given.conversation.subject)


def test_only_good_drafts_that_pass_are_counted(tmp_path) -> None:
    given = [
        turn("建面89平", Citation("c1", "建筑面积89平米"), asked="多大", subject="云栖里").turn,
        turn("建面98平", Citation("c1", "建筑面积89平米"), asked="多大", subject="云栖里").turn,
    ]
    tally = count(Sample(tmp_path, t, good=True, tagged=True) for t in given)
    assert tally.drafts == 1
    assert tally.made["digit"] and not tally.passed["digit"]
    assert not tally.passed["removed"] and not tally.survivors
