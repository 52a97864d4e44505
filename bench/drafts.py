"""Durable drafts per second over HTTP, beside two bare services that insert the same payload, in one run.

The first only stores; the second also plans and verifies each turn, so that the difference to it is what the gateway
adds: keys, repeats, conversations, moments, audit, queue.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from bench.load import Load
from bench.load import run as load
from bench.postgres import postgres
from bench.server import SECRET
from bench.turns import bodies
from gateway.server import sqlite_url

COUNT = 2000


SERVICES = {
    "bare": "bare FastAPI + durable insert, no verdict",
    "judging": "the same with the verdict: the bare parts together",
    "gateway": "POST /v1/drafts",
}


def run(console: Console) -> None:
    """Print the services' figures and the gateway's ratio to each of the others, on both databases."""
    console.print(f"{COUNT} drafts, 16 clients; the client shares the machine")
    with tempfile.TemporaryDirectory() as folder, postgres() as url:
        _compare(console, "SQLite with synchronous=FULL", lambda which: sqlite_url(Path(folder) / which))
        _compare(console, "PostgreSQL", lambda _which: url)


def _compare(console: Console, database: str, url_of: Callable[[str], str]) -> None:
    console.print(f"on {database}")
    got = {which: _measure(which, url_of(which)) for which in SERVICES}
    for which, (told, cpu) in got.items():
        console.print(
            f"  {SERVICES[which]}: {told.per_second:,.0f}/s, p50 {told.p50:.1f} ms, p95 {told.p95:.1f} ms, "
            f"{cpu:.2f} ms CPU a draft, {told.failed} failed"
        )
    full, full_cpu = got["gateway"]
    for which, aim in (("bare", " (aim 0.5)"), ("judging", "")):
        other, cpu = got[which]
        rate = f"{full.per_second / other.per_second:.2f}{aim}"
        console.print(f"  ratio to {SERVICES[which]}: {rate}, CPU {cpu / full_cpu:.2f}")


def _measure(which: str, url: str) -> tuple[Load, float]:
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.server", which, url, str(COUNT)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[1],
    )
    try:
        port = int((process.stdout or sys.exit("no output")).readline())
        headers = {"Authorization": f"Bearer {SECRET}"}
        given = _payloads()
        load(port, "/v1/drafts", given[:200], headers)
        before = _cpu(process.pid)
        got = load(port, "/v1/drafts", given[200:], headers, "measured")
        return got, 1000 * (_cpu(process.pid) - before) / (len(given) - 200)
    finally:
        process.terminate()
        process.wait(30)


def _payloads() -> list[bytes]:
    kinds = bodies()
    found = []
    for number in range(COUNT):
        body = json.loads(json.dumps(kinds[number % len(kinds)]))
        body["id"] = f"t-{number}"
        body["conversation"]["id"] = f"c-{number}"
        found.append(json.dumps(body, ensure_ascii=False).encode())
    return found


def _cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
