"""Many drafts through several workers on one PostgreSQL, with faults: the sums must balance to the message.

`make balance` posts 5,000 drafts through two workers and 5,000 through four, one of which is killed on the way.
"""

import itertools
import multiprocessing
import os
import random
import signal
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console
from rich.table import Table
from sqlalchemy import text

from bench.feed import SAID, Desk
from bench.postgres import postgres
from bench.worker import Fast, Place, service_at, work
from gateway.migrate import upgrade
from gateway.service import Service
from gateway.store import Store
from gateway.tables import DeliveryRow, DraftRow, InboxRow, OutboundRow
from gateway.tx import table_of
from outbound.simulator.faults import Fault, FaultKind
from outbound.simulator.run import Running, serve

SPEED = 30.0  # a rest of a minute takes two seconds
FAULTS = (
    (FaultKind.TIMEOUT_BEFORE, 0),
    (FaultKind.ERRCODE, -1),
    (FaultKind.TIMEOUT_AFTER, 0),
    (FaultKind.ERRCODE, 45009),
    (FaultKind.ERRCODE, -1),
    (FaultKind.ERRCODE, 95018),
    (FaultKind.HTTP_AFTER, 502),
)
LOST = (FaultKind.TIMEOUT_BEFORE, FaultKind.TIMEOUT_AFTER, FaultKind.HTTP_AFTER)  # nobody hears the answer
WRITES = 3  # messages that an operator writes in a row


@dataclass
class Balance:
    """The sums of a run; `wrong` is empty if they balance."""

    workers: int
    drafts: int
    written: int
    seconds: float
    by_draft: Counter[str]
    by_message: Counter[str]
    faults: Counter[str]
    shown: int
    deliveries: int
    wrong: list[str] = field(default_factory=list)


class Fleet:
    """Workers in processes of their own; they can be killed and are replaced."""

    def __init__(self, place: Place, count: int) -> None:
        self._processes = multiprocessing.get_context("forkserver")
        self._processes.set_forkserver_preload(["bench.worker"])
        self._place = place
        self._workers: list[Any] = []
        for _ in range(count):
            self._start()

    def kill_one(self) -> None:
        """Kill the oldest worker without a word, and start another."""
        victim = self._workers.pop(0)
        os.kill(victim.pid, signal.SIGKILL)
        victim.join()
        self._start()

    def stop(self) -> None:
        """Stop them as a service manager does."""
        for worker in self._workers:
            worker.terminate()
        for worker in self._workers:
            worker.join(60)

    def pids(self) -> list[int]:
        """List the processes."""
        return [worker.pid for worker in self._workers]

    def _start(self) -> None:
        worker = self._processes.Process(target=work, args=(self._place,))
        worker.start()
        self._workers.append(worker)


def fresh(url: str, place: Place) -> Service:
    """Empty the database and give a service on it that only decides."""
    store = Store(url)
    store.write(lambda c: c.execute(text("DROP SCHEMA public CASCADE; CREATE SCHEMA public")))
    upgrade(store.engine)
    store.close()
    return service_at(place, channel=False)


