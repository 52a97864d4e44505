"""Durable drafts per second over HTTP, beside a bare service that inserts the same payload, in one run."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console

from bench.load import Load
from bench.load import run as load
from bench.postgres import postgres
from bench.server import SECRET
from bench.turns import bodies
from gateway.server import sqlite_url

COUNT = 2000


def run(console: Console) -> None:
    """Print both services' figures and their ratio on both databases."""
    console.print(f"{COUNT} drafts, 16 clients; the client shares the machine")
    with tempfile.TemporaryDirectory() as folder, postgres() as url:
        _compare(
            console, "SQLite with synchronous=FULL", (sqlite_url(Path(folder) / "a"), sqlite_url(Path(folder) / "b"))
        )
        _compare(console, "PostgreSQL", (url, url))


def _compare(console: Console, database: str, urls: tuple[str, str]) -> None:
    bare, bare_cpu = _measure("bare", urls[0])
    full, full_cpu = _measure("gateway", urls[1])
    console.print(f"on {database}")
    for name, got, cpu in (("bare FastAPI + durable insert", bare, bare_cpu), ("POST /v1/drafts", full, full_cpu)):
        console.print(
            f"  {name}: {got.per_second:,.0f}/s, p50 {got.p50:.1f} ms, p95 {got.p95:.1f} ms, "
            f"{cpu:.2f} ms CPU a draft, {got.failed} failed"
        )
    console.print(f"  ratio {full.per_second / bare.per_second:.2f} (aim 0.5), CPU ratio {bare_cpu / full_cpu:.2f}")


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
        process.send_signal(signal.SIGINT)
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
