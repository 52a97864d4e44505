"""What the words for a day, month or year mean: each reader turns one shape of words into year, month and day."""

import calendar
import re
from collections.abc import Callable
from datetime import date, timedelta

from planner.spelled import small, year_of

MONTH_NUMBER = r"(?:1[0-2]|0?[1-9](?!\d)|十[一二]?|[一二三四五六七八九])"
DAY_NUMBER = r"(?:3[01]|[12]\d|0?[1-9](?!\d)|二十[一二三四五六七八九]?|三十一?|十[一二三四五六七八九]?|[一二三四五六七八九]|廿[一二三四五六七八九]?)"
ENGLISH_MONTH = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?![a-z])\.?"
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
ORDINAL_WORD = "(?:" + "|".join((*_ORDINALS, "fifteenth", "twentieth")) + ")"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = {
    "mon": 0,
    "tue": 1,
    "wed": 2,
    "thu": 3,
    "fri": 4,
    "sat": 5,
    "sun": 6,
    "天": 6,
    "日": 6,
    **{c: i for i, c in enumerate("一二三四五六")},
}
_SHIFT = {
    "上上": -2,
    "上": -1,
    "last": -1,
    "下": 1,
    "next": 1,
    "下下": 2,
    "大前": -3,
    "前": -2,
    "去": -1,
    "昨": -1,
    "今": 0,
    "明": 1,
    "后": 2,
    "大后": 3,
}
_ENGLISH_DAYS = {
    "today": 0,
    "tonight": 0,
    "tomorrow": 1,
    "yesterday": -1,
    "day after tomorrow": 2,
    "day before yesterday": -2,
}
_HOLIDAYS = {
    "五一": (5, 1),
    "十一": (10, 1),
    "国庆": (10, 1),
    "元旦": (1, 1),
    "圣诞": (12, 25),
    "双十一": (11, 11),
    "双11": (11, 11),
    "双十二": (12, 12),
    "双12": (12, 12),
    "六一八": (6, 18),
    "618": (6, 18),
    "劳动节": (5, 1),
}

Parts = tuple[int, int | None, int | None, date | None] | None


def _full(year: int, month: int | None = None, day: int | None = None) -> Parts:
    return year, month, day, None


def _of(day: date) -> Parts:
    return day.year, day.month, day.day, None


def _numbers(word: str) -> list[int]:
    return [int(n) for n in re.findall(r"\d+", word)]


def _compact(word: str, _: date) -> Parts:
    return _full(int(word[:4]), int(word[4:6]), int(word[6:]))


_YMD = re.compile(
    rf"(?P<y>.*?)年(?:的)?(?:(?P<m>{MONTH_NUMBER})月份?(?:(?P<d>{DAY_NUMBER})[日号]?|(?P<mp>[底初末]))?|年?(?P<part>[底初末]))?$"
)
_PART_MONTH = {"底": 12, "末": 12, "初": 1}


def _ymd(word: str, today: date) -> Parts:
    match = _YMD.match(word.replace(" ", ""))
    if match is None:
        return None
    head = match["y"]
    year = today.year + _SHIFT[head] if head in _SHIFT else year_of(head)
    if match["part"]:
        return _full(year, _PART_MONTH[match["part"]])
    if match["mp"]:
        return _month_part(year, small(match["m"]), match["mp"])
    return _full(year, small(match["m"]) if match["m"] else None, small(match["d"]) if match["d"] else None)


def _shifted(today: date, months: int) -> tuple[int, int]:
    index = today.year * 12 + today.month - 1 + months
    return index // 12, index % 12 + 1


def _month_part(year: int, month: int, part: str) -> Parts:
    return _full(year, month, calendar.monthrange(year, month)[1] if part in "底末" else 1)


_RELATIVE_MONTH = re.compile(
    rf"(?P<shift>上上|下下|[上下这本当])?个?月份?的?(?:(?P<d>{DAY_NUMBER})[日号]|(?P<part>[底初末]))?$"
)


def _rmonth(word: str, today: date) -> Parts:
    if word.startswith("年"):
        return _full(today.year, _PART_MONTH[word[1]])
    match = _RELATIVE_MONTH.match(word)
    if match is None:
        return None
    year, month = _shifted(today, _SHIFT.get(match["shift"] or "", 0))
    if match["part"]:
        return _month_part(year, month, match["part"])
    return _full(year, month, small(match["d"]) if match["d"] else None)


def _nearest_year(today: date, month: int) -> int:
    return today.year + 1 if today.month - month > 6 else today.year


_MD = re.compile(rf"(?P<m>{MONTH_NUMBER})月(?:份|(?P<part>[底初末])|(?P<d>{DAY_NUMBER})[日号]?)?$")


