"""The example agent's rewrite: each step of the fix actions, done mechanically."""

import runpy

import pytest

from tests.docs.conftest import ROOT
from tests.docs.test_checks import EXAMPLES, as_draft, judged

MENDING = runpy.run_path(str(ROOT / "examples" / "mending.py"))
mend, find_passage = MENDING["mend"], MENDING["find_passage"]
SOURCES = {
    "citations": [{"id": "c1", "text": "南向三室，公摊按规定计算；宠物需登记后饲养。"}],
    "toolResults": [{"id": "t1", "data": {"车位": {"类型": "产权车位", "数/量": 2}, "标签": ["近公园"]}}],
}


def mended(text: str, *fixes: tuple[str, str, str], **fields) -> dict:
    given = {"text": text} | SOURCES | fields
    return mend(given, [{"type": kind, "target": target, "detail": detail} for kind, target, detail in fixes])


STEPS = [
    ("公摊大，采光好。", ("remove_claim", "公摊大", ""), "采光好。"),
    ("采光好，公摊大", ("remove_claim", "公摊大", ""), "采光好，"),
    ("您预算多少？采光好。", ("drop_question", "您预算多少？", ""), "采光好。"),
    ("采光好，层高3.2米。", ("mark_pending", "层高3.2米", ""), "采光好。这个我核实后回您。"),
    ("采光好，层高3.2米。", ("ground_claim", "层高3.2米", "no source"), "采光好。这个我核实后回您。"),
    ("总价372万。", ("correct_value", "总价372万", "the draft says 372万; printed: 327万"), "总价327万。"),
    ("约300米到站。", ("correct_value", "约300米到站", "…; printed: 800米, 900米"), "约800米到站。"),
    ("有电梯。", ("correct_value", "有电梯", "the contrary; the source says c1: 本楼无电梯"), "本楼无电梯。"),
    ("层高3米。", ("correct_value", "层高3米", "no idea"), "这个我核实后回您。"),
    ("It has a lift.", ("correct_value", "It has a lift", "no idea"), "I'll check that and get back to you."),
    ("一。二。三。", ("shorten", "", ""), "一。"),
]


@pytest.mark.parametrize(("text", "fix", "after"), STEPS)
def test_a_step_is_carried_out(text: str, fix: tuple[str, str, str], after: str) -> None:
    assert mended(text, fix)["text"] == after


def test_a_clause_is_declared_where_its_words_and_numbers_stand() -> None:
    got = mended("南向三室，采光好", ("ground_claim", "南向三室", "no source says this"))
    assert got["text"] == "南向三室，采光好"
    assert got["grounding"] == [{"quote": "南向三室", "evidenceId": "c1", "evidenceQuote": "南向三室"}]


def test_a_field_is_declared_by_its_path() -> None:
    draft = {"text": ""} | SOURCES
    assert find_passage("车位要另外买", draft) is None
    assert find_passage("类型产权车位", draft) == {"evidenceId": "t1", "path": "/车位/类型"}
    assert find_passage("数量 22", draft) is None


def test_nothing_else_is_changed() -> None:
    before = {"quote": "采光好", "evidenceId": "c1", "evidenceQuote": "南向三室"}
    got = mended("采光好，公摊大。", ("remove_claim", "公摊大", ""), grounding=[before], agentId="a")
    assert got["grounding"] == [before]
    assert got["agentId"] == "a" and got["citations"] == SOURCES["citations"]
    gone = mended("采光好，公摊大。", ("remove_claim", "采光好", ""), grounding=[before])
    assert gone["grounding"] == []


def test_what_a_person_decides_is_handed_over() -> None:
    got = mended("能便宜两万。", ("add_handoff", "", ""), ("set_requires_human", "", ""))
    assert got["requiresHuman"] is True and "转给" in got["text"]


def test_the_same_steps_give_the_same_draft() -> None:
    steps = (("ground_claim", "南向三室", ""), ("mark_pending", "层高3米", ""))
    assert mended("南向三室，层高3米。", *steps) == mended("南向三室，层高3米。", *steps)


@pytest.mark.parametrize("example", EXAMPLES, ids=[example["check"] for example in EXAMPLES])
def test_each_checks_failing_draft_passes_once_it_is_mended(example) -> None:
    draft = as_draft(example["fails"])
    fixes = [{"type": f.type, "target": f.target, "detail": f.detail} for f in judged(example, draft).fix_actions]
    assert judged(example, mend(draft, fixes)).passed
