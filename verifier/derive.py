"""Values that follow from located values: products, shares, differences, totals, rates moved by points, ages.

Each rule names the operands it used, so that a person can follow the step. Wrong arithmetic finds no rule.
"""

import itertools
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from decimal import Decimal

from verifier.amounts import Interval, covers, scaled
from verifier.deposits import deposit_steps
from verifier.lexicon import Lexicon
from verifier.listed import listed_steps
from verifier.spans import age_steps, dated_step
from verifier.statements import Amount, Statement
from verifier.steps import Hints, Operand, Step
from verifier.tallies import TOTAL

__all__ = ["Hints", "Operand", "Step", "derive"]

_DIFFERENCE = re.compile(
    r"差|便宜|贵|降|涨|省|少|多|下调|上调|low|cheap|more expensive|less|down|drop|save|cut|differ|up by|rais|\boff\b"
)
_MOVED = re.compile(r"减|降|下调|下浮|加|上浮|上调|-|\+|minus|plus|less|折")
_LEAST_MONEY = 100
_MAX_OPERANDS = 24
_MAX_DATED = 40


def derive(
    claim: Amount,
    statement: Statement,
    operands: Sequence[Operand],
    now: datetime,
    lexicon: Lexicon,
    hints: Hints,
) -> Step | None:
    """Find a step from located values to the claimed one, or None."""
    dated = dated_step(claim, statement, operands[:_MAX_DATED])
    mine = scaled(claim.quantity)
    if dated is not None or mine is None or isinstance(claim.quantity.value, str):
        return dated
    listed = tuple(o for o in operands if o.listed)
    pool = tuple(o for o in operands[:_MAX_OPERANDS] if not o.listed)
    found_by = _steps(claim, statement, pool, now, lexicon, hints)
    for found in itertools.chain(found_by, listed_steps(claim, statement, listed, operands, hints)):
        if not _complete(found, statement, pool):
            continue
        if _same_unit(found.unit, claim.quantity.unit) and covers(
            mine, Interval(found.value, found.value), claim.quantity, statement.text
        ):
            return found
    return None


def _complete(step: Step, statement: Statement, pool: Sequence[Operand]) -> bool:
    """Whether a sum holds every fee that its clause names (连服务费一共…)."""
    if not TOTAL.search(statement.text) or step.listed:
        return True
    named = {t.concept for t in statement.terms} & {o.amount.role for o in pool if o.unit.startswith("CNY")}
    return named <= {o.amount.role for o in step.operands}


def _same_unit(one: str, other: str | None) -> bool:
    money = {"CNY", "CNY/month"}
    return one == (other or "") or (one in money and (other in money or not other)) or not other


def _steps(
    claim: Amount,
    statement: Statement,
    pool: Sequence[Operand],
    now: datetime,
    lexicon: Lexicon,
    hints: Hints,
) -> Iterator[Step]:
    yield from _products(claim, pool, lexicon)
    yield from _by_period(statement, pool)
    if "折" in statement.text and claim.quantity.unit == "%":
        yield from _discounts(pool)
    yield from _shares(claim, statement, pool, lexicon, hints)
    yield from deposit_steps(statement, pool)
    if _DIFFERENCE.search(statement.text):
        yield from _differences(statement, pool)
    yield from _totals(pool, hints.told, anything=TOTAL.search(statement.text) is not None)
    yield from _moved_rates(pool)
    yield from age_steps(claim, statement, pool, now)


def _of(pool: Sequence[Operand], *units: str) -> list[Operand]:
    return [o for o in pool if o.unit in units]


def _products(claim: Amount, pool: Sequence[Operand], lexicon: Lexicon) -> Iterator[Step]:
    areas = _of(pool, "m2")
    for price in _of(pool, "CNY/m2", "CNY/m2/month"):
        unit = "CNY" if price.unit == "CNY/m2" else "CNY/month"
        if unit == "CNY/month" and not _for_one_thing(claim.role, price.amount.role, lexicon):
            continue
        for area in areas:
            yield Step(price.value * area.value, unit, f"{price.value} × {area.value}", (price, area))
    for part, whole in itertools.permutations(areas, 2):
        if part.amount.role != whole.amount.role and part.value < whole.value and _is_share(claim.role, part, lexicon):
            yield Step(part.value / whole.value * 100, "%", f"{part.value} ÷ {whole.value}", (part, whole))
    for total in _of(pool, "CNY"):
        for area in areas:
            if area.value and total.value > area.value:
                yield Step(total.value / area.value, "CNY/m2", f"{total.value} ÷ {area.value}", (total, area))


_A_MONTH = re.compile(r"每月|月均|一个月|\b(?:a|per|each) month\b|monthly")


def _by_period(statement: Statement, pool: Sequence[Operand]) -> Iterator[Step]:
    """What a monthly sum comes to in a year, and the other way round."""
    for monthly in _of(pool, "CNY/month"):
        yield Step(monthly.value * 12, "CNY/year", f"{monthly.value} × 12", (monthly,))
    for yearly in _of(pool, "CNY/year") if _A_MONTH.search(statement.text) else ():
        yield Step(yearly.value / 12, "CNY/month", f"{yearly.value} ÷ 12", (yearly,))


def _discounts(pool: Sequence[Operand]) -> Iterator[Step]:
    """What one figure is of another of its kind (冬天七折: 350 of 500)."""
    for part, whole in itertools.permutations((o for o in pool if o.unit and o.unit != "date"), 2):
        if part.unit == whole.unit and part.value < whole.value:
            yield Step(part.value / whole.value * 100, "%", f"{part.value} ÷ {whole.value}", (part, whole))


