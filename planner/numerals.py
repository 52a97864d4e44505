"""Numerals as people type them: 350, 1,260, 三百五, 4万7000, 两三百, 十几, 12.8, twenty-five hundred."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal

DIGITS = {
    c: i
    for i, group in enumerate(("零〇", "一壹幺", "二两贰俩", "三叁仨", "四肆", "五伍", "六陆", "七柒", "八捌", "九玖"))
    for c in group
}
SMALL = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
BIG = {"万": 10_000, "亿": 100_000_000, "w": 10_000, "k": 1000}
CHINESE = "".join(c for c in DIGITS if c not in "俩仨") + "廿卅" + "".join(SMALL) + "万亿"
# Two digits said together are a range when they are neighbours (七八, 两三), or the idiomatic 三五.
PAIRS = frozenset({(3, 5), *((i, i + 1) for i in range(1, 9))})
MAX_ATOMS = 24
MAX_DIGITS = 15

_ATOM = re.compile(
    r"(?P<a>\d{1,3}(?:,\d{3}){1,5}(?!\d|,\d)(?:\.\d{1,9}(?!\d))?|\d+(?:\.\d+)?)"
    r"|(?P<d>[一壹幺二两贰俩三叁仨四肆五伍六陆七柒八捌九玖])|(?P<z>[零〇])|(?P<s>[十拾百佰千仟])|(?P<b> ?[万亿]|[wk](?![a-z]))"
    r"|(?P<t>[廿卅])|(?P<few>几|数(?=[十百千万亿]))|(?P<f>[多余]|\+(?=[千百万亿wk])|来(?=[十百千万亿wk平方㎡米公块元个套岁天里分年人号]))"
)
# Most numerals are one printed number or one character with no other numeral beside it.
_LONE = re.compile(
    r"(?:(?P<a>\d{1,9}(?:\.\d{1,6})?)|(?P<d>[一二两三四五六七八九]))(?![\d,.零〇一壹幺二两贰俩三叁仨四肆五伍六陆七柒八捌九玖十拾百佰千仟万亿廿卅wk几多余来点 +])"
)
_STRING = re.compile(r"[零〇一二三四五六七八九]{3,}(?![十百千万亿点])")
_SPOKEN = re.compile(r"点(\d)(?![\d分刻])")  # 3点1 is a rate, 3点10 a time
_POINT = re.compile(r"点([零〇一二三四五六七八九]{1,6})(?![零〇一二三四五六七八九十分刻])([万亿千百]?)")


@dataclass(frozen=True, slots=True)
class Numeral:
    """A numeral of `norm[start:end]`: `low` is the printed value, `high` differs for a pair such as 七八十.

    `place` is the unit of the last printed digit (350 万: 10 万), `scale` the last big unit (万), `fuzz` is `over`
    (多, 余), `about` (来) or `few` (几). `tail` is where a part begins that could not be joined (12万58), else None.
    """

    start: int
    end: int
    low: Decimal
    high: Decimal
    place: Decimal
    scale: int = 1
    fuzz: str | None = None
    tail: int | None = None
    chinese: bool = False

    @property
    def pair(self) -> bool:
        """Whether two values were said at once."""
        return self.low != self.high

    def times(self, factor: Decimal | int) -> "Numeral":
        """Give the same numeral in a smaller unit."""
        return replace(self, low=self.low * factor, high=self.high * factor, place=self.place * factor)


# Behind these words only a bigger unit may follow: 三百多万.
_CLOSING = frozenset({"over", "about", "at_least"})


class _Sum:
    """A numeral under construction; every value is kept twice, as the low and the high end of a pair."""

    def __init__(self) -> None:
        self.total: list[Decimal] = [Decimal(0), Decimal(0)]
        self.section: list[Decimal] = [Decimal(0), Decimal(0)]
        self.cur: list[Decimal] | None = None
        self.cur_text = ""
        self.cur_at = 0
        self.zero = False
        self.last = 0  # the last unit of any size
        self.small = 10_000  # units inside a section must fall
        self.big = 0
        self.scale = 1
        self.place = Decimal(1)
        self.fuzz: str | None = None
        self.open = False  # 几十: the unit's own digit is open too
        self.chinese = False

    def number(self, value: Decimal, text: str, at: int) -> bool:
        if self.cur is not None or self.fuzz in _CLOSING or (self.last and self.last < 10):
            return False
        self.cur, self.cur_text, self.cur_at = [value, value], text, at
        self.place = _place(text)
        return True

    def digit(self, value: int, at: int, following: str) -> bool:
        if self.fuzz in _CLOSING:
            return False
        self.chinese = True
        if self.cur is None:
            self.cur, self.cur_text, self.cur_at, self.place = [Decimal(value)] * 2, "d", at, Decimal(1)
            return True
        if self.cur_text == "d" and (int(self.cur[0]), value) in PAIRS and following not in DIGITS:
            self.cur, self.cur_text = [self.cur[0], Decimal(value)], "dd"
            return True
        return False

    def nought(self, at: int) -> bool:
        if self.cur is not None or self.zero or self.fuzz:
            return False
        self.chinese = True
        if not self.last:
            self.cur, self.cur_text, self.cur_at = [Decimal(0)] * 2, "0", at
        self.zero = True
        return True

    def few(self, at: int, following: str) -> bool:
        if self.cur_text.isdecimal() and self.cur and self.cur[0] % 10 == 0 and not self.fuzz:  # 20几万
            self.cur, self.cur_text, self.fuzz, self.place = [self.cur[0] + 1, self.cur[1] + 9], "f", "few", Decimal(1)
            return True
        if self.cur is not None or self.fuzz or (not self.last and following not in SMALL and following not in BIG):
            return False
        self.chinese, self.fuzz, self.open = True, "few", True
        self.cur, self.cur_text, self.cur_at = [Decimal(1 if self.last else 2), Decimal(9)], "f", at
        self.place = Decimal(1)
        return True

    def rough(self, word: str) -> bool:
        ready = self.cur_text.isdecimal() or "." in self.cur_text if self.cur is not None else bool(self.last)
        if not ready or self.fuzz:
            return False
        self.fuzz = {"来": "about", "+": "at_least"}.get(word, "over")
        if self.cur is None:
            self.place = Decimal(self.last)
        return True

    def ten(self, unit: int, at: int) -> bool:
        """Take 十, 百 or 千; False where it cannot belong to the numeral so far."""
        if self.fuzz in _CLOSING and not (self.cur is not None and self.place >= 1):
            return False
        if unit >= self.small or (self.last and self.cur is None and not self.zero and self.last < 10_000):
            return False
        gap = bool(self.last) and not self.zero and self.last // 10 != unit and not (self.last > 10_000)
        if gap and self.cur is not None:
            return False
        if self.cur is None:
            self.cur, self.cur_at = [Decimal(1), Decimal(1)], at
        self.chinese = True
        high = self.cur[1] * unit
        if self.open and self.cur_text == "f":
            high = (
                (self.cur[1] + 1) * unit
                - max(1, unit // 10) * (1 if unit == 10 else 0)
                - (unit // unit if unit > 10 else 0)
            )
        self.section[0] += self.cur[0] * unit
        self.section[1] += high
        self.small, self.last, self.place, self.cur, self.zero = unit, unit, _scaled(self.place, unit), None, False
        return True

    def myriad(self, unit: int) -> bool:
        if self.cur is not None:
            if (
                self.last
                and self.last < 10_000
                and self.last != 10
                and not self.zero
                and self.cur_text in ("d", "dd", "f")
            ):
                return False  # 两百八万 has no agreed value
            self.section = [s + c for s, c in zip(self.section, self.cur, strict=True)]
        if self.section[1] == 0:
            if not self.total[1] or unit < self.big:
                return False
            self.total = [t * unit for t in self.total]
        elif not self.big or unit < self.big:
            self.total = [t + s * unit for t, s in zip(self.total, self.section, strict=True)]
        elif unit > self.big:
            self.total = [(t + s) * unit for t, s in zip(self.total, self.section, strict=True)]
        else:
            return False
        self.place = self.place * unit if self.cur is not None or self.fuzz else Decimal(self.last or 1) * unit
        self.section, self.cur, self.zero, self.small = [Decimal(0)] * 2, None, False, 10_000
        self.last = self.big = unit
        self.scale = max(self.scale, unit)
        return True

    def close(self, whole: bool, *, ends: bool) -> tuple[list[Decimal], bool] | None:
        """Give the value, and whether the open last part belongs to it; None when nothing was read."""
        value = [t + s for t, s in zip(self.total, self.section, strict=True)]
        if self.cur is None:
            return (value, True) if self.last else None
        if not self.last:
            return self.cur, True
        unit = self._tail_unit(ends) if whole else None
        if unit is None:
            return value, False
        self.place = Decimal(unit)
        return [v + c * unit for v, c in zip(value, self.cur, strict=True)], True

    def _tail_unit(self, ends: bool) -> int | None:
        """Give the unit of an open last part: 两百八 means eighty, 4万7000 seven thousand, 二十五 five."""
        if self.zero or self.last == 10:
            return 1
        if not ends or self.cur is None:
            return None
        if self.cur_text in ("d", "dd", "f") or (self.cur_text.isdecimal() and len(self.cur_text) == 1):
            return self.last // 10
        return 1 if self.cur_text.isdecimal() and 10 ** len(self.cur_text) == self.last else None


def _place(text: str) -> Decimal:
    """Give the unit of the last significant digit of a printed number."""
    whole, _, part = text.replace(",", "").partition(".")
    if part:
        return Decimal(1).scaleb(-len(part))
    return Decimal(10 ** (len(whole) - len(whole.rstrip("0")))) if whole.strip("0") else Decimal(1)


def _scaled(place: Decimal, unit: int) -> Decimal:
    return Decimal(unit) * place if place < 1 else Decimal(unit)


def numeral(norm: str, at: int, no_tail: Callable[[str, int], object] | None = None) -> Numeral | None:
    """Read the longest numeral that starts at `at`; None when the characters there are no number that can be read.

    `no_tail(norm, end)` says that a unit follows which never closes 12万8: in 645万9层 the 9 counts the floor.
    """
    lone = _LONE.match(norm, at)
    if lone:
        word, digit = lone.group("a", "d")
        value = Decimal(word) if word else Decimal(DIGITS[digit])
        return Numeral(at, lone.end(), value, value, _place(word) if word else Decimal(1), chinese=not word)
    string = _STRING.match(norm, at)
    if string:
        return _digit_string(norm, at, string.end())
    total = _Sum()
    end = at
    whole = True
    for _ in range(MAX_ATOMS):
        match = _ATOM.match(norm, end)
        if match is None:
            break
        if not _take(total, match, norm):
            whole = match.lastgroup not in ("s", "b")  # in 二十三十 the three belongs to the next numeral
            break
        end = match.end()
    closed = total.close(whole, ends=not (no_tail and no_tail(norm, end)))
    if closed is None:
        return None
    value, joined = closed
    stop = end if joined else total.cur_at
    tail = None if joined else total.cur_at
    found = Numeral(at, stop, value[0], value[1], total.place, total.scale, total.fuzz, tail, total.chinese)
    if total.fuzz or total.last >= 10_000:
        return found
    return _decimals(norm, found) if total.chinese else _spoken(norm, found, total.last)


def _take(total: _Sum, match: re.Match[str], norm: str) -> bool:
    """Give the next atom to the sum; False when it does not belong to this numeral."""
    word, at, following = match.group(), match.start(), norm[match.end() : match.end() + 1]
    return _TAKERS[match.lastgroup or ""](total, word, at, following)


def _take_number(total: _Sum, word: str, at: int, _: str) -> bool:
    plain = word.replace(",", "")
    return len(plain) <= MAX_DIGITS + 5 and total.number(Decimal(plain), plain, at)


def _take_big(total: _Sum, word: str, _at: int, _: str) -> bool:
    # 350w and 350 万 are amounts, but neither a lone w nor 三百 万.
    if (word in "wk" or word[0] == " ") and not (total.cur is not None and total.cur_text[:1].isdecimal()):
        return False
    return total.myriad(BIG[word.strip()])


def _take_score(total: _Sum, word: str, at: int, following: str) -> bool:
    return total.digit(2 if word == "廿" else 3, at, following) and total.ten(10, at)


_TAKERS: dict[str, Callable[[_Sum, str, int, str], bool]] = {
    "a": _take_number,
    "d": lambda total, word, at, following: total.digit(DIGITS[word], at, following),
    "z": lambda total, _, at, __: total.nought(at),
    "s": lambda total, word, at, _: total.ten(SMALL[word], at),
    "t": _take_score,
    "few": lambda total, _, at, following: total.few(at, following),
    "f": lambda total, word, _, __: total.rough(word),
    "b": _take_big,
}


def _digit_string(norm: str, at: int, end: int) -> Numeral | None:
    # 三〇八 is spelled digit by digit; without a nought 三四五 may be three values.
    word = norm[at:end]
    if len(word) > MAX_DIGITS or not ("零" in word or "〇" in word):
        return None
    value = Decimal("".join(str(DIGITS[c]) for c in word))
    return Numeral(at, end, value, value, Decimal(1), chinese=True)


def _spoken(norm: str, whole: Numeral, unit: int) -> Numeral:
    match = None if unit else _SPOKEN.match(norm, whole.end)
    if match is None:
        return whole
    value = whole.low + Decimal(match[1]) / 10
    return replace(whole, end=match.end(), low=value, high=value)


def _decimals(norm: str, whole: Numeral) -> Numeral:
    match = _POINT.match(norm, whole.end)
    if match is None or whole.pair:
        return whole
    text = "".join(str(DIGITS[c]) for c in match.group(1))
    scale = {**SMALL, **BIG, "": 1}[match.group(2)]
    value = (whole.low + Decimal("0." + text)) * scale
    place = Decimal(1).scaleb(-len(text)) * scale
    return replace(whole, end=match.end(), low=value, high=value, place=place, scale=scale if scale >= 10_000 else 1)
