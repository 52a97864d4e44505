import time

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from outbound.errors import TextRefused
from outbound.message import MAX_BYTES
from outbound.segments import check_text, is_blank, is_msgid, msgid_for, split

FAMILY = "👨‍👩‍👧"
FLAG = "🇨🇳"


def sizes(parts: tuple[str, ...]) -> list[int]:
    return [len(part.encode()) for part in parts]


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\n\t\u3000",
        "\u200b\u200c\u200d",
        "\ufeff",
        "\u2060\u00ad",
        "\U000e0061\U000e007f",
        "\u3164\u2800",
        "\ufe0f",
    ],
)
def test_invisible_text_is_empty(text):
    assert is_blank(text)
    with pytest.raises(TextRefused) as refused:
        check_text(text)
    assert refused.value.reason == "empty_text"


@pytest.mark.parametrize(
    "text", ["\ufeff298万", "298\u200b万", "👩\u200d👧 2人", "1️⃣2️⃣", "。", "好", "👍", " a ", "\u200b1", "🏠", "①", "-"]
)
def test_what_shows_is_not_empty(text):
    assert not is_blank(text)
    check_text(text)


@pytest.mark.parametrize(
    "text", ["总价2\u200b98万", "1\u2060\ufeff0", "价格\u202e892\u202c万", "好\x00", "\x1b[31m红", "好\ud83d", "\x0b坏"]
)
def test_unprintable_text_is_refused(text):
    with pytest.raises(TextRefused) as refused:
        check_text(text)
    assert refused.value.reason == "bad_characters"


def test_limit_counts_bytes():
    check_text("好" * 682)
    with pytest.raises(TextRefused) as refused:
        check_text("好" * 683)
    assert refused.value.reason == "too_long"
    assert "2049" in str(refused.value)


def test_short_text_is_one_part():
    assert split("两居朝南，带车位。", 3) == ("两居朝南，带车位。",)


def test_one_part_is_never_cut_to_fit():
    with pytest.raises(TextRefused) as refused:
        split("好" * 683, 1)
    assert refused.value.reason == "too_long"


def test_cuts_at_sentence_ends_first():
    sentence = "小区门口就是地铁站，步行大约七八分钟。"
    parts = split(sentence * 50, 3)
    assert all(part.endswith("。") for part in parts)
    assert "".join(parts) == sentence * 50


def test_cuts_at_clause_ends_when_a_sentence_is_too_long():
    clause = "楼下有菜场和药店，"
    parts = split(clause * 100 + "就这些。", 3)
    assert all(part.endswith(("，", "。")) for part in parts)


def test_cuts_between_characters_when_nothing_ends():
    assert sizes(split("好" * 683, 2)) == [2046, 3]


@pytest.mark.parametrize(
    ("piece", "count"),
    [(FAMILY, 120), (FLAG, 300), ("👩🏽‍🚀", 150), ("e\u0301好", 500), ("1️⃣呢", 300), ("각", 400), ("नि", 400)],
)
def test_characters_as_people_see_them_stay_whole(piece, count):
    text = piece * count
    parts = split(text, 5)
    assert "".join(parts) == text
    assert [c for part in parts for c in regex.findall(r"\X", part)] == regex.findall(r"\X", text)


@pytest.mark.parametrize(
    "atom",
    [
        "https://example.com/a/very/long/path?x=1&y=2,3",
        "http://example.com/房源/88",
        "www.example.com/房源?id=7",
        "1,280,000.50",
        "2026-03-07",
        "10:30-11:45",
        "二百九十八万",
        "3.5%",
        "８９．５",
        "id-4471_B",
        "someone@example.com",
    ],
)
def test_numbers_links_and_words_stay_whole(atom):
    # the filler walks the atom over every offset of the boundary
    for filler in range(664, 684):
        text = "好" * filler + atom + "，" + "呢" * 200
        parts = split(text, 2)
        assert "".join(parts) == text
        assert any(atom in part for part in parts), (filler, parts)


def test_a_number_keeps_its_unit():
    for filler in range(670, 684):
        parts = split("好" * filler + "298万起步" + "呢" * 200, 2)
        assert any("298万" in part for part in parts)


def test_marks_and_closers_stay_with_their_sentence():
    text = ("他说“可以看房。”" * 40 + "（周六上午也行！）" * 40) * 2
    parts = split(text, 4)
    assert all(not part.startswith(("”", "）", "。", "！")) for part in parts)
    assert all(not part.endswith(("“", "（")) for part in parts)


def test_text_that_fits_only_by_breaking_a_link_is_refused():
    with pytest.raises(TextRefused) as refused:
        split("https://example.com/" + "a" * 2100, 5)
    assert refused.value.reason == "too_long"


def test_no_part_is_blank():
    text = "好。" * 300 + " " * 400 + "\u200b" * 60 + "完。" * 200
    parts = split(text, 5)
    assert "".join(parts) == text
    assert not any(is_blank(part) for part in parts)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["好的。", "看房，", FAMILY, FLAG, "298万", "https://e.cn/a ", "\n", " ", "word ", "（注）", "一", "\u200b"]
        ),
        min_size=1,
        max_size=400,
    ),
    st.integers(1, 5),
    st.sampled_from([60, 100, 400, MAX_BYTES]),
)
def test_parts_always_join_to_the_text(pieces, most, limit):
    text = "".join(pieces)
    try:
        parts = split(text, most, limit)
    except TextRefused:
        return
    assert "".join(parts) == text
    assert len(parts) <= most
    assert max(sizes(parts)) <= limit
    assert [c for part in parts for c in regex.findall(r"\X", part)] == regex.findall(r"\X", text)


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=300), st.integers(1, 5))
def test_any_text_is_cut_whole_or_refused(text, most):
    try:
        parts = split(text, most, 64)
    except TextRefused:
        return
    assert "".join(parts) == text
    assert max(sizes(parts)) <= 64
    assert not any(is_blank(part) for part in parts)


@pytest.mark.parametrize(
    "text",
    [
        "一" * 20000,
        "9" * 20000,
        "(" * 20000,
        "a." * 10000,
        "a-" * 10000,
        "。" * 20000,
        "👨‍" * 7000,
        " " * 20000 + "x",
        "http://" * 3000,
        "1,\u200b" * 7000,
    ],
)
def test_hostile_text_is_refused_quickly(text):
    started = time.perf_counter()
    with pytest.raises(TextRefused):
        split(text, 10_000, limit=MAX_BYTES if "http" in text or "a" in text or text[0] in "一9 " else 4)
    assert time.perf_counter() - started < 2


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=80), st.integers(1, 9))
def test_message_ids_are_short_plain_and_steady(outbound_id, segment):
    outbound_id = outbound_id.encode("utf-8", "ignore").decode()
    msgid = msgid_for(outbound_id, segment)
    assert is_msgid(msgid)
    assert len(msgid) == 30
    assert msgid == msgid_for(outbound_id, segment)
    assert msgid != msgid_for(outbound_id, segment + 1)


@pytest.mark.parametrize("msgid", ["", "x" * 33, "a b", "a\n", "编号", "a.b", "x" * 44])
def test_ids_that_the_platform_refuses(msgid):
    assert not is_msgid(msgid)


def test_a_long_clause_after_a_short_one_is_cut_between_characters():
    text = "好的。" + "呢" * 900
    parts = split(text, 2)
    assert "".join(parts) == text
    assert len(parts) == 2
