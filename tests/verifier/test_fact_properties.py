"""What holds for any numbers: one digit off never stays supported, and both languages get the same verdict."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.verifier.turns import cite, tool, turn
from verifier.claims import Status
from verifier.facts import check_facts

BAD = {Status.CONTRADICTED, Status.UNSUPPORTED, Status.STALE}
FEW = settings(max_examples=40, deadline=None)

# (draft, evidence with the true number, how it is printed there)
SHAPES = [
    ("总价{n}万", lambda n: tool({"price": n * 10000}), "多少钱"),
    ("挂牌{n}万元", lambda n: cite(f"挂牌总价{n}万元"), "什么价"),
    ("建面{n}平", lambda n: cite(f"建筑面积{n}㎡，套内{n + 17}㎡"), "多大"),
    ("套内{n}平", lambda n: tool({"套内面积": f"{n}㎡", "建筑面积": f"{n + 17}㎡"}), "套内多大"),
    ("首付{n}万", lambda n: tool({"首付": n * 10000, "月供": n * 41}), "首付多少"),
    ("It's listed at RMB {n},000", lambda n: tool({"asking_price_rmb": n * 1000}), "How much?"),
    ("{n} sqm", lambda n: tool({"area_sqm": n}), "How big is it?"),
]


def _blocked(draft: str, evidence: object, asked: str, **fields: object) -> bool:
    facts = check_facts(turn(draft, evidence, asked=asked, **fields))  # type: ignore[arg-type]
    return any(claim.status in BAD for claim in facts.claims)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape[0])
@FEW
@given(number=st.integers(101, 998), place=st.integers(0, 2), digit=st.integers(1, 9))
def test_one_digit_off_never_stays_supported(shape, number: int, place: int, digit: int) -> None:
    said = list(str(number))
    said[place] = str((int(said[place]) + digit) % 10)
    other = "".join(said)
    assert not _blocked(shape[0].format(n=number), shape[1](number), shape[2])
    if other != str(number) and other[0] != "0":
        assert _blocked(shape[0].format(n=other), shape[1](number), shape[2])


SAME_FACTS = [
    ("有电梯", "There is a lift", {"elevator": True}, {"elevator": False}, "property"),
    ("没有抵押", "No mortgage", {"mortgage": False}, {"mortgage": True}, "property"),
    ("可以养宠物", "Pets are allowed", {"pets_allowed": True}, {"pets_allowed": False}, "property"),
    ("没泡过水", "It was never flooded", {"flooded": False}, {"flooded": True}, "used_car"),
    ("有天窗", "It has a sunroof", {"sunroof": True}, {"sunroof": False}, "used_car"),
    ("自动挡", "It's an automatic", {"transmission": "automatic"}, {"transmission": "manual"}, "used_car"),
]


@pytest.mark.parametrize(("chinese", "english", "true", "false", "pack"), SAME_FACTS)
def test_both_languages_get_the_same_verdict(chinese: str, english: str, true: dict, false: dict, pack: str) -> None:
    for draft in (chinese, english):
        assert not _blocked(draft, tool(true), "", pack=pack)
        assert _blocked(draft, tool(false), "", pack=pack)
        assert _blocked(draft, tool(true, status="error"), "", pack=pack)
        assert _blocked(draft, tool({}), "", pack=pack)


HOSTILE = [
    "一",
    "9",
    "没",
    "（",
    "[c1]",
    "比",
    "从1到",
    "😀",
    "\u200b",
    "é́",
    "a",
    "、",
    "：",
    "押一付三",
    "不没",
    "有没有",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_text_is_judged_without_an_exception(piece: str) -> None:
    text = piece * (4_000 // len(piece))
    check_facts(turn(text, cite(text[:2_000]), asked=piece * 50))


@FEW
@given(st.text(max_size=120), st.text(max_size=120))
def test_any_text_is_judged(draft: str, evidence: str) -> None:
    facts = check_facts(turn(draft, cite(evidence), tool({"备注": evidence}), asked=evidence[:20]))
    for claim in facts.claims:
        assert draft[claim.start : claim.end] == claim.quote
