"""Where a long reply is cut, to the character."""

import pytest

from outbound.errors import TextRefused
from outbound.message import MAX_BYTES
from outbound.segments import check_text, split


@pytest.mark.parametrize(
    "inside", ["（见附件三，共两页。）", "“您放心，我们周六见。”", "【资料：不动产登记，第二页】", "[see note, page 2]"]
)
def test_brackets_and_quotes_stay_whole_where_there_is_another_place(inside):
    for filler in range(660, 684):
        text = "呢" * 300 + "，" + "好" * (filler - 301) + "，" + inside + "嗯" * 100 + "。"
        parts = split(text, 2)
        assert any(inside in part for part in parts), filler


def test_a_long_quotation_is_cut_at_its_sentences():
    text = "业主说：“" + "房子我自己住了十几年。" * 100 + "”就是这样。"
    parts = split(text, 3)
    assert "".join(parts) == text
    assert all(part.endswith("。") for part in parts)


def test_a_bracket_left_open_does_not_forbid_cuts():
    text = "（" + "好的，" * 500
    assert "".join(split(text, 3)) == text


@pytest.mark.parametrize(
    ("text", "most", "limit", "parts"),
    [
        # exactly full parts
        ("好。好。", 2, 6, ("好。", "好。")),
        ("abc def ", 2, 4, ("abc ", "def ")),
        # a sentence's end beats a later clause's end, a clause's end beats a later character
        ("甲甲。乙乙，丙丙丁丁", 2, 24, ("甲甲。", "乙乙，丙丙丁丁")),
        ("甲甲，乙乙丙丙丁丁", 2, 21, ("甲甲，", "乙乙丙丙丁丁")),
        ("甲甲乙乙", 2, 9, ("甲甲乙", "乙")),
        # the clause's end is taken when the sentence's end leaves too much
        ("甲。乙乙乙，丙丙丙丙", 2, 18, ("甲。乙乙乙，", "丙丙丙丙")),
        # words stay whole, the blank goes left
        ("one two three", 2, 8, ("one two ", "three")),
        ("go! (yes) no", 2, 10, ("go! ", "(yes) no")),
        # a line's end is a sentence's end and closes what was left open
        ("甲\n乙，丙丙", 2, 12, ("甲\n", "乙，丙丙")),
        ("（甲\n乙乙，丙丙", 2, 16, ("（甲\n", "乙乙，丙丙")),
        # outside of brackets first, inside only if it must be
        ("甲甲，（乙，乙）", 2, 15, ("甲甲，", "（乙，乙）")),
        ("（（甲）乙，乙）丙，丁丁", 2, 30, ("（（甲）乙，乙）丙，", "丁丁")),
        ("甲，）乙，丙", 2, 15, ("甲，）乙，", "丙")),
        ("甲甲（乙，乙乙）", 2, 18, ("甲甲", "（乙，乙乙）")),
        # closers and quotation marks stay with their sentence
        ("“甲！”乙乙乙", 2, 12, ("“甲！”", "乙乙乙")),
        ("甲。 \n 乙乙", 2, 10, ("甲。 \n ", "乙乙")),
    ],
)
def test_where_the_cut_falls(text, most, limit, parts):
    assert split(text, most, limit) == parts


@pytest.mark.parametrize(
    ("text", "most", "limit"), [("甲甲298万", 2, 8), ("一二三四", 2, 6), ("好。好。好。", 2, 6), ("wordword", 2, 4)]
)
def test_what_fits_only_by_breaking_something_is_refused(text, most, limit):
    with pytest.raises(TextRefused) as refused:
        split(text, most, limit)
    assert refused.value.reason == "too_long"


def test_the_last_byte_counts():
    text = "好" * 682 + "ab"
    assert len(text.encode()) == MAX_BYTES
    check_text(text)
    assert split(text, 1) == (text,)
    with pytest.raises(TextRefused):
        check_text(text + "c")
