"""The sum of a numeral under construction: which word may follow which, and what it adds."""

from decimal import Decimal

DIGITS = {
    c: i
    for i, group in enumerate(("零〇", "一壹幺", "二两贰俩", "三叁仨", "四肆", "五伍", "六陆", "七柒", "八捌", "九玖"))
    for c in group
}
SMALL = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
BIG = {"万": 10_000, "亿": 100_000_000, "w": 10_000, "k": 1000}
CHINESE = "".join(c for c in DIGITS if c not in "俩仨") + "廿卅" + "".join(SMALL) + "万亿"
# Beyond this nobody counts; 万亿亿亿 is noise.
MAX_VALUE = Decimal(10**16)
# Two digits said together are a range when they are neighbours (七八, 两三), or the idiomatic 三五.
PAIRS = frozenset({(3, 5), *((i, i + 1) for i in range(1, 9))})

# Behind these words only a bigger unit may follow: 三百多万.
_CLOSING = frozenset({"over", "about", "at_least"})


class Sum:
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
        self.place = place_of(text)
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
        if self.total[1] * unit > MAX_VALUE:
            return False
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


def place_of(text: str) -> Decimal:
    """Give the unit of the last significant digit of a printed number."""
    whole, _, part = text.replace(",", "").partition(".")
    if part:
        return Decimal(1).scaleb(-len(part))
    return Decimal(10 ** (len(whole) - len(whole.rstrip("0")))) if whole.strip("0") else Decimal(1)


def _scaled(place: Decimal, unit: int) -> Decimal:
    return Decimal(unit) * place if place < 1 else Decimal(unit)
