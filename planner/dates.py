"""Days, months and years as people write them, read against a moment.

A month or day without its year is this year's, unless that lies more than six months back: then it is next year's. A
weekday without 这 or 下 is the next one, today included; 这周六 and 下周六 count from this week's Monday.
"""

import calendar
import re
from dataclasses import dataclass
from datetime import date, timedelta

from planner.spelled import small, year_of

_MONTH = r"(?:1[0-2]|0?[1-9](?!\d)|十[一二]?|[一二三四五六七八九])"
_DAY = r"(?:3[01]|[12]\d|0?[1-9](?!\d)|二十[一二三四五六七八九]?|三十一?|十[一二三四五六七八九]?|[一二三四五六七八九]|廿[一二三四五六七八九]?)"
_YEAR = r"(?:(?:19|20)\d\d|[一二两][九零〇][零〇一二三四五六七八九]{2})"
_SHORT = r"(?:(?<![\d.])\d\d|(?<![一二三四五六七八九十百千])[零〇一二九八][零〇一二三四五六七八九])"
_EN_MONTH = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?![a-z])\.?"
_EN_DAY = r"(?:3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?(?![\d:a-z%])"
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
_WEEK_SHIFT = r"(?:上上|下下|[上下这本])个?"

DAY = re.compile(
    r"(?=[\d一二三四五六七八九十廿零〇今明去后前大上下这本当昨周星礼月年国元圣双劳]|(?<![a-z])[a-z])(?:"  # most places fail here
    r"(?P<iso>(?<![\d.-])(?:19|20)\d\d(?P<sep>[-/.])(?:1[0-2]|0?[1-9])(?P=sep)(?:3[01]|[12]\d|0?[1-9])(?![\d.]))"
    r"|(?P<ym>(?<![\d.-])(?:19|20)\d\d(?:[-/](?:1[0-2]|0?[1-9])|\.(?:0[1-9]|1[0-2]|[1-9]))(?![\d./-])(?! ?(?:年|万|元|平|公里|k|w|%|m)))"
    r"|(?P<compact>(?<!\d)(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?!\d))"
    rf"|(?P<ymd>(?:(?<!\d){_YEAR}|{_SHORT}) ?年(?: ?{_MONTH} ?月份?(?: ?{_DAY}[日号]?|[底初末])?|[底初末](?!层))?(?![款代式]))"
    r"|(?P<holiday>(?:今|明|去|后)年(?:五一|十一|国庆|元旦)|五一(?=放假|假期|期间|节|前|后|小长假)|十一(?=放假|假期|期间|黄金周|长假|国庆)|国庆(?:节|假期)?|元旦|圣诞节?|双十一|劳动节)"
    rf"|(?P<ryear>(?:大前|[今明去后前])年(?![级轻货纪])(?:的)?(?:{_MONTH}月份?(?:{_DAY}[日号]?|[底初末])?|年?[底初末])?)"
    rf"|(?P<rmonth>(?:(?:上上|下下|[上下这本])个?|当)月(?!供|租|付)份?(?:的)?(?:{_DAY}[日号]|[底初末])?|(?<![岁个半本这上下当\d])月[底初末]|(?<![\d今明去后前])年[底初末](?!了))"
    rf"|(?P<md>(?<![\d.半个来多几])(?<!第){_MONTH} ?月(?:份|[底初末]| ?{_DAY}(?:[日号]|(?![\d.日号万平室楼层栋个])))?(?!租|供|付|薪|费|均|入|嫂|亮|光|内))"
    r"|(?P<slash>(?<![\d./:-])(?:1[0-2]|0?[1-9])/(?:3[01]|[12]\d|0?[1-9])(?![\d/层楼万平元%f])(?=\s?(?:号|日|前|到|上午|下午|晚|看|交|过|签|之|\)|）|[(（]周)))"
    r"|(?P<dom>(?<![\d.零〇一二三四五六七八九十])(?:(?<![\u4e00-\u9fff])|(?<=[是到在于等约定改至和从的了那这前后天周月过期为选]))(?<![a-z])"
    rf"{_DAY}号(?!楼|栋|线|院|门|房|车|地|店|馆|厅|机|码|人|桌|柜|口|库|铺|位|称|召|令|外|段|电|文|盘|公|别|墅|球|技)|(?<=[-~到至–—]){_DAY}日(?!常|期|照|系|租|产))"
    r"|(?P<rday>大后[天日]|大前天|今[天日儿早晚夜](?!后)|明[天日儿早晚](?!明)|后[天儿](?!天)|昨[天日儿晚夜]|前天"
    r"|(?<![a-z])(?:day after tomorrow|day before yesterday|today|tonight|tomorrow|yesterday)(?![a-z]))"
    rf"|(?P<weekend>(?:{_WEEK_SHIFT})?(?:周末|礼拜末|周六周?日|周六[和、]周日)|(?<![a-z])(?:(?:this|next|the|last|coming) )?weekend(?![a-z]))"
    rf"|(?P<week>(?:{_WEEK_SHIFT})?(?<![一两二三四五六几半每\d多])(?:周|星期|礼拜)[一二三四五六日天](?![次趟遍个天套台周])"
    r"|(?<![a-z])(?:(?:this|next|last) )?(?:mon|tues|wednes|thurs|fri|satur|sun)day(?!s))"
    rf"|(?P<span>{_WEEK_SHIFT}(?:周|星期|礼拜)(?![一二三四五六日天末边围岁转期全])|(?<![a-z])(?:this|next|last) week(?!end|day))"
    r"|(?P<enrel>(?<![a-z])(?:this|next|last) (?:month|year)(?![a-z]))"
    rf"|(?P<enmd>(?<![a-z]){_EN_MONTH}(?: {_EN_DAY}(?:,? (?:19|20)\d\d(?!\d))?|,? (?:19|20)\d\d(?!\d)))"
    rf"|(?P<endm>(?<![\d.])(?:3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?(?: of)? {_EN_MONTH}(?:,? (?:19|20)\d\d(?!\d))?)"
    rf"|(?P<enm>(?<![a-z])(?:(?:in|by|of|until|since|till|from|before|after|early|late|next|last|this) )(?:{_EN_MONTH})(?! i| be| have| not| \d))"
    r"|(?P<endom>(?<=on the )(?:3[01]|[12]\d|[1-9])(?:st|nd|rd|th)(?! floor|[a-z])|(?<=by the )(?:3[01]|[12]\d|[1-9])(?:st|nd|rd|th)(?! floor|[a-z]))"
    r"|(?P<enyear>(?<![a-z])(?:in|since|from|until|of|by|built|model year) (?:19|20)\d\d(?![\d,.]|-\d| ?(?:rmb|yuan|sqm|km|元|k)))"
    r")"
)
_HOLIDAYS = {
    "五一": (5, 1),
    "十一": (10, 1),
    "国庆": (10, 1),
    "元旦": (1, 1),
    "圣诞": (12, 25),
    "双十一": (11, 11),
    "劳动节": (5, 1),
}
TRIGGER = re.compile(
    r"[年月周号日天儿]|星期|礼拜|[今明昨]|\d[/.-]\d|\d{8}|day|weekend|next |last |this |the \d|tonight|tomorrow|(?:19|20)\d\d|国庆|元旦|圣诞|十一|五一|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
)


