"""Days and clock times joined to moments and spans: 明天上午10点半, 下午2点到4点, 周六到周日."""

import re
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal

from planner.clocks import Clock, clocks
from planner.dates import DAY, TRIGGER, Day, day_of
from planner.found import Found, masked
from planner.grammar import grammar
from planner.numerals import DIGITS, PAIRS
from planner.spelled import year_of

_JOIN = re.compile(
    r"[的,，]? ?(?:in the )?(?:(?P<part>morning|afternoon|evening|night)[,，]? ?)?(?:(?:at|around|by|from|,) )?"
)
_JOIN_BACK = re.compile(r",? ?(?:on )?")
_TO = re.compile(r" ?(?:到|至|-|~|～|—|–|to|until|till) ?")
_UNTIL = re.compile(r" ?(?:之前|以前|前(?!后|天|几|两|排|面)|截止|为止|or earlier|at the latest)")
_SINCE = re.compile(r" ?(?:之后|以后|后(?!天|备|排|面|来|续|悔)|起(?!来|码|诉|价|步)|开始|以来|onwards?|or later)")
_UNTIL_BEFORE = re.compile(
    r"(?:截至|截止|截止到|最晚|最迟|不晚于|期至|by|until|till|before|no later than|through)[:： ]?$"
)
_SINCE_BEFORE = re.compile(r"(?:最早|最快|不早于|自从?|since|after|from|no earlier than|as of)[:： ]?$")
_PART = re.compile(
    r"的? ?(?:(?P<morning>早上|上午|早晨|清晨|凌晨|morning)|(?P<noon>中午|正午)|(?P<afternoon>下午|午后|afternoon)|(?P<evening>晚上|傍晚|夜里|晚间|evening|night))"
)
_ABOUT = re.compile(r"左右|前后|上下")


@dataclass(frozen=True, slots=True)
class _Moment:
    start: int
    stop: int
    first: str
    last: str | None
    day: Day | None
    clock: Clock | None


def moments(norm: str, now: datetime) -> list[Found]:
    """Find the dates and times of a text in order; years alone are `year`, days `date`, times `datetime`."""
    # A moment at the edge of the calendar has no yesterday; nobody chats there.
    today = now.date() if 1900 <= now.year <= 9000 else date(min(max(now.year, 1900), 9000), 1, 1)
    days = _days(norm, today)
    times = clocks(masked(norm, [(day.start, day.stop) for day in days]), _heads(norm, days))
    return _spans(norm, _joined(norm, days, times, today))


def _days(norm: str, today: date) -> list[Day]:
    if not TRIGGER.search(norm):
        return []
    found = [
        day_of(match, today) for match in DAY.finditer(norm) if match["ymd"] is None or _is_year(norm, match, today)
    ]
    return [day for day in found if day is not None]


def _is_year(norm: str, match: re.Match[str], today: date) -> bool:
    """Whether 15年 names a year; four digits or a month behind it always do."""
    head, _, rest = match.group().replace(" ", "").partition("年")
    if len(head) == 4 or rest:
        return True
    table = grammar()
    if table.year_not_before.search(norm[max(0, match.start() - 4) : match.start()]):
        return False
    if head[0] in "0零〇" or (head.isascii() and head[0] in "89"):
        return True
    if year_of(head) > today.year + 3:
        return False
    said = not head.isascii()
    return bool(table.year_after.match(norm, match.end())) or (said and (DIGITS[head[0]], DIGITS[head[1]]) not in PAIRS)


def _heads(norm: str, days: list[Day]) -> dict[int, tuple[str, str]]:
    """Tell for each place where a clock time may join a day: the day's words and the part of the day between them."""
    heads: dict[int, tuple[str, str]] = {}
    for day in days:
        word = norm[day.start : day.stop]
        heads[day.stop] = heads[day.stop + 1] = word, ""
        joint = _JOIN.match(norm, day.stop)
        if joint:
            heads[joint.end()] = word, joint["part"] or ""
    return heads


def _at(day: date, clock: Clock) -> str:
    moment = datetime(day.year, day.month, day.day) + timedelta(hours=clock.hour, minutes=clock.minute)  # noqa: DTZ001  # local ISO text, no zone
    return moment.isoformat(timespec="minutes")


