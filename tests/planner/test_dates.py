"""Dates and times as ISO text to the precision given, against a moment."""

from datetime import datetime

import pytest

from planner.quantities import read
from planner.text import normalize

# A Thursday morning.
NOW = datetime.fromisoformat("2026-03-05T09:00:00+08:00")

DATES = [
    ("2027-04-30前", "2027-04-30"),
    ("2027/4/30", "2027-04-30"),
    ("2027.4.30", "2027-04-30"),
    ("20270430", "2027-04-30"),
    ("2027年4月30日", "2027-04-30"),
    ("二〇二七年四月三十日", "2027-04-30"),
    ("April 30th, 2027", "2027-04-30"),
    ("30 April 2027", "2027-04-30"),
    ("2027年4月", "2027-04"),
    ("2027-04", "2027-04"),
    ("in April 2027", "2027-04"),
    ("Oct last year", "2025-10"),
    ("changed in November of last year", "2025-11"),
    ("July next year", "2027-07"),
    ("last October", "2025-10"),
    ("last February", "2026-02"),
    ("next January", "2027-01"),
    ("mid May is likely", "2026-05"),
    ("from the first of June", "2026-06-01"),
    ("mid-June", "2026-06"),
    ("双11", "2026-11-11"),
    ("双十二", "2026-12-12"),
    ("六一八", "2026-06-18"),
    ("21年9月上牌", "2021-09"),
    ("四月十八号", "2026-04-18"),
    ("4月18", "2026-04-18"),
    ("April 18", "2026-04-18"),
    ("18号交钥匙", "2026-03-18"),
    ("下个月18号", "2026-04-18"),
    ("明年4月", "2027-04"),
    ("去年十月", "2025-10"),
    ("今天", "2026-03-05"),
    ("大后天", "2026-03-08"),
    ("前天", "2026-03-03"),
    ("tomorrow", "2026-03-06"),
    ("周五", "2026-03-06"),
    ("周四", "2026-03-05"),
    ("周三", "2026-03-11"),
    ("下周三", "2026-03-11"),
    ("下下周一", "2026-03-16"),
    ("上周六", "2026-02-28"),
    ("礼拜天", "2026-03-08"),
    ("on Friday", "2026-03-06"),
    ("next Tuesday", "2026-03-10"),
    ("月底", "2026-03-31"),
    ("下个月底", "2026-04-30"),
    ("年底交房", "2026-12"),
    ("next month", "2026-04"),
    ("国庆节", "2026-10-01"),
    ("2026-02-27T08:15:00+08:00", "2026-02-27T08:15"),
    ("明天上午9点半", "2026-03-06T09:30"),
    ("后天晚上七点一刻", "2026-03-07T19:15"),
    ("今晚八点", "2026-03-05T20:00"),
    ("周六下午两点", "2026-03-07T14:00"),
    ("周六两点", "2026-03-07T14:00"),
    ("4月18日14:30", "2026-04-18T14:30"),
    ("中午十二点一刻", "2026-03-05T12:15"),
    ("凌晨一点", "2026-03-05T01:00"),
    ("15:45", "2026-03-05T15:45"),
    ("两点见", "2026-03-05T14:00"),
    ("Saturday at 3pm", "2026-03-07T15:00"),
    ("the last one is at half past five", "2026-03-05T17:30"),
    ("quarter to four", "2026-03-05T15:45"),
    ("closes at 17:45.", "2026-03-05T17:45"),
    ("2:30 pm on Friday", "2026-03-06T14:30"),
    ("tomorrow morning at 10:30", "2026-03-06T10:30"),
    ("12月9日14:00后可看", "2026-12-09T14:00"),
    ("预计25号到货", "2026-03-25"),
    ("周六三点", "2026-03-07T15:00"),
    ("on the 20th", "2026-03-20"),
    ("明年五一", "2027-05-01"),
    ("by the end of April", "2026-04"),
    ("noon tomorrow", "2026-03-06T12:00"),
]


@pytest.mark.parametrize(("text", "value"), DATES)
def test_a_date_is_read_against_its_moment(text: str, value: str) -> None:
    (found,) = read(normalize(text), NOW)
    assert (found.kind, found.value) == ("datetime" if "T" in value else "date", value)


SPANS = [
    ("周末", "2026-03-07", "2026-03-08"),
    ("下周末", "2026-03-14", "2026-03-15"),
    ("下周交房", "2026-03-09", "2026-03-15"),
    ("周三到周五", "2026-03-11", "2026-03-13"),
    ("4月5日-8日", "2026-04-05", "2026-04-08"),
    ("2026-06-21至2027-06-20", "2026-06-21", "2027-06-20"),
    ("6月到8月", "2026-06", "2026-08"),
    ("下午2点到4点", "2026-03-05T14:00", "2026-03-05T16:00"),
    ("周六上午九点半到十一点", "2026-03-07T09:30", "2026-03-07T11:00"),
    ("9:00-18:30", "2026-03-05T09:00", "2026-03-05T18:30"),
]


@pytest.mark.parametrize(("text", "first", "last"), SPANS)
def test_a_span_of_time_is_a_pair(text: str, first: str, last: str) -> None:
    (found,) = read(normalize(text), NOW)
    assert (found.value, found.approx) == ((first, last), "range")


BOUNDS = [
    ("2027年6月30日前交", "at_most"),
    ("截至6月30日", "at_most"),
    ("by June 30", "at_most"),
    ("6月以后", "at_least"),
    ("最早6月3号", "at_least"),
    ("周六下午", "afternoon"),
    ("tomorrow morning", "morning"),
    ("6月左右", "about"),
    ("6月3号", None),
]


@pytest.mark.parametrize(("text", "approx"), BOUNDS)
def test_a_date_tells_what_bounds_it(text: str, approx: str | None) -> None:
    (found,) = read(normalize(text), NOW)
    assert found.approx == approx


YEARS = [
    ("2015年建成", 2015),
    ("15年的房子", 2015),
    ("零五年的小区", 2005),
    ("九八年的老楼", 1998),
    ("18年上牌", 2018),
    ("去年", 2025),
    ("built in 2011", 2011),
]


@pytest.mark.parametrize(("text", "year"), YEARS)
def test_a_year_is_a_number(text: str, year: int) -> None:
    (found,) = read(normalize(text), NOW)
    assert (found.kind, found.value, found.unit) == ("year", year, "year")


@pytest.mark.parametrize(
    "text",
    [
        "贷款15年",
        "15年以上",
        "2026-02-31",
        "五号楼",
        "16号线",
        "14个点",
        "一周三次",
        "便宜一点",
        "有三点要注意",
        "3-4个月",
        "房龄20年",
        "月供",
        "今年级",
        "may be",
    ],
)
def test_lengths_names_and_rates_are_no_dates(text: str) -> None:
    assert not [q for q in read(normalize(text), NOW) if q.kind in ("date", "datetime", "year")]


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00+00:00", "9999-12-31T23:59:00+00:00"])
def test_the_edge_of_the_calendar_raises_nothing(moment: str) -> None:
    text = normalize("昨天，上上周，下下个月，周末，下周日晚上12点，去年底，last week")
    assert read(text, datetime.fromisoformat(moment))


def test_a_month_long_past_is_next_years() -> None:
    november = datetime.fromisoformat("2026-11-30T10:00:00+08:00")
    assert read(normalize("1月15号"), november)[0].value == "2027-01-15"
    assert read(normalize("9月15号"), november)[0].value == "2026-09-15"
