"""Numerals with the unit, role and estimate around them: the money, areas, lengths and counts of a text."""

import re
from dataclasses import dataclass, replace
from decimal import Decimal

from planner.english import english_numeral
from planner.found import Found
from planner.grammar import Marks, Role, Unit, per_at, unit_at
from planner.numerals import CHINESE, DIGITS, Numeral, numeral

_START = re.compile(
    rf"\d|[{CHINESE}几]|数(?=[十百千万])|(?<![a-z])(?:a hundred|a thousand|a million|half a million|a dozen|twenty|thirty|fo(?:u?r)ty|fifty|sixty|seventy|eighty|ninety|"
    r"one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|zero)(?![a-z])"
)
_RUN = re.compile(rf"[\d{CHINESE}几.,点]+")
_CURRENCY = re.compile(r"(?:rmb|cny|人民币|¥|￥|yuan)[:： ]?$")
_FOREIGN = re.compile(r"(?:usd|us\$|\$|美元)[:： ]?$")
_TO = re.compile(r" ?(?:-|~|～|—{1,2}|–|到|至|to|and|或者?) ?(?:rmb |cny |¥|￥)?")
_PER = re.compile(r" ?(?:/|每|一(?=[个平年月天方次日套台辆小])|per |an? |each )")
_PER_BEFORE = re.compile(
    r"(?:每|一)(?:个)?(平方米|平方|平米?|月|年|天|日|周|星期|小时|公里|次|晚)(?:是|要|大概|大约|约|得|收|才|只要|就|差不多)?$"
)
_FILL = frozenset("是为约大概在才要只有了到就共得都也能将：: 的差不多登记写标出至少最低高过这边现每个月一年目前给价 ")
_CHANGE = re.compile(
    r"(?:块|元)(?P<zero>零)?(?P<a>[一二两三四五六七八九]|\d(?!\d))(?P<unit>毛|角)?(?:(?P<b>[一二三四五六七八九\d])分?)?(?![十百千万个.\d年月层室天号平折成%])"
)
_MONEY = frozenset({"money", "unit_price"})


@dataclass(frozen=True, slots=True)
class _Amount:
    """A numeral with the unit behind it."""

    number: Numeral
    unit: Unit | None
    start: int
    end: int
    plus: bool = False