def _joined(norm: str, days: list[Day], times: list[Clock], today: date) -> list[_Moment]:
    """Join each clock time to the day beside it; a time alone is today's."""
    found: list[_Moment] = []
    starts = {clock.start: clock for clock in times}
    stops = {joint.end(): clock for clock in times if (joint := _JOIN_BACK.match(norm, clock.stop)) and joint.group()}
    used: set[int] = set()
    for day in days:
        clock = _clock_of(norm, day, starts) or stops.get(day.start)
        if clock is None or clock.start in used or day.day is None or day.last is not None:
            found.append(_Moment(day.start, day.stop, day.iso, day.last.isoformat() if day.last else None, day, None))
            continue
        used.add(clock.start)
        text = _at(date(day.year, day.month or 1, day.day), clock)
        found.append(_Moment(min(day.start, clock.start), max(day.stop, clock.stop), text, None, day, clock))
    found += [_Moment(c.start, c.stop, _at(today, c), None, None, c) for c in times if c.start not in used]
    return sorted(found, key=lambda moment: moment.start)


def _clock_of(norm: str, day: Day, starts: dict[int, Clock]) -> Clock | None:
    joint = _JOIN.match(norm, day.stop)
    iso = day.stop + 1 if norm[day.stop : day.stop + 1] == "t" else day.stop
    return starts.get(iso) or (starts.get(joint.end()) if joint else None)


def _spans(norm: str, moments: list[_Moment]) -> list[Found]:
    """Join two moments with 到 between them to one span; the second takes over what it leaves out."""
    found: list[Found] = []
    index = 0
    while index < len(moments):
        here = moments[index]
        after = moments[index + 1] if index + 1 < len(moments) else None
        pair = _pair(norm, here, after) if after else None
        index += 1 if pair is None else 2
        if pair is not None and after is not None:
            found.append(_found(norm, pair, here.start, after.stop))
        else:
            found.append(_found(norm, (here.first, here.last) if here.last else here.first, here.start, here.stop))
    return found


def _pair(norm: str, here: _Moment, after: _Moment) -> tuple[str, str] | None:
    joint = _TO.match(norm, here.stop)
    if joint is None or joint.end() != after.start or here.last or after.last:
        return None
    last = after.first
    if here.clock and after.clock and after.day is None:
        last = _same_day(here, here.clock, after.clock)
    elif here.day and after.day and after.clock is None:
        last = _later_day(here.day, after.day)
    return (here.first, last) if len(last) == len(here.first) and last >= here.first else None


def _same_day(here: _Moment, first: Clock, second: Clock) -> str:
    """Give the end of 下午2点到4点: on the same day and, unless it says otherwise, in the same half of it."""
    if not second.named and second.hour < first.hour < second.hour + 12:
        second = replace(second, hour=second.hour + 12)
    return _at(date.fromisoformat(here.first[:10]), second)


def _later_day(first: Day, second: Day) -> str:
    """Give the end of 3月5日-8日 and 周三到周五."""
    if second.bare and first.month:
        second = replace(second, year=first.year, month=first.month)
    elif second.weekday and first.weekday and first.iso > second.iso:
        return (date.fromisoformat(second.iso) + timedelta(days=7)).isoformat()
    return second.iso


def _found(norm: str, value: str | tuple[str, str], start: int, stop: int) -> Found:
    text = value[0] if isinstance(value, tuple) else value
    approx, stop = ("range", stop) if isinstance(value, tuple) else _bound(norm, text, start, stop)
    if len(text) == 4:
        years = (Decimal(value[0]), Decimal(value[1])) if isinstance(value, tuple) else Decimal(value)
        return Found("year", years, "year", start, stop, approx=approx)
    return Found("datetime" if "T" in text else "date", value, None, start, stop, approx=approx)


def _bound(norm: str, text: str, start: int, stop: int) -> tuple[str | None, int]:
    """Tell whether a date is a bound (前 at_most, 起 at_least) or names a part of its day (afternoon)."""
    part = _PART.match(norm, stop) if len(text) == 10 else None
    if part is not None:
        return part.lastgroup, part.end()
    head = norm[max(0, start - 14) : start]
    if _UNTIL.match(norm, stop) or _UNTIL_BEFORE.search(head):
        return "at_most", stop
    if _SINCE.match(norm, stop) or _SINCE_BEFORE.search(head):
        return "at_least", stop
    return ("about" if _ABOUT.match(norm, stop) else None), stop
