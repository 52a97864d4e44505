"""The index and the speller: nothing is lost by looking up only likely rows; nothing real is corrected away."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.factors import pieces_of, required
from planner.lexicon import Lexicon
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
        ("abc", ["bc"]),
        ("a|b", ["a", "b"]),
        ("x?y", ["y"]),
        ("k?yz", ["yz"]),
        ("(?:ab|c)?z", ["z"]),
        ("[xy]+", ["x", "y"]),
        ("[首月]付", ["首付", "月付"]),
        ("首(?:付|款).{0,3}几", ["首付", "首款"]),
        ("首+付款?", ["首付"]),
        ("首.付", ["首"]),
        ("首(?!页)付", ["首付"]),
        (r"\d+元", ["元"]),
        ("(?!q)w", ["w"]),
        ("(?<=q)w{2,3}", ["w"]),
        ("[a-c]", ["a", "b", "c"]),
        (r"\?", ["?"]),
        (r"\u4ef7", ["价"]),
        (r"\b房贷\b", ["房贷"]),
        ("(?P<n>k)m*", ["k"]),
        ("ab*+c", ["c"]),
    ],
)
def test_required_pieces(pattern: str, keys: list[str]) -> None:
    """Each match holds one of them: pairs of neighbours where the pattern has any."""
    assert required(pattern) == frozenset(keys)


def test_a_text_has_its_characters_and_pairs() -> None:
    """What rows are filed under is looked up by these."""
    assert pieces_of("首付款") == {"首", "付", "款", "首付", "付款"}
    assert pieces_of("") == frozenset()


@pytest.mark.parametrize("pattern", ["", ".", r"\w", "a?", "[^x]", "a|", "[\u4e00-\u9fff]", "(?=a)", "(?>a)", "(?i:a)"])
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
