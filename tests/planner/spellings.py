"""Spell a value in every way that people write it: digits, Chinese, mixed, wide, traditional, colloquial, English."""

from datetime import date
from decimal import Decimal

_DIGITS = "零一二三四五六七八九"
_UNITS = ("", "十", "百", "千")
_FORMAL = str.maketrans("一二三四五六七八九十百千", "壹贰叁肆伍陆柒捌玖拾佰仟")
_WIDE = str.maketrans("0123456789.%", "０１２３４５６７８９．％")
_MONTHS = (
    "January February March April May June July August September October November December".split()  # noqa: SIM905
)


def chinese(number: int) -> str:
    """Write a whole number below a hundred million in Chinese numerals."""
    if number >= 10_000:
        high, low = divmod(number, 10_000)
        gap = "零" if 0 < low < 1_000 else ""
        return chinese(high) + "万" + gap + (_below(low) if low else "")
    return _below(number)


def _below(number: int) -> str:
    if number == 0:
        return "零"
    out, zero = "", False
    for place in range(3, -1, -1):
        digit = number // 10**place % 10
        if digit:
            out += ("零" if zero and out else "") + _DIGITS[digit] + _UNITS[place]
            zero = False
        else:
            zero = True
    return out.removeprefix("一") if out.startswith("一十") else out


def money(ten_thousands: int) -> list[str]:
    """Spell so many ten thousands of yuan."""
    yuan = ten_thousands * 10_000
    million = (Decimal(yuan) / 1_000_000).normalize()
    plain = [f"{ten_thousands}万", f"{ten_thousands}万元", f"{ten_thousands} 万", f"{ten_thousands}w", f"{yuan}元"]
    words = chinese(ten_thousands)
    return [
        *plain,
        f"{yuan:,}元",
        f"¥{yuan:,}",
        f"{ten_thousands}万".translate(_WIDE),
        f"{words}万",
        f"{words}萬",
        f"{words.translate(_FORMAL)}万元",
        f"RMB {million:f}M",
        f"{million:f} million yuan",
        f"RMB {yuan:,}",
    ]


def area(metres: int) -> list[str]:
    """Spell a floor area."""
    return [
        *(f"{metres}{unit}" for unit in ("平", "平米", "平方", "平方米", "㎡", "m²", " sqm", " square metres")),
        f"{metres}平".translate(_WIDE),
        f"{chinese(metres)}平",
        f"{chinese(metres)}平方米",
    ]


def mileage(thousands: int) -> list[str]:
    """Spell so many thousands of kilometres."""
    km = thousands * 1_000
    high, low = divmod(thousands, 10)
    spoken = [f"{high}万{low}公里", f"{chinese(high)}万{_DIGITS[low]}公里"] if high and low else []
    return [
        *spoken,
        f"{km}公里",
        f"{km:,} km",
        f"{thousands}k km",
        f"{Decimal(thousands) / 10:f}万公里",
        f"{Decimal(thousands) / 10:f}w公里",
        f"{chinese(km)}公里",
        f"{km}公里".translate(_WIDE),
    ]


def share(tenths: int) -> list[str]:
    """Spell so many tenths of a whole."""
    percent = tenths * 10
    return [
        f"{_DIGITS[tenths]}成",
        f"{tenths}成",
        f"{percent}%",
        f"{percent}%".translate(_WIDE),
        f"百分之{chinese(percent)}",
        f"{percent} percent",
        f"{percent}个点",
    ]


def day(when: date) -> list[str]:
    """Spell a date."""
    year = "".join(_DIGITS[int(d)] if d != "0" else "〇" for d in str(when.year))
    month = _MONTHS[when.month - 1]
    return [
        f"{when.year}年{when.month}月{when.day}日",
        f"{when.year}年{when.month}月{when.day}号",
        f"{when:%Y-%m-%d}",
        f"{when.year}/{when.month}/{when.day}",
        f"{when.year}.{when.month}.{when.day}",
        f"{year}年{chinese(when.month)}月{chinese(when.day)}日",
        f"{when.day} {month} {when.year}",
        f"{month} {when.day}, {when.year}",
    ]