def _md(word: str, today: date) -> Parts:
    match = _MD.match(word.replace(" ", ""))
    if match is None:
        return None
    month = small(match["m"])
    year = _nearest_year(today, month)
    if match["part"]:
        return _month_part(year, month, match["part"])
    return _full(year, month, small(match["d"]) if match["d"] else None)


def _slash(word: str, today: date) -> Parts:
    month, day = _numbers(word)
    return _full(_nearest_year(today, month), month, day)


def _dom(word: str, today: date) -> Parts:
    day = small(word[:-1])
    year, month = _shifted(today, 0 if day >= today.day - 7 else 1)
    return _full(year, month, day)


def _rday(word: str, today: date) -> Parts:
    shift = _ENGLISH_DAYS.get(word)
    if shift is None:
        shift = _SHIFT[word[:2] if word.startswith("大") else word[0]]
    return _of(today + timedelta(days=shift))


def _monday(word: str, today: date) -> tuple[date, bool]:
    """Give the Monday of the week that a word names, and whether it named one."""
    head = next((h for h in ("上上", "下下", "上", "下", "这", "本", "next", "last", "this") if word.startswith(h)), "")
    monday = today - timedelta(days=today.weekday())
    return monday + timedelta(weeks=_SHIFT.get(head, 0)), bool(head)


def _week(word: str, today: date) -> Parts:
    monday, named = _monday(word, today)
    english = re.search(r"(mon|tue|wed|thu|fri|sat|sun)[a-z]*day$", word)
    weekday = _WEEKDAYS[english.group(1) if english else word[-1]]
    if not named:
        return _of(today + timedelta(days=(weekday - today.weekday()) % 7))
    return _of(monday + timedelta(days=weekday))


def _weekend(word: str, today: date) -> Parts:
    monday, _ = _monday(word, today)
    saturday = monday + timedelta(days=5)
    return saturday.year, saturday.month, saturday.day, saturday + timedelta(days=1)


def _span(word: str, today: date) -> Parts:
    monday, _ = _monday(word, today)
    return monday.year, monday.month, monday.day, monday + timedelta(days=6)


def _english_month(word: str) -> int:
    return _MONTHS.index(word[:3]) + 1


def _english(word: str, today: date) -> Parts:
    """Read March 7th, 2026; March 2026; 7 March; the month alone after a preposition."""
    name = re.search(rf"(?<![a-z]){ENGLISH_MONTH}", word)
    if name is None:
        return None
    month = _english_month(name.group())
    rest = _numbers(word)
    year = next((n for n in rest if n > 31), None)
    day = next((n for n in rest if n <= 31), None) or _ordinal(word)
    if word.startswith(("last ", "next ")) and year is None:
        year = _named_year(word[:4], today, month)
    return _full(year or _nearest_year(today, month), month, day)


def _ordinal(word: str) -> int | None:
    first = word.split(maxsplit=1)[0]
    return _ORDINALS.index(first) + 1 if first in _ORDINALS else {"fifteenth": 15, "twentieth": 20}.get(first)


def _named_year(head: str, today: date, month: int) -> int:
    """Give the year of last March or next March: the nearest one before or after this month."""
    if head == "last":
        return today.year if month < today.month else today.year - 1
    return today.year if month > today.month else today.year + 1


def _month_of_year(word: str, today: date) -> Parts:
    """Read August last year."""
    name = re.search(rf"(?<![a-z]){ENGLISH_MONTH}", word)
    return None if name is None else _full(today.year + _SHIFT.get(word.split()[-2], 0), _english_month(name.group()))


def _relative(word: str, today: date) -> Parts:
    shift = _SHIFT.get(word[:4], 0)
    if word.endswith("year"):
        return _full(today.year + shift)
    return _full(*_shifted(today, shift))


def _holiday(word: str, today: date) -> Parts:
    said = word[1] == "年"
    name = next(key for key in sorted(_HOLIDAYS, key=len, reverse=True) if word.startswith(key, 2 * said))
    month, day = _HOLIDAYS[name]
    return _full(today.year + _SHIFT[word[0]] if said else _nearest_year(today, month), month, day)


READERS: dict[str, Callable[[str, date], Parts]] = {
    "iso": lambda word, _: _full(*_numbers(word)),
    "ym": lambda word, _: _full(*_numbers(word)),
    "compact": _compact,
    "ymd": _ymd,
    "ryear": _ymd,
    "rmonth": _rmonth,
    "md": _md,
    "slash": _slash,
    "dom": _dom,
    "rday": _rday,
    "weekend": _weekend,
    "week": _week,
    "span": _span,
    "enmd": _english,
    "enmrel": _month_of_year,
    "endm": _english,
    "enm": _english,
    "endom": lambda word, today: _dom(word[:-1], today),
    "enrel": _relative,
    "enyear": lambda word, _: _full(_numbers(word)[-1]),
    "holiday": _holiday,
}
