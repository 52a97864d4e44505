"""A span of time as people name it: days of the shop's calendar, or exact moments."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from gateway.jsonio import InputError

DAYS = 7  # of a span that nobody named
EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Span:
    """From `since` on, until just before `until`."""

    since: datetime
    until: datetime


def span_of(since: str, until: str, now: datetime, zone: ZoneInfo, *, whole: bool = False) -> Span:
    """Read a span; an empty end is that of today, an empty beginning the last days, or everything if `whole`.

    A day (2026-03-07) is the shop's and belongs to the span; a moment needs an offset. Raises InputError.
    """
    today = now.astimezone(zone).date()
    end = _read("until", until or today.isoformat(), lambda day: _midnight(day + timedelta(days=1), zone))
    first = EARLIEST if whole else _midnight(today - timedelta(days=DAYS - 1), zone)
    begin = _read("since", since, lambda day: _midnight(day, zone)) if since else first
    if since and begin >= end:
        raise InputError("since", "must lie before the end of the span")
    return Span(begin, end)


def _read(field: str, text: str, of_day: Callable[[date], datetime]) -> datetime:
    try:
        if len(text) == len("2026-03-07"):
            return of_day(date.fromisoformat(text))
        moment = datetime.fromisoformat(text)
    except (ValueError, OverflowError) as error:
        raise InputError(field, "must be a day like 2026-03-07 or an RFC 3339 moment") from error
    if moment.tzinfo is None:
        raise InputError(field, "a moment must have an offset, like 2026-03-07T10:00:00+08:00")
    return moment


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=zone)
