"""A soak: one gateway as it is served, half an hour of mixed traffic at a fixed rate (SOAK_MINUTES, SOAK_RATE).

Customers ask and complain on simulated phones, encrypted callbacks tell of it, an agent answers, rewrites and errs, an
operator approves in own words and writes. Memory must stay flat, nothing may pile up, answers must stay as quick.
"""

import itertools
import os
import queue
import random
import statistics
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
from rich.console import Console
from rich.table import Table

from bench.feed import SAID, body_of
from bench.served import KEY, Served, served
from gateway.service import Service
from gateway.tables import DraftRow, InboxRow, OutboundRow
from gateway.tx import table_of
from outbound.simulator.run import Running

RATE = float(os.environ.get("SOAK_RATE", "3"))  # customers' messages a second
CUSTOMERS = 300
COMPLAINT = "我要投诉你们店"
HANDOFF = "我这就把您转给负责的同事处理。"
BAD = "这套挂牌价289万。"
OWN_WORDS = "非常抱歉给您添麻烦了，我是店长，马上处理。"
BARS = "▁▂▃▄▅▆▇█"
OPEN_DRAFTS = ("evaluating", "awaiting_rewrite", "approved", "queued", "sending", "held")


@dataclass(frozen=True)
class Slot:
    """One stretch of the run: megabytes resident, threads, open files, rows that wait, seconds until answers arrived."""

    memory: float
    threads: int
    files: int
    waiting: int
    answered: int
    p50: float
    p95: float