def _for_one_thing(role: str, other: str, lexicon: Lexicon) -> bool:
    """Whether two sums may be paid for one thing; one that names nothing may."""
    return not role or not other or lexicon.related(role, other)


def _is_share(role: str, part: Operand, lexicon: Lexicon) -> bool:
    """Whether a rate of this role is the share of such a part in a whole (得房率, not 绿化率)."""
    return not role or not part.amount.role or part.amount.role == lexicon.concepts[role].of


def _shares(
    claim: Amount,
    statement: Statement,
    pool: Sequence[Operand],
    lexicon: Lexicon,
    hints: Hints,
) -> Iterator[Step]:
    """A share of a sum, when the rate belongs to what the sum is for, or stands in the same words."""
    inside = {str(a.quantity.value) for a in statement.amounts} | hints.rates
    for rate in _of(pool, "%"):
        related = bool(rate.amount.role and claim.role) and lexicon.related(rate.amount.role, claim.role)
        wanted = not claim.role and any(
            lexicon.related(rate.amount.role, concept) for concept in hints.asked if rate.amount.role
        )
        if not (related or wanted or str(rate.value) in inside):
            continue
        for base in _of(pool, "CNY"):
            if base.amount.role and base.amount.role == claim.role:
                continue
            value = base.value * rate.value / 100
            yield Step(value, "CNY", f"{base.value} × {rate.value}%", (base, rate))
    for rate in _of(pool, "%"):
        for base in _of(pool, "CNY"):
            if claim.role == "loan" and rate.amount.role == "down_ratio":
                yield Step(
                    base.value * (100 - rate.value) / 100, "CNY", f"{base.value} × (100 − {rate.value})%", (base, rate)
                )


def _differences(statement: Statement, pool: Sequence[Operand]) -> Iterator[Step]:
    for index, one in enumerate(pool):
        for other in pool[index + 1 :]:
            unit = _kind_of_sum(one)
            if unit == _kind_of_sum(other) and one.value != other.value and unit != "":
                gap = abs(one.value - other.value)
                if _direction_holds(statement.text, one, other):
                    yield Step(
                        gap, unit, f"{max(one.value, other.value)} − {min(one.value, other.value)}", (one, other)
                    )


def _kind_of_sum(one: Operand) -> str:
    """Give an operand's unit; two large bare numbers of tool data are sums of money."""
    bare = not one.unit and one.amount.quantity.kind == "number" and one.value >= _LEAST_MONEY and one.path
    return "CNY" if bare else one.unit


_THAN = re.compile(r"(.{0,14})比(.{0,14})")
_LESS = re.compile(r"便宜|少|低|cheaper|less")


def _direction_holds(words: str, one: Operand, other: Operand) -> bool:
    """Check 3栋比5栋贵: what stands before 比 must be the dearer one, where the sources name both."""
    match = _THAN.search(words)
    if match is None:
        return True
    left, right = _shared(match.group(1), one.words, other.words), _shared(match.group(2), one.words, other.words)
    if left == right:
        return True
    first = one if left > 0 or right < 0 else other
    second = other if first is one else one
    return (first.value < second.value) == bool(_LESS.search(words))


def _shared(part: str, one: str, other: str) -> int:
    """Give 1 when the words name the first source only, -1 the second only, 0 neither or both."""
    pairs = {part[i : i + 2] for i in range(len(part) - 1)}
    a, b = any(p in one for p in pairs if p not in other), any(p in other for p in pairs if p not in one)
    return int(a) - int(b)


def _totals(pool: Sequence[Operand], told: frozenset[str], *, anything: bool) -> Iterator[Step]:
    """Add up sums: any where the clause says that it is a total, else those that the draft itself lists."""
    money = [o for o in pool if o.unit.startswith("CNY") and "m2" not in o.unit]
    bare = [o for o in pool if not o.unit and o.amount.quantity.kind == "number"]
    listed = [o for o in (*money, *bare) if f"{o.amount.quantity.value:f}" in told]
    money += [o for o in bare if o.value >= _LEAST_MONEY]
    for some in (money, listed) if anything else (listed,):
        yield from _sums(some)


def _sums(money: Sequence[Operand]) -> Iterator[Step]:
    for index, one in enumerate(money):
        for other in money[index + 1 :]:
            yield Step(one.value + other.value, "CNY", f"{one.value} + {other.value}", (one, other))
    if len(money) > 2:
        yield Step(
            sum((o.value for o in money), Decimal(0)), "CNY", " + ".join(str(o.value) for o in money), tuple(money)
        )


def _moved_rates(pool: Sequence[Operand]) -> Iterator[Step]:
    rates = _of(pool, "%")
    for base in rates:
        for move in rates:
            if base is move or abs(move.value) >= base.value:
                continue
            if move.amount.quantity.unit == "bp" or "百分点" in move.words:
                if _rises(move.words):
                    yield Step(base.value + abs(move.value), "%", f"{base.value}% + {abs(move.value)}%", (base, move))
                else:
                    yield Step(base.value - abs(move.value), "%", f"{base.value}% − {abs(move.value)}%", (base, move))


def _rises(words: str) -> bool:
    return bool(re.search(r"上调|上浮|加点|\+\s?\d", words))
