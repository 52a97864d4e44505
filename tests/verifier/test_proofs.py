"""What must hold whatever the words: spelling, order, more words, less evidence.

Each property takes true answers of our own with their evidence, and changes what may not, or must, change the verdict.
"""

import itertools
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.plan import plan
from planner.reading import Reading, read_turn
from planner.turn import Citation, Grounding, ToolResult
from tests.planner import spellings
from tests.verifier.turns import NOW, cite, tool, turn
from verifier.claims import Status
from verifier.facts import check_facts
from verifier.verdict import Judged
from verifier.verify import verify

BAD = {Status.CONTRADICTED, Status.UNSUPPORTED, Status.STALE}
FEW = settings(max_examples=40, deadline=None)
SUBJECT = "清河里2栋"


@dataclass(frozen=True)
class Answer:
    """A true answer: what was asked, what is said, and what backs it; `false` is what a liar would say."""

    asked: str
    said: str
    false: str
    evidence: tuple[Citation | ToolResult, ...]
    pack: str = "property"

    def reading(self, said: str | None = None, evidence: tuple[Citation | ToolResult, ...] | None = None, **more: Any):
        backing = self.evidence if evidence is None else evidence
        return turn(said or self.said, *backing, asked=self.asked, pack=self.pack, subject=SUBJECT, **more)


ANSWERS = [
    Answer("多大", "建面98平", "建面108平", (cite("建筑面积98㎡，套内78㎡"), cite("物业费3.2元/㎡/月", id="c2"))),
    Answer("有电梯吗", "有的", "没有", (tool({"电梯": "有"}), cite("小区绿化率35%", id="c2"))),
    Answer("供暖怎么样", "集中供暖", "自采暖", (cite("供暖方式：集中供暖"), tool({"楼层": "11层"}))),
    Answer("几楼", "在11楼", "在12楼", (tool({"楼层": "11层"}), cite("供暖方式：集中供暖"))),
    Answer("能养狗吗", "可以养的", "不能养", (cite("允许饲养宠物"), cite("停车费260元/月", id="c2"))),
    Answer("停车费多少", "停车260一个月", "停车280一个月", (cite("停车费260元/月"), tool({"电梯": "有"}))),
    Answer(
        "Is there a lift?", "Yes, there is a lift", "No lift", (tool({"elevator": True}), cite("35% green", id="c2"))
    ),
    Answer("How big?", "It's 98 sqm", "It's 89 sqm", (tool({"area_sqm": 98}), cite("Heating: central", id="c2"))),
    Answer("哪天交房", "2027年6月交房", "2027年3月交房", (cite("交付时间：2027年6月"), tool({"电梯": "无"}))),
    Answer("几手车", "一手车", "二手车，过户两次", (tool({"过户次数": 0}), cite("变速箱：自动挡")), "used_car"),
    Answer("什么挡", "自动挡", "手动挡", (cite("变速箱：自动挡"), tool({"过户次数": 0})), "used_car"),
    Answer(
        "跑了多少", "表显5.6万公里", "表显6.5万公里", (cite("表显里程56000公里"), cite("颜色：白", id="c2")), "used_car"
    ),
    Answer("泡过水吗", "没泡过", "泡过", (tool({"泡水": "否"}), cite("颜色：白")), "used_car"),
]
answers = pytest.mark.parametrize("answer", ANSWERS, ids=lambda a: a.said)


def blocked(reading: Reading) -> bool:
    return any(claim.status in BAD for claim in check_facts(reading).claims)


def score(reading: Reading) -> int:
    verdict = verify(reading, plan(reading))
    assert isinstance(verdict, Judged)
    return verdict.score


@answers
def test_the_truth_passes_and_the_lie_does_not(answer: Answer) -> None:
    assert not blocked(answer.reading())
    assert blocked(answer.reading(answer.false))


@answers
def test_the_order_of_the_evidence_does_not_matter(answer: Answer) -> None:
    for said in (answer.said, answer.false):
        verdicts = {
            tuple((c.quote, c.status) for c in check_facts(answer.reading(said, order)).claims)
            for order in itertools.permutations((*answer.evidence, cite("小区有三个门", id="c9")))
        }
        assert len(verdicts) == 1


