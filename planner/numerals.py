"""Numerals as people type them: 350, 1,260, 三百五, 4万7000, 两三百, 十几, 12.8, twenty-five hundred."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal

from planner.sums import BIG, CHINESE, DIGITS, PAIRS, SMALL, Sum, place_of

__all__ = ["CHINESE", "DIGITS", "PAIRS", "Numeral", "numeral"]

MAX_ATOMS = 24
MAX_DIGITS = 15

_ATOM = re.compile(
    r"(?P<a>\d{1,3}(?:,\d{3}){1,5}(?!\d|,\d)(?:\.\d{1,9}(?!\d))?|\d+(?:\.\d+)?)"
    r"|(?P<d>(?:一、(?=[二两][十百千万亿])|二、(?=三[十百千万亿])|三、(?=[四五][十百千万亿])|四、(?=五[十百千万亿])|五、(?=六[十百千万亿])|六、(?=七[十百千万亿])|七、(?=八[十百千万亿])|八、(?=九[十百千万亿]))"
    r"|[一壹幺二两贰俩三叁仨四肆五伍六陆七柒八捌九玖])|(?P<z>[零〇])|(?P<s>[十拾百佰千仟])|(?P<b> ?[万亿]|[wk](?![a-z]))"
    r"|(?P<t>[廿卅])|(?P<few>几|数(?=[十百千万亿]))|(?P<f>[多余]|\+(?=[千百万亿wk])|来(?=[十百千万亿wk平方㎡米公块元个套岁天里分年人号]))"
)
# Most numerals are one printed number or one character with no other numeral beside it.
_LONE = re.compile(
    r"(?:(?P<a>\d{1,9}(?:\.\d{1,6})?)|(?P<d>[一二两三四五六七八九]))(?![\d,.零〇一壹幺二两贰俩三叁仨四肆五伍六陆七柒八捌九玖十拾百佰千仟万亿廿卅wk几多余来点 +]|、[二两三四五六七八九][十百千万亿])"
)
# And most of the others are one printed number of ten thousands: 428 万, 5.2万, 350w.
_MYRIADS = re.compile(
    r"(?P<a>(?=0?\.?\d?[1-9]|[1-9])\d{1,8}(?:\.\d{1,6})?)(?: ?万|w(?![a-z]))(?![\d,.零〇一壹幺二两贰俩三叁仨四肆五伍六陆七柒八捌九玖十拾百佰千仟万亿廿卅wk几数半多余来点 +]|、[二两三四五六七八九][十百千万亿])"
)
_STRING = re.compile(r"[零〇一二三四五六七八九]{3,}(?![十百千万亿点])")
_SPOKEN = re.compile(r"点(\d)(?![\d分刻])")  # 3点1 is a rate, 3点10 a time
_HALF = re.compile(r"半(?![年天个月价路夜山数径场小包截成])")
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


def numeral(norm: str, at: int, no_tail: Callable[[str, int], object] | None = None) -> Numeral | None:
    """Read the longest numeral that starts at `at`; None when the characters there are no number that can be read.

    `no_tail(norm, end)` says that a unit follows which never closes 12万8: in 645万9层 the 9 counts the floor.
    """
    printed = _printed(norm, at)
    if printed is not None:
        return printed
    string = _STRING.match(norm, at)
    if string:
        return _digit_string(norm, at, string.end())
    total = Sum()
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
    if total.fuzz:
        return found
    if total.last >= 10_000:
        half = joined and total.last == 10_000 and _HALF.match(norm, stop)
        return _and_half(found, total.last) if half else found
    return _decimals(norm, found) if total.chinese else _spoken(norm, found, total.last)


def _and_half(whole: Numeral, unit: int) -> Numeral:
    more = Decimal(unit) / 2
    return replace(whole, end=whole.end + 1, low=whole.low + more, high=whole.high + more, place=more)


def _lone(at: int, match: re.Match[str]) -> Numeral:
    word, digit = match.group("a", "d")
    value = Decimal(word) if word else Decimal(DIGITS[digit])
    return Numeral(at, match.end(), value, value, place_of(word) if word else Decimal(1), chinese=not word)


def _printed(norm: str, at: int) -> Numeral | None:
    """Read one printed number, alone or of ten thousands: most numerals are no more than that."""
    lone = _LONE.match(norm, at)
    if lone:
        return _lone(at, lone)
    myriads = _MYRIADS.match(norm, at)
    return _of_myriads(at, myriads) if myriads else None


def _of_myriads(at: int, match: re.Match[str]) -> Numeral:
    word = match["a"]
    value = Decimal(word) * 10_000
    return Numeral(at, match.end(), value, value, place_of(word) * 10_000, scale=10_000)


def _take(total: Sum, match: re.Match[str], norm: str) -> bool:
    """Give the next atom to the sum; False when it does not belong to this numeral."""
    word, at, following = match.group(), match.start(), norm[match.end() : match.end() + 1]
    return _TAKERS[match.lastgroup or ""](total, word, at, following)


def _take_number(total: Sum, word: str, at: int, _: str) -> bool:
    plain = word.replace(",", "")
    return len(plain) <= MAX_DIGITS + 5 and total.number(Decimal(plain), plain, at)


def _take_big(total: Sum, word: str, _at: int, _: str) -> bool:
    # 350w and 350 万 are amounts, but neither a lone w nor 三百 万.
    if (word in "wk" or word[0] == " ") and not (total.cur is not None and total.cur_text[:1].isdecimal()):
        return False
    return total.myriad(BIG[word.strip()])


def _take_score(total: Sum, word: str, at: int, following: str) -> bool:
    return total.digit(2 if word == "廿" else 3, at, following) and total.ten(10, at)


_TAKERS: dict[str, Callable[[Sum, str, int, str], bool]] = {
    "a": _take_number,
    "d": lambda total, word, at, following: total.digit(DIGITS[word[0]], at, following),
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
