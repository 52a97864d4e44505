"""Run the benchmarks: all, or those named (`python -m bench verdicts drafts`)."""

import sys

from rich.console import Console

from bench import drafts, verdicts

PARTS = {"verdicts": verdicts.run, "drafts": drafts.run}


def main() -> None:
    """Run the parts."""
    console = Console(width=None if sys.stdout.isatty() else 160)
    for name in sys.argv[1:] or PARTS:
        console.rule(name)
        PARTS[name](console)


main()
