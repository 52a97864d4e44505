"""Clock times: 10:30, 下午2点半, 晚上六点四十, 3pm. An hour from one to six without a part of the day is in the afternoon."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from planner.spelled import small

_HOUR = r"(?:2[0-4]|1\d|0?\d|二十[一二三四]?|十[一二三四五六七八九]?|[一二两三四五六七八九零])"
_MINUTE = (
    r"(?:[0-5]\d|[二三四五]十[一二三四五六七八九]?|十[一二三四五六七八九]?|零[一二三四五六七八九]|[一三]刻|半|钟|整)"
)
_HOUR_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_HOURS = "|".join(_HOUR_WORDS)
_MORNING = ("凌晨", "清晨", "大清早", "清早", "早晨", "早上", "大早上", "上午", "早", "morning")
_NOON = ("中午", "正午", "午间")
_LATE = ("下午", "午后", "傍晚", "晚上", "晚间", "夜里", "夜晚", "晚", "afternoon", "evening", "night")
_NIGHT = ("半夜",)
_LONG = "|".join(word for words in (_MORNING, _NOON, _LATE, _NIGHT) for word in words if len(word) > 1)
_PERIOD = rf"(?:{_LONG}|(?<![今明昨当])[早晚](?=\d|[一二两三四五六七八九十]{{1,2}}点))"
_CLOCK = re.compile(
    r"(?=[\d一二两三四五六七八九十零凌清大早上中正午下傍晚夜半nmhq])"  # most places fail here
    rf"(?:(?P<period>{_PERIOD})(?:的|在|大概|差不多|约)? ?)?(?:"
    r"(?P<h>(?<![\d.:/])(?:2[0-4]|1\d|0\d|[1-9]))[:：](?P<m>[0-5]\d)(?:[:：][0-5]\d(?:\.\d{1,6})?(?:z|[+-]\d\d:?\d\d)?)?(?![\d:：]|\.\d)(?: ?(?P<ap>[ap]\.?m(?![a-z])\.?))?"
    rf"|(?P<hour>(?<![\d.零〇一二两三四五六七八九十百千万第]){_HOUR})(?:点|时(?!间|候|常|尚))(?![点儿心评赞击滴名头]|\d(?!\d))"
    rf"(?:(?P<minute>{_MINUTE})分?(?![钟之平万个元块公层成折]))?"
    r"|(?P<eh>(?<![\d.,:])(?:1[0-2]|0?[1-9])) ?(?P<eap>[ap]\.?m(?![a-z])\.?|o'clock)"
    r"|(?P<at>(?<=at )(?:1[0-2]|[1-9])(?![\d:.,%]| ?[a-z]{1,3}(?![a-z])))"
    rf"|(?P<past>half past|quarter past|quarter to) (?P<ph>1[0-2]|[1-9]|{_HOURS})(?![\da-z])"
    r"|(?P<noon>(?<![a-z])(?:noon|midnight)(?![a-z])))"
)
_TRIGGER = re.compile(r"[点时]|\d[:：]\d|\d ?[ap]\.?m|o'clock|noon|midnight|at \d|past [\da-z]|quarter to")
_EVENING_DAYS = ("今晚", "明晚", "昨晚", "今夜", "昨夜", "tonight")
# Behind a number of points they make no time: 3点建议.
_POINTS = re.compile(r"建议|要求|原因|说明|理由|内容|优势|好处|不足|需要|注意|问题|想法|意见")
# Before 三点零五 these make it a decimal.
_RATE = re.compile(r"(?:分之|[率息涨跌点][是为约到]?)$")
# Before 点 these make it a point or a bit: 有三点要注意, 便宜一点.
_LEAD = re.compile(r"[有这那第几说讲提就贵宜少多高低快慢早晚好差大小近远下哪]$")
_FOLLOW = re.compile(
    r"钟|整|半|一刻|三刻|之?前|之?后|之间|以前|以后|左右|到|至|-|~|开始|见|出发|来|过|看|签|集合|可以|行|方便|有空|开门|关门|[上下]班|吧|[，,。？?！!]|$"
)
_RANGE_END = re.compile(r"[点半刻钟整][到至~-]$")
_SURE = re.compile(r"钟|整|半|见|左右|到|至|过去|过来|看|出发|签|之前|以前|以后|之后|开始")


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day at `norm[start:stop]`; `named` tells that a part of the day was said with it."""

    start: int
    stop: int
    hour: int
    minute: int
    named: bool


