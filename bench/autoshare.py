"""Say how much would be sent by itself in auto: `python -m bench.autoshare [FOLDER OR FILE …]`.

Of the good drafts to turns without a scenario, the share that `decide()` sends: as they are, with the agent's
declarations, and after one rewrite by the example agent. Beside it stand the faulty drafts: how many are sent, and how
many still say what was wrong.
"""

import argparse
import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.sets import ROOT, draft_files, own_sets
from gateway.contract import parse, to_turn
from gateway.evaluate import Evaluated, evaluate_turn
from gateway.gate import Action, Decision, Mode, Situation, decide
from gateway.wire import TurnIn
from planner.turn import Turn
from verifier.verdict import Judged

sys.path.insert(0, str(ROOT / "examples"))
from mending import PENDING, mend  # the example agent lives beside the package

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one draft: sent at once, sent after its rewrite, and whether that only says "I'll check"."""

    good: bool
    tagged: bool
    first: bool
    second: bool
    bare: bool = False
    still_wrong: bool = False


def outcome(row: Json) -> Outcome:
    """Decide one draft as auto mode would, with the one rewrite."""
    expect = row.get("expect", {})
    faults = [fault.get("clause") or "" for fault in expect.get("fails", [])]
    evaluated, decision = _decided(row["turn"], rewrite_used=False)
    base = Outcome(not faults, bool(expect.get("scenarios")), decision.action is Action.SEND, second=False)
    text = row["turn"]["draft"]["text"]
    if decision.action is Action.REWRITE and isinstance(evaluated.verdict, Judged):
        fixes = [{"type": f.type, "target": f.target, "detail": f.detail} for f in evaluated.verdict.fix_actions]
        draft = mend(row["turn"]["draft"], fixes)
        _, decision = _decided(row["turn"] | {"draft": draft}, rewrite_used=True)
        text = draft["text"]
    sent = decision.action is Action.SEND
    unchanged = text == row["turn"]["draft"]["text"]
    wrong = sent and any(clause in text if clause else unchanged for clause in faults)
    return replace(base, second=sent, bare=sent and text.strip() in PENDING, still_wrong=wrong)


def _decided(raw: Json, *, rewrite_used: bool) -> tuple[Evaluated, Decision]:
    turn = _turn(raw)
    evaluated = evaluate_turn(turn)
    situation = Situation(
        Mode.AUTO, turn.conversation.chat_type, rewrite_used=rewrite_used, unanswered=bool(turn.conversation.unanswered)
    )
    human = evaluated.draft_requires_human
    return evaluated, decide(evaluated.plan, evaluated.verdict, situation, draft_requires_human=human)


def _turn(raw: Json) -> Turn:
    wire = parse(TurnIn, json.dumps(raw, ensure_ascii=False).encode())
    if wire.now is None:
        sys.exit(f"{wire.id}: the turn has no now, so that dates in it could not be read")
    return to_turn(wire, wire.now)


@dataclass(frozen=True, slots=True)
class Shares:
    """Shares of one file; None where there is nothing to count."""

    good: int
    faulty: int
    first: float | None
    second: float | None
    bare: float | None
    faulty_first: float | None
    faulty_second: float | None
    still_wrong: float | None


def shares(found: Iterable[Outcome]) -> Shares:
    """Sum outcomes up. Good drafts count in turns without a scenario, faulty ones in all turns."""
    seen = list(found)
    good = [o for o in seen if o.good and not o.tagged]
    faulty = [o for o in seen if not o.good]
    return Shares(
        len(good),
        len(faulty),
        _share(o.first for o in good),
        _share(o.second for o in good),
        _share(o.bare for o in good),
        _share(o.first for o in faulty),
        _share(o.second for o in faulty),
        _share(o.still_wrong for o in faulty),
    )


def _share(flags: Iterable[bool]) -> float | None:
    held = list(flags)
    return sum(held) / len(held) if held else None


def rows(file: Path) -> list[Json]:
    """Read the lines of a drafts file."""
    return [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]


COLUMNS = (
    "set",
    "good, untagged",
    "sent at once",
    "after one rewrite",
    'of these only "I\'ll check"',
    "faulty",
    "sent at once",
    "after one rewrite",
    "still wrong",
)


def main() -> None:
    """Print one row per file."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("paths", nargs="*", type=Path, help="folders or files; the sets of eval/ when none is given")
    given = asked.parse_args()
    shown = Table(title="what auto mode would send", title_justify="left")
    for name in COLUMNS:
        shown.add_column(name, justify="left" if name == "set" else "right")
    for file in draft_files(given.paths or own_sets()):
        s = shares(outcome(row) for row in rows(file))
        good = (_shown(v) for v in (s.first, s.second, s.bare))
        bad = (_shown(v) for v in (s.faulty_first, s.faulty_second, s.still_wrong))
        shown.add_row(f"{file.parent.name}/{file.stem}", str(s.good), *good, str(s.faulty), *bad)
    Console(width=None if sys.stdout.isatty() else 180).print(shown)


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


if __name__ == "__main__":
    main()
