"""Hostile text is read in linear time and without an error."""

import time
from datetime import datetime

import pytest

from planner.quantities import read
from planner.text import clauses, normalize

NOW = datetime.fromisoformat("2026-03-05T09:00:00+08:00")
SIZE = 20_000
UNITS = [
    *"一九零万点十几多半第月年号周1,([， ~…!aA\u3000",
    "e\u0301", "\u200b", "\U000e0041", "😀", "2️⃣", "①", "𝟐", "1-", "1:", "1/", "1,", "1到", "a1", "a1-", "http://", "a@", "a.", "2026-", "2026年", "2026年3月5日",
    "周一3点", "10:00-", "三成", "18/33层", "不满二", "lpr-", "一小时", "十分钟", "每平", "1元/平/月", "138-", "粤b", "路1号", "百分之", "押一付", "5号楼2单元",
    "one ", "twenty-five hundred ", "a hundred ", "at 3 ", "in march ", "2020 a ", "5 of ", "floor ", "但是", "吗", "哈", "的 ", "a but ",
]  # fmt: skip


@pytest.mark.parametrize("unit", UNITS)
def test_twenty_thousand_characters_are_read_in_a_moment(unit: str) -> None:
    """A quadratic reader needs many seconds for these; the bound leaves room for a busy machine."""
    text = normalize((unit * SIZE)[:SIZE])
    start = time.process_time()
    found = read(text, NOW)
    cut = clauses(text)
    assert time.process_time() - start < 2.5
    assert all(text.norm[clause.start : clause.end] == clause.text for clause in cut)
    assert all(quantity.end <= len(text.norm) for quantity in found)
