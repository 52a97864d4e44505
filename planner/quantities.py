"""Every number, money, area, rate and date in a text, as typed exact values."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from planner.text import Text

Value = Decimal | str | tuple[Decimal, Decimal] | tuple[str, str] | None


@dataclass(frozen=True, slots=True)
class Quantity:
    """One quantity as written.

    `kind` and `unit` are those of the contract (money in yuan, rates in per cent); `value` is exact, a pair for a range,
    ISO text for dates and identifiers, None when there is a number here that cannot be read (fail closed). `low` and
    `high` bound an approximate value, half-open. `start` and `end` are offsets in `Text.norm`.
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


def read(text: Text, now: datetime) -> tuple[Quantity, ...]:
    """Read all quantities of a text, in order; relative dates are read against `now`."""
    raise NotImplementedError
