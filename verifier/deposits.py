"""Steps over rent: what is paid first, by months of rent and a fee."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from verifier.statements import Statement
from verifier.steps import Operand, Step

_DEPOSIT = re.compile(r"押([一二两三\d])付([一二两三四六\d])")
_MONTHS_RENT = re.compile(r"\b(one|two|three|\d)[ -]months?'? rent|([一两二三\d])个月(?:的)?(?:租金|房租)")
_DIGIT = {"one": 1, "two": 2, "three": 3, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "六": 6}
_MONTHS = re.compile(r"months?\b|月数|个月")
_YEAR = 12


def deposit_steps(statement: Statement, pool: Sequence[Operand]) -> Iterator[Step]:
    """Give what so many months of rent come to (押一付三, two months' rent), alone and with one fee."""
    for rent in (o for o in pool if o.unit in ("CNY/month", "CNY")):
        months_of = _MONTHS_RENT.search(rent.around)
        if months_of:
            count = _DIGIT.get(months_of.group(1) or months_of.group(2)) or int(
                months_of.group(1) or months_of.group(2)
            )
            yield Step(rent.value * count, "CNY", f"{rent.value} × {count}", (rent,))
        match = _DEPOSIT.search(statement.text) or _DEPOSIT.search(rent.around)
        if match:
            months = sum(_DIGIT.get(part) or int(part) for part in match.groups())
            yield Step(rent.value * months, "CNY", f"{rent.value} × {months}", (rent,))
            yield from _with_fee(rent, months, pool)
        listed = [
            o for o in pool if o.amount.quantity.kind == "number" and _MONTHS.search(o.words) and o.value <= _YEAR
        ]
        if listed and rent.unit == "CNY/month":
            times = sum((o.value for o in listed), Decimal(0))
            yield Step(rent.value * times, "CNY", f"{rent.value} × {times}", (rent, *listed))


def _with_fee(rent: Operand, months: int, pool: Sequence[Operand]) -> Iterator[Step]:
    """What is paid first: so many months of rent and one fee."""
    for fee in (o for o in pool if o.unit == "CNY"):
        if fee is not rent:
            yield Step(rent.value * months + fee.value, "CNY", f"{rent.value} × {months} + {fee.value}", (rent, fee))
