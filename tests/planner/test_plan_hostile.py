"""Hostile text costs linear time and raises nothing, through the whole plan."""

import time

import pytest

from planner.plan import plan
from planner.reading import MAX_TEXT
from planner.slots import slot_questions
from tests.planner.turns import reading


@pytest.mark.parametrize(
    "piece", ["一", "看", "预算", "，一", "？一", "1.", "我要", "how ", "\u0301x", "\u200b", "😀", "[图片]"]
)
def test_twenty_thousand_characters(piece: str) -> None:
    """A second is far above what it takes and far below what a quadratic pattern would take."""
    words = (piece * MAX_TEXT)[:MAX_TEXT]
    turn = reading(f"a:{words}", f"c:{words}", draft=words)
    began = time.process_time()
    plan(turn)
    slot_questions(turn.draft, turn.pack)
    assert time.process_time() - began < 4
