"""Every number, money, area, rate and date in a text, as typed exact values."""

import re
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from planner.amounts import Amounts
from planner.estimates import Printed, estimated
from planner.forms import forms
from planner.found import Found, Value, masked
from planner.grammar import marks
from planner.identifiers import identifiers
from planner.moments import moments
from planner.numerals import CHINESE
from planner.text import Text

_BASE = {
    "km": (Decimal(1000), "m"),
    "hour": (Decimal(60), "minute"),
    "week": (Decimal(7), "day"),
    "quarter": (Decimal(3), "month"),
    "year": (Decimal(12), "month"),
}
_ANY = re.compile(rf"[\d{CHINESE}几半今明后昨前周月年底末节庆旦过俩仨期拜天折]|day|weekend|tonight|tomorrow|[a-z]")


@dataclass(frozen=True, slots=True)
class Quantity:
    """One quantity as written.

    `kind` and `unit` are those of the contract (money in yuan, rates in per cent); `value` is exact, a pair for a range,
    ISO text for dates and identifiers, None when there is a number here that cannot be read (fail closed). `start` and
    `end` are offsets in `Text.norm`.

    `approx` says what the words around leave open: `over`, `under`, `about`, `at_least`, `at_most`, `range`; then `low`
    and `high` bound the value, half-open, and one of them is None where the word leaves that side open (the bound of
    `at_most` is included). A range of two printed ends has them in `value` and no bounds. A date's `approx` is
    `at_most` (前), `at_least` (起, 以后), `about`, `range`, or the part of its day: `morning`, `noon`, `afternoon`, `evening`.
    """

    kind: str
    value: Value
    unit: str | None
    quote: str
    start: int
    end: int
    low: Decimal | None = None
    high: Decimal | None = None
    approx: str | None = None

    @property
    def base(self) -> tuple[Value, str | None]:
        """The value in the unit in which quantities of its kind compare: 1.5 km as 1500 m, 2 years as 24 months."""
        factor, unit = _BASE.get(self.unit or "", (None, self.unit))
        if factor is None or self.kind not in ("distance", "duration"):
            return self.value, self.unit
        if isinstance(self.value, tuple):
            low, high = (end * factor if isinstance(end, Decimal) else end for end in self.value)
            return (low, high), unit  # type: ignore[return-value]  # both ends are of one type
        return (self.value * factor if isinstance(self.value, Decimal) else self.value), unit


def read(text: Text, now: datetime) -> tuple[Quantity, ...]:
    """Read all quantities of a text, in order; relative dates are read against `now`."""
    norm = text.norm
    if not _ANY.search(norm):
        return ()
    words = marks(norm)
    left = masked(norm, list(words.idioms))
    found, taken = identifiers(left)
    left = masked(left, taken)
    dated = moments(left, now)
    left = masked(left, [(one.start, one.end) for one in dated])
    phrases = forms(left)
    left = masked(left, [(one.start, one.end) for one in phrases])
    found += dated
    found += [estimated(one, Printed(_place(one)), left, words) if one.approx is None else one for one in phrases]
    found += Amounts(left, words).read()
    found.sort(key=lambda one: (one.start, one.end))
    return tuple(_quantity(text, one) for one in found)


def _place(one: Found) -> Decimal:
    """Give the unit of the last digit of a phrase: a tenth for 三成, one for 30%."""
    return (
        Decimal(10) if one.kind == "percent" and isinstance(one.value, Decimal) and one.value % 10 == 0 else Decimal(1)
    )


def _quantity(text: Text, one: Found) -> Quantity:
    quote = text.quote(one.start, one.end)
    return Quantity(one.kind, one.value, one.unit, quote, one.start, one.end, one.low, one.high, one.approx)