class Traffic:
    """Everybody who acts on the gateway; `stop` ends them all."""

    def __init__(self, platform: Running, url: str) -> None:
        self._platform, self._url = platform, url
        self._asked: dict[str, tuple[float, int]] = {}
        self._lock = threading.Lock()
        self._held: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._chance = random.Random(5)
        self._over = threading.Event()
        self.times: list[float] = []
        self.failed: list[str] = []
        jobs = (self._ask, self._listen, self._answer, self._decide)
        self._threads = [threading.Thread(target=job, daemon=True) for job in jobs]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join(30)

    def taken(self) -> list[float]:
        """Give the waiting times since the last call."""
        with self._lock:
            times, self.times = self.times, []
        return times

    def open(self) -> int:
        """Count the customers who wait for an answer."""
        with self._lock:
            return len(self._asked)

    def _ask(self) -> None:
        begun = time.monotonic()
        for number in itertools.count():
            pause = begun + number / RATE - time.monotonic()
            if self._over.wait(max(0.0, pause)):
                return
            name = f"wm_{number % CUSTOMERS}"
            said = COMPLAINT if self._chance.random() < 0.1 else SAID[number // CUSTOMERS % len(SAID)][0]
            with self._lock:
                if name in self._asked:
                    continue  # who still waits does not ask again
                self._asked[name] = (time.monotonic(), self._shown(name))
            self._platform.simulator.people.says(name, said)

    def _shown(self, name: str) -> int:
        return len(self._platform.simulator.world.arrived(name))

    def _listen(self) -> None:
        """Note when an answer is on the phone."""
        while not self._over.wait(0.02):
            with self._lock:
                waiting = list(self._asked.items())
            for name, (since, before) in waiting:
                if self._shown(name) > before:
                    with self._lock:
                        self._asked.pop(name)
                        self.times.append(time.monotonic() - since)

    def _client(self) -> httpx2.Client:
        return httpx2.Client(base_url=self._url, headers={"Authorization": f"Bearer {KEY}"}, timeout=30)

    def _answer(self) -> None:
        with self._client() as client:
            while not self._over.is_set():
                for row in client.get("/v1/inbox?wait=1&limit=20").json()["items"]:
                    self._draft(client, row)

    def _draft(self, client: httpx2.Client, row: dict[str, Any]) -> None:
        cid = row["conversationId"]
        talk = client.get(f"/v1/conversations/{cid}").json()
        asked = [m["text"] for m in talk["messages"] if m["role"] == "customer"][-1]
        told = HANDOFF if asked == COMPLAINT else dict(SAID)[asked]
        errs = asked != COMPLAINT and self._chance.random() < 0.2
        body = body_of(cid, row["id"], BAD if errs else told)
        body["draft"]["requiresHuman"] = asked == COMPLAINT
        done = client.post("/v1/drafts", json=body, headers={"Idempotency-Key": row["id"]})
        if done.status_code != 200:
            self.failed.append(f"draft: {done.status_code} {done.text[:200]}")
            return
        state, draft_id = done.json()["state"], done.json()["draftId"]
        if state == "awaiting_rewrite":
            state = self._rewrite(client, draft_id, body["draft"] | {"text": told})
        if state == "held":
            self._held.put(draft_id)

    def _rewrite(self, client: httpx2.Client, draft_id: str, draft: dict[str, Any]) -> str:
        done = client.post(f"/v1/drafts/{draft_id}/rewrite", json=draft)
        return str(done.json().get("state", "failed"))

    def _decide(self) -> None:
        """Approve what is held in the operator's own words; look at the metrics now and then."""
        with self._client() as client:
            while not self._over.is_set():
                client.get("/metrics")
                with suppress(queue.Empty):
                    self._approve(client, self._held.get(timeout=1))

    def _approve(self, client: httpx2.Client, draft_id: str) -> None:
        shown = client.get(f"/v1/drafts/{draft_id}").json()
        talk = client.get(f"/v1/conversations/{shown['conversationId']}").json()
        order = {
            "version": shown["version"],
            "textSha256": shown["textSha256"],
            "lastSeenMessageId": talk["newestMessageId"],
            "text": f"{OWN_WORDS}{'。' * self._chance.randrange(3)}",
            "confirmStale": True,
        }
        done = client.post(f"/v1/drafts/{draft_id}/approve", json=order)
        if done.status_code not in (200, 409):
            self.failed.append(f"approve: {done.status_code} {done.text[:200]}")


def soak(minutes: float, slots: int = 12) -> tuple[list[Slot], list[str]]:
    """Run; gives the slots and what is wrong."""
    with served() as gateway:
        traffic = Traffic(gateway.platform, gateway.url)
        traffic.start()
        found = []
        for _ in range(slots):
            time.sleep(minutes * 60 / slots)
            found.append(_slot(gateway, traffic))
        traffic.stop()
        return found, [*traffic.failed[:10], *judge(found)]


def _slot(gateway: Served, traffic: Traffic) -> Slot:
    times = sorted(traffic.taken()) or [0.0]
    status = dict(line.split(":", 1) for line in Path(f"/proc/{gateway.pid}/status").read_text("utf-8").splitlines())
    return Slot(
        int(status["VmRSS"].split()[0]) / 1024,
        int(status["Threads"]),
        len(os.listdir(f"/proc/{gateway.pid}/fd")),  # noqa: PTH208  # names are enough
        _waiting(gateway.office) + traffic.open(),
        len(times),
        times[len(times) // 2],
        times[int(len(times) * 0.95)],
    )


def _waiting(office: Service) -> int:
    drafts, messages, inbox = table_of(DraftRow), table_of(OutboundRow), table_of(InboxRow)
    queries = (
        drafts.select().where(drafts.c.state.in_(OPEN_DRAFTS)),
        messages.select().where(messages.c.state.in_(("queued", "sending"))),
        inbox.select().where(inbox.c.state == "open"),
    )
    return sum(len(office.look(lambda tx, q=query: tx.conn.execute(q).all())) for query in queries)


def judge(found: Sequence[Slot]) -> list[str]:
    """Hold the last third against the middle one; the first is for filling caches."""
    third = len(found) // 3
    middle, last = found[third:-third], found[-third:]
    wrong = []
    if (grown := _mid(last, "memory") - _mid(middle, "memory")) > 0.05 * _mid(middle, "memory"):
        wrong.append(f"memory grew by {grown:.0f} MB")
    if _mid(last, "waiting") > 2 * _mid(middle, "waiting") + 10:
        wrong.append("rows pile up")
    if _mid(last, "p95") > 2 * _mid(middle, "p95") + 0.5:
        wrong.append("answers become slow")
    if _mid(last, "files") > _mid(middle, "files") + 10 or _mid(last, "threads") > _mid(middle, "threads") + 10:
        wrong.append("open files or threads grow")
    if not all(slot.answered for slot in found[1:]):
        wrong.append("nobody was answered for a while")
    return wrong


def _mid(slots: Sequence[Slot], name: str) -> float:
    return float(statistics.median(getattr(slot, name) for slot in slots))


def table(found: Sequence[Slot], minutes: float) -> Table:
    """Lay out the slots, with a picture of each column below."""
    made = Table(title=f"soak: {minutes:g} minutes, {RATE:g} questions a second, {CUSTOMERS} customers")
    names = ("memory", "threads", "files", "waiting", "answered", "p50", "p95")
    for name in ("until", *names):
        made.add_column(name, justify="right")
    for number, slot in enumerate(found, 1):
        until = f"{minutes * number / len(found):.1f} min"
        values = [getattr(slot, name) for name in names]
        made.add_row(
            until, *(f"{v:.2f}" if n.startswith("p") else f"{v:,.0f}" for n, v in zip(names, values, strict=True))
        )
    made.add_section()
    made.add_row("", *(picture([getattr(slot, name) for slot in found]) for name in names))
    return made


def picture(values: Sequence[float]) -> str:
    """Draw values as bars from nothing to the largest."""
    most = max(values) or 1
    return "".join(BARS[min(len(BARS) - 1, int(value / most * (len(BARS) - 1) + 0.5))] for value in values)


def run(console: Console) -> bool:
    """Soak and print; True if nothing is wrong."""
    minutes = float(os.environ.get("SOAK_MINUTES", "30"))
    found, wrong = soak(minutes)
    console.print(table(found, minutes))
    for told in wrong:
        console.print(f"[red]{told}[/]")
    asked, answered = RATE * minutes * 60, sum(slot.answered for slot in found)
    console.print(f"{answered:,} of {asked:,.0f} questions were asked and answered")
    if answered < 0.9 * asked:
        wrong.append("the machine does not keep up with this rate: who still waits does not ask again")
        console.print(f"[red]{wrong[-1]}[/]")
    console.print("" if wrong else "memory flat, nothing piles up, answers as quick as before")
    return not wrong