def clocks(norm: str, heads: Mapping[int, tuple[str, str]]) -> list[Clock]:
    """Find the times of a text; `heads` tells where a day ended just before, its words and a part of the day."""
    if not _TRIGGER.search(norm):
        return []
    found = (_clock(norm, match, *heads.get(match.start(), ("", ""))) for match in _CLOCK.finditer(norm))
    return [clock for clock in found if clock is not None]


def _clock(norm: str, match: re.Match[str], day: str, part: str) -> Clock | None:
    if match["noon"]:
        return Clock(*match.span(), 12 if match["noon"] == "noon" else 0, 0, named=True)
    if match["past"]:
        return _spoken(match)
    period = match["period"] or ("晚上" if day.endswith(_EVENING_DAYS) else part)
    if (match["at"] and not day) or (match["hour"] and not period and not day and not _is_time(norm, match)):
        return None
    hour = small(match["h"] or match["hour"] or match["eh"] or match["at"])
    half = (match["ap"] or match["eap"] or "")[:1]
    if half in ("a", "p"):
        hour = hour % 12 + (12 if half == "p" else 0)
    elif period or not match["h"]:
        hour = _by_period(hour, period)
    if hour > 24:
        return None
    return Clock(
        *match.span(), hour, _minute(match["m"] or match["minute"] or ""), named=bool(period or half in ("a", "p"))
    )


def _spoken(match: re.Match[str]) -> Clock:
    """Read half past six; without a part of the day an hour from one to six is in the afternoon."""
    word = match["ph"]
    hour = _by_period(_HOUR_WORDS.index(word) + 1 if word in _HOUR_WORDS else small(word), "")
    if match["past"] == "quarter to":
        return Clock(*match.span(), (hour - 1) % 24, 45, named=False)
    return Clock(*match.span(), hour, 30 if match["past"].startswith("half") else 15, named=False)


def _is_time(norm: str, match: re.Match[str]) -> bool:
    """Whether an hour without a day or part of the day is a time: 14点 is, 有三点要注意 and 便宜一点 are not."""
    if _RANGE_END.search(norm, max(0, match.start() - 3), match.start()):
        return True
    if match["minute"]:
        return not _RATE.search(norm[max(0, match.start() - 3) : match.start()])
    if _LEAD.search(norm[max(0, match.start() - 1) : match.start()]) or _POINTS.match(norm, match.end()):
        return False
    if match["hour"] in ("一", "两", "零"):
        return bool(_SURE.match(norm, match.end()))
    return match["hour"].isascii() or bool(_FOLLOW.match(norm, match.end()))


def _by_period(hour: int, period: str) -> int:
    if period in _MORNING:
        return hour
    if period in _NOON:
        return hour if hour >= 10 else hour + 12
    if period in _LATE:
        return _late(hour, period)
    if period in _NIGHT:
        return hour + 12 if 9 <= hour < 12 else hour % 12
    return hour + 12 if 1 <= hour <= 6 else hour


def _late(hour: int, period: str) -> int:
    if hour == 12:
        return 12 if period in ("下午", "午后", "afternoon") else 24
    return hour + 12 if hour < 12 else hour


def _minute(word: str) -> int:
    if word in ("", "钟", "整"):
        return 0
    if word == "半":
        return 30
    return 15 * small(word[0]) if word.endswith("刻") else small(word)
