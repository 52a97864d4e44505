"""Messages per second through the outbox to the simulator, beside the same client called in a bare loop, in one run.

Each message through the outbox is read, judged again, admitted and settled in two durable transactions; the bare loop
only calls. The simulator is a process of its own and answers at once, or after a network's time.
"""

import json
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from sqlalchemy import text

from bench.feed import SAID, Desk, body_of
from bench.postgres import postgres
from bench.worker import Fast, Place, service_at
from gateway import conversations, flow
from gateway.contract import parse
from gateway.couriers import Couriers
from gateway.migrate import upgrade
from gateway.server import sqlite_url
from gateway.service import Service
from gateway.tx import Tx
from gateway.wire import TurnIn
from outbound.message import OutboundMessage
from outbound.outcome import Outcome
from outbound.segments import msgid_for
from outbound.simulator.world import ACCOUNT
from planner.turn import Role

COUNT = 300
ROUND_TRIPS = (0.0, 0.005, 0.03)  # seconds: at once, in the same hall, and over the internet


@dataclass(frozen=True)
class Rate:
    """What a way of sending reached: messages per second, and this process's CPU milliseconds for each."""

    per_second: float
    cpu: float


def run(console: Console) -> None:
    """Print the rates and their ratios for both databases."""
    console.print(f"{COUNT} messages to {COUNT} customers, 4 couriers in one process; the simulator shares the machine")
    with simulator() as base, tempfile.TemporaryDirectory() as folder, postgres() as url:
        for trip in ROUND_TRIPS:
            bare = _bare(base, sqlite_url(Path(folder) / f"bare-{trip}"), trip)
            _tell(console, f"the client in a bare loop, round trip {trip * 1000:.0f} ms more", bare, bare)
            for name, target in (("SQLite", sqlite_url(Path(folder) / f"{trip}")), ("PostgreSQL", url)):
                _tell(console, f"  through the outbox on {name}", _outbox(base, target, trip), bare)


def _tell(console: Console, name: str, rate: Rate, bare: Rate) -> None:
    ratio = "" if rate is bare else f", ratio {rate.per_second / bare.per_second:.2f} (aim 0.7)"
    console.print(f"{name}: {rate.per_second:,.0f}/s, {rate.cpu:.2f} ms CPU a message{ratio}")


@contextmanager
def simulator() -> Iterator[str]:
    """Run the simulator in a process of its own and give its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "outbound.simulator", str(port)],
        stderr=subprocess.DEVNULL,
        cwd=Path(__file__).parents[1],
    )
    base = f"http://127.0.0.1:{port}"
    try:
        _until(lambda: _answers(base))
        yield base
    finally:
        process.terminate()
        process.wait(20)


def act(base: str, action: str, **fields: Any) -> Any:
    """Do something on the simulated platform."""
    request = urllib.request.Request(f"{base}/_sim/{action}", json.dumps(fields).encode(), method="POST")  # noqa: S310
    with urllib.request.urlopen(request, timeout=20) as answer:  # noqa: S310
        return json.load(answer)["result"]


def _answers(base: str) -> bool:
    try:
        with urllib.request.urlopen(f"{base}/_sim/state", timeout=5):  # noqa: S310
            return True
    except OSError:
        return False


def _until(what: Callable[[], bool], seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not what():
        if time.monotonic() > end:
            raise TimeoutError("it took too long")
        time.sleep(0.005)


def _bare(base: str, url: str, trip: float) -> Rate:
    service = service_at(Place(url, f"{base}/cgi-bin", Fast(time.time()), 10.0))
    upgrade(service.store.engine)
    channel: Any = service.channel
    customers = [f"bare-{trip}-{number}" for number in range(COUNT)]
    for customer in customers:
        act(base, "says", customer=customer, text="在吗")
    messages = [OutboundMessage(f"b-{c}", ACCOUNT, c, SAID[0][1], msgid_for(f"b-{c}", 1)) for c in customers]
    channel.post(messages[0])  # token and connection

    def loop() -> None:
        for message in messages[1:]:
            time.sleep(trip)
            channel.post(message)

    rate = _measured(loop, COUNT - 1)
    service.stop()
    return rate


def _outbox(base: str, url: str, trip: float) -> Rate:
    service = service_at(Place(url, f"{base}/cgi-bin", Fast(time.time()), 10.0))
    if not service.store.is_sqlite:
        service.store.write(lambda c: c.execute(text("DROP SCHEMA public CASCADE; CREATE SCHEMA public")))
    upgrade(service.store.engine)
    _slow(service, trip)
    _queue(base, service, f"{len(url)}-{trip}")
    sent = _Counter(service, COUNT)
    couriers = Couriers(service.courier, 4, 0.5)

    def drain() -> None:
        couriers.start()
        sent.done.wait(120)

    rate = _measured(drain, COUNT)
    couriers.stop()
    service.stop()
    return rate


def _queue(base: str, service: Service, tag: str) -> None:
    """Let every customer ask and the agent answer; nothing leaves yet."""
    desk = Desk(service)
    desk.open_shop()

    def one(tx: Tx, cid: str) -> None:
        conversations.create(
            tx, conversation_id=cid, account="shop", recipient=f"out-{tag}-{cid}", chat_type="private", pack=None
        )
        talk = conversations.load(tx, cid)
        conversations.record(
            tx, talk, message_id=f"m-{cid}", role=Role.CUSTOMER, text=SAID[0][0], at=tx.now, author="t"
        )
        wire = parse(TurnIn, json.dumps(body_of(cid, None, SAID[0][1])).encode())
        if wire.draft is not None:
            flow.post_draft(tx, wire, wire.draft)

    for number in range(COUNT):
        act(base, "says", customer=f"out-{tag}-c-{number}", text=SAID[0][0])
        service.run(lambda tx, number=number: one(tx, f"c-{number}"))
    desk.close()


class _Counter:
    """Counts calls of the channel and tells when all were made."""

    def __init__(self, service: Service, count: int) -> None:
        self.done = threading.Event()
        self._left = count
        self._lock = threading.Lock()
        real = service.courier._carry  # noqa: SLF001

        def carry(admitted: Any) -> None:
            real(admitted)
            with self._lock:
                self._left -= 1
                if not self._left:
                    self.done.set()

        service.courier._carry = carry  # type: ignore[method-assign]  # noqa: SLF001


def _slow(service: Service, trip: float) -> None:
    channel: Any = service.channel
    real = channel.post

    def post(message: OutboundMessage) -> Outcome:
        time.sleep(trip)
        return real(message)

    channel.post = post


def _measured(job: Callable[[], None], count: int) -> Rate:
    before, began = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    job()
    took, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Rate(count / took, 1000 * cpu / count)
