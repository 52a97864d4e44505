"""The index and the speller: nothing is lost by looking up only likely rows; nothing real is corrected away."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.lexicon import Lexicon, required
from planner.pack import Row, load_pack
from planner.risks import Trigger
from planner.slot_words import SlotRow
from planner.spelling import respell

TRIGGERS = Lexicon(load_pack("property").rows("triggers", Trigger))
ASKS = Lexicon(load_pack("property").rows("slot_asks", SlotRow))
PIECES = st.sampled_from(
    [row.example for row in (*TRIGGERS.rows, *ASKS.rows)]
    + ["多少", "一", "吗", "您", " ", "how much", "3点", "？", "，", "\u0301"]
)


@settings(max_examples=60, deadline=None)
@given(st.lists(PIECES, max_size=4).map("".join), st.sampled_from([TRIGGERS, ASKS]))
def test_the_index_loses_nothing(norm: str, lexicon: Lexicon) -> None:
    """Every row that matches a text is among the candidates."""
    assert [hit.row for hit in lexicon.find(norm)] == [row for row in lexicon.rows if row.search(norm)]


@pytest.mark.parametrize(
    ("pattern", "keys"),
    [
        ("abc", "b"),
        ("a|b", "ab"),
        ("x?y", "y"),
        ("(?:ab|c)?z", "z"),
        ("[xy]+", "xy"),
        (r"\d+元", "元"),
        ("(?!q)w", "w"),
        ("(?<=q)w{2,3}", "w"),
        ("[a-c]", "abc"),
        (r"\?", "?"),
        ("(?P<n>k)m*", "k"),
    ],
)
def test_required_characters(pattern: str, keys: str) -> None:
    """Each match needs one of them."""
    assert required(pattern) == frozenset(keys)


@pytest.mark.parametrize("pattern", ["", ".", r"\w", "a?", "[^x]", "a|", "[\u4e00-\u9fff]", "(?=a)"])
def test_patterns_without_keys_are_always_tried(pattern: str) -> None:
    """No key is safer than a wrong one."""
    assert not required(pattern)
    row = Row(id="r", pattern=pattern)
    assert list(Lexicon([row]).candidates("zzz")) == [row] or re.search(pattern, "zzz") is None


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("首富几成", "首付几成"),
        ("公鸡金能不能用", "公积金能不能用"),
        ("gjj怎么用", "公积金怎么用"),
        ("我要投拆", "我要投诉"),
        ("加我v信", "加我微信"),
        ("个人公司能买吗", "个人公司能买吗"),
        ("真心想买", "真心想买"),
        ("克服一下", "克服一下"),
        ("您看方便吗", "您看方便吗"),
        ("any accidnt", "any accident"),
        ("how mcuh", "how much"),
        ("the speed", "the speed"),
        ("prices", "prices"),
    ],
)
def test_respell(written: str, read: str) -> None:
    """Only listed words are restored, and real words stay."""
    assert respell(written, load_pack("property")).norm == read


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="首富付贷带款dkgjj投拆诉公积鸡金 mcuhaciden微v信,", max_size=30))
def test_spans_of_corrected_text_stay_in_the_text(written: str) -> None:
    """Every span of the corrected text maps into the text as written, in order."""
    spelled = respell(written, load_pack("property"))
    spans = [spelled.span(i, i + 1) for i in range(len(spelled.norm))]
    assert all(0 <= start <= end <= len(written) for start, end in spans)
    assert spans == sorted(spans)
    assert spelled.span(0, len(spelled.norm)) == (0, len(written))
