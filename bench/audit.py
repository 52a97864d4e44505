"""The audit of many generated replies on two workers: speed, memory over time, and what a kill in the middle changes.

`AUDIT_ROWS=1000000 python -m bench audit`, its files in `AUDIT_FOLDER`. Every step keeps its result there, so that the
same command goes on after a stop. The kill is tried on the first rows, once disturbed and once not.
"""

import hashlib
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.replies import write
from bench.sets import ROOT

WORKERS = 2
SAMPLE = 50_000  # rows of the run that is killed
EVERY = 2.0  # seconds between two looks at the memory
_MB = 1024
COMMAND = "from gateway.cli import main; main()"  # the program of this folder, wherever another one is installed
Json = dict[str, Any]


def run(console: Console) -> bool:
    """Measure, print the table, and say whether the killed run gave the same bytes as the undisturbed one."""
    count = int(os.environ.get("AUDIT_ROWS", str(SAMPLE)))
    folder = Path(os.environ.get("AUDIT_FOLDER", str(Path(tempfile.gettempdir()) / "draftgate-audit"))).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    sample = min(count, SAMPLE)
    steps = [("undisturbed", sample, False), ("killed and started again", sample, True)]
    if count > sample:
        steps.append(("large", count, False))
    done = [_step(console, folder, *step) for step in steps]
    console.print(_table(done))
    same = done[0]["digest"] == done[1]["digest"]
    console.print(
        f"output of the killed run: {'the same bytes' if same else 'OTHER BYTES'} ({done[1]['digest'][:16]}…)"
    )
    for name, values in _over_time(done[-1]):
        console.print(f"memory of '{done[-1]['name']}' {name}: {values}")
    return same


def _step(console: Console, folder: Path, name: str, rows: int, kill: bool) -> Json:
    kept = folder / f"{name.replace(' ', '-')}-{rows}.json"
    if kept.exists():
        return dict(json.loads(kept.read_text()))
    source = folder / f"replies-{rows}.parquet"
    if not source.exists():
        console.print(f"writing {rows:,} replies to {source}")
        write(source, rows)
    console.print(f"{name}: {rows:,} replies")
    out = folder / kept.stem
    before = _spent()
    samples: list[tuple[float, float, float]] = []
    began = time.monotonic()
    if kill:
        _audit(source, out, samples, began, stop=lambda: _finished(out) >= _shards(out) // 2 > 0)
    _audit(source, out, samples, began)
    result = {
        "name": name,
        "rows": rows,
        "killed": kill,
        "seconds": time.monotonic() - began,
        "cpu": _spent() - before,
        "digest": hashlib.sha256((out / "verdicts.parquet").read_bytes()).hexdigest(),
        "memory": samples,
    }
    kept.write_text(json.dumps(result))
    return result


def _audit(
    source: Path,
    out: Path,
    samples: list[tuple[float, float, float]],
    began: float,
    stop: Callable[[], bool] = lambda: False,
) -> None:
    """Run the command in a process of its own and look at its memory; `stop` says when to kill it."""
    program = [sys.executable, "-c", COMMAND]
    command = [*program, "audit", str(source), "--out", str(out), "--workers", str(WORKERS)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=ROOT)
    while process.poll() is None:
        time.sleep(EVERY)
        family = _family(process.pid)
        sizes = [_size(pid) for pid in family]
        samples.append((round(time.monotonic() - began, 1), round(sum(sizes), 1), round(max(sizes, default=0.0), 1)))
        if stop():
            process.send_signal(signal.SIGKILL)
            process.wait()
            _wait_for_end(family)
            return
    if process.returncode:
        sys.exit(f"draftgate audit ended with {process.returncode}")


def _wait_for_end(family: list[int]) -> None:
    """Wait until the workers have noticed: none may live on."""
    until = time.monotonic() + 10
    while any(Path(f"/proc/{pid}").exists() for pid in family):
        if time.monotonic() > until:
            sys.exit("workers outlived the process that was killed")
        time.sleep(0.1)


def _finished(out: Path) -> int:
    return len(list((out / "shards").glob("*.parquet")))


def _shards(out: Path) -> int:
    manifest = out / "manifest.json"
    return int(json.loads(manifest.read_text())["shards"]) if manifest.exists() else 0


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _family(pid: int) -> list[int]:
    """List a process and its children's children."""
    found = [pid]
    for one in found:
        try:
            found += [int(child) for child in Path(f"/proc/{one}/task/{one}/children").read_text().split()]
        except OSError:
            continue
    return found


def _size(pid: int) -> float:
    """Give a process's own share of memory in MB (pages that several use are divided among them)."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / _MB for line in lines if line.startswith("Pss:")), 0.0)


def _table(done: list[Json]) -> Table:
    table = Table(title=f"audit, {WORKERS} workers", title_justify="left")
    for column in (
        "run",
        "replies",
        "minutes",
        "replies/s",
        "ms CPU each",
        "memory at most, MB",
        "largest process, MB",
    ):
        table.add_column(column, justify="left" if column == "run" else "right")
    for one in done:
        table.add_row(
            one["name"],
            f"{one['rows']:,}",
            f"{one['seconds'] / 60:.1f}",
            f"{one['rows'] / one['seconds']:,.0f}",
            # workers whose parent was killed end unseen, and so does the time they took
            "–" if one["killed"] else f"{1000 * one['cpu'] / one['rows']:.2f}",
            f"{max(total for _, total, _ in one['memory']):,.0f}",
            f"{max(largest for _, _, largest in one['memory']):,.0f}",
        )
    return table


def _over_time(one: Json) -> list[tuple[str, str]]:
    """Tell the memory at ten moments of a run, evenly spaced."""
    samples = one["memory"]
    chosen = [samples[round(i * (len(samples) - 1) / 9)] for i in range(10)] if samples else []
    return [("over time, MB", ", ".join(f"{total:,.0f}" for _, total, _ in chosen))]
