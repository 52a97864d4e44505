"""Days and clock times joined to moments and spans: 明天上午10点半, 下午2点到4点, 周六到周日."""

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal

from planner.dates import DAY, TRIGGER, Day, day_of, small
from planner.found import Found
from planner.grammar import grammar
from planner.numerals import DIGITS, PAIRS

_HOUR = r"(?:2[0-4]|1\d|0?\d|二十[一二三四]?|十[一二三四五六七八九]?|[一二两三四五六七八九零])"
_MINUTE = (
    r"(?:[0-5]\d|[二三四五]十[一二三四五六七八九]?|十[一二三四五六七八九]?|零[一二三四五六七八九]|[一三]刻|半|钟|整)"
)
_PERIOD = r"(?:凌晨|清晨|大清早|清早|早晨|早上|大早上|上午|中午|正午|午间|下午|午后|傍晚|晚上|晚间|夜里|夜晚|半夜|[早晚](?=\d|[一二两三四五六七八九十]{1,2}点))"
_CLOCK = re.compile(
    rf"(?P<period>{_PERIOD})?(?:的)? ?(?:(?P<h>(?<![\d.:/-])(?:2[0-4]|1\d|0?\d))[:：](?P<m>[0-5]\d)(?:[:：][0-5]\d)?(?![\d:：.])(?: ?(?P<ap>[ap]\.?m\b\.?))?"
    rf"|(?P<hour>(?<![\d.零〇一二两三四五六七八九十百千万第]){_HOUR})(?:点|时(?!间|候|常|尚))(?!点|儿|心|评|赞|击|滴|名|头)(?:(?P<minute>{_MINUTE})分?(?!钟|之|平|万|个|元|块|公|层))?"
    r"|(?P<eh>(?<![\d.,:])(?:1[0-2]|0?[1-9])) ?(?P<eap>[ap]\.?m(?![a-z])\.?)|(?P<noon>(?<![a-z])(?:noon|midnight)(?![a-z])))"
)
_CLOCK_TRIGGER = re.compile(r"[点时]|\d[:：]\d|\d ?[ap]\.?m|noon|midnight")
_MORNING, _LATE = (
    frozenset({"凌晨", "清晨", "大清早", "清早", "早晨", "早上", "大早上", "上午", "早"}),
    frozenset({"下午", "午后", "傍晚", "晚上", "晚间", "夜里", "夜晚", "晚"}),
)
_NOON = frozenset({"中午", "正午", "午间"})
_EVENING_DAYS = ("今晚", "明晚", "昨晚", "tonight", "今夜", "昨夜")
_JOIN = re.compile(r"[的,，]? ?(?:(?:at|around) )?")
_TO = re.compile(r" ?(?:到|至|-|~|～|—|–|to|until|till) ?")


@dataclass(frozen=True, slots=True)
class _Clock:
    start: int
    stop: int
    hour: int
    minute: int
    named: bool  # a part of the day stands before it


def moments(norm: str, now: datetime) -> list[Found]:
    """Find the dates and times of a text in order; years alone are `year`, days `date`, times `datetime`."""
    days = _days(norm, now.date())
    clocks = _clocks(norm, days)
    if not days and not clocks:
        return []
    return _spans(norm, _joined(norm, days, clocks, now.date()))


def _days(norm: str, today: date) -> list[Day]:
    if not TRIGGER.search(norm):
        return []
    found = [day_of(match, today) for match in DAY.finditer(norm) if match["ymd"] is None or _is_year(norm, match)]
    return [day for day in found if day is not None]


def _is_year(norm: str, match: re.Match[str]) -> bool:
    """Whether 15年 names a year; four digits or a month behind it always do."""
    head, _, rest = match.group().replace(" ", "").partition("年")
    if len(head) == 4 or rest:
        return True
    table = grammar()
    if table.year_not_before.search(norm[max(0, match.start() - 4) : match.start()]):
        return False
    if head[0] in "0零〇":
        return True
    said = not head.isdecimal() or not head.isascii()
    return bool(table.year_after.match(norm, match.end())) or (said and (DIGITS[head[0]], DIGITS[head[1]]) not in PAIRS)


def _clocks(norm: str, days: list[Day]) -> list[_Clock]:
    if not _CLOCK_TRIGGER.search(norm):
        return []
    ends = {day.stop: norm[day.start : day.stop] for day in days}
    found = []
    for match in _CLOCK.finditer(norm):
        clock = _clock(norm, match, ends)
        if clock is not None:
            found.append(clock)
    return found


def _clock(norm: str, match: re.Match[str], day_ends: dict[int, str]) -> _Clock | None:
    period = match["period"] or ""
    after_day = next((day_ends[match.start() - k] for k in (0, 1) if match.start() - k in day_ends), None)
    if not period and after_day and any(after_day.endswith(word) for word in _EVENING_DAYS):
        period = "晚上"
    if match["noon"]:
        return _Clock(match.start(), match.end(), 12 if match["noon"] == "noon" else 0, 0, named=True)
    if match["hour"] and not period and not after_day and not _is_time(norm, match):
        return None
    hour = small(match["h"] or match["hour"] or match["eh"])
    half = (match["ap"] or match["eap"] or "")[:1]
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    elif not match["h"] or period:
        hour = _by_period(hour, period)
    if hour > 24:
        return None
    return _Clock(match.start(), match.end(), hour, _minute(match["m"] or match["minute"] or ""), bool(period or half))


