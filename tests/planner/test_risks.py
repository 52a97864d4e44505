"""Risks: levels, quotes, several in one turn, slips of the pen, withdrawals, bare agreement, commitments in drafts."""

import pytest

from planner.risks import Level, find_risks
from tests.planner.turns import reading


def _scenarios(*said: str, draft: str | None = None, pack: str = "property") -> set[str]:
    return {risk.scenario for risk in find_risks(reading(*said, draft=draft, pack=pack))}


@pytest.mark.parametrize(
    ("said", "level"),
    [
        ("这套标价是多少", Level.INFORM),
        ("标价多少 能不能便宜五万", Level.DECIDE),
        ("产权年限还有多久", Level.INFORM),
        ("后天上午我过去看房", Level.DECIDE),
    ],
)
def test_level_is_the_highest_that_was_said(said: str, level: Level) -> None:
    """A plain question informs; bargaining and booking decide."""
    (risk,) = find_risks(reading(f"c:{said}"))
    assert risk.level is level
    assert risk.source == "customer"


@pytest.mark.parametrize(
    ("said", "scenarios"),
    [
        ("最低能到多少，房本满两年没", {"pricing", "title"}),
        ("墙上渗水的地方修好没？周日能过去看看吗", {"condition", "viewing"}),
        ("给我换真人，我要投诉你们", {"human_request", "complaint"}),
        ("学位还在不在，首付最少几成", {"school_district", "financing"}),
    ],
)
def test_every_scenario_of_a_message_is_tagged(said: str, scenarios: set[str]) -> None:
    """One scenario does not swallow another."""
    assert _scenarios(f"c:{said}") == scenarios


def test_every_unanswered_message_counts_and_answered_ones_do_not() -> None:
    """Only what nobody has answered yet raises risk."""
    assert _scenarios("c:能贷款吗", "a:可以的", "c:有抵押没有", "c:啥价位卖的") == {"title", "pricing"}


@pytest.mark.parametrize(
    ("said", "scenario"),
    [
        ("首富要多少", "financing"),
        ("daikuan好办吗", "financing"),
        ("公鸡金可以用不", "financing"),
        ("学趣划到哪边", "school_district"),
        ("我要投述", "complaint"),
        ("人功客服在吗", "human_request"),
        ("有没有底押", "title"),
        ("家格能谈吗", "pricing"),
        ("露水吗房子", "condition"),
        ("楼上漏氺吗", "condition"),
        ("any accidnts before", "condition"),
        ("waht is the prcie", "pricing"),
    ],
)
def test_slips_of_the_pen(said: str, scenario: str) -> None:
    """Words typed by sound or with a letter off are read; real words that sound the same stay."""
    pack = "used_car" if said.isascii() and "acc" in said else "property"
    assert _scenarios(f"c:{said}", pack=pack) == ({scenario} if scenario else set())


@pytest.mark.parametrize(
    "said",
    [
        "不用给我转人工，你说就行",
        "我不是要投诉，随便问问物业电话",
        "价格没问题，先说说采光",
        "我不贷款的，问下几楼",
        "先不去看房，资料发我",
        "学区我不考虑",
    ],
)
def test_a_denied_scenario_is_none(said: str) -> None:
    """What the customer says they do not want is no request for it."""
    assert _scenarios(f"c:{said}") == set()


def test_a_withdrawn_question_does_not_count() -> None:
    """The last message of a burst may take back the one before."""
    assert _scenarios("c:明天能去看房吗", "c:算了先不看房了，房本办下来没") == {"title"}
    assert _scenarios("c:这套能砍价吗", "c:没事了当我没问") == set()


@pytest.mark.parametrize(
    ("offer", "answer", "scenario"),
    [
        ("周四下午三点带您看房可以吗？", "行", "viewing"),
        ("要不要我帮您转给同事？", "好的", "human_request"),
        ("户型图传您了", "好的", ""),
        ("您是想要朝南的吗？", "对", ""),
    ],
)
def test_a_bare_yes_accepts_the_offer_before_it(offer: str, answer: str, scenario: str) -> None:
    """A short yes stands for the customer's own wish."""
    assert _scenarios(f"a:{offer}", f"c:{answer}") == ({scenario} if scenario else set())


@pytest.mark.parametrize(
    ("draft", "scenario"),
    [
        ("好的，给您降到268万，一言为定", "pricing"),
        ("已经帮您约好周五三点看房", "viewing"),
        ("放心，这笔贷款肯定能批", "financing"),
        ("放心，孩子肯定能上实验小学", "school_district"),
        ("我跟您保证绝对不会漏", "condition"),
        ("房子在12楼，一共18层", ""),
        ("能不能批谁也保证不了，以银行为准", ""),
        ("还没约好，等业主回话", ""),
    ],
)
def test_commitments_in_the_draft_raise_risk(draft: str, scenario: str) -> None:
    """A draft that commits is risky even where the customer asked nothing of the kind; a fact is not."""
    risks = find_risks(reading("c:几楼的", draft=draft))
    assert [(risk.scenario, risk.source) for risk in risks] == ([(scenario, "draft")] if scenario else [])


def test_quote_is_the_customers_own_words() -> None:
    """The quote cuts the text as written, width and script included."""
    (risk,) = find_risks(reading("c:你好，請問　首富 最少幾成"))
    assert risk.quote in "你好，請問　首富 最少幾成"
