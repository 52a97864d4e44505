"""Run the benchmarks: all, or those named (`python -m bench verdicts drafts`); the long ones only by name."""

import sys

from rich.console import Console

from bench import audit, balance, callbacks, crash, drafts, growth, hostile, memory, outbox, pages, soak, verdicts

PARTS = {
    "verdicts": verdicts.run,
    "memory": memory.run,
    "drafts": drafts.run,
    "callbacks": callbacks.run,
    "outbox": outbox.run,
    "growth": growth.run,
    "pages": pages.run,
}
LONG = {"audit": audit.run, "hostile": hostile.run, "balance": balance.run, "crash": crash.run, "soak": soak.run}


def main() -> None:
    """Run the parts; the exit status is 1 if one of them found something wrong."""
    console = Console(width=None if sys.stdout.isatty() else 160)
    found = []
    for name in sys.argv[1:] or PARTS:
        console.rule(name)
        found.append((PARTS | LONG)[name](console))
    sys.exit(int(False in found))


if __name__ == "__main__":  # processes that are forked read this file too
    main()
