"""Hostile text in every seat of a turn: CPU time for 10,000, 20,000 and 40,000 characters, which must grow in step.

A text beyond what is judged (20,000 characters of a draft) must come out as not judged, never as an exception or a pass.
"""

import itertools
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from rich.console import Console
from rich.table import Table

from bench.turns import turns
from gateway.evaluate import SHELF, evaluate_turn, warm_up
from planner.turn import Citation, Draft, ToolResult, Turn
from verifier.verdict import Judged

SIZES = (10_000, 20_000, 40_000)
REPEATS = 2
# A doubled text may cost this much more before its growth counts as more than linear; noise is part of it.
STEEP = 3.0
# Below this many milliseconds a ratio says nothing.
NOISE = 25.0
_MIXED = "一1(（[{😀e\u0301\u200b，。？a-/:万元层年月日￥%的不没 \n"
UNITS = {
    "一": "一", "digits": "1234567890", "brackets": "([{（", "emoji": "😀", "combining": "e\u0301", "zero width": "\u200b字",
    "numerals": "一二三万", "no and no": "不没", "commas": "，", "dates": "2026年3月5日", "prices": "350万，", "phones": "138-", "ids": "a1-",
}  # fmt: skip


def mixed(size: int) -> str:
    """Give a text of everything, the same each time."""
    return "".join(random.Random(7).choices(_MIXED, k=size))


def texts(size: int) -> dict[str, str]:
    """Give every hostile text at a size."""
    return {name: (unit * size)[:size] for name, unit in UNITS.items()} | {"mixed": mixed(size)}


def _in_draft(turn: Turn, text: str) -> Turn:
    return replace(turn, draft=Draft(text))


def _in_message(turn: Turn, text: str) -> Turn:
    messages = turn.conversation.messages
    last = replace(messages[-1], text=text)
    return replace(turn, conversation=replace(turn.conversation, messages=(*messages[:-1], last)))


def _in_history(turn: Turn, text: str) -> Turn:
    messages = turn.conversation.messages
    first = tuple(replace(m, text=text) for m in messages[:2])
    return replace(turn, conversation=replace(turn.conversation, messages=(*first, *messages[2:])))


def _in_citation(turn: Turn, text: str) -> Turn:
    return replace(turn, draft=replace(_draft(turn), citations=(Citation("c", text),)))


def _in_tool(turn: Turn, text: str) -> Turn:
    result = ToolResult("t", "listing", "ok", data={"note": text, text[:200]: 1})
    return replace(turn, draft=replace(_draft(turn), tool_results=(result,)))


def _draft(turn: Turn) -> Draft:
    assert turn.draft is not None  # noqa: S101  # the benchmark's turns have drafts
    return turn.draft


SEATS: dict[str, Callable[[Turn, str], Turn]] = {
    "draft": _in_draft,
    "message": _in_message,
    "history": _in_history,
    "citation": _in_citation,
    "tool data": _in_tool,
}


@dataclass(frozen=True, slots=True)
class Growth:
    """CPU milliseconds of one text in one seat at each size, and whether the verdict of each was a pass."""

    seat: str
    text: str
    times: tuple[float, ...]
    passed: tuple[bool, ...]

    @property
    def ratios(self) -> tuple[float, ...]:
        """How much more each size costs than the one before it."""
        return tuple(after / before for before, after in itertools.pairwise(self.times))

    @property
    def steep(self) -> bool:
        """Whether it grows faster than the text."""
        return any(b > NOISE and ratio > STEEP for b, ratio in zip(self.times[1:], self.ratios, strict=True))


def growth(seat: str, name: str, sizes: tuple[int, ...] = SIZES) -> Growth:
    """Measure one text in one seat."""
    base = turns()[0]
    times, passed = [], []
    for size in sizes:
        turn = SEATS[seat](base, texts(size)[name])
        took = []
        for _ in range(REPEATS):
            began = time.process_time()
            verdict = evaluate_turn(turn).verdict
            took.append((time.process_time() - began) * 1000)
        times.append(min(took))
        passed.append(isinstance(verdict, Judged) and verdict.passed)
    return Growth(seat, name, tuple(times), tuple(passed))


def run(console: Console) -> bool:
    """Print CPU milliseconds per size; whether nothing grows faster than its text and no noise passes as a draft."""
    warm_up(SHELF)
    table = Table(title="hostile text: CPU ms for 10,000 / 20,000 / 40,000 characters")
    for column in ("text", *SEATS):
        table.add_column(column, justify="left" if column == "text" else "right")
    found = {(seat, name): growth(seat, name) for name in texts(1) for seat in SEATS}
    for name in texts(1):
        table.add_row(name, *(" / ".join(f"{t:.0f}" for t in found[seat, name].times) for seat in SEATS))
    console.print(table)
    worst = max(found.values(), key=lambda one: max(one.ratios))
    console.print(f"steepest doubling: {max(worst.ratios):.1f} ({worst.text} in {worst.seat})")
    steep = [f"{one.text} in {one.seat}" for one in found.values() if one.steep]
    console.print(f"faster than linear: {', '.join(steep) or 'none'}")
    passed = [f"{one.text} in the draft" for one in found.values() if one.seat == "draft" and any(one.passed)]
    console.print(f"passed the gate: {', '.join(passed) or 'none'}")
    return not steep and not passed
