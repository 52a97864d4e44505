"""What the worst judge could do: it quotes, for every clause it may confirm, every passage there is.

    python -m bench.lying_judge eval/set1

A good draft that passes only so is what an honest judge might win; a faulty one is what a lying judge lets through.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.sets import Sample, draft_files, own_sets, samples
from gateway.evaluate import SHELF
from planner.plan import plan
from planner.reading import read_turn
from verifier.briefs import Scene, open_clauses, sentences
from verifier.counsel import Confirmation
from verifier.verdict import Judged
from verifier.verify import verify

COLUMNS = ("good", "faulty", "open_good", "open_faulty", "won_good", "let_through")


def tried(sample: Sample) -> Iterator[str]:
    """Name what happens to one draft: its kind, whether a clause is open to a judge, whether it passes by lies."""
    kind = "good" if sample.good else "faulty"
    yield kind
    reading = read_turn(sample.turn, SHELF.get(sample.turn.pack))
    reply_plan = plan(reading)
    verdict = verify(reading, reply_plan)
    if not isinstance(verdict, Judged) or verdict.passed:
        return
    scene = Scene.of(reading)
    numbers = open_clauses(scene, verdict)
    if not numbers:
        return
    yield f"open_{kind}"
    again = verify(reading, reply_plan, confirmations=tuple(_lies(scene, numbers)))
    if isinstance(again, Judged) and again.passed:
        yield "won_good" if sample.good else "let_through"


def _lies(scene: Scene, numbers: list[int]) -> Iterator[Confirmation]:
    for number in numbers:
        span = scene.span(scene.assertions[number - 1])
        for source in scene.scope.sources:
            for words, quotes in sentences(source):
                yield from (Confirmation(*span, source.id, quote) for quote in (words, *quotes))


def main() -> None:
    """Print one row per file."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("paths", nargs="*", type=Path, help="folders or files; the sets of eval/ when none is given")
    given = asked.parse_args()
    shown = Table(title="what a judge that lies about everything changes", title_justify="left")
    for name in ("set", *COLUMNS):
        shown.add_column(name.replace("_", " "), justify="left" if name == "set" else "right")
    for file in draft_files(given.paths or own_sets()):
        found = Counter(word for sample in samples(file) for word in tried(sample))
        shown.add_row(f"{file.parent.name}/{file.stem}", *(str(found[name]) for name in COLUMNS))
    Console(width=None if sys.stdout.isatty() else 160).print(shown)


if __name__ == "__main__":
    main()
