"""Compare quantities: same dimension, equal value by the precision that is stated, no limit dropped."""

import re
from dataclasses import dataclass, replace
from decimal import Decimal

from planner.quantities import Quantity
from verifier.days import same_date
from verifier.statements import IDENTIFIERS

_DATES = frozenset({"date", "datetime", "year", "time", "month", "date_range"})
_TO_BASE = {
    "km": ("m", Decimal(1000)),
    "m": ("m", Decimal(1)),
    "cm": ("m", Decimal("0.01")),
    "mm": ("m", Decimal("0.001")),
    "year": ("month", Decimal(12)),
    "month": ("month", Decimal(1)),
    "week": ("day", Decimal(7)),
    "day": ("day", Decimal(1)),
    "hour": ("minute", Decimal(60)),
    "minute": ("minute", Decimal(1)),
    "bp": ("%", Decimal("0.01")),
    "%": ("%", Decimal(1)),
}
_BARE = frozenset({"number", "count", "", "integer"})
_CLASSIFIERS = frozenset("个台套条张次回趟遍项处间把块")
_MAX_SLACK = Decimal("0.03")
_NUMBERS = re.compile(r"\d+")
ABOUT = re.compile(
    r"约|大概|大约|左右|上下|差不多|将近|接近|近|来[万米平块公户个套]|出头|多|算|about|around|approx|roughly|some|nearly|~"
)


@dataclass(frozen=True, slots=True)
class Interval:
    """A half-open span of exact values; an exact value is a span of one point."""

    low: Decimal
    high: Decimal

    @property
    def point(self) -> bool:
        """Whether it is one exact value."""
        return self.low == self.high


def dimension(quantity: Quantity) -> str:
    """Name what a quantity counts; only equal dimensions can be compared."""
    if quantity.kind in IDENTIFIERS:
        return "id:" + quantity.kind
    if quantity.kind in _DATES and not isinstance(quantity.value, Decimal):
        return "date"
    unit = quantity.unit or ""
    if quantity.kind == "year":
        return "year"
    if quantity.kind == "count" and unit in _CLASSIFIERS:
        return "count"
    if unit in _TO_BASE:
        return _TO_BASE[unit][0]
    return unit or quantity.kind


def same_dimension(one: Quantity, other: Quantity) -> bool:
    """Whether two quantities can be compared; a bare number can stand for any number."""
    a, b = dimension(one), dimension(other)
    if a == b:
        return True
    if {a, b} in ({"CNY", "CNY/month"}, {"date", "year"}):
        return True
    if "date" in (a, b):
        return _bare_year(one, other) or _bare_year(other, one)
    return (a in _BARE or b in _BARE) and not (a.startswith("id:") or b.startswith("id:"))


def _bare_year(one: Quantity, other: Quantity) -> bool:
    """Whether a bare 2022 may be the year that the other states."""
    return one.kind == "number" and isinstance(one.value, Decimal) and 1900 < one.value < 2100 and other.kind == "year"


def same_family(one: Quantity, other: Quantity) -> bool:
    """Whether both are money, whatever it is paid for: 2.2元 may stand for 2.2元 a square metre in its role."""
    mine, theirs = one.unit or "", other.unit or ""
    return mine.startswith("CNY") and theirs.startswith("CNY") and (theirs.startswith(mine) or mine.startswith(theirs))


def scaled(quantity: Quantity) -> Interval | None:
    """Give a quantity in its base unit, or None when it cannot be read as a number."""
    factor = _TO_BASE.get(quantity.unit or "", ("", Decimal(1)))[1]
    if quantity.low is not None and quantity.high is not None:
        return Interval(quantity.low * factor, quantity.high * factor)
    value = quantity.value
    if isinstance(value, Decimal):
        return Interval(value * factor, value * factor)
    if isinstance(value, tuple) and isinstance(value[0], Decimal) and isinstance(value[1], Decimal):
        return Interval(value[0] * factor, value[1] * factor)
    if quantity.low is not None:
        return Interval(quantity.low * factor, Decimal("Infinity"))
    if quantity.high is not None:
        return Interval(Decimal("-Infinity"), quantity.high * factor)
    return None


