"""Numerals with the unit, role and estimate around them: the money, areas, lengths and counts of a text."""

import re
from dataclasses import dataclass, replace
from decimal import Decimal

from planner.english import ENGLISH, english_numeral
from planner.estimates import Printed, estimated, plain
from planner.found import Found
from planner.grammar import Marks, Unit, per_at, unit_at
from planner.kinds import PRICES, Kind, Seen, kind_of
from planner.nearby import FILL, role_beside
from planner.numerals import CHINESE, DIGITS, Numeral, numeral

_START = re.compile(rf"\d|[{CHINESE}几]|(?<![咱你我他她它们])[俩仨]|数(?=[十百千万])|(?<![a-z])(?:{ENGLISH})(?![a-z])")
_RUN = re.compile(rf"[\d{CHINESE}几.,点]+")
_CURRENCY = re.compile(r"(?P<cny>rmb|cny|人民币|¥|￥|yuan)[:： ]?$|(?P<usd>usd|us\$|\$|美元)[:： ]?$")
_TO = re.compile(r" ?(?:-|~|～|—{1,2}|–|到|至(?!少)|to|(?P<between>and|和)|(?P<either>or|或者?)) ?(?:rmb |cny |¥|￥)?")
_BETWEEN = re.compile(r"(?:between|介于|在)(?: rmb| cny)? ?[¥￥]?$")
_PER = re.compile(r" ?(?:/|每|[·•](?=[月年天日])|一(?=[个平年月天方次日套台辆小])|per |an? |each )")
_PER_BEFORE = re.compile(
    r"(?:每|一)个?(平方米|平方|平米?|月|年|天|日|周|星期|小时|公里|次|晚)(?:是|要|大概|大约|约|得|收|才|只要|就|差不多)?$"
)
_PERIODS = frozenset({"hour", "day", "week", "month", "year"})
_PER_ORDER = ("m2", "km", "kWh", "hour", "day", "week", "month", "year")
_MOVES = re.compile(r"(?:[降涨调改变砍谈减加][到至成为]|调整[到为至]| ?(?:→|->) ?)")
_AROUND = ("左右", "上下")
_DIGIT = r"[一二两三四五六七八九\d]"
_CHANGE = re.compile(
    rf"(?:[块元米秒毛角]|(?P<far>公里))(?P<zero>零)?(?P<tenth>(?!一(?![毛角一二三四五六七八九])[\u4e00-\u9fff]){_DIGIT})"
    rf"(?:(?P<jiao>[毛角])(?:(?P<cent>{_DIGIT})分?)?|(?P<second>(?!一[\u4e00-\u9fff])[一二三四五六七八九]{{1,2}}))?"
    r"(?![十百千万个.\d年月层室天号平折成%站次条分块元楼栋期辆台套楼厅卫房间手])"
)


@dataclass(frozen=True, slots=True)
class _Amount:
    """A numeral with the unit behind it; `plus` is the sign in 260w+."""

    number: Numeral
    unit: Unit | None
    start: int
    end: int
    plus: bool = False


