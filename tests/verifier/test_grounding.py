"""Declarations: false ones count against the draft, unfit ones are ignored, fitting ones back what reading could not."""

import pytest

from planner.turn import Grounding
from tests.verifier.turns import cite, tool, turn
from verifier.claims import Status, Via
from verifier.facts import check_facts

BAD = {Status.CONTRADICTED, Status.UNSUPPORTED, Status.STALE}
ATTIC = cite("阁楼为赠送面积，未计入产证")


def _quote(quote: str, passage: str, source: str = "c1") -> Grounding:
    return Grounding(quote, evidence_id=source, evidence_quote=passage)


@pytest.mark.parametrize(
    "grounding",
    [
        _quote("露台很大", "赠送面积"),
        _quote("阁楼不算在产证里", "赠送面积", "c9"),
        _quote("阁楼不算在产证里", "已计入产证"),
        Grounding("阁楼不算在产证里", evidence_id="c1", path="/attic"),
        Grounding("阁楼不算在产证里", message_id="m7"),
    ],
)
def test_a_declaration_that_points_at_nothing_is_false(grounding: Grounding) -> None:
    facts = check_facts(turn("阁楼不算在产证里", ATTIC, asked="阁楼算面积吗", grounding=(grounding,)))
    assert facts.false_groundings


def test_both_ends_are_compared_after_normalising() -> None:
    grounding = _quote("閣樓未計入產證", "未计入 产证".replace(" ", ""))
    facts = check_facts(turn("阁楼未计入产证", ATTIC, asked="阁楼算面积吗", grounding=(grounding,)))
    assert not facts.false_groundings


def test_a_fitting_pair_backs_what_reading_cannot_find() -> None:
    draft, evidence = "小屋子房东自己留着", cite("储藏间归业主使用，不随房")
    bare = check_facts(turn(draft, evidence, asked="小屋子给用吗"))
    declared = (_quote(draft, "储藏间归业主使用"),)
    grounded = check_facts(turn(draft, evidence, asked="小屋子给用吗", grounding=declared))
    assert any(claim.status in BAD for claim in bare.claims)
    assert not any(claim.status in BAD for claim in grounded.claims)
    assert any(claim.via is Via.GROUNDING for claim in grounded.claims)


@pytest.mark.parametrize(
    ("draft", "passage", "text"),
    [
        ("靠大街的是客房", "客房临建设路", "客房临建设路，主卧临花园"),
        ("看电表得找隔壁", "电表钥匙由隔壁保管", "电表钥匙由隔壁保管"),
    ],
)
def test_a_pair_needs_one_anchor_and_no_difference(draft: str, passage: str, text: str) -> None:
    facts = check_facts(turn(draft, cite(text), asked="介绍下", grounding=(_quote(draft, passage),)))
    assert not any(claim.status in BAD for claim in facts.claims)


def test_the_declared_sentence_outweighs_another_about_another_part() -> None:
    evidence = cite("北阳台已封闭，南阳台未封")
    held = (_quote("南阳台没封", "南阳台未封"),)
    facts = check_facts(turn("南阳台没封", evidence, asked="阳台封了没", grounding=held))
    assert not any(claim.status in BAD for claim in facts.claims)
    wider = check_facts(
        turn("阳台都封了", evidence, asked="阳台封了没", grounding=(_quote("阳台都封了", "北阳台已封闭"),))
    )
    assert any(claim.status in BAD for claim in wider.claims)


@pytest.mark.parametrize(
    ("draft", "evidence", "grounding"),
    [
        (
            "管理费每月三百二",
            tool({"fee_note": "每月230元"}),
            Grounding("管理费每月三百二", evidence_id="t1", path="/fee_note"),
        ),
        ("阳台是封好的", cite("阳台未封"), _quote("阳台是封好的", "封")),
        ("临着主干道", cite("本楼不临主干道"), _quote("临着主干道", "临主干道")),
        ("漏水修好了", cite("业主称漏水已修好"), _quote("漏水修好了", "漏水已修好")),
        ("是集中供暖", cite("供暖：自采暖"), _quote("是集中供暖", "供暖")),
        ("押金当场退", cite("退租后五个工作日内退押金"), _quote("押金当场退", "五个工作日内退押金")),
        ("每天都能看", cite("除周一外每天可看"), _quote("每天都能看", "每天可看")),
        ("从95万涨到98万", cite("由98万调整为95万"), _quote("从95万涨到98万", "由98万调整为95万")),
    ],
)
def test_a_declaration_never_outweighs_a_mismatch(draft: str, evidence, grounding: Grounding) -> None:
    facts = check_facts(turn(draft, evidence, asked="介绍下", grounding=(grounding,)))
    assert not facts.false_groundings
    assert any(claim.status in BAD for claim in facts.claims)


@pytest.mark.parametrize(
    ("evidence", "grounding"),
    [
        (tool(None, status="error", text="露台 timeout"), _quote("带露台", "露台", "t1")),
        (cite("带露台", subject="听雨轩"), _quote("带露台", "带露台")),
        (cite("带露台", withdrawn=True), _quote("带露台", "带露台")),
        (cite("近地铁"), _quote("带露台", "近地铁")),
    ],
)
def test_an_unfit_declaration_is_ignored(evidence, grounding: Grounding) -> None:
    facts = check_facts(turn("带露台", evidence, asked="带露台吗", subject="青枫里", grounding=(grounding,)))
    assert not facts.false_groundings
    assert any(claim.status in BAD for claim in facts.claims)


def test_a_short_answer_brings_the_question_that_it_answers() -> None:
    evidence = tool({"电梯": "有", "楼龄": "9年"})
    facts = check_facts(
        turn("有的", evidence, asked="有电梯吗", grounding=(Grounding("有的", evidence_id="t1", path="/电梯"),))
    )
    assert [claim.status for claim in facts.claims] == [Status.SUPPORTED]


def test_a_customers_message_backs_what_they_said_about_themselves() -> None:
    grounding = Grounding("您是首套", message_id="m0")
    facts = check_facts(turn("您是首套，记下了", asked="我们首套", grounding=(grounding,)))
    assert not facts.false_groundings
    assert not any(claim.status in BAD for claim in facts.claims)
