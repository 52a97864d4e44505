"""JSON lines in, JSON lines out: the shape of every command that reads a file of turns."""

import json
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

from rich.console import Console
from rich.progress import Progress

from gateway.contract import parse, plan_record, quantity_record, to_turn
from gateway.errors import GatewayError
from gateway.evaluate import evaluate_turn, plan_turn, stateless_record
from gateway.jsonio import InputError
from gateway.packs import PackShelf
from gateway.wire import ReadIn, TurnIn
from planner.reading import read_text
from verifier.advice import Likeness
from verifier.counsel import Counsel

Work = Callable[[bytes], dict[str, Any]]


def evaluate_line(shelf: PackShelf, likeness: Likeness | None = None, counsel: Counsel | None = None) -> Work:
    """Answer one turn with its evaluation."""

    def work(raw: bytes) -> dict[str, Any]:
        turn = to_turn(parse(TurnIn, raw), datetime.now(UTC))
        return stateless_record(evaluate_turn(turn, shelf, likeness=likeness, counsel=counsel))

    return work


def plan_line(shelf: PackShelf) -> Work:
    """Answer one turn with its plan."""

    def work(raw: bytes) -> dict[str, Any]:
        return plan_record(plan_turn(to_turn(parse(TurnIn, raw), datetime.now(UTC)), shelf))

    return work


def read_line(raw: bytes) -> dict[str, Any]:
    """Answer one text with its quantities."""
    wire = parse(ReadIn, raw)
    text = read_text(wire.text, wire.now or datetime.now(UTC).astimezone())
    return {"id": wire.id, "quantities": [quantity_record(text.text, q) for q in text.quantities]}


def run_lines(path: Path, work: Work) -> int:
    """Answer each line of a file (`-` is standard input) on standard output; the exit status is 1 if a line was bad.

    A bad line yields `{id, error: {field, message}}` and the others go on. Progress goes to standard error.
    """
    with _open(path) as lines:
        bad = False
        for raw in _with_progress(lines, path):
            if not raw.strip():
                continue
            try:
                answer = work(raw)
            except InputError as error:
                bad = True
                answer = {"id": _id_of(raw), "error": {"field": error.field, "message": error.message}}
            except GatewayError as error:
                bad = True
                answer = {"id": _id_of(raw)} | error.record()
            sys.stdout.write(json.dumps(answer, ensure_ascii=False, allow_nan=False) + "\n")
    return int(bad)


def _open(path: Path) -> BinaryIO:
    return sys.stdin.buffer if str(path) == "-" else path.open("rb")


def _with_progress(lines: BinaryIO, path: Path) -> Iterator[bytes]:
    console = Console(stderr=True)
    if not console.is_terminal or str(path) == "-":
        yield from lines
        return
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task(path.name, total=path.stat().st_size)
        for raw in lines:
            yield raw
            progress.advance(task, len(raw))


def _id_of(raw: bytes) -> Any:
    try:
        document = json.loads(raw)
    except ValueError:
        return None
    return document.get("id") if isinstance(document, dict) else None
