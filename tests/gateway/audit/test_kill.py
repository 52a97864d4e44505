"""A real process, killed in the middle: its workers end with it, and the same command gives the same bytes."""

import hashlib
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

from gateway.audit.judging import Rules
from tests.gateway.audit.kit import audited, rows, write

COMMAND = "from gateway.cli import main; main()"
WAIT = 300  # seconds; a loaded machine takes its time to start


def start(tmp_path, out):
    return subprocess.Popen(
        [
            *(sys.executable, "-c", COMMAND, "audit", str(tmp_path / "in.jsonl"), "--out", str(out)),
            *("--shard-rows", "10", "--workers", "1"),
        ],
        cwd=Path(__file__).parents[3],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def until(condition):
    end = time.monotonic() + WAIT
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def children(pid):
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_killed_and_started_again(tmp_path):
    write(tmp_path / "in.jsonl", rows(200))
    first = start(tmp_path, tmp_path / "out")
    shards = tmp_path / "out" / "shards"
    with first:
        try:
            until(lambda: len(list(shards.glob("*.parquet"))) >= 2)
            family = children(first.pid)
        finally:
            first.send_signal(signal.SIGKILL)
    until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in family))
    assert not (tmp_path / "out" / "verdicts.parquet").exists()
    again = start(tmp_path, tmp_path / "out")
    told = again.communicate(timeout=WAIT)[1]
    assert (again.returncode, "were done before" in told) == (0, True), told
    audited(str(tmp_path / "in.jsonl"), tmp_path / "whole", Rules())
    kept = ("verdicts.parquet", "bad.jsonl", "manifest.json")
    sums = [[hashlib.sha256((tmp_path / o / n).read_bytes()).hexdigest() for n in kept] for o in ("out", "whole")]
    assert sums[0] == sums[1]
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["rows"] == 200
