"""What a reader finds: a quantity that does not know its words yet."""

from dataclasses import dataclass
from decimal import Decimal

Value = Decimal | str | tuple[Decimal, Decimal] | tuple[str, str] | None


@dataclass(frozen=True, slots=True)
class Found:
    """A quantity at `norm[start:end]`; the fields mean what they mean in `Quantity`."""

    kind: str
    value: Value
    unit: str | None
    start: int
    end: int
    low: Decimal | None = None
    high: Decimal | None = None
    approx: str | None = None


# Stands for a character that is already read; normalised text never holds it.
MASK = "\x00"


def masked(norm: str, found: list[tuple[int, int]]) -> str:
    """Blank out spans, so that the next reader does not see them."""
    if not found:
        return norm
    parts: list[str] = []
    at = 0
    for start, end in sorted(found):
        if start >= at:
            parts += (norm[at:start], MASK * (end - start))
            at = end
        elif end > at:
            parts.append(MASK * (end - at))
            at = end
    parts.append(norm[at:])
    return "".join(parts)
