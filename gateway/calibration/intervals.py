"""Exact (Clopper–Pearson) bounds of a share, from counts alone: what a few hundred labels can say, and what not."""

import math
from collections.abc import Callable
from dataclasses import dataclass

LEVEL = 0.95
_TINY = 1e-300
_STEPS = 60  # halvings of [0, 1]: far below the last printed digit


@dataclass(frozen=True, slots=True)
class Share:
    """`count` of `total`; with a total of 0 nothing is known and every reading is None or the whole of 0 to 1."""

    count: int
    total: int

    @property
    def value(self) -> float | None:
        """The measured share."""
        return self.count / self.total if self.total else None

    @property
    def interval(self) -> tuple[float, float]:
        """The exact two-sided interval that holds the true share in 95 of 100 such measurements."""
        outside = (1 - LEVEL) / 2
        return lower_bound(self.count, self.total, 1 - outside), upper_bound(self.count, self.total, 1 - outside)


def upper_bound(count: int, total: int, level: float = LEVEL) -> float:
    """Give the largest true share for which so few would still be seen: a one-sided bound."""
    if count >= total:
        return 1.0
    return _solve(lambda p: beta_share(p, count + 1, total - count), level)


def lower_bound(count: int, total: int, level: float = LEVEL) -> float:
    """Give the smallest true share for which so many would still be seen: a one-sided bound."""
    if count <= 0:
        return 0.0
    return _solve(lambda p: beta_share(p, count, total - count + 1), 1 - level)


def needed(most: float, count: int = 0, level: float = LEVEL) -> int:
    """Give how many must be seen, `count` of them wrong, for the upper bound to be within `most`."""
    total = count + 1
    while upper_bound(count, total, level) > most:
        total *= 2
    low = total // 2
    while total - low > 1:
        middle = (low + total) // 2
        low, total = (low, middle) if upper_bound(count, middle, level) <= most else (middle, total)
    return total


def _solve(rising: Callable[[float], float], target: float) -> float:
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < target else (low, middle)
    return (low + high) / 2


def beta_share(x: float, a: float, b: float) -> float:
    """Give the regularised incomplete beta function I_x(a, b)."""
    if not 0 < x < 1:
        return float(x >= 1)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(x, a, b) / a
    return 1 - front * _fraction(1 - x, b, a) / b


def _fraction(x: float, a: float, b: float) -> float:
    """Evaluate the function's continued fraction (Lentz); the steps grow with the root of the larger count."""
    c, d = 1.0, _inverse(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, 200 + 10 * math.isqrt(int(max(a, b)))):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d, c = _inverse(1 + term * d), 1 + term / c
            c = c if abs(c) > _TINY else _TINY
            value *= d * c
        if abs(d * c - 1) < 1e-14:
            break
    return value


def _inverse(value: float) -> float:
    return 1 / (value if abs(value) > _TINY else _TINY)