@dataclass(frozen=True, slots=True)
class Day:
    """A day, month or year in the text: `end` of a weekend or a range is its last day, else None."""

    start: int
    stop: int
    year: int
    month: int | None = None
    day: int | None = None
    last: date | None = None
    bare: bool = False  # a day of some month (8日), whose month is a guess
    weekday: bool = False  # a weekday of no named week

    @property
    def iso(self) -> str:
        """The date as ISO text to its precision."""
        if self.month is None:
            return f"{self.year:04d}"
        return f"{self.year:04d}-{self.month:02d}" + (f"-{self.day:02d}" if self.day else "")


def day_of(match: re.Match[str], today: date) -> Day | None:
    """Read what `DAY` matched; None where the digits are no date (2026-02-31)."""
    group = match.lastgroup or ""
    parts = _READERS[group](match.group(group), today)
    if parts is None:
        return None
    year, month, day, last = parts
    if day is not None and month is not None and not 1 <= day <= calendar.monthrange(year, month)[1]:
        return None
    start = match.start() + match.group().rindex(" ") + 1 if group in ("enm", "enyear") else match.start()
    plain = group == "week" and match.group()[0] in "周星礼mtwfs" and not match.group().startswith("this")
    return Day(start, match.end(), year, month, day, last, bare=group == "dom", weekday=plain)


_Parts = tuple[int, int | None, int | None, date | None] | None


def _full(year: int, month: int | None = None, day: int | None = None) -> _Parts:
    return year, month, day, None


def _of(day: date) -> _Parts:
    return day.year, day.month, day.day, None


def _numbers(word: str) -> list[int]:
    return [int(n) for n in re.findall(r"\d+", word)]


def _compact(word: str, _: date) -> _Parts:
    return _full(int(word[:4]), int(word[4:6]), int(word[6:]))


_YMD = re.compile(
    rf"(?P<y>.*?)年(?:的)?(?:(?P<m>{_MONTH})月份?(?:(?P<d>{_DAY})[日号]?|(?P<mp>[底初末]))?|年?(?P<part>[底初末]))?$"
)
_PART_MONTH = {"底": 12, "末": 12, "初": 1}


