"""How far an audit is: a bar with rate and time left on a terminal, else a line every few seconds."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

EVERY = 15.0  # seconds between two lines where there is no terminal


@contextmanager
def progress(console: Console, name: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show how many of so many rows are done; the function that is given hears of each piece."""
    meter = _Meter(total)
    if not console.is_terminal:

        def told(rows: int) -> None:
            if line := meter.count(rows):
                console.print(f"{name}: {line}", highlight=False, soft_wrap=True)

        yield told
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"))
    with Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=console) as bar:
        task = bar.add_task(name, total=total, rate="")

        def moved(rows: int) -> None:
            meter.count(rows)
            bar.update(task, advance=rows, rate=f"{meter.rate:,.0f}/s")

        yield moved


class _Meter:
    """Counts rows and tells their speed; the first count is what an earlier run had done, which has none."""

    def __init__(self, total: int) -> None:
        self._total, self._done = total, 0
        self._before: int | None = None
        self._began = self._told = time.monotonic()
        self.rate = 0.0

    def count(self, rows: int) -> str:
        """Count rows; gives a line when it is time for one."""
        now = time.monotonic()
        self._done += rows
        if self._before is None:
            self._before, self._began = rows, now
            return f"{rows:,} of {self._total:,} were done before" if rows else ""
        self.rate = (self._done - self._before) / max(now - self._began, 0.001)
        if now - self._told < EVERY and self._done < self._total:
            return ""
        self._told = now
        left = (self._total - self._done) / self.rate if self.rate else 0
        return f"{self._done:,} of {self._total:,}, {self.rate:,.0f}/s, about {left / 60:.0f} min left"
