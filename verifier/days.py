"""Compare dates and clock times: to the precision that the claim states, and no further than its words go."""

import re
from datetime import date

from planner.quantities import Quantity

_YEARED = re.compile(
    r"年|\d{4}|今|明|后|昨|前|周|星|礼|上|下|本|这|day|week|month|tomorrow|year|last|next|this", re.IGNORECASE
)
_DATED = re.compile(r"[日号周星礼今明后昨前月年]|day|tomorrow|\d[-/]\d", re.IGNORECASE)
_DAY_ALONE = re.compile(r"[\d一二三四五六七八九十廿]{1,3}[日号]")
# A part of the day or a clock of 24 hours leaves no doubt about the half of the day.
_SURE = re.compile(
    r"上午|下午|早|晚|中午|凌晨|傍晚|夜|[ap]\.?m|noon|night|morning|evening|(?<!\d)(?:1[3-9]|2[0-4]|0\d)[:：点时]",
    re.IGNORECASE,
)
_HALF_DAY = 720
# A day of the month (29号) is one of the last or the next weeks.
_NEAR = 62

_WEEK = "一二三四五六日"
_NAMES = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_DAY_NAME = r"(?:周|星期|礼拜)([一二三四五六日天])|(?<![a-z])(mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?s?(?![a-z])"
_WEEKDAY = re.compile(_DAY_NAME)
_DAYS_TO = re.compile(rf"(?:{_DAY_NAME}) ?(?:到|至|-|–|~|to|through) ?(?:周|星期|礼拜)?([一二三四五六日天]|[a-z]{{3}})")
_WORKING = re.compile(r"工作日|平日|上班日|weekdays?|working days?")
_WEEKEND = re.compile(r"周末|双休|weekends?")


def same_date(claim: Quantity, evidence: Quantity) -> bool:
    """Whether the evidence's date or time is the claim's, as far as the claim states it."""
    mine, theirs = _texts(claim), _texts(evidence)
    timed = claim.kind == "datetime", evidence.kind == "datetime"
    undated = timed[0] and not _DATED.search(claim.quote), timed[1] and not _DATED.search(evidence.quote)
    if any(undated):
        return all(timed) and _same_clock(mine, theirs, sure=_SURE.search(claim.quote) is not None)
    if len(mine) == 2 and len(theirs) == 1:
        return mine[0] <= theirs[0][: len(mine[0])] and theirs[0][: len(mine[1])] <= mine[1]
    if claim.kind == "date" and len(mine) == len(theirs) == 1:
        if _DAY_ALONE.fullmatch(claim.quote):
            return _same_day(mine[0], theirs[0])
        if not _YEARED.search(claim.quote):
            return theirs[0][4:].startswith(mine[0][4:]) and len(mine[0]) > 4
    if len(mine) == 1:
        return any(_prefix(mine[0], text) for text in theirs)
    return len(mine) == len(theirs) and all(_prefix(a, b) for a, b in zip(mine, theirs, strict=True))


def _same_clock(mine: tuple[str, ...], theirs: tuple[str, ...], *, sure: bool) -> bool:
    """Whether the clock says the same; 4:30 may be half past four in the afternoon."""

    def met(one: str, other: str) -> bool:
        gap = minutes(one) - minutes(other)
        return gap == 0 if sure else gap % _HALF_DAY == 0

    if len(mine) == 1:
        return any(met(mine[0], text) for text in theirs)
    return len(mine) == len(theirs) and all(met(a, b) for a, b in zip(mine, theirs, strict=True))


def minutes(text: str) -> int:
    """Give the minutes since midnight of an ISO moment, -1 when it has no time."""
    clock = text.partition("T")[2]
    return int(clock[:2]) * 60 + int(clock[3:5]) if len(clock) >= 5 else -1


def _same_day(mine: str, theirs: str) -> bool:
    """Whether 29号 is the evidence's day: the same number, not far from the month that was guessed for it."""
    if len(mine) != 10 or len(theirs) < 10 or mine[8:10] != theirs[8:10]:
        return False
    return abs((date.fromisoformat(mine) - date.fromisoformat(theirs[:10])).days) <= _NEAR


def _prefix(mine: str, theirs: str) -> bool:
    """Whether the claim's date is the evidence's to the precision that the claim states, and not more precise."""
    return bool(mine) and theirs.replace(" ", "T").startswith(mine)


def _texts(quantity: Quantity) -> tuple[str, ...]:
    value = quantity.value
    if isinstance(value, tuple):
        return tuple(str(part) for part in value)
    return (str(value) if value is not None else "",)


def weekdays(words: str) -> frozenset[int]:
    """Give the days of the week that some words name: 周一至周五, 周末, sat."""
    found: set[int] = set()
    for match in _DAYS_TO.finditer(words):
        first, last = _weekday(match[1] or match[2]), _weekday(match[3])
        if first is not None and last is not None and first <= last:
            found.update(range(first, last + 1))
    found.update(day for m in _WEEKDAY.finditer(words) if (day := _weekday(m[1] or m[2])) is not None)
    if _WORKING.search(words):
        found.update(range(5))
    if _WEEKEND.search(words):
        found.update((5, 6))
    return frozenset(found)


def _weekday(word: str) -> int | None:
    if word[:3] in _NAMES:
        return _NAMES.index(word[:3])
    word = word.replace("天", "日")
    return _WEEK.index(word) if word in _WEEK else None
