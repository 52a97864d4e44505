"""Drafts with their expectations, read from evaluation folders (`eval/set1`) or single files of the same format."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from gateway.contract import parse, to_turn
from gateway.wire import TurnIn
from planner.turn import Turn

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class Sample:
    """One line of a drafts file; `good`: it names no fault; `tagged`: scenarios are expected to be found in it."""

    file: Path
    turn: Turn
    good: bool
    tagged: bool


def own_sets() -> list[Path]:
    """List the folders that come with the repository."""
    return sorted(path for path in (ROOT / "eval").iterdir() if path.is_dir())


def draft_files(paths: Iterable[Path], *, grounded: bool | None = None) -> list[Path]:
    """List the drafts files among some folders and files; `grounded` keeps one kind only."""
    found = [file for path in paths for file in (sorted(path.glob("drafts*.jsonl")) if path.is_dir() else [path])]
    return [file for file in found if grounded is None or ("grounded" in file.name) is grounded]


def samples(file: Path) -> Iterator[Sample]:
    """Read a drafts file line by line."""
    for line in file.read_text("utf-8").splitlines():
        if line.strip():
            yield _sample(file, json.loads(line))


def _sample(file: Path, row: dict[str, Any]) -> Sample:
    expect = row.get("expect", {})
    raw = json.dumps(row["turn"], ensure_ascii=False).encode()
    turn = to_turn(parse(TurnIn, raw), datetime.now(UTC))
    return Sample(file, turn, not expect.get("fails"), bool(expect.get("scenarios")))
