"""A share with its interval: what so many of so many can be, ninety-five times in a hundred (Wilson's score interval)."""

from dataclasses import dataclass
from math import sqrt
from typing import Any

_Z = 1.959964  # 95 %, two-sided


@dataclass(frozen=True, slots=True)
class Share:
    """`count` of `of`; without anything to count, all three figures are None."""

    count: int
    of: int

    @property
    def value(self) -> float | None:
        """The share, 0..1."""
        return self.count / self.of if self.of else None

    @property
    def low(self) -> float | None:
        """The lower end of the interval."""
        return max(0.0, self._ends()[0]) if self.of else None

    @property
    def high(self) -> float | None:
        """The upper end of the interval."""
        return min(1.0, self._ends()[1]) if self.of else None

    def record(self) -> dict[str, Any]:
        """Write it for JSON."""
        ends = {"share": self.value, "low": self.low, "high": self.high}
        return {"count": self.count, "of": self.of} | {k: None if v is None else round(v, 6) for k, v in ends.items()}

    def _ends(self) -> tuple[float, float]:
        share, square = self.count / self.of, _Z * _Z / self.of
        middle = (share + square / 2) / (1 + square)
        half = sqrt(share * (1 - share) * square + square * square / 4) / (1 + square)
        # rounding must not leave 0 of n, or n of n, outside of its own interval
        return min(middle - half, share), max(middle + half, share)