HARMLESS = [
    "您好",
    "好的",
    "哈哈",
    "😊",
    "麻烦您稍等",
    "还有什么想了解的吗",
    "其他的我再核实一下回您",
    "谢谢您的耐心",
    "您看方便吗",
]
IN_ENGLISH = ["Hello!", "Thanks for waiting.", "Anything else?", "I'll check the rest and get back to you.", "😊"]


@FEW
@given(answer=st.sampled_from(ANSWERS), data=st.data())
def test_more_harmless_words_free_no_lie(answer: Answer, data: st.DataObject) -> None:
    words = IN_ENGLISH if answer.said.isascii() else HARMLESS
    more = data.draw(st.lists(st.sampled_from(words), min_size=1, max_size=3, unique=True))
    stop = ". " if answer.said.isascii() else "。"
    behind = answer.false + stop + stop.join(more)
    before = stop.join(more) + stop + answer.false
    assert blocked(answer.reading(behind)) and blocked(answer.reading(before))


@answers
def test_evidence_that_is_taken_away_backs_nothing(answer: Answer) -> None:
    assert blocked(answer.reading(evidence=()))
    dead = [
        lambda e: replace(e, withdrawn=True) if isinstance(e, Citation) else replace(e, status="error"),
        lambda e: replace(e, valid_until=NOW - timedelta(days=1)) if isinstance(e, Citation) else replace(e, data=None),
        lambda e: replace(e, text="") if isinstance(e, Citation) else replace(e, status="empty"),
        lambda e: replace(e, subject="别的小区7栋"),
    ]
    for spoil in dead:
        assert blocked(answer.reading(evidence=tuple(spoil(e) for e in answer.evidence)))


@answers
def test_a_declaration_saves_no_lie_and_no_spoiled_source(answer: Answer) -> None:
    first = answer.evidence[0]
    if isinstance(first, Citation):
        lie = Grounding(answer.false, first.id, first.text)
        assert blocked(answer.reading(answer.false, grounding=(lie,)))
        true = Grounding(answer.said, first.id, first.text)
        gone = (replace(first, withdrawn=True), *answer.evidence[1:])
        assert blocked(answer.reading(evidence=gone, grounding=(true,)))


UNBACKED = [
    "楼下新开了游泳池",
    "精装修带地暖",
    "上个月刚换的发动机",
    "业主急售",
    "距机场1200米",
    "带两个车位",
    "It was renovated in 2021",
    "保养记录齐全",
]


@settings(max_examples=20, deadline=None)
@given(answer=st.sampled_from(ANSWERS), added=st.sampled_from(UNBACKED), first=st.booleans())
def test_an_unbacked_claim_never_raises_the_score(answer: Answer, added: str, *, first: bool) -> None:
    for said in (answer.said, answer.false):
        longer = f"{added}。{said}" if first else f"{said}。{added}"
        assert score(answer.reading(longer)) <= score(answer.reading(said))


@FEW
@given(
    kind=st.sampled_from(["money", "area", "mileage"]),
    number=st.integers(41, 389),
    other=st.integers(1, 9),
    data=st.data(),
)
def test_both_sides_may_spell_a_value_as_they_like(kind: str, number: int, other: int, data: st.DataObject) -> None:
    """Any spelling in the draft is the same value as any spelling in the evidence, and no other value is."""
    role, pack = {"money": ("总价", "property"), "area": ("建面", "property"), "mileage": ("表显", "used_car")}[kind]
    spell = getattr(spellings, kind)
    printed = cite(f"{role}{data.draw(st.sampled_from(spell(number)))}")
    said = data.draw(st.sampled_from(spell(number)))
    assert not blocked(turn(role + said, printed, asked="多少", pack=pack)), (said, printed.text)
    wrong = data.draw(st.sampled_from(spell(number + other)))
    assert blocked(turn(role + wrong, printed, asked="多少", pack=pack)), (wrong, printed.text)


@answers
def test_the_same_turn_gives_the_same_verdict(answer: Answer) -> None:
    one = answer.reading()
    again = read_turn(one.turn, one.pack)
    assert check_facts(one) == check_facts(again)