def printed(quantity: Quantity) -> Interval | None:
    """Give what a source prints: its stated value, whatever tolerance stands beside it."""
    if isinstance(quantity.value, Decimal):
        factor = _TO_BASE.get(quantity.unit or "", ("", Decimal(1)))[1]
        return Interval(quantity.value * factor, quantity.value * factor)
    if isinstance(quantity.value, tuple) and all(isinstance(end, Decimal) for end in quantity.value):
        return scaled(replace(quantity, low=None, high=None))
    return scaled(quantity)


# 90平以内 and 90平以上 are two things.
_UPPER, _LOWER = frozenset({"under", "at_most"}), frozenset({"over", "at_least"})
_TEN_THOUSAND, _HUNDRED_THOUSAND = Decimal(10_000), Decimal(100_000)


def _in_ten_thousands(claim: Quantity, evidence: Quantity, mine: Interval, theirs: Interval) -> bool:
    """Whether a bare number stands for 万 of money, as house prices are spoken (268比255)."""
    if claim.kind == "number" and (evidence.unit or "") == "CNY":
        told = printed(claim) or mine
        return told.low * _TEN_THOUSAND == theirs.low
    if claim.kind == evidence.kind == "number" and theirs.low >= _HUNDRED_THOUSAND:
        return mine.low * _TEN_THOUSAND == theirs.low
    spoken = evidence.kind == "number" and (claim.unit or "") == "CNY" and theirs.low < _TEN_THOUSAND
    return spoken and mine.low <= theirs.low * _TEN_THOUSAND <= mine.high


def equal(claim: Quantity, evidence: Quantity, words: str) -> bool:
    """Whether the evidence's value is what the claim states, by the precision that the claim's `words` state."""
    if claim.value is None and claim.low is None and claim.high is None:
        return False
    if _bare_year(claim, evidence) or _bare_year(evidence, claim):
        return str(claim.value) == str(evidence.value)
    if dimension(claim) == "date" or dimension(evidence) == "date":
        return same_date(claim, evidence)
    if isinstance(claim.value, str) or isinstance(evidence.value, str):
        return _same_id(str(claim.value), str(evidence.value), numbered=dimension(claim).startswith("id:"))
    return _same_number(claim, evidence, words)


# What a bare number counts, when its key names it (yearsHeld: 6).
_NAMED_UNITS = {
    "year": re.compile(r"year|年"),
    "month": re.compile(r"month|月"),
    "week": re.compile(r"week|周"),
    "day": re.compile(r"day|天|日"),
    "hour": re.compile(r"hour|小时"),
    "户": re.compile(r"units?\b|household|户"),
}


def counts_alike(claim: Quantity, evidence: Quantity, words: str) -> bool:
    """Whether a bare number of the evidence is the claim's, by the unit that its own key `words` name."""
    named = _NAMED_UNITS.get(claim.unit or "")
    bare = evidence.unit is None and evidence.kind == "number"
    return named is not None and bare and claim.value == evidence.value and named.search(words) is not None


_SPOKEN_TENS = 90


_NOUN = re.compile(r"([a-z]{3,}?)(?:es|s)?$")


def _other_noun(claim: Quantity, evidence: Quantity) -> bool:
    """Whether two English counts name two different things (four lifts, four flats)."""
    if not (claim.kind == evidence.kind == "count"):
        return False
    mine, theirs = _NOUN.search(claim.quote.lower()), _NOUN.search(evidence.quote.lower())
    return mine is not None and theirs is not None and mine.group(1) != theirs.group(1)


