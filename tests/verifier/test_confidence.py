"""What the confidence is made of: how firmly each clause stands, what was asked and found, what the answer keeps."""

import pytest

from planner.plan import plan
from tests.verifier.turns import cite, tool, turn
from verifier.facts import check_facts
from verifier.verdict import Judged
from verifier.verify import verify


def judged(reading) -> Judged:
    verdict = verify(reading, plan(reading))
    assert isinstance(verdict, Judged)
    return verdict


def firm(reading) -> float:
    return min(claim.firmness for claim in check_facts(reading).claims)


FIRMER = [
    # the words of the passage, beside words of one's own
    (
        turn("主卧朝南", cite("主卧朝南"), asked="朝向呢"),
        turn("菜场就在楼底下", cite("菜场在隔壁街区"), asked="买菜方便吗"),
    ),
    # a whole passage, beside one that goes on with a condition
    (
        turn("七天可退", cite("七天可退"), asked="能退吗"),
        turn("七天可退", cite("非人为重大故障七天可退"), asked="能退吗"),
    ),
    # what is said of one room, beside what is said of all
    (turn("主卧是实木地板", cite("主卧实木地板"), asked="地板"), turn("都是实木地板", cite("实木地板"), asked="地板")),
    # a number that is computed is near to one that is printed
    (
        turn("建面89平", cite("建筑面积89平"), asked="多大"),
        turn("高了五万", cite("挂牌从300万调到305万"), asked="涨了吗"),
    ),
]


@pytest.mark.parametrize(("firmer", "looser"), FIRMER)
def test_some_clauses_stand_firmer_than_others(firmer, looser) -> None:
    """Both are supported or not as before; firmness only orders them."""
    assert 0.0 <= firm(looser) <= firm(firmer) <= 1.0
    assert firm(firmer) > 0.8


def test_another_language_and_a_field_are_as_firm_as_the_words() -> None:
    """A translation and the name of a field say the words too."""
    assert firm(turn("It has a lift", tool({"电梯": "有"}), asked="is there a lift")) >= 0.8
    assert firm(turn("带电梯", tool({"elevator": True}), asked="有电梯吗")) >= 0.8


def test_a_draft_is_hardly_better_than_its_weakest_clause() -> None:
    """One loose clause among firm ones costs more than its share of the mean."""
    whole = judged(turn("带电梯，满五年", cite("带电梯，满五年"), asked="介绍一下"))
    loose = judged(turn("带电梯，可以养宠物的", cite("带电梯。房东要求：可以养猫"), asked="我养了只柯基可以租不"))
    support = loose.dimensions["factSupport"]
    assert whole.dimensions["factSupport"].score > support.score
    claims = loose.claims
    assert support.score <= (sum(c.firmness for c in claims) / len(claims))
    assert "可以养宠物的" in support.evidence


def test_coverage_counts_what_was_asked() -> None:
    """Half of the questions covered is half; no question that could be looked up is no coverage, not zero."""
    half = judged(turn("带电梯，车位我查一下", cite("带电梯"), asked="有电梯吗，有车位吗"))
    assert half.dimensions["retrievalCoverage"].score == 0.5
    assert "有车位" in half.dimensions["retrievalCoverage"].evidence
    assert judged(turn("您好", asked="你好呀")).dimensions["retrievalCoverage"] is None
    dead = cite("带电梯", withdrawn=True)
    assert judged(turn("电梯我查一下", dead, asked="有电梯吗")).dimensions["retrievalCoverage"].score == 0.0


def test_a_question_that_nothing_answers_lowers_adherence() -> None:
    """A reply in which nothing was read to a question that has content keeps all rules, and yet may be anything."""
    silent = judged(turn("好看的", cite("带电梯"), asked="这个楼外墙是什么颜色"))
    asking = judged(turn("您方便说下是哪一栋吗？", cite("带电梯"), asked="这个楼是什么结构的"))
    here = judged(turn("在的", asked="在吗"))
    assert silent.dimensions["instructionAdherence"].score < asking.dimensions["instructionAdherence"].score
    assert here.dimensions["instructionAdherence"].score == 1.0
