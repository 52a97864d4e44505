"""Normalising keeps the meaning and the way back; clauses are cut where chat pauses."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.text import clauses, normalize

SAME = [
    ("Ｗ４５０万", "w450万"),
    ("4️⃣5️⃣0️⃣万", "450万"),
    ("𝟒𝟓𝟎万", "450万"),
    ("٤٥٠万", "450万"),
    ("四百五十萬", "四百五十万"),
    ("76㎡", "76平米"),
    ("76m²", "76平米"),
    ("4\u200b5\u20600万", "450万"),
    ("4\u03365\u03360\u0336万", "450万"),
    ("１２．５％", "12.5%"),
    ("Cafe\u0301 é", "cafe e"),
    ("二○一六年", "二〇一六年"),
    ("面积76，450万", "面积76，450万"),
    ("a\u3000b\tc", "a b c"),
]


@pytest.mark.parametrize(("original", "norm"), SAME)
def test_forms_of_one_text_are_one_text(original: str, norm: str) -> None:
    assert normalize(original).norm == norm


@pytest.mark.parametrize("mark", ["⁴⁵⁰万", "①②", "½", "⒈"])
def test_footnotes_and_list_marks_become_no_digits(mark: str) -> None:
    assert not any(c.isdecimal() for c in normalize(mark).norm)


@pytest.mark.parametrize(
    ("text", "hidden"),
    [("在吗\U000e0061\U000e0062", 2), ("a\u202eb", 1), ("❤️👨‍👩‍👧1️⃣", 0), ("好的", 0), ("a\ue000b", 1)],
)
def test_hidden_characters_are_counted_but_emoji_hide_nothing(text: str, hidden: int) -> None:
    assert normalize(text).hidden == hidden


@pytest.mark.parametrize(
    ("text", "words", "quote"),
    [
        ("约4\u200b50万呢", "450万", "4\u200b50万"),
        ("建面76㎡哦", "76平米", "76㎡"),
        ("建面76m²哦", "76平米", "76m²"),
        ("４５０萬", "450万", "４５０萬"),
    ],
)
def test_spans_cut_the_original(text: str, words: str, quote: str) -> None:
    norm = normalize(text)
    at = norm.norm.index(words)
    assert norm.quote(at, at + len(words)) == quote


CUT = [
    ("四楼卖掉了 六楼的还挂着", ["四楼卖掉了", "六楼的还挂着"]),
    ("有车位吗停车费多少", ["有车位吗", "停车费多少"]),
    ("挂450万但是可以谈", ["挂450万", "但是可以谈"]),
    ("已经不过户了", ["已经不过户了"]),
    ("总价 4,500,000 元，首付 30%", ["总价 4,500,000 元", "首付 30%"]),
    ("450 万元左右 带车位", ["450 万元左右", "带车位"]),
    ("400~450W可看", ["400~450w可看"]),
    ("您好～挂450万", ["您好", "挂450万"]),
    ("面积76，450万", ["面积76", "450万"]),
    ("看 https://a.example/x?y=1,2。好", ["看", "https://a.example/x?y=1,2", "好"]),
    ("床、衣柜、空调都送", ["床", "衣柜", "空调都送"]),
    ("It has 3 beds, 1,200 sq. ft but no lift. OK", ["it has 3 beds", "1,200 sq. ft", "but no lift", "ok"]),
    ("好的😀明天见", ["好的", "明天见"]),
    ("在的哈您先看", ["在的哈", "您先看"]),
    ("哈尔滨的房子", ["哈尔滨的房子"]),
    ("", []),
    ("。。。", []),
]


@pytest.mark.parametrize(("text", "parts"), CUT)
def test_clauses_are_cut_where_chat_pauses(text: str, parts: list[str]) -> None:
    assert [clause.text for clause in clauses(normalize(text))] == parts


def test_marks_tell_questions_and_lists() -> None:
    """A question mark stands behind its own clause only; 、 says that the list goes on."""
    bed, desk, asked, told = clauses(normalize("床、桌子，能便宜吗？不能。"))
    assert (bed.listed, desk.listed) == (True, False)
    assert [clause.asked for clause in (bed, desk, asked, told)] == [False, False, True, False]
    assert [clause.sentence for clause in (bed, desk, asked, told)] == [0, 0, 0, 1]


@settings(max_examples=150, deadline=None)
@given(
    st.text(
        alphabet=st.sampled_from("一二三零百万450.,，。、？ ~m²㎡萬〇○é\u0301\u200b\u20e3😀\U000e0041哈吗但是不过aZ"),
        max_size=60,
    )
)
def test_every_clause_is_part_of_its_text(original: str) -> None:
    """Clauses are in order, lie in the text, and together hold every word that is no mark."""
    text = normalize(original)
    assert len(text.offsets) == len(text.norm) + 1
    assert list(text.offsets) == sorted(text.offsets)
    end = 0
    for clause in clauses(text):
        assert end <= clause.start < clause.end <= len(text.norm)
        assert text.norm[clause.start : clause.end] == clause.text == clause.text.strip()
        assert text.quote(clause.start, clause.end) in original
        end = clause.end
