"""Verdicts on one core, in CPU time, beside the lower bound: JSON, one multi-pattern scan, one number regex."""

import json
import re
import time
from collections.abc import Callable, Iterable
from dataclasses import replace

from ahocorasick_rs import AhoCorasick
from rich.console import Console

from bench.ages import Renewer, ages
from bench.sets import ROOT, draft_files, samples
from bench.turns import bodies, turns
from gateway.evaluate import SHELF, evaluate_turn, warm_up
from planner.turn import Citation, Turn

ROUNDS = 20
# Sets of the repository that the rules were allowed to learn from.
SETS = ("set1", "set2", "set4")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def run(console: Console) -> None:
    """Print CPU milliseconds per draft for the benchmark's turns and for the repository's sets, and the growth."""
    warm_up(SHELF)
    console.print(f"this core now: a million additions in {_reference():.0f} ms CPU")
    given = turns()
    _times(given, lambda turn: turn)
    bound = _lower_bounds()
    _line(console, "lower bound (JSON + scan + number regex)", bound)
    for age, renewed in ages().items():
        times = [t for _ in range(ROUNDS) for t in _times(given, renewed)]
        _line(console, f"plan + verify, ten messages and 4-6 citations, {age}", times)
        console.print(f"  times the lower bound: {_middle(times) / _middle(bound):.0f}")
    for name in SETS:
        files = draft_files([ROOT / "eval" / name], grounded=False)
        drafts = [sample.turn for file in files for sample in samples(file)]
        _line(console, f"plan + verify, {name}, each of {len(drafts)} lines once", _times(drafts, lambda turn: turn))
    _growth(console)


def _reference() -> float:
    """Time a fixed piece of work: CPU time too is longer while others use the same core."""
    began = time.process_time()
    sum(number for number in range(1_000_000))
    return (time.process_time() - began) * 1000


def _literals() -> list[str]:
    """Give every literal word of the default pack."""
    sections = [s for s in SHELF.get(None).sections.values() if isinstance(s, list)]
    rows = [row for section in sections for row in section if isinstance(row, dict)]
    return sorted({word for row in rows for word in row.get("words", ()) if isinstance(word, str)})


def _times(given: Iterable[Turn], renewed: Callable[[Turn], Turn]) -> list[float]:
    """Judge each turn once and give the CPU milliseconds."""
    found = []
    for turn in map(renewed, given):
        began = time.process_time()
        evaluate_turn(turn)
        found.append((time.process_time() - began) * 1000)
    return found


def _lower_bounds() -> list[float]:
    scan = AhoCorasick(_literals())
    found = []
    for raw in [json.dumps(body, ensure_ascii=False) for body in bodies()] * ROUNDS:
        began = time.process_time()
        _lower_bound(raw, scan)
        found.append((time.process_time() - began) * 1000)
    return found


def _lower_bound(raw: str, scan: AhoCorasick) -> int:
    turn = json.loads(raw)
    texts = [turn["draft"]["text"], *(c["text"] for c in turn["draft"]["citations"])]
    return sum(len(scan.find_matches_as_indexes(t)) + len(_NUMBER.findall(t)) for t in texts)


def _middle(times: list[float]) -> float:
    return sorted(times)[len(times) // 2]


def _line(console: Console, name: str, times: list[float]) -> None:
    p95 = sorted(times)[int(len(times) * 0.95)]
    console.print(
        f"{name}: p50 {_middle(times):.3f} ms, p95 {p95:.3f} ms, {1000 * len(times) / sum(times):,.0f}/s on one core"
    )


def _growth(console: Console) -> None:
    renewer = Renewer(2)
    base = turns()[0]
    told = []
    for count in (10, 20, 40, 80):
        times = [_times([renewer.new(_cited(base, count))], lambda turn: turn)[0] for _ in range(ROUNDS)]
        told.append(f"{count}: {_middle(times):.2f} ms, {_middle(times) / count:.2f} each")
    console.print("growth with new citations: " + "; ".join(told))


def _cited(turn: Turn, count: int) -> Turn:
    more = tuple(
        Citation(f"c{i}", f"第{i}栋 {10 + i} 层，建面 {80 + i} 平，物业费每平米 {i}.3 元。") for i in range(count)
    )
    assert turn.draft is not None  # noqa: S101  # the benchmark's turns have drafts
    return replace(turn, draft=replace(turn.draft, citations=more))
