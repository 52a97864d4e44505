"""What the words around an amount leave open: 350多万, 300万左右, 不到四十万, at least 80%."""

from dataclasses import dataclass, replace
from decimal import Decimal

from planner.found import Found
from planner.grammar import Marks

# These stand before a number with other meanings too (近30天, 小3室): they estimate amounts of these kinds only.
_LOOSE = frozenset({"近", "快", "小", "破", "超"})
_LOOSE_KINDS = frozenset({"money", "unit_price", "mileage", "area", "number", "percent"})
# One word may stand between the estimate and the number: 最多给95万.
_BETWEEN = frozenset(" 有要为是在卖付给贷到能可")
_NAMES = {"nearly": "under", "slightly_over": "over", "beyond": "over", "few": "range"}


@dataclass(frozen=True, slots=True)
class Printed:
    """What the numeral itself says about its precision: the unit of its last digit, and 多, 来 or 几 inside it."""

    place: Decimal
    fuzz: str | None = None
    plus: bool = False


def estimated(found: Found, printed: Printed, norm: str, marks: Marks) -> Found:
    """Give the amount with the bounds and the span of the word that makes it an estimate; unchanged without one."""
    word, start, end = _word(found, printed, norm, marks)
    low, high = _ends(found)
    if word is None or low is None or high is None:
        return replace(found, approx="range") if low != high else found
    if word == "few" and low == high:
        start_of, end_of = plain(low + printed.place), plain(low + 10 * printed.place)
        return replace(found, start=start, end=end, low=start_of, high=end_of, approx="over")
    bounds = _bounds(word, low, high, printed.place, found.kind)
    return replace(found, start=start, end=end, low=bounds[0], high=bounds[1], approx=_NAMES.get(word, word))


def plain(value: Decimal) -> Decimal:
    """Drop the noughts that scaling left behind: 129800.00 is 129800."""
    whole = value.to_integral_value()
    return whole if value == whole else value.normalize()


def _ends(found: Found) -> tuple[Decimal | None, Decimal | None]:
    value = found.value
    low, high = value if isinstance(value, tuple) else (value, value)
    return (low, high) if isinstance(low, Decimal) and isinstance(high, Decimal) else (None, None)


def _word(found: Found, printed: Printed, norm: str, marks: Marks) -> tuple[str | None, int, int]:
    """Find the estimating word: inside the numeral, then behind the amount, then before it."""
    if printed.fuzz == "few":
        return "few", found.start, found.end
    behind = marks.after.get(found.end + (norm[found.end : found.end + 1] == " "))
    if behind is not None and (printed.fuzz is None or behind[1] != "over"):
        return behind[1], found.start, behind[0]
    if printed.plus:
        return "at_least", found.start, found.end
    if printed.fuzz is not None:
        return printed.fuzz, found.start, found.end
    return _before(found, norm, marks)


def _before(found: Found, norm: str, marks: Marks) -> tuple[str | None, int, int]:
    at = found.start
    if norm[at - 1 : at] == "上" and norm[at] in "百千万亿":  # 上百万
        return "beyond", at - 1, found.end
    if at not in marks.before and norm[at - 1 : at] in _BETWEEN and at - 1 in marks.before:
        at -= 1
    before = marks.before.get(at)
    if before is None or (before.word in _LOOSE and found.kind not in _LOOSE_KINDS):
        return None, found.start, found.end
    return before.estimate, before.start, found.end


def _bounds(word: str, low: Decimal, high: Decimal, place: Decimal, kind: str) -> tuple[Decimal | None, Decimal | None]:
    """Give the interval that an estimate leaves open; one end is None where the word leaves it open.

    About means half a unit of the last printed digit, at most a twentieth; times are told more loosely, to a tenth.
    """
    slack = low / 10 if kind == "duration" else min(place / 2, low / 20)
    table: dict[str, tuple[Decimal | None, Decimal | None]] = {
        "over": (low, plain(low + place)),
        "slightly_over": (low, plain(low + place / 10)),
        "few": (low, plain((high // place + 1) * place)),
        "about": (plain(low - slack), plain(high + slack)),
        "nearly": (plain(low - low / 10), low),
        "at_least": (low, None),
        "beyond": (low, None),
    }
    return table.get(word, (None, high))