class Amounts:
    """The reader of one text."""

    def __init__(self, norm: str, marks: Marks) -> None:
        self.norm = norm
        self.marks = marks

    def read(self) -> list[Found]:
        """Read all amounts from left to right."""
        found: list[Found] = []
        at = 0
        while (match := _START.search(self.norm, at)) is not None:
            here = match.start()
            amount = self._amount(here)
            if amount is None:
                at = self._unread(here, found)
                continue
            results, at = self._quantity(amount)
            found += results
        return found

    def _unread(self, at: int, found: list[Found]) -> int:
        """Note a numeral that cannot be read; a lone scale word or a lone 几 is no numeral."""
        run = _RUN.match(self.norm, at)
        end = run.end() if run else at + 1
        word = self.norm[at:end].rstrip(".,点")
        if len(word) > 1 and sum(c.isdecimal() or c in DIGITS for c in word) > 1:
            found.append(Found("unreadable", None, None, at, at + len(word)))
        return max(end, at + 1)

    def _amount(self, at: int) -> _Amount | None:
        number = (
            english_numeral(self.norm, at)
            if self.norm[at].isascii() and self.norm[at].isalpha()
            else numeral(self.norm, at, self._no_tail)
        )
        if number is None:
            return None
        end = number.end
        plus = self.norm[end : end + 1] in ("+", "＋")
        unit = unit_at(self.norm, end + plus)
        if unit is not None and unit[1].kind == "scale":
            number = replace(number.times(unit[1].factor), scale=int(unit[1].factor), end=unit[0])
            unit = unit_at(self.norm, unit[0])
        if unit is not None and not _fits(number, unit[1]):
            unit = None
        return _Amount(number, unit[1] if unit else None, at, unit[0] if unit else number.end + plus, plus)

    def _no_tail(self, norm: str, end: int) -> bool:
        unit = unit_at(norm, end)
        return (
            unit is not None
            and not unit[1].tail
            and not (unit[1].itself and unit[1].id == "count" and norm[end : end + 1] in "一个")
        )

    def _quantity(self, amount: _Amount) -> tuple[list[Found], int]:
        number = amount.number
        if number.tail is not None and not self._second_stands_alone(number.tail):
            run = _RUN.match(self.norm, amount.start)
            end = run.end() if run else amount.end
            return [Found("unreadable", None, None, amount.start, end)], end
        per = self._per_prefix(amount)
        if per is not None:
            return per
        span = self._range(amount)
        low, high, end, unit = number.low, number.high, amount.end, amount.unit
        if span is not None:
            low, high, amount = span.number.low, span.number.high, span
            end, unit, number = span.end, span.unit, span.number
        return self._classified(amount, number, unit, low, high, end)

    def _second_stands_alone(self, tail: int) -> bool:
        after = numeral(self.norm, tail)
        return after is not None and unit_at(self.norm, after.end) is not None

    def _per_prefix(self, amount: _Amount) -> tuple[list[Found], int] | None:
        """Read 一个月两百八 and 一平两万八: the length of time or area is a rate's base, not a quantity."""
        if amount.number.low != 1 or amount.unit is None or not amount.number.chinese:
            return None
        base = _PER_BEFORE.match(self.norm[amount.start : amount.end])
        if base is None:
            return None
        at = amount.end
        while at < amount.end + 4 and self.norm[at : at + 1] in _FILL and self.norm[at : at + 1]:
            at += 1
        second = self._amount(at) if at < len(self.norm) and _START.match(self.norm, at) else None
        if second is None or not (second.unit.kind == "money" if second.unit else second.number.low >= 100):
            return None
        found, end = self._quantity(second)
        return found, end

    def _range(self, first: _Amount) -> _Amount | None:
        joint = _TO.match(self.norm, first.end)
        if joint is None or first.number.pair or not _START.match(self.norm, joint.end()):
            return None
        if self.norm[first.end : first.end + 1] == "至" and self.norm[first.end : first.end + 2] == "至少":
            return None
        second = self._amount(joint.end())
        if second is None or second.number.pair:
            return None
        if first.unit is not None and (second.unit is None or first.unit.unit != second.unit.unit):
            return None
        number = first.number
        if (
            first.unit is None
            and number.scale == 1
            and second.number.scale > 1
            and number.low * second.number.scale <= second.number.low
        ):
            number = number.times(second.number.scale)
        if number.low >= second.number.low:
            return None
        joined = replace(
            second.number,
            start=first.start,
            low=number.low,
            high=second.number.low,
            scale=max(second.number.scale, number.scale),
            fuzz=None,
        )
        return _Amount(joined, second.unit, first.start, second.end, second.plus)

    def _role(self, start: int) -> Role | None:
        for at in range(start, max(0, start - 9), -1):
            if at in self.marks.roles:
                return self.marks.roles[at][1]
            if self.norm[at - 1] not in _FILL:
                return None
        return None

    def _classified(
        self, amount: _Amount, number: Numeral, unit: Unit | None, low: Decimal, high: Decimal, end: int
    ) -> tuple[list[Found], int]:
        start = amount.start
        head = self.norm[max(0, start - 4) : start]
        role = self._role(start)
        currency = _CURRENCY.search(head)
        if currency:
            start -= len(currency.group())
        kind, name, factor = self._kind(amount, unit, role, currency is not None, bool(_FOREIGN.search(head)))
        if kind == "":
            return [], end
        if kind in _MONEY and unit is not None and unit.id == "yuan":
            extra = self._change(amount)
            if extra is not None:
                low, high, end = low + extra[0], high + extra[0], extra[1]
        if kind in _MONEY:
            kind, name, end = self._per(kind, name, end, start)
        low, high, place = low * factor, high * factor, number.place * factor
        low, high = _plain(low), _plain(high)
        approx, bounds, start, end = self._approx(amount, number, kind, low, high, place, start, end)
        value = (low, high) if low != high else low
        return [Found(kind, value, name, start, end, bounds[0], bounds[1], approx)], end

    def _kind(
        self, amount: _Amount, unit: Unit | None, role: Role | None, currency: bool, foreign: bool
    ) -> tuple[str, str | None, Decimal]:
        number = amount.number
        one = Decimal(1)
        if foreign and unit is None:
            return "money", "USD", one
        if unit is None:
            return self._bare(amount, role, currency)
        if currency and unit.id == "metre":
            return "money", "CNY", Decimal(1_000_000)
        if (
            unit.id == "count"
            and number.chinese
            and number.low == 1
            and not number.pair
            and not self._limited(amount.start)
        ):
            return "", None, one
        if unit.kind in ("floor", "floors_total") and role is not None and role.kind == "floors_total":
            return "floors_total", "floor", one
        if unit.kind == "distance" and unit.unit in ("km", "mile"):
            if role is not None and role.kind in ("mileage", "range", "distance"):
                return role.kind, unit.unit, unit.factor
            after = self.norm[amount.end : amount.end + 24]
            mileage = number.high >= 2000 or re.match(
                r" ?(?:on the (?:odometer|clock)|driven|of mileage|mileage|range)", after
            )
            return ("mileage" if mileage else "distance"), unit.unit, unit.factor
        if unit.kind == "duration" and unit.unit == "year" and role is not None and role.kind == "tenure":
            return "tenure", "year", one
        if unit.kind == "money" and role is not None and role.kind in _MONEY and unit.unit == "CNY":
            return role.kind, role.unit, unit.factor
        if unit.kind == "count":
            return "count", self.norm[amount.number.end : amount.end].strip(" +-") if unit.itself else unit.unit, one
        if unit.kind == "floor" and _ordinal(self.norm, amount.start):
            return "floor", "floor", one
        return unit.kind, unit.unit, unit.factor

    def _limited(self, at: int) -> bool:
        return bool(re.search(r"(?:只|就|仅|剩|共|唯|最后|才)(?:有|剩|余)?$", self.norm[max(0, at - 3) : at]))

    def _bare(self, amount: _Amount, role: Role | None, currency: bool) -> tuple[str, str | None, Decimal]:
        """Say what a number without a unit is: its scale, its currency sign or its role tells."""
        number = amount.number
        one = Decimal(1)
        if currency:
            return "money", role.unit if role and role.kind in _MONEY else "CNY", one
        if number.scale >= 1000:
            if role is not None and role.kind not in ("tenure", "floors_total", "area", "distance"):
                return role.kind, role.unit, one
            return "money", "CNY", one
        if role is not None and role.bare == "yuan" and number.low >= 100:
            return role.kind, role.unit, one
        if role is not None and role.bare == "wan" and number.low >= 1:
            return "money", "CNY", one if number.high >= 1000 else Decimal(10_000)
        if role is not None and role.bare == "number" and number.low >= 10:
            return role.kind, role.unit, one
        if number.chinese and self.norm[amount.start : amount.end] in (
            "一",
            "两",
            "万",
            "千",
            "百",
            "十",
            "零",
            "半",
            "亿",
        ):
            return "", None, one
        if _ordinal(self.norm, amount.start):
            return ("", None, one) if number.low == 1 else ("ordinal", None, one)
        return "number", None, one

    def _change(self, amount: _Amount) -> tuple[Decimal, int] | None:
        """Read what follows 块: 两块八, 两块零八, 三块八毛五."""
        match = _CHANGE.match(self.norm, amount.number.end)
        if match is None:
            return None
        first = (
            Decimal(DIGITS.get(match["a"], -1))
            if not match["a"].isdecimal() or match["a"] in DIGITS
            else Decimal(match["a"])
        )
        if match["zero"]:
            return first / 100, match.end("a")
        second = match["b"] if match["unit"] else None
        cents = Decimal(0) if second is None else Decimal(DIGITS[second] if second in DIGITS else int(second)) / 100
        return first / 10 + cents, match.end() if match["unit"] else match.end("a")

    def _per(self, kind: str, unit: str | None, end: int, start: int) -> tuple[str, str | None, int]:
        bases: list[str] = []
        before = _PER_BEFORE.search(self.norm[max(0, start - 12) : start])
        if before is not None:
            word = per_at(before.group(1), 0)
            bases += [word[1]] if word else []
        while len(bases) < 3 and (joint := _PER.match(self.norm, end)) is not None:
            word = per_at(self.norm, joint.end())
            if word is None:
                break
            bases.append(word[1])
            end = word[0]
        named = [base for base in bases if base]
        base_unit = (unit or "CNY").split("/")[0]
        if not named:
            return kind, unit, end
        order = ("m2", "km", "kWh", "hour", "day", "week", "month", "year")
        return (
            ("unit_price" if "m2" in named else kind),
            "/".join([base_unit, *sorted(dict.fromkeys(named), key=order.index)]),
            end,
        )

    def _approx(
        self,
        amount: _Amount,
        number: Numeral,
        kind: str,
        low: Decimal,
        high: Decimal,
        place: Decimal,
        start: int,
        end: int,
    ) -> tuple[str | None, tuple[Decimal | None, Decimal | None], int, int]:
        word, start, end = self._estimate(amount, number, kind, start, end)
        if word is None:
            return ("range", (None, None), start, end) if low != high else (None, (None, None), start, end)
        bounds = _bounds(word, low, high, place)
        name = {"nearly": "under", "slightly_over": "over", "few": "range"}.get(word, word)
        return name, bounds, start, end

    def _estimate(
        self, amount: _Amount, number: Numeral, kind: str, start: int, end: int
    ) -> tuple[str | None, int, int]:
        """Find the word that makes the amount a bound or an estimate, and take it into the span."""
        if number.fuzz == "few":
            return "few", start, end
        at = end + (self.norm[end : end + 1] == " ")
        after = self.marks.after.get(at)
        word: str | None = number.fuzz
        if word in (None, "about") and after is not None and (after[1] != "over"):
            return after[1], start, after[0]
        if word is None and after is not None and kind == "money":
            return "over_digit", start, after[0]
        if amount.plus:
            return "at_least", start, end
        if word is not None:
            return word, start, end
        return self._estimate_before(amount, kind, start, end)

    def _estimate_before(self, amount: _Amount, kind: str, start: int, end: int) -> tuple[str | None, int, int]:
        at = (
            start - 1
            if self.norm[start - 1 : start] in (" ", "有", "要", "为", "是", "在", "卖", "付", "给", "贷")
            and start - 1 in self.marks.before
            else start
        )
        before = self.marks.before.get(at)
        if before is None:
            return None, start, end
        word = before[2]
        if word in ("近", "快", "小", "from") and not (kind in _MONEY or kind in ("mileage", "area")):
            return None, start, end
        return before[1], (before[0] if at == start else start), end


def _ordinal(norm: str, start: int) -> bool:
    return norm[start - 1 : start] == "第"


def _fits(number: Numeral, unit: Unit) -> bool:
    if unit.low is not None and number.high < unit.low:
        return False
    return unit.high is None or number.low <= unit.high


def _plain(value: Decimal) -> Decimal:
    """Drop the noughts that scaling left behind: 129800.00 is 129800."""
    return value.quantize(Decimal(1)) if value == value.to_integral_value() else value.normalize()


def _bounds(word: str, low: Decimal, high: Decimal, place: Decimal) -> tuple[Decimal | None, Decimal | None]:
    """Give the half-open interval that an estimate leaves open; one end is None where the word leaves it open."""
    if word == "over":
        return low, _plain(low + place)
    if word == "slightly_over":
        return low, _plain(low + place / 10)
    if word == "few":
        return low, _plain(high + place)
    if word == "about":
        slack = min(place / 2, low / 20)
        return _plain(low - slack), _plain(high + slack)
    if word == "nearly":
        return _plain(low - low / 10), low
    if word == "at_least":
        return low, None
    return None, high
