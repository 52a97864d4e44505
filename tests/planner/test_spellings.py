"""Any spelling of a quantity reads as the same value, alone and inside a sentence, and its span cuts the text."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.quantities import Quantity, read
from planner.text import normalize
from tests.planner import spellings

NOW = datetime(2026, 5, 20, 2, 0, tzinfo=UTC)
FEW = settings(max_examples=60, deadline=None)
AROUND = st.sampled_from([("", ""), ("这套", "左右吗？"), ("您看", "行不行"), ("…", "。"), ("好的，", "，我记下")])


def only(text: str) -> Quantity:
    """Read a text that holds exactly one quantity."""
    found = read(normalize(text), NOW)
    assert len(found) == 1, (text, found)
    return found[0]


@FEW
@given(st.integers(11, 4_999), st.data())
def test_money(ten_thousands: int, data: st.DataObject) -> None:
    got = only(data.draw(st.sampled_from(spellings.money(ten_thousands))))
    assert (got.kind, got.value, got.unit) == ("money", Decimal(ten_thousands * 10_000), "CNY")


@FEW
@given(st.integers(11, 999), st.data())
def test_area(metres: int, data: st.DataObject) -> None:
    got = only(data.draw(st.sampled_from(spellings.area(metres))))
    assert (got.kind, got.value, got.unit) == ("area", Decimal(metres), "m2")


@FEW
@given(st.integers(3, 399), st.data())
def test_mileage(thousands: int, data: st.DataObject) -> None:
    got = only(data.draw(st.sampled_from(spellings.mileage(thousands))))
    assert (got.value, got.unit) == (Decimal(thousands * 1_000), "km")


@FEW
@given(st.integers(1, 9), st.data())
def test_shares(tenths: int, data: st.DataObject) -> None:
    got = only(data.draw(st.sampled_from(spellings.share(tenths))))
    assert (got.kind, got.value, got.unit) == ("percent", Decimal(tenths * 10), "%")


@FEW
@given(st.dates(date(2000, 1, 1), date(2049, 12, 31)), st.data())
def test_dates(when: date, data: st.DataObject) -> None:
    got = only(data.draw(st.sampled_from(spellings.day(when))))
    assert (got.kind, got.value) == ("date", when.isoformat())


@FEW
@given(st.integers(11, 4_999), AROUND, st.data())
def test_a_span_cuts_the_original(ten_thousands: int, around: tuple[str, str], data: st.DataObject) -> None:
    spelled = data.draw(st.sampled_from(spellings.money(ten_thousands)))
    text = normalize(around[0] + spelled + around[1])
    found = [q for q in read(text, NOW) if q.kind == "money"]
    assert len(found) == 1
    start, end = text.span(found[0].start, found[0].end)
    assert text.original[start:end] == found[0].quote
    assert start <= len(around[0]) + 4 and found[0].value == Decimal(ten_thousands * 10_000)


@pytest.mark.parametrize("number", [10, 11, 19, 20, 105, 110, 1_001, 1_010, 10_000, 10_010, 20_500, 100_001])
def test_the_writer_of_numerals_writes_what_is_read(number: int) -> None:
    assert only(spellings.chinese(number) + "元").value == Decimal(number)