def balance(url: str, *, workers: int, drafts: int, waves: int, fault_every: int, kill: bool = False) -> Balance:
    """Run, wait until nothing waits any more, and count."""
    with serve() as platform:
        clock = Fast(time.time(), SPEED)
        platform.simulator.world.now = lambda: int(clock())  # type: ignore[method-assign]
        place = Place(url, platform.api_base, clock)
        desk = Desk(fresh(url, place))
        desk.open_shop()
        _plan_faults(platform, drafts, fault_every)
        fleet = Fleet(place, workers)
        began = time.monotonic()
        try:
            for wave in range(waves):
                _wave(platform, desk, wave, drafts // waves)
                if kill and wave == waves // 2:
                    fleet.kill_one()
                platform.simulator.expire_tokens()
                _settle(desk)
        finally:
            fleet.stop()
        struck = platform.simulator.faults.struck
        found = _count(desk, platform, workers, time.monotonic() - began)
        found.faults = Counter(str(fault.kind) + (f" {fault.value}" if fault.value else "") for fault, _ in struck)
        found.wrong += _unknown(found, struck)
        desk.close()
        desk.service.stop()
        return found


def _plan_faults(platform: Running, drafts: int, every: int) -> None:
    chance = random.Random(7)
    for kind, value in itertools.islice(itertools.cycle(FAULTS), drafts // every):
        platform.simulator.faults.plan(kind, value, skip=chance.randrange(every // 2, every))


def _wave(platform: Running, desk: Desk, wave: int, customers: int) -> None:
    """Every customer asks something; the agent answers all, and an operator writes to some others."""
    asked = SAID[wave % len(SAID)][0]
    for number in range(customers):
        platform.simulator.people.says(f"wm_{number}", asked)
    wanted = desk.posted + customers
    end = time.monotonic() + 600
    while desk.posted < wanted and time.monotonic() < end:
        if not desk.answer_inbox():
            time.sleep(0.05)
    writes = [f"w-{wave}-{number}" for number in range(max(1, customers // 20))]
    for name in writes:
        platform.simulator.people.says(name, "在吗")
    for name in writes:
        _write_to(desk, name)


def _write_to(desk: Desk, recipient: str) -> None:
    query = text("SELECT conversation_id FROM inbox JOIN conversation c ON c.id = conversation_id WHERE recipient = :r")
    end = time.monotonic() + 120
    while time.monotonic() < end:
        row = desk.service.look(lambda tx: tx.conn.execute(query, {"r": recipient}).first())
        if row is not None:
            desk.write(row.conversation_id, [f"我是小林，第{part}句。" for part in range(WRITES)])
            return
        time.sleep(0.05)


def _settle(desk: Desk, seconds: float = 300) -> None:
    """Wait until no message waits or is on its way."""
    table = table_of(OutboundRow)
    query = table.select().where(table.c.state.in_(("queued", "sending"))).limit(1)
    end = time.monotonic() + seconds
    while desk.service.look(lambda tx: tx.conn.execute(query).first()) is not None:
        if time.monotonic() > end:
            return
        time.sleep(0.1)


def _count(desk: Desk, platform: Running, workers: int, seconds: float) -> Balance:
    rows = _all(desk, OutboundRow)
    drafts = _all(desk, DraftRow)
    made = _all(desk, DeliveryRow)
    with platform.simulator.world.lock:
        phones = {
            t.customer: [b.msgid for b in t.bubbles if b.by == "api"] for t in platform.simulator.world.talks.values()
        }
    shown = Counter(itertools.chain.from_iterable(phones.values()))
    found = Balance(
        workers,
        len(drafts),
        desk.written,
        seconds,
        Counter(d.state for d in drafts),
        Counter(r.state for r in rows),
        Counter(),
        shown.total(),
        len(made),
    )
    found.wrong = [
        *_sums(found, desk),
        *_each(rows, shown, {d.outbound_id for d in made}),
        *_order(rows, phones),
    ]
    if open_rows := sum(row.state == "open" and row.kind == "reply" for row in _all(desk, InboxRow)):
        found.wrong += [f"{open_rows} inbox rows are open"] if open_rows > _unasked(found) else []
    return found


def _unasked(found: Balance) -> int:
    return found.written // WRITES  # the customers to whom the operator wrote


def _sums(found: Balance, desk: Desk) -> list[str]:
    wrong = []
    if found.drafts != desk.posted:
        wrong.append(f"{desk.posted} posted, {found.drafts} stored")
    if found.by_message.total() != desk.posted + desk.written:
        wrong.append(f"{desk.posted} + {desk.written} were to be sent, {found.by_message.total()} messages")
    wrong += [f"{n} messages still {s}" for s, n in found.by_message.items() if s in ("queued", "sending")]
    wrong += [f"{n} drafts still {s}" for s, n in found.by_draft.items() if s in ("queued", "sending", "approved")]
    if found.deliveries != found.by_message["accepted"]:
        wrong.append(f"{found.deliveries} Deliveries, {found.by_message['accepted']} accepted")
    return wrong


def _unknown(found: Balance, struck: list[tuple[Fault, bool]]) -> list[str]:
    """What is on the phones was accepted, or its answer was lost; each lost answer is a message of unknown end.

    A call whose answer was lost need not have been taken: its token may have expired just then.
    """
    answers = [taken for fault, taken in struck if fault.kind in LOST]
    taken, lost = sum(answers), len(answers)
    wrong = []
    if not taken <= found.shown - found.by_message["accepted"] <= found.by_message["unknown"]:
        wrong.append(f"{found.shown} on phones, {found.by_message['accepted']} accepted, {taken} answers lost")
    if found.by_message["unknown"] < lost:
        wrong.append(f"{lost} answers were lost, {found.by_message['unknown']} messages are unknown")
    return wrong


def _each(rows: list[Any], shown: Counter[str], made: set[str]) -> list[str]:
    """Hold every message against the phones."""
    wrong = [f"{msgid} is shown {count} times" for msgid, count in shown.items() if count > 1]
    wrong += [f"{msgid} is shown and not ours" for msgid in shown.keys() - {row.msgid for row in rows}]
    for row in rows:
        there = row.msgid in shown
        if row.state == "accepted" and not (there and row.outbound_id in made):
            wrong.append(f"{row.outbound_id} accepted; shown: {there}, Delivery: {row.outbound_id in made}")
        if row.state in ("held", "channel_rejected") and there:
            wrong.append(f"{row.outbound_id} is {row.state} and was shown")
        if there and row.permit_expires_at is None:
            wrong.append(f"{row.outbound_id} was shown without a permit")
    return wrong


def _order(rows: list[Any], phones: dict[str, list[str]]) -> list[str]:
    """To one customer messages leave in the order in which they were decided."""
    meant: dict[str, list[str]] = {}
    for row in sorted(rows, key=lambda row: (row.created_at, row.segment)):
        meant.setdefault(row.recipient, []).append(row.msgid)
    return [
        f"{who}: out of order"
        for who, ids in phones.items()
        if ids != [msgid for msgid in meant.get(who, ()) if msgid in set(ids)]
    ]


def _all(desk: Desk, model: Any) -> list[Any]:
    return list(desk.service.look(lambda tx: tx.conn.execute(table_of(model).select()).all()))


def table(results: list[Balance]) -> Table:
    """Lay out the sums."""
    made = Table(title="balance")
    for column in ("workers", "drafts", "written", "messages", "on phones", "Deliveries", "drafts by state", "seconds"):
        made.add_column(column)
    for r in results:
        messages = ", ".join(f"{count} {state}" for state, count in r.by_message.most_common())
        drafts = ", ".join(f"{count} {state}" for state, count in r.by_draft.most_common())
        counts = (r.workers, r.drafts, r.written, messages, r.shown, r.deliveries, drafts, f"{r.seconds:.0f}")
        made.add_row(*map(str, counts))
    return made


def run(console: Console) -> bool:
    """Run two and four workers; True if everything balances."""
    results = []
    with postgres() as url:
        for workers in (2, 4):
            results.append(balance(url, workers=workers, drafts=5000, waves=10, fault_every=50, kill=workers == 4))
            console.print(f"{workers} workers: faults {dict(results[-1].faults)}")
    console.print(table(results))
    for wrong in (w for r in results for w in r.wrong[:20]):
        console.print(f"[red]{wrong}[/]")
    return not any(r.wrong for r in results)