_LEAD = re.compile(r"(?:有|这|那|第|以下|几|说|讲|注意|补充|提|就|贵|便宜|少|多|高|低|快|慢|早|晚|好|差|大|小|近|远)$")
_FOLLOW = re.compile(
    r"(?:钟|整|半|一刻|三刻|之?前|之?后|以前|以后|左右|到|至|-|~|开始|见|出发|来|过来|看房|看车|签约|交|集合|可以|方便|有空|开门|关门|下班|上班|行|吧|我|您|，|,|。|？|\?|$|\d{1,2}分)"
)


def _is_time(norm: str, match: re.Match[str]) -> bool:
    """Whether an hour without day or part of the day is a time: 14点 is, 有三点要注意 and 便宜一点 are not."""
    if match["minute"] or (norm[match.end() - 1] == "时" and match["hour"].isdecimal()):
        return True
    if _LEAD.search(norm[max(0, match.start() - 2) : match.start()]):
        return False
    if match["hour"] in ("一", "两", "零"):
        return bool(re.match(r"钟|整|半", norm[match.end() : match.end() + 1]))
    return match["hour"].isdecimal() or bool(_FOLLOW.match(norm, match.end()))


def _by_period(hour: int, period: str) -> int:
    if period in _MORNING:
        return hour
    if period in _NOON:
        return hour if hour >= 10 else hour + 12
    if period in _LATE:
        return hour + 12 if hour < 12 else (24 if period != "下午" and hour == 12 else hour)
    if period == "半夜":
        return hour + 12 if 9 <= hour < 12 else hour % 12
    return hour + 12 if 1 <= hour <= 6 else hour


def _minute(word: str) -> int:
    if word in ("", "钟", "整"):
        return 0
    if word == "半":
        return 30
    if word.endswith("刻"):
        return 15 * small(word[0])
    return small(word)


@dataclass(frozen=True, slots=True)
class _Moment:
    start: int
    stop: int
    first: str
    last: str | None
    day: Day | None
    clock: _Clock | None


def _at(day: date, clock: _Clock) -> str:
    moment = datetime(day.year, day.month, day.day) + timedelta(hours=clock.hour, minutes=clock.minute)  # noqa: DTZ001  # local ISO text, no zone
    return moment.isoformat(timespec="minutes")


def _joined(norm: str, days: list[Day], clocks: list[_Clock], today: date) -> list[_Moment]:
    """Join each clock time to the day before it; a time alone is today's."""
    moments: list[_Moment] = []
    by_start = {clock.start: clock for clock in clocks}
    used: set[int] = set()
    for day in days:
        joint = _JOIN.match(norm, day.stop)
        stop = joint.end() if joint else day.stop
        clock = (
            by_start.get(day.stop)
            or by_start.get(stop)
            or (by_start.get(day.stop + 1) if norm[day.stop : day.stop + 1] == "t" else None)
        )
        if clock is not None and day.day is not None and day.last is None:
            used.add(clock.start)
            text = _at(date(day.year, day.month or 1, day.day), clock)
            moments.append(_Moment(day.start, clock.stop, text, None, day, clock))
        else:
            moments.append(_Moment(day.start, day.stop, day.iso, day.last.isoformat() if day.last else None, day, None))
    moments += [_Moment(c.start, c.stop, _at(today, c), None, None, c) for c in clocks if c.start not in used]
    return sorted(moments, key=lambda moment: moment.start)


def _spans(norm: str, moments: list[_Moment]) -> list[Found]:
    """Join two moments with 到 between them to one span; the second takes over what it leaves out."""
    found: list[Found] = []
    index = 0
    while index < len(moments):
        here = moments[index]
        after = moments[index + 1] if index + 1 < len(moments) else None
        joint = _TO.match(norm, here.stop) if after else None
        if after and joint and joint.end() == after.start and here.last is None and after.last is None:
            pair = _pair(here, after)
            if pair is not None:
                found.append(_found(pair, here.start, after.stop))
                index += 2
                continue
        index += 1
        found.append(_found((here.first, here.last) if here.last else here.first, here.start, here.stop))
    return found


def _pair(here: _Moment, after: _Moment) -> tuple[str, str] | None:
    last = after.first
    if here.clock and after.clock and after.day is None:
        base = here.day
        clock = after.clock
        if not clock.named and clock.hour < here.clock.hour and clock.hour + 12 > here.clock.hour:
            clock = _Clock(clock.start, clock.stop, clock.hour + 12, clock.minute, named=True)
        day = date.fromisoformat(here.first[:10]) if base is None else date(base.year, base.month or 1, base.day or 1)
        last = _at(day, clock)
    if last < here.first and here.day and after.day and not (here.clock or after.clock):
        return None
    return here.first, last


def _found(value: str | tuple[str, str], start: int, stop: int) -> Found:
    approx = "range" if isinstance(value, tuple) else None
    text = value[0] if isinstance(value, tuple) else value
    if len(text) == 4:
        years = (Decimal(value[0]), Decimal(value[1])) if isinstance(value, tuple) else Decimal(value)
        return Found("year", years, "year", start, stop, approx=approx)
    return Found("datetime" if "T" in text else "date", value, None, start, stop, approx=approx)
