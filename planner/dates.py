"""Days, months and years as people write them, read against a moment.

A month or day without its year is this year's, unless that lies more than six months back: then it is next year's. A
weekday without 这 or 下 is the next one, today included; 这周六 and 下周六 count from this week's Monday.
"""

import calendar
import re
from dataclasses import dataclass
from datetime import date

from planner.day_words import DAY_NUMBER, ENGLISH_MONTH, MONTH_NUMBER, ORDINAL_WORD, READERS

_YEAR = r"(?:(?:19|20)\d\d|[一二两][九零〇][零〇一二三四五六七八九]{2})"
_SHORT = r"(?:(?<![\d.])\d\d|(?<![一二三四五六七八九十百千])[零〇一二九八][零〇一二三四五六七八九])"
_EN_DAY = r"(?:3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?(?![\d:a-z%])"
_WEEK_SHIFT = r"(?:上上|下下|[上下这本])个?"

DAY = re.compile(
    r"(?=[\d一二三四五六七八九十廿零〇今明去后前大上下这本当昨周星礼月年国元圣双劳]|(?<![a-z])[a-z])(?:"  # most places fail here
    r"(?P<iso>(?<![\d.-])(?:19|20)\d\d(?P<sep>[-/.])(?:1[0-2]|0?[1-9])(?P=sep)(?:3[01]|[12]\d|0?[1-9])(?![\d.]))"
    r"|(?P<ym>(?<![\d.-])(?:19|20)\d\d(?:[-/](?:1[0-2]|0?[1-9])|\.(?:0[1-9]|1[0-2]|[1-9]))(?![\d./-])(?! ?(?:年|万|元|平|公里|k|w|%|m)))"
    r"|(?P<compact>(?<!\d)(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?!\d))"
    rf"|(?P<ymd>(?:(?<!\d){_YEAR}|{_SHORT}) ?年(?: ?{MONTH_NUMBER} ?月份?(?: ?{DAY_NUMBER}[日号]?|[底初末])?|[底初末](?!层))?(?![款代式]))"
    r"|(?P<holiday>(?:今|明|去|后)年(?:五一|十一(?![月日号点])|国庆|元旦)|五一(?=放假|假期|期间|节|前|后|小长假)|十一(?=放假|假期|期间|黄金周|长假|国庆)|国庆(?:节|假期)?|元旦|圣诞节?|双(?:十一|十二|11|12)(?!\d)|六一八|(?<!\d)618(?=活动|大促|期间|截止|结束|当天|之?前|之?后|就|那)|劳动节)"
    rf"|(?P<ryear>(?:大前|[今明去后前])年(?![级轻货纪])(?:的)?(?:{MONTH_NUMBER}月份?(?:{DAY_NUMBER}[日号]?|[底初末])?|年?[底初末])?)"
    rf"|(?P<rmonth>(?:(?:上上|下下|[上下这本])个?|当)月(?!供|租|付)份?(?:的)?(?:{DAY_NUMBER}[日号]|[底初末])?|(?<![岁个半本这上下当\d])月[底初末]|(?<![\d今明去后前])年[底初末](?!了))"
    rf"|(?P<md>(?<![\d.半个来多几])(?<!第){MONTH_NUMBER} ?月(?:份|[底初末]| ?{DAY_NUMBER}(?:[日号]|(?![\d.日号万平室楼层栋个])))?(?!租|供|付|薪|费|均|入|嫂|亮|光|内))"
    r"|(?P<slash>(?<![\d./:-])(?:1[0-2]|0?[1-9])/(?:3[01]|[12]\d|0?[1-9])(?![\d/层楼万平元%f])(?=\s?(?:号|日|前|到|上午|下午|晚|看|交|过|签|之|\)|）|[(（]周)))"
    r"|(?P<dom>(?<![\d.零〇一二三四五六七八九十])(?:(?<![\u4e00-\u9fff])|(?<![路街道巷弄园苑城府湾庭里邸村区轩阁墅寓厦场院坊楼])(?=\d)|(?<=[是到在于等约定改至和从的了那这前后天周月过期为选]))(?<![a-z])"
    rf"{DAY_NUMBER}号(?!楼|栋|线|院|门|房|车|地|店|馆|厅|机|码|人|桌|柜|口|库|铺|位|称|召|令|外|段|电|文|盘|公|别|墅|球|技)|(?<=[-~到至–—]){DAY_NUMBER}日(?!常|期|照|系|租|产))"
    r"|(?P<rday>大后[天日]|大前天|今[天日儿早晚夜](?!后)|明[天日儿早晚](?!明)|后[天儿](?!天)|昨[天日儿晚夜]|前天"
    r"|(?<![a-z])(?:day after tomorrow|day before yesterday|today|tonight|tomorrow|yesterday)(?![a-z]))"
    rf"|(?P<weekend>(?:{_WEEK_SHIFT})?(?:周末|礼拜末|周六周?日|周六[和、]周日)|(?<![a-z])(?:(?:this|next|the|last|coming) )?weekend(?![a-z]))"
    rf"|(?P<week>(?:{_WEEK_SHIFT})?(?<![一两二三四五六几半每\d多])(?:周|星期|礼拜)[一二三四五六日天](?![次趟遍个天套台周])"
    r"|(?<![a-z])(?:(?:this|next|last) )?(?:mon|tues|wednes|thurs|fri|satur|sun)day(?!s))"
    rf"|(?P<span>{_WEEK_SHIFT}(?:周|星期|礼拜)(?![一二三四五六日天末边围岁转期全])|(?<![a-z])(?:this|next|last) week(?!end|day))"
    r"|(?P<enrel>(?<![a-z])(?:this|next|last) (?:month|year)(?![a-z]))"
    rf"|(?P<enmrel>(?<![a-z])(?:(?:in|by|since|until|from|before|after|early|late|mid) |mid-)?{ENGLISH_MONTH},? (?:of )?(?:last|this|next) year)"
    rf"|(?P<enmd>(?<![a-z]){ENGLISH_MONTH}(?: {_EN_DAY}(?:,? (?:19|20)\d\d(?!\d))?|,? (?:19|20)\d\d(?!\d)))"
    rf"|(?P<endm>(?:(?<![\d.])(?:3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?(?: of)?|(?<![a-z]){ORDINAL_WORD} of) {ENGLISH_MONTH}(?:,? (?:19|20)\d\d(?!\d))?)"
    rf"|(?P<enm>(?<![a-z])(?:(?:in|by|of|until|since|till|from|before|after|early|late|next|last|this|mid) |mid-)(?:{ENGLISH_MONTH})(?! \d)(?!(?<=may) (?:i|be|have|not)(?![a-z])))"
    r"|(?P<endom>(?<=on the )(?:3[01]|[12]\d|[1-9])(?:st|nd|rd|th)(?! floor|[a-z])|(?<=by the )(?:3[01]|[12]\d|[1-9])(?:st|nd|rd|th)(?! floor|[a-z]))"
    r"|(?P<enyear>(?<![a-z])(?:in|since|from|until|of|by|built|model year) (?:19|20)\d\d(?![\d,.]|-\d| ?(?:rmb|yuan|sqm|km|元|k)))"
    r")"
)
TRIGGER = re.compile(
    r"[年月周号日天儿]|星期|礼拜|[今明昨]|\d[/.-]\d|\d{8}|day|weekend|next |last |this |the \d|tonight|tomorrow|(?:19|20)\d\d|国庆|元旦|圣诞|十一|五一|双|六一八|618|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
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


_ENGLISH_HEAD = re.compile(rf"(?:(?!{ENGLISH_MONTH})[a-z]+[ -])?")


def day_of(match: re.Match[str], today: date) -> Day | None:
    """Read what `DAY` matched; None where the digits are no date (2026-02-31)."""
    group = match.lastgroup or ""
    parts = READERS[group](match.group(group), today)
    if parts is None:
        return None
    year, month, day, last = parts
    if day is not None and month is not None and not 1 <= day <= calendar.monthrange(year, month)[1]:
        return None
    if group == "enm" and match.group().startswith(("last ", "next ", "this ")):
        return Day(match.start(), match.end(), year, month, day, last)
    head = max(match.group().rfind(" "), match.group().rfind("-")) + 1 if group in ("enm", "enyear") else 0
    if group == "enmrel":
        head = _ENGLISH_HEAD.match(match.group()).end()  # type: ignore[union-attr]  # it matches the empty head too
    start = match.start() + head
    plain = group == "week" and match.group()[0] in "周星礼mtwfs" and not match.group().startswith("this")
    return Day(start, match.end(), year, month, day, last, bare=group == "dom", weekday=plain)
