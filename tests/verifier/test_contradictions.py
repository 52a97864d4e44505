"""find_contradictions: within a draft, against what was sent before, and the same words again to another question."""

import pytest

from tests.verifier.turns import turn
from verifier.consistency import find_contradictions

ASKED = ("customer", "有电梯吗")


@pytest.mark.parametrize(
    ("draft", "before", "asked"),
    [
        ("房子空着，租客晚上回来", (), "有人住吗"),
        ("首付90万，一共首付100万", (), "首付多少"),
        ("有电梯的", (ASKED, ("agent", "这栋没有电梯")), "到底有没有电梯"),
        ("是集中供暖", (("customer", "怎么供暖"), ("agent", "自采暖的")), "暖气怎么供"),
        ("套内七十六平", (("customer", "多大"), ("agent", "套内66平")), "套内几平"),
        ("这套带阳台，南向采光好", (ASKED, ("agent", "这套带阳台，南向采光好")), "能贷款吗"),
    ],
)
def test_a_contradiction_is_found(draft: str, before: tuple, asked: str) -> None:
    assert find_contradictions(turn(draft, before=before, asked=asked))


@pytest.mark.parametrize(
    ("draft", "before", "asked"),
    [
        ("房子空着，没人住", (), "有人住吗"),
        ("一套338万，另一套345万", (), "成交价多少"),
        ("从320万降到308万", (), "降价了吗"),
        ("主卧朝南，客厅朝北", (), "朝向呢"),
        ("有电梯的", (ASKED, ("agent", "有电梯的呢")), "确定有电梯？"),
        ("更正一下，前面说错了，这栋有电梯", (ASKED, ("agent", "这栋没有电梯")), "到底有没有"),
        ("在的", (("customer", "在吗"), ("agent", "在的")), "还在吗"),
        ("您好，请问有什么可以帮您", (), "你好"),
    ],
)
def test_what_agrees_is_left_alone(draft: str, before: tuple, asked: str) -> None:
    assert not find_contradictions(turn(draft, before=before, asked=asked))


def test_the_span_cuts_the_draft() -> None:
    draft = "您好，房子空着，租客晚上回来"
    for found in find_contradictions(turn(draft, asked="有人住吗")):
        assert draft[found.start : found.end] == found.quote