def _same_number(claim: Quantity, evidence: Quantity, words: str) -> bool:
    if _other_noun(claim, evidence) or _opposed(_side(claim, words), _side(evidence, "")):
        return False
    mine, theirs = scaled(claim), printed(evidence)
    if "来" in claim.quote and isinstance(claim.value, Decimal) and mine is not None and claim.value <= _SPOKEN_TENS:
        # 十来分钟 may be fifteen, but not twenty.
        mine = Interval(mine.low, mine.high + step(claim.value) / 2 * (mine.high / (claim.high or claim.value)))
    if mine is None or theirs is None:
        return False
    if claim.unit in ("mm", "cm") and evidence.unit is None and claim.value == evidence.value:
        return True
    bare_run = claim.unit == "CNY" and evidence.unit == "km"
    if bare_run and isinstance(claim.value, Decimal):
        mine = (
            Interval(claim.low or claim.value, claim.high or claim.value)
            if claim.approx
            else Interval(claim.value, claim.value)
        )
    if (claim.unit is None or bare_run) and isinstance(evidence.value, Decimal):
        theirs = Interval(evidence.value, evidence.value)
    if _side(claim, words) in _STRICT and evidence.approx is None and evidence.unit and mine == theirs:
        return False  # 不到90平 is not said of 90
    return _in_ten_thousands(claim, evidence, mine, theirs) or covers(mine, theirs, claim, words)


def covers(mine: Interval, theirs: Interval, claim: Quantity, words: str) -> bool:
    """Whether the stated interval covers the evidence's, after the rounding that the words allow."""
    if mine == theirs:
        return True
    if not mine.point:
        inside = mine.low <= theirs.low and (theirs.high <= mine.high if not theirs.point else theirs.high < mine.high)
        return inside or (theirs.point and isinstance(claim.value, tuple) and mine.low <= theirs.low <= mine.high)
    if not theirs.point or not (claim.approx or ABOUT.search(words)):
        return False
    side = _side(claim, words)
    if side:
        return _bounded_by(mine.low, theirs.low, side)
    slack = min(step(mine.low) / 2, abs(mine.low) * _MAX_SLACK)
    return abs(mine.low - theirs.low) <= slack


_STRICT = frozenset({"under", "over"})
_BOUNDS = _UPPER | _LOWER
# A bound further off than this says something else than its source, true as it may be.
_LOOSEST = Decimal("0.1")


_TURNED = re.compile(r"[没不未](?:有|能|得|可以|可|会|准|许)?(?:超|多于|高于|大于|低于|少于|小于)")
_ACROSS = {"over": "at_most", "under": "at_least"}


def _side(said: Quantity, words: str) -> str:
    """Give the side of a one-sided bound, "" for anything else; 没超过3次 is at most three, 不能低于三成 at least 30 %."""
    if said.approx not in _BOUNDS or (said.low is not None and said.high is not None):
        return ""
    return _ACROSS.get(said.approx, said.approx) if _TURNED.search(words) else said.approx


def _opposed(one: str, other: str) -> bool:
    """Whether one bound is from above and the other from below: 不到400万 is not said of 380万起."""
    return (one in _UPPER and other in _LOWER) or (one in _LOWER and other in _UPPER)


def _bounded_by(bound: Decimal, value: Decimal, side: str) -> bool:
    """Whether a printed value keeps to a bound (不超过380万 of 372万), and the bound is near it."""
    if abs(bound - value) > abs(bound) * _LOOSEST or (side in _STRICT and value == bound):
        return False
    return value <= bound if side in _UPPER else value >= bound


def step(value: Decimal) -> Decimal:
    """Give the worth of the last digit that is not zero: 12000 is stated to a thousand, 89 to one."""
    if not value:
        return Decimal(1)
    exponent = value.normalize().as_tuple().exponent
    return Decimal(1).scaleb(int(exponent))


def _same_id(mine: str, theirs: str, *, numbered: bool) -> bool:
    """Whether two texts are one: equal, or identifiers with the same numbers in order (3-1502, 3号楼1502室)."""
    if mine.lower() == theirs.lower() or not numbered:
        return mine.lower() == theirs.lower()
    a, b = _NUMBERS.findall(mine), _NUMBERS.findall(theirs)
    return bool(a) and a == b[-len(a) :]
