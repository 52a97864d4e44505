"""When two quantities are one value, and when two labels name two things of one kind."""

from decimal import Decimal

import pytest

from planner.quantities import Quantity
from tests.verifier.turns import turn
from verifier.amounts import equal, same_dimension, step
from verifier.scope import customer_sources, rivals


def _quantity(text: str) -> Quantity:
    (found,) = turn(text).draft.quantities
    return found


# Each line: what the draft says, what the evidence prints.
ALIKE = [
    ("268", "268万"),
    ("268万", "268"),
    ("268", "2680000"),
    ("36个月", "3年"),
    ("1公里", "1000米"),
    ("360厘米", "3.6米"),
    ("3600毫米", "3.6米"),
    ("约600米", "612米"),
    ("十来分钟", "15分钟"),
    ("90来分钟", "95分钟"),
    ("80到90平", "85平"),
    ("80到90平", "90平"),
    ("80到90平", "80到90平"),
    ("300多万", "372万"),
    ("30个基点", "0.3%"),
    ("3-1502", "3号楼1502室"),
    ("京A12345", "京a12345"),
    ("2022年", "2022"),
    ("两小时", "120分钟"),
    ("两周", "14天"),
]
APART = [
    ("268", "269万"),
    ("268万", "269"),
    ("268", "2690000"),
    ("24个月", "3年"),
    ("1公里", "100米"),
    ("约600米", "640米"),
    ("600米", "612米"),
    ("十来分钟", "20分钟"),
    ("80到90平", "91平"),
    ("80到90平", "79平"),
    ("80到90平", "85到95平"),
    ("300多万", "400万"),
    ("300多万", "299万"),
    ("90平以内", "90平以上"),
    ("3-1502", "3号楼1503室"),
    ("京A12345", "京A12346"),
    ("2022年", "2021"),
    ("two lifts", "two flats"),
]


@pytest.mark.parametrize(("said", "printed"), ALIKE)
def test_one_value_in_two_spellings(said: str, printed: str) -> None:
    assert equal(_quantity(said), _quantity(printed), said)


@pytest.mark.parametrize(("said", "printed"), APART)
def test_two_values(said: str, printed: str) -> None:
    assert not equal(_quantity(said), _quantity(printed), said)


COMPARED = [
    ("500元", "500元/月", True),
    ("2022年", "2022", True),
    ("2022", "2022年", True),
    ("2022年5月", "2022", False),
    ("3", "3公里", True),
    ("3公里", "3平", False),
    ("3年", "3个月", True),
    ("3个", "3套", True),
    ("13800138000", "3", False),
    ("3", "13800138000", False),
]


@pytest.mark.parametrize(("one", "other", "comparable"), COMPARED)
def test_only_quantities_of_one_dimension_compare(one: str, other: str, *, comparable: bool) -> None:
    assert same_dimension(_quantity(one), _quantity(other)) is comparable


@pytest.mark.parametrize(
    ("value", "worth"), [("12000", "1000"), ("89", "1"), ("3.05", "0.01"), ("0", "1"), ("370", "10")]
)
def test_the_last_digit_says_how_exact_a_value_is(value: str, worth: str) -> None:
    assert step(Decimal(value)) == Decimal(worth)


RIVALS = [
    ("甲银行", "乙银行", True),
    ("甲银行", "甲银行", False),
    ("3栋", "5栋", True),
    ("A1", "B2", True),
    ("A1", "B", False),
    ("1A", "2B", False),
    ("听雨轩", "听雨轩会所", True),
    ("听雨轩", "地铁站", False),
    ("", "听雨轩", False),
    ("听雨轩", "", False),
    ("价", "地铁", False),
]


@pytest.mark.parametrize(("one", "other", "two_of_a_kind"), RIVALS)
def test_things_of_one_kind_are_told_from_their_surroundings(one: str, other: str, *, two_of_a_kind: bool) -> None:
    assert rivals(one, other) is two_of_a_kind


def test_the_customers_statements_and_slots_are_their_sources_and_rumours_are_not() -> None:
    said = (("customer", "我预算300万"), ("customer", "听说这套漏水"), ("agent", "好的"), ("customer", "两个孩子"))
    found = customer_sources(turn("好", before=said, slots={"area": ["东区", "西区"], "rooms": 3}))
    assert [source.id for source in found] == ["m0", "m3", "slot:area", "slot:rooms"]
    assert {(source.kind, source.label, source.general, source.dead) for source in found} == {
        ("customer", "", False, "")
    }
    assert [source.scanned.norm for source in found] == ["我预算300万", "两个孩子", "东区、西区", "3"]