def _ymd(word: str, today: date) -> _Parts:
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


def _month_part(year: int, month: int, part: str) -> _Parts:
    return _full(year, month, calendar.monthrange(year, month)[1] if part in "底末" else 1)


_RMONTH = re.compile(rf"(?P<shift>上上|下下|[上下这本当])?个?月份?的?(?:(?P<d>{_DAY})[日号]|(?P<part>[底初末]))?$")


def _rmonth(word: str, today: date) -> _Parts:
    if word.startswith("年"):
        return _full(today.year, _PART_MONTH[word[1]])
    match = _RMONTH.match(word)
    if match is None:
        return None
    year, month = _shifted(today, _SHIFT.get(match["shift"] or "", 0))
    if match["part"]:
        return _month_part(year, month, match["part"])
    return _full(year, month, small(match["d"]) if match["d"] else None)


def _nearest_year(today: date, month: int) -> int:
    return today.year + 1 if today.month - month > 6 else today.year


_MD = re.compile(rf"(?P<m>{_MONTH})月(?:份|(?P<part>[底初末])|(?P<d>{_DAY})[日号]?)?$")


def _md(word: str, today: date) -> _Parts:
    match = _MD.match(word.replace(" ", ""))
    if match is None:
        return None
    month = small(match["m"])
    year = _nearest_year(today, month)
    if match["part"]:
        return _month_part(year, month, match["part"])
    return _full(year, month, small(match["d"]) if match["d"] else None)


def _slash(word: str, today: date) -> _Parts:
    month, day = _numbers(word)
    return _full(_nearest_year(today, month), month, day)


def _dom(word: str, today: date) -> _Parts:
    day = small(word[:-1])
    year, month = _shifted(today, 0 if day >= today.day - 7 else 1)
    return _full(year, month, day)


def _rday(word: str, today: date) -> _Parts:
    shift = _ENGLISH_DAYS.get(word)
    if shift is None:
        shift = _SHIFT[word[:2] if word.startswith("大") else word[0]]
    return _of(today + timedelta(days=shift))


def _monday(word: str, today: date) -> tuple[date, bool]:
    """Give the Monday of the week that a word names, and whether it named one."""
    head = next((h for h in ("上上", "下下", "上", "下", "这", "本", "next", "last", "this") if word.startswith(h)), "")
    monday = today - timedelta(days=today.weekday())
    return monday + timedelta(weeks=_SHIFT.get(head, 0)), bool(head)


def _week(word: str, today: date) -> _Parts:
    monday, named = _monday(word, today)
    english = re.search(r"(mon|tue|wed|thu|fri|sat|sun)[a-z]*day$", word)
    weekday = _WEEKDAYS[english.group(1) if english else word[-1]]
    if not named:
        return _of(today + timedelta(days=(weekday - today.weekday()) % 7))
    return _of(monday + timedelta(days=weekday))


def _weekend(word: str, today: date) -> _Parts:
    monday, _ = _monday(word, today)
    saturday = monday + timedelta(days=5)
    return saturday.year, saturday.month, saturday.day, saturday + timedelta(days=1)


def _span(word: str, today: date) -> _Parts:
    monday, _ = _monday(word, today)
    return monday.year, monday.month, monday.day, monday + timedelta(days=6)


def _english_month(word: str) -> int:
    return _MONTHS.index(word[:3]) + 1


def _english(word: str, today: date) -> _Parts:
    """Read March 7th, 2026; March 2026; 7 March; the month alone after a preposition."""
    name = re.search(rf"(?<![a-z]){_EN_MONTH}", word)
    if name is None:
        return None
    month = _english_month(name.group())
    rest = _numbers(word)
    year = next((n for n in rest if n > 31), None)
    day = next((n for n in rest if n <= 31), None)
    return _full(year or _nearest_year(today, month), month, day)


def _relative(word: str, today: date) -> _Parts:
    shift = _SHIFT.get(word[:4], 0)
    if word.endswith("year"):
        return _full(today.year + shift)
    return _full(*_shifted(today, shift))


def _holiday(word: str, today: date) -> _Parts:
    said = word[1] == "年"
    name = next(key for key in sorted(_HOLIDAYS, key=len, reverse=True) if word.startswith(key, 2 * said))
    month, day = _HOLIDAYS[name]
    return _full(today.year + _SHIFT[word[0]] if said else _nearest_year(today, month), month, day)


_READERS = {
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
    "endm": _english,
    "enm": _english,
    "endom": lambda word, today: _dom(word[:-1], today),
    "enrel": _relative,
    "enyear": lambda word, _: _full(_numbers(word)[-1]),
    "holiday": _holiday,
}
