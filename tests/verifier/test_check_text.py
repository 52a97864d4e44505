"""channel_format, the three limits and answers_question: counts and form."""

import pytest

from tests.verifier.cases import case_of, plan_of
from verifier.checks.answers_question import answers_question
from verifier.checks.channel_format import SEGMENT_BYTES, channel_format
from verifier.checks.limits import advice_limit, question_limit, sentence_budget
from verifier.claims import Claim, Facts, Located, Status, Via


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   \n",
        "\u200b\u200d\ufeff",
        "总价**350万**",
        "# 房源信息\n三室两厅",
        "- 总价350万\n- 面积89平",
        "> 原话",
        "请看[链接](https://example.com)",
        "| 户型 | 价格 |",
        "```\nprice\n```",
        "价格`350`万",
        "三室<br>两厅",
        "<b>350万</b>",
        "三室&nbsp;两厅",
        "字" * (SEGMENT_BYTES // 3 + 1),
        "不没" * 30,
        "（）" * 30,
        "，、" * 40,
        "[]" * 25,
    ],
)
def test_channel_format_fails(text: str) -> None:
    assert not channel_format(case_of(text)).passed


@pytest.mark.parametrize(
    "text",
    [
        "总价350万",
        "哈" * 12,
        "👌",
        "89",
        "客厅3*5米，主卧4*4米",
        "#二手房# 今日上新",
        "1. 总价350万\n2. 面积89平",
        "首付<100万可以看看这套",
        "5-6号楼",
        "-10度也不怕冷",
        "A&B座都有",
        "*赠送车位",
        ("房子在这边的呢" * SEGMENT_BYTES)[: SEGMENT_BYTES // 3],
    ],
)
def test_channel_format_passes(text: str) -> None:
    assert channel_format(case_of(text)).passed, channel_format(case_of(text)).detail


@pytest.mark.parametrize(
    ("text", "sentences", "questions", "advice"),
    [
        ("有电梯", 1, 0, 0),
        ("有电梯。三楼。朝南！", 3, 0, 0),
        ("有电梯\n三楼\n朝南", 3, 0, 0),
        ("单价3.2万，总价298.5万", 1, 0, 0),
        ("您预算多少？想住哪？几时搬？", 3, 3, 0),
        ("您大概什么时候入住", 1, 1, 0),
        ("老人一起住吗？一起住的话我找低楼层", 2, 1, 0),
        ("现在没有呢", 1, 0, 0),
        ("建议您先看报告，最好再试驾一次", 1, 0, 2),
        ("我尽量帮您安排", 1, 0, 0),
        ("You should see two homes first. What's your budget?", 2, 1, 1),
        ("", 0, 0, 0),
    ],
)
def test_counts(text: str, sentences: int, questions: int, advice: int) -> None:
    metrics = case_of(text).metrics
    assert (metrics.sentences, metrics.questions, metrics.advice) == (sentences, questions, advice)
    assert (metrics.chars, metrics.bytes) == (len(text), len(text.encode()))


def test_limits_hold_up_to_the_limit() -> None:
    text = "有电梯。三楼。建议您来看看？"
    exact = case_of(text, plan=plan_of(limits=(3, 1, 1)))
    below = case_of(text, plan=plan_of(limits=(2, 0, 0)))
    for check, kind in ((sentence_budget, "shorten"), (question_limit, "drop_question"), (advice_limit, "shorten")):
        assert check(exact).passed
        finding = check(below)
        assert not finding.passed
        assert [step.type for step in finding.fixes] == [kind]


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("有电梯吗", "感谢您的关注，祝您生活愉快"),
        ("这车出过事故没", "感谢支持，祝您天天开心"),
        ("离地铁多远", "欢迎常来，祝您天天开心"),
        ("How far is the metro?", "Thank you for choosing us!"),
    ],
)
def test_does_not_answer(asked: str, text: str) -> None:
    finding = answers_question(case_of(text, asked))
    assert not finding.passed
    assert [step.type for step in finding.fixes] == ["answer_question"]


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("有电梯吗", "有的"),
        ("有电梯吗", "没有呢"),
        ("有电梯吗", "我核实一下回您"),
        ("有电梯吗", "这个不太清楚，帮您问问"),
        ("离地铁多远", "800米左右"),
        ("几楼", "9楼"),
        ("预售证批下来了吧", "下来了"),
        ("能便宜吗", "这就转给经理跟您谈"),
        ("房东为什么卖", "业主想换大一点的"),
        ("你好", "感谢您的关注"),
        ("", "这周新上了两套，发您看看"),
        ("Is it furnished?", "No, the furniture goes with the owner"),
        ("which metro is nearby?", "Line 10, about 700 m"),
    ],
)
def test_answers(asked: str, text: str) -> None:
    assert answers_question(case_of(text, asked)).passed


@pytest.mark.parametrize(("quote", "source", "ok"), [("9", "楼层：9", True), ("总价298万", "总价298万", False)])
def test_a_claim_answers_what_its_source_is_about(quote: str, source: str, ok: bool) -> None:
    claim = Claim(quote, 0, len(quote), "predicate", Status.SUPPORTED, "…", Via.READ, "r", (Located("c1", source),))
    assert answers_question(case_of(quote, "能看楼层图吗", facts=Facts((claim,)))).passed is ok
