"""Verdicts on one core, in CPU time, beside the lower bound: JSON, one multi-pattern scan, one number regex."""

import json
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable

from ahocorasick_rs import AhoCorasick
from rich.console import Console

from bench.turns import bodies, turns
from gateway.evaluate import SHELF, evaluate_turn, warm_up

ROUNDS = 30
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def run(console: Console) -> None:
    """Print CPU milliseconds per draft and verdicts per second."""
    warm_up(SHELF)
    given = turns()
    raw = [json.dumps(body, ensure_ascii=False) for body in bodies()]
    scan = AhoCorasick(_literals())
    verdict = _times([lambda t=t: evaluate_turn(t) for t in given])
    bound = _times([lambda r=r: _lower_bound(r, scan) for r in raw])
    _line(console, "plan + verify", verdict)
    _line(console, "lower bound (JSON + scan + number regex)", bound)
    console.print(f"  ratio of p50: {verdict[len(verdict) // 2] / bound[len(bound) // 2]:.0f}")
    _growth(console)
    _alone(console)


def _literals() -> list[str]:
    """Give every literal word of the default pack."""
    sections = [s for s in SHELF.get(None).sections.values() if isinstance(s, list)]
    rows = [row for section in sections for row in section if isinstance(row, dict)]
    return sorted({word for row in rows for word in row.get("words", ()) if isinstance(word, str)})


def _times(jobs: list[Callable[[], object]]) -> list[float]:
    for job in jobs:
        job()
    found = []
    for _ in range(ROUNDS):
        for job in jobs:
            began = time.process_time()
            job()
            found.append((time.process_time() - began) * 1000)
    return sorted(found)


def _line(console: Console, name: str, times: list[float]) -> None:
    p50, p95 = times[len(times) // 2], times[int(len(times) * 0.95)]
    per_second = 1000 * len(times) / sum(times)
    console.print(f"{name}: p50 {p50:.3f} ms, p95 {p95:.3f} ms, {per_second:,.0f}/s on one core")


def _lower_bound(raw: str, scan: AhoCorasick) -> int:
    turn = json.loads(raw)
    texts = [turn["draft"]["text"], *(c["text"] for c in turn["draft"]["citations"])]
    return sum(len(scan.find_matches_as_indexes(t)) + len(_NUMBER.findall(t)) for t in texts)


def _growth(console: Console) -> None:
    from dataclasses import replace

    from planner.turn import Citation

    base = turns()[0]
    told = []
    for count in (10, 20, 40, 80):
        more = tuple(
            Citation(f"c{i}", f"第{i}栋 {10 + i} 层，建面 {80 + i} 平，物业费每平米 {i} 元。") for i in range(count)
        )
        turn = replace(base, draft=replace(base.draft, citations=more))  # type: ignore[arg-type,type-var]  # it has a draft
        times = _times([lambda t=turn: evaluate_turn(t)])
        told.append(f"{count}: {times[len(times) // 2]:.2f} ms")
    console.print("growth with citations: " + ", ".join(told))


def _alone(console: Console) -> None:
    code = (
        "import time, resource; c = time.process_time(); import planner.plan, verifier.verify; "
        "from planner.pack import load_pack; i = time.process_time() - c; load_pack('property'); "
        "print(f'import {i:.2f} s CPU, resident {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    console.print(f"planner + verifier alone: {done.stdout.strip()}")
    console.print(f"this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB resident")
