"""Quantities read as exact values in canonical units, whatever their spelling."""

from datetime import datetime
from decimal import Decimal

import pytest

from planner.quantities import read
from planner.text import normalize

NOW = datetime.fromisoformat("2026-03-05T09:00:00+08:00")

MONEY = [
    ("底价二百六十五万", 2650000),
    ("挂265w", 2650000),
    ("卖２６５万", 2650000),
    ("贰佰陆拾伍万元整", 2650000),
    ("兩百六十五萬", 2650000),
    ("7万3000", 73000),
    ("19万6", 196000),
    ("RMB 2.65m", 2650000),
    ("2.65 million yuan", 2650000),
]


@pytest.mark.parametrize(("text", "value"), MONEY)
def test_any_spelling_of_an_amount_is_that_amount(text: str, value: int) -> None:
    (found,) = read(normalize(text), NOW)
    assert (found.kind, found.value, found.unit) == ("money", Decimal(value), "CNY")
