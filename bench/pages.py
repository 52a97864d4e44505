"""Every page of the web view with a million stored drafts: the time that the server takes, p50 and p95."""

import os
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table
from starlette.testclient import TestClient

from bench.storehouse import fill
from gateway import people
from gateway.app import create_app

STORED = int(os.environ.get("BENCH_DRAFTS", "1000000"))
ROUNDS = 30
AIM = 100  # milliseconds at p95
PAGES = {
    "queue": "/",
    "queue, next page": "",
    "queue, a failed check": "/?check=fact_evidence",
    "queue, nobody's agent": "/?agent=nobody",
    "queue, search": "/?search=wb-77777",
    "queue, search for words": "/?search=没有人写过这句话",
    "closed": "/?tab=closed",
    "all, one day's failures": "/?tab=all&since={day}&until={day}&mark=verdict~fail",
    "one draft": "/drafts/d_10",
    "its standing": "/drafts/d_10/standing",
    "deliveries": "/deliveries",
    "deliveries of a customer": "/deliveries?search=wb-700",
    "conversations": "/conversations",
    "conversations, search": "/conversations?search=wb-700",
    "one conversation": "/conversations/b-2",
    "statistics, 7 days": "/statistics",
    "statistics, 90 days": "/statistics?days=90",
    "CSV, 90 days": "/statistics.csv?days=90",
    "settings": "/settings",
    "packs": "/settings/packs",
    "changes": "/settings/history",
    "sandbox": "/sandbox",
}


def run(console: Console) -> bool:
    """Print the table; False when a page misses the aim."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        service = fill(Path(folder), STORED)
        console.print(f"{STORED:,} drafts stored in {time.perf_counter() - began:.0f} s")
        secret = service.run(lambda tx: people.open_session(tx, "lin"))
        client = TestClient(create_app(service, scheduler=False), cookies={"draftgate": secret})
        table = Table("page", "p50 ms", "p95 ms", "CPU p95 ms", title=f"server time with {STORED:,} drafts")
        slow = [name for name, path in PAGES.items() if _row(table, client, name, _place(client, path)) > AIM]
        console.print(table)
        console.print(f"over {AIM} ms of CPU at p95: {', '.join(slow) or 'none'}")
        service.stop()
    return not slow


def _place(client: TestClient, path: str) -> str:
    """Fill in a day of the stored drafts; the empty path is the page behind the first one."""
    if path:
        day = time.strftime("%Y-%m-%d", time.gmtime(time.time() - 20 * 86400))
        return path.replace("{day}", day)
    html = client.get("/").text
    start = html.index('rel="next" href="') + len('rel="next" href="')
    return html[start : html.index('"', start)].replace("&amp;", "&")


def _row(table: Table, client: TestClient, name: str, path: str) -> float:
    walls, busy = [], []
    for _ in range(ROUNDS):
        wall, cpu = time.perf_counter(), time.process_time()
        answer = client.get(path)
        walls.append((time.perf_counter() - wall) * 1000)
        busy.append((time.process_time() - cpu) * 1000)
        if answer.status_code != 200:
            raise RuntimeError(f"{path}: {answer.status_code}")
    walls.sort()
    busy.sort()
    late = int(ROUNDS * 0.95)
    print(f"{name}: p95 {walls[late]:.0f} ms, CPU {busy[late]:.0f} ms", flush=True)
    table.add_row(name, f"{walls[ROUNDS // 2]:.0f}", f"{walls[late]:.0f}", f"{busy[late]:.0f}")
    return busy[late]
