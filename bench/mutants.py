"""Count the changed drafts that still pass: `python -m bench.mutants [FOLDER OR FILE …] [--list] [--kind KIND]`.

For every good draft that passes, one fact is changed at a time, and its evidence is taken away. What still passes is a
survivor; `--list` prints each.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.mutations import TARGETED, mutants, spoiled
from bench.sets import Sample, draft_files, own_sets, samples
from gateway.evaluate import evaluate_turn
from planner.turn import Turn
from verifier.claims import Status
from verifier.verdict import Judged


@dataclass
class Tally:
    """How many were made and how many passed, by kind, with the survivors."""

    drafts: int = 0
    made: Counter[str] = field(default_factory=Counter)
    passed: Counter[str] = field(default_factory=Counter)
    survivors: list[tuple[str, str, str]] = field(default_factory=list)


def judged(turn: Turn) -> Judged | None:
    """Judge a turn; None when it could not be judged."""
    verdict = evaluate_turn(turn).verdict
    return verdict if isinstance(verdict, Judged) else None


def count(given: Iterable[Sample], kinds: frozenset[str] = frozenset()) -> Tally:
    """Change every good draft that passes and judge what comes of it."""
    tally = Tally()
    for sample in given:
        evaluated = evaluate_turn(sample.turn)
        verdict = evaluated.verdict
        if not sample.good or not isinstance(verdict, Judged) or not verdict.passed:
            continue
        tally.drafts += 1
        for mutant in mutants(evaluated.reading, verdict.claims):
            if kinds and mutant.kind not in kinds:
                continue
            _add(tally, mutant.kind, mutant.turn, f"{mutant.was!r} → {mutant.now!r} in {mutant.claim!r}")
        if _rests_on_sources(verdict):
            for how, turn in spoiled(sample.turn):
                if not kinds or how in kinds:
                    _add(tally, how, turn, "")
    return tally


def _rests_on_sources(verdict: Judged) -> bool:
    """Whether a supported claim rests on a citation or a tool result; the customer's own words cannot be spoiled."""
    return any(c.status is Status.SUPPORTED and _sources(c.evidence) for c in verdict.claims)


def _sources(located: Iterable[object]) -> bool:
    return any(not str(getattr(place, "id", "")).startswith(("m", "slot:")) for place in located)


def _add(tally: Tally, kind: str, turn: Turn, how: str) -> None:
    tally.made[kind] += 1
    verdict = judged(turn)
    if verdict is not None and verdict.passed:
        tally.passed[kind] += 1
        tally.survivors.append((kind, turn.id, f"{how} | {turn.draft.text if turn.draft else ''}"))


def table(tally: Tally, title: str) -> Table:
    """Lay the counts out by kind."""
    shown = Table(title=f"{title}: {tally.drafts} drafts that pass", title_justify="left")
    for name in ("changed", "made", "still pass", "share"):
        shown.add_column(name, justify="left" if name == "changed" else "right")
    for kind in sorted(tally.made, key=lambda k: (k not in TARGETED, k)):
        made, passed = tally.made[kind], tally.passed[kind]
        shown.add_row(kind, str(made), str(passed), f"{passed / made:.3f}")
    return shown


def main() -> None:
    """Print a table per file."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("paths", nargs="*", type=Path, help="folders or files; the sets of eval/ when none is given")
    asked.add_argument("--list", action="store_true", help="print every survivor")
    asked.add_argument("--kind", action="append", default=[], help="only this kind of change; may be repeated")
    given = asked.parse_args()
    console = Console(width=None if sys.stdout.isatty() else 200, soft_wrap=True)
    for file in draft_files(given.paths or own_sets()):
        tally = count(samples(file), frozenset(given.kind))
        console.print(table(tally, str(file)))
        for kind, name, how in tally.survivors if given.list else ():
            console.print(f"{kind} {name}: {how}", markup=False, highlight=False)


if __name__ == "__main__":
    main()