class Amounts:
    """The reader of one text; `marks` tells where its roles and estimates stand."""

    def __init__(self, norm: str, marks: Marks) -> None:
        self.norm = norm
        self.marks = marks

    def read(self) -> list[Found]:
        """Read all amounts from left to right."""
        found: list[Found] = []
        at = 0
        while (match := _START.search(self.norm, at)) is not None:
            amount = self._amount(match.start())
            results, end = self._unread(match.start()) if amount is None else self._quantity(amount)
            found += results
            at = max(end, match.start() + 1)
        return found

    def _unread(self, at: int) -> tuple[list[Found], int]:
        """Note a numeral that cannot be read; a lone scale word or a lone 几 is no numeral."""
        run = _RUN.match(self.norm, at)
        end = run.end() if run else at + 1
        word = self.norm[at:end].rstrip(".,点")
        if sum(c.isdecimal() or c in DIGITS for c in word) > 1:
            return [Found("unreadable", None, None, at, at + len(word))], end
        return [], end

    def _amount(self, at: int) -> _Amount | None:
        word = self.norm[at].isascii() and self.norm[at].isalpha()
        number = english_numeral(self.norm, at) if word else numeral(self.norm, at, self._no_tail)
        if number is None:
            return None
        plus = (
            self.norm[number.end : number.end + 1] == "+" and not self.norm[number.end + 1 : number.end + 2].isdecimal()
        )
        unit = unit_at(self.norm, number.end + plus)
        if unit is None and self.norm.startswith(_AROUND, number.end) and number.fuzz is None:
            unit = unit_at(self.norm, number.end + 2)  # 八万左右公里
            number = replace(number, fuzz="about") if unit else number
        if unit is not None and unit[1].kind == "scale":
            number = replace(number.times(unit[1].factor), scale=int(unit[1].factor), end=unit[0])
            unit = unit_at(self.norm, unit[0])
        if unit is None or not _fits(number, unit[1]):
            return _Amount(number, None, at, number.end + plus, plus)
        if number.fuzz is None and "多" in self.norm[number.end : unit[0]]:  # 一个多小时
            number = replace(number, fuzz="over")
        return _Amount(number, unit[1], at, unit[0], plus)

    def _no_tail(self, norm: str, end: int) -> bool:
        unit = unit_at(norm, end)
        return unit is not None and not unit[1].tail

    def _quantity(self, amount: _Amount) -> tuple[list[Found], int]:
        tail = amount.number.tail
        if tail is not None and not self._stands_alone(tail):
            run = _RUN.match(self.norm, amount.start)
            end = run.end() if run else amount.end
            return [Found("unreadable", None, None, amount.start, end)], end
        rate = self._after_per(amount)
        if rate is not None:
            return self._classified(self._range(rate) or rate, amount.unit.unit if amount.unit else None)
        return self._classified(self._range(amount) or self._moved(amount))

    def _stands_alone(self, tail: int) -> bool:
        after = numeral(self.norm, tail)
        return after is not None and unit_at(self.norm, after.end) is not None

    def _after_per(self, amount: _Amount) -> _Amount | None:
        """Read 一个月两百八 and 一平两万八: the length of time or area is a rate's base, not a quantity."""
        if amount.number.low != 1 or amount.unit is None or not amount.number.chinese:
            return None
        if not _PER_BEFORE.match(self.norm[amount.start : amount.end]):
            return None
        at = amount.end
        while (
            at < amount.end + 4 and self.norm[at : at + 1] and self.norm[at] in FILL and not _START.match(self.norm, at)
        ):
            at += 1
        second = self._amount(at) if _START.match(self.norm, at) else None
        if second is None or not (second.unit.kind == "money" if second.unit else second.number.low >= 100):
            return None
        return second

    def _filled(self, at: int) -> int:
        """Skip the few words that may stand between a rate's base, its role and its number."""
        stop = at + 4
        while at < stop and self.norm[at : at + 1] and self.norm[at] in FILL and not _START.match(self.norm, at):
            at += 1
        return at

    def _range(self, first: _Amount) -> _Amount | None:
        joint = _TO.match(self.norm, first.end)
        if joint is None or first.number.pair or not _START.match(self.norm, joint.end()):
            return None
        second = self._amount(joint.end())
        if (
            second is None
            or second.number.pair
            or (first.unit and (not second.unit or first.unit.unit != second.unit.unit))
        ):
            return None
        number = first.number
        scale = second.number.scale
        if first.unit is None and number.scale == 1 < scale and number.low * scale <= second.number.low:
            number = number.times(scale)  # the first of 300-350万 counts ten thousands too
        if not self._spans(first.start, joint, number.low, second.number.low):
            return None
        joined = replace(second.number, start=first.start, low=number.low, scale=max(scale, number.scale), fuzz=None)
        return _Amount(joined, second.unit, first.start, second.end, second.plus)

    def _moved(self, first: _Amount) -> _Amount:
        """Give the first amount of 从320降到308万 the scale of the second."""
        joint = _MOVES.match(self.norm, first.end)
        if (
            joint is None
            or first.unit is not None
            or first.number.scale > 1
            or not _START.match(self.norm, joint.end())
        ):
            return first
        second = self._amount(joint.end())
        if second is None or second.number.scale != 10_000:
            return first
        number = first.number.times(10_000)
        near = second.number.low < 3 * number.low and number.low < 3 * second.number.low
        return replace(first, number=replace(number, scale=10_000)) if near else first

    def _spans(self, start: int, joint: re.Match[str], low: Decimal, high: Decimal) -> bool:
        """Whether two amounts are the ends of one: not two offers (3室和4室), nor a fall (320万到308万)."""
        if joint["between"]:
            return low < high and bool(_BETWEEN.search(self.norm, max(0, start - 16), start))
        return low < high and not (joint["either"] and high > 2 * low)

    def _classified(self, amount: _Amount, base: str | None = None) -> tuple[list[Found], int]:
        number, start, end = amount.number, amount.start, amount.end
        sign = _CURRENCY.search(self.norm, max(0, start - 5), start)
        currency = None if sign is None else "CNY" if sign["cny"] else "USD"
        role = role_beside(self.norm, self.marks, start - len(sign.group()) if sign else start, end)
        seen = Seen(self.norm, number, amount.unit, end, role, currency)
        kind = kind_of(seen)
        if kind is None:
            return [], end
        start -= len(sign.group()) if sign and kind[0] in PRICES else 0
        low, high = number.low, number.high
        told = amount.unit is not None and (kind[0] in PRICES or amount.unit.id in ("metre", "km", "second"))
        if told and (change := self._change(number)) is not None:
            low, high, end = low + change[0], high + change[0], change[1]
        if kind[0] in PRICES or kind[0] == "number":
            kind, end = self._per(kind, start, end, base)
        low, high = plain(low * kind[2]), plain(high * kind[2])
        value = low if low == high else (low, high)
        place = number.place * kind[2]
        if number.fuzz == "few" and high - low == 8 * place:
            value = plain(low - place)  # 一百二十几: more than the printed 120
        found = Found(kind[0], value, kind[1], start, end)
        found = estimated(found, Printed(place, number.fuzz, amount.plus), self.norm, self.marks)
        return [found], found.end

    def _change(self, number: Numeral) -> tuple[Decimal, int] | None:
        """Read what follows 块, 毛, 米 or 公里: 两块零八, 三块八毛五, 五毛八, 4米2, 两米八五, 一公里三."""
        match = _CHANGE.match(self.norm, number.end)
        if match is None or number.scale > 1 or (match["far"] and not number.chinese):
            return None
        digits = "".join(
            c if c.isdecimal() else str(DIGITS[c]) for c in match["tenth"] + (match["cent"] or match["second"] or "")
        )
        return Decimal(("0.0" if match["zero"] else "0.") + digits), match.end()

    def _bases_before(self, at: int) -> list[str]:
        """Read 每月每平 before a price."""
        bases: list[str] = []
        while len(bases) < 3 and (before := _PER_BEFORE.search(self.norm, max(0, at - 12), at)) is not None:
            word = per_at(before.group(1), 0)
            bases += [word[1]] if word else []
            at = before.start()
        return bases

    def _per(self, kind: Kind, start: int, end: int, said: str | None) -> tuple[Kind, int]:
        """Add what a price is paid for: CNY/m2/month; a bare number before it is money too (39326一平)."""
        bases = self._bases_before(start) or ([said] if said else [])
        stop = end
        while len(bases) < 3 and (joint := _PER.match(self.norm, stop)) is not None:
            word = per_at(self.norm, joint.end())
            if word is None or (word[1] in _PERIODS and _PERIODS.intersection(bases)):
                break  # 2.8元一平一个月 一年三千: the year belongs to the next number
            bases.append(word[1])
            stop = word[0]
        named = sorted({base for base in bases if base}, key=_PER_ORDER.index)
        if not named or (kind[0] == "number" and not set(named) & {"m2", "month", "year", "day"}):
            return kind, (stop if bases and kind[0] != "number" else end)
        base = (kind[1] or "CNY").partition("/")[0]
        return ("unit_price" if "m2" in named else "money", "/".join([base, *named]), kind[2]), stop


def _fits(number: Numeral, unit: Unit) -> bool:
    return (unit.low is None or number.high >= unit.low) and (unit.high is None or number.low <= unit.high)
