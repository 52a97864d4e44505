"""Steps over time: when three years from June 2021 end, how old something is, how far it ran a year."""

import calendar
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from decimal import Decimal

from verifier.listed import rounded
from verifier.statements import Amount, Statement
from verifier.steps import Operand, Step

_ENDS = re.compile(
    r"到|满|止|结束|过|截|完|等|才|再|\b(?:ends?|until|till|expires?|runs? out|ran out|through|up in|over)\b"
)
_LEFT = re.compile(r"还|剩|差|再|后|\b(?:left|to go|remain|more|until)\b")
_YEARLY = re.compile(r"平均|均|一年|每年|\b(?:average|averages|a year|per year|yearly|annually)\b")
_TOGETHER = re.compile(r"合计|加上|相加|之和|总和|加贷|\b(?:plus|combined|together)\b")
_SHORT_YEAR = re.compile(r"(\d\d)年")
_YEAR, _DAYS_OF_MONTH = 12, 30


def dated_step(claim: Amount, statement: Statement, pool: Sequence[Operand]) -> Step | None:
    """Find the date that a claim states as the end of a printed span of time."""
    stated = _stated(claim)
    if not stated or not _ENDS.search(statement.text):
        return None
    for start in pool:
        begun = _month_of(start)
        if begun is None:
            continue
        for span in pool:
            if span.amount.quantity.kind not in ("duration", "tenure") or span.unit not in ("year", "month"):
                continue
            end = _later(str(start.amount.quantity.value), int(span.value))
            if end.startswith(stated) or (len(end) < len(stated) and stated.startswith(end)):
                return Step(Decimal(0), "date", f"{start.amount.quantity.value} + {span.value} months", (start, span))
    return None


def _stated(claim: Amount) -> str:
    """Give the claimed date to its precision; 24年 is 2024."""
    quantity = claim.quantity
    short = _SHORT_YEAR.match(quantity.quote)
    if quantity.kind == "year" or short:
        return f"20{short[1]}" if short else str(quantity.value)
    return quantity.value if quantity.kind == "date" and isinstance(quantity.value, str) else ""


def _month_of(operand: Operand) -> int | None:
    """Give the months since year 0 of an operand that is a date, to the month where it is stated."""
    text = str(operand.amount.quantity.value)
    if operand.unit != "date" or not text[:4].isdigit():
        return None
    return int(text[:4]) * _YEAR + (int(text[5:7]) - 1 if len(text) >= 7 else 0)


def _later(start: str, months: int) -> str:
    """Add months to an ISO date of any precision."""
    count = int(start[:4]) * _YEAR + (int(start[5:7]) - 1 if len(start) >= 7 else 0) + months
    year, month = divmod(count, _YEAR)
    if len(start) < 7:
        return f"{year:04d}"
    if len(start) < 10:
        return f"{year:04d}-{month + 1:02d}"
    day = min(int(start[8:10]), calendar.monthrange(year, month + 1)[1])
    return f"{year:04d}-{month + 1:02d}-{day:02d}"


def age_steps(claim: Amount, statement: Statement, pool: Sequence[Operand], now: datetime) -> Iterator[Step]:
    """Give how long ago a printed date was, how long it still takes, and what falls to each year since."""
    dates = [(o, months) for o in pool if (months := _month_of(o)) is not None]
    today = now.year * _YEAR + now.month - 1
    if claim.quantity.unit in ("year", "month") or claim.quantity.kind in ("duration", "holding_years", "age"):
        for operand, months in dates:
            yield from _ages(claim, statement, operand, today - months, now)
        yield from _rest_of_term(claim, statement, pool, dates, today)
        yield from _what_is_left(claim, pool, dates, now)
    if _YEARLY.search(statement.text):
        yield from _per_year(claim, pool, dates, today)


def _ages(claim: Amount, statement: Statement, operand: Operand, passed: int, now: datetime) -> Iterator[Step]:
    unit = claim.quantity.unit or "month"
    year = int(str(operand.amount.quantity.value)[:4])
    formula = f"{now.year} − {year}"
    if passed >= 0:
        yield Step(Decimal(now.year - year) * _YEAR, unit, formula, (operand,))
    ahead = year - now.year
    if ahead > 0 and _LEFT.search(statement.text):
        yield Step(Decimal(ahead) * _YEAR, unit, f"{year} − {now.year}", (operand,))
    if len(str(operand.amount.quantity.value)) >= 7:
        months = passed if passed >= 0 else -passed if _LEFT.search(statement.text) else None
        if months is not None:
            yield Step(Decimal(months), unit, f"{months} months from {operand.amount.quantity.value}", (operand,))
            yield Step(Decimal(months // _YEAR * _YEAR), unit, formula, (operand,))


def _rest_of_term(
    claim: Amount, statement: Statement, pool: Sequence[Operand], dates: Sequence[tuple[Operand, int]], today: int
) -> Iterator[Step]:
    """Give what is left of a term that began at a printed date (40 years from 2010)."""
    for term in pool if _LEFT.search(statement.text) else ():
        if term.amount.quantity.kind in ("duration", "tenure") and term.unit in ("year", "month"):
            for operand, months in dates:
                whole = len(str(operand.amount.quantity.value)) < 7
                passed = (today // _YEAR - months // _YEAR) * _YEAR if whole else today - months
                left = term.value - passed
                yield Step(left, claim.quantity.unit or "month", f"{term.value} − {passed} months", (term, operand))


def _what_is_left(
    claim: Amount, pool: Sequence[Operand], dates: Sequence[tuple[Operand, int]], now: datetime
) -> Iterator[Step]:
    """Take an age from a bound on the sum of age and term (车龄加贷款不超过8年)."""
    for bound in pool:
        if bound.amount.quantity.kind == "duration" and bound.unit == "year" and _TOGETHER.search(bound.words):
            for operand, months in dates:
                age = (now.year - months // _YEAR) * _YEAR
                formula = f"{bound.value} − {age}"
                yield Step(bound.value - age, claim.quantity.unit or "month", formula, (bound, operand))


def _per_year(
    claim: Amount, pool: Sequence[Operand], dates: Sequence[tuple[Operand, int]], today: int
) -> Iterator[Step]:
    """Divide a distance by the years since a date; a spoken average is rounded."""
    for run in pool:
        length = run.amount.quantity.value
        if run.amount.quantity.unit != "km" or not isinstance(length, Decimal):
            continue
        for operand, months in dates:
            for years in {(today - months) // _YEAR, -((months - today) // _YEAR)}:
                if years > 0:
                    share = rounded(length / years, claim.quantity)
                    yield Step(share, claim.quantity.unit or "", f"{length} ÷ {years}", (run, operand))
