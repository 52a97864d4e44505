"""The crash matrix: a real process killed at every commit and around every call, then started again. `make crash`.

After each second life the simulator's phones, the outbox and the Deliveries are held against each other.
"""

import itertools
import multiprocessing
import os
import shutil
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table
from sqlalchemy import make_url, text

from bench import crash_child as child
from bench.crash_child import Case, live, report_of
from bench.postgres import postgres
from gateway import conversations, people
from gateway.migrate import upgrade
from gateway.outbox import send_state
from gateway.packs import PackShelf
from gateway.settings import Settings
from gateway.store import Store
from gateway.tables import ConversationRow, DeliveryRow, DraftRow, OutboundRow
from gateway.tx import Tx, table_of
from outbound.simulator.run import Running, serve
from outbound.simulator.world import ACCOUNT

UNCOUNTED = ("held", "channel_rejected")
MODES = ("review", "auto", "autopilot")
LATER = 600.0  # seconds between the two lives: the first one's permits are over
PARTS = tuple(child.GOOD[i : i + child.PART] for i in range(0, len(child.GOOD), child.PART))
MEANT = {
    "review": {"c-1": (child.GOOD,), "c-2": (child.HANDOFF,), "c-3": (child.EDITED,), "c-4": (child.WRITTEN,)},
    "auto": {"c-1": (child.GOOD,), "c-2": PARTS, "c-3": (child.GOOD,), "c-4": (child.GOOD,)},
    "autopilot": {"c-1": (child.GOOD, child.FOLLOW_UP)},
}


@dataclass
class Result:
    """What became of one case: at which point it was killed, what is wrong, and how its messages ended."""

    mode: str
    database: str
    point: str
    wrong: list[str] = field(default_factory=list)
    ends: Counter[str] = field(default_factory=Counter)


class Matrix:
    """Runs cases on databases that are copies of a prepared one, against one simulated platform."""

    def __init__(self, folder: Path, platform: Running, postgres_url: str) -> None:
        self._folder, self._platform, self._postgres = folder, platform, postgres_url
        self._processes = multiprocessing.get_context("forkserver")
        self._processes.set_forkserver_preload(["bench.crash_child"])
        self._made = 0
        for mode in MODES:
            _prepare(f"sqlite:///{folder / mode}.sqlite3", mode)
            self._create(f"base_{mode}", "template1")
            _prepare(self._url(f"base_{mode}"), mode)

    def points(self, mode: str, database: str) -> list[str]:
        """Live undisturbed and give the points passed."""
        case = self._case(mode, database, None)
        self._lives(case)
        return report_of(case)

    def run(self, mode: str, database: str, kill_at: int, point: str) -> Result:
        """Kill at a point, start again, and look."""
        case = self._case(mode, database, kill_at)
        result = Result(mode, database, point)
        if self._lives(case) != -9:
            result.wrong.append("the process was not killed")
        if self._lives(Case(case.url, case.api_base, mode, None, LATER)) != 0:
            result.wrong.append("the second life failed")
        _judge(result, case.url, self._platform)
        self._drop(case.url)
        return result

    def _case(self, mode: str, database: str, kill_at: int | None) -> Case:
        self._made += 1
        simulator = self._platform.simulator
        simulator.reset()
        for cid in MEANT[mode]:
            simulator.people.says(f"wm_{cid}", "我要投诉你们店" if (mode, cid) == ("review", "c-2") else child.ASKED)
        if mode == "auto":
            simulator.people.refuses("wm_c-4")
        report = str(self._folder / f"points-{self._made}")
        return Case(self._copy(mode, database), self._platform.api_base, mode, kill_at, 0.0, report)

    def _lives(self, case: Case) -> int | None:
        process = self._processes.Process(target=live, args=(case,))
        process.start()
        process.join(120)
        return process.exitcode

    def _copy(self, mode: str, database: str) -> str:
        if database == "sqlite":
            made = self._folder / f"case-{self._made}.sqlite3"
            shutil.copy(self._folder / f"{mode}.sqlite3", made)
            return f"sqlite:///{made}"
        self._create(f"case_{self._made}", f"base_{mode}")
        return self._url(f"case_{self._made}")

    def _create(self, name: str, template: str) -> None:
        self._say(f"CREATE DATABASE {name} TEMPLATE {template}")

    def _drop(self, url: str) -> None:
        if not url.startswith("sqlite"):
            self._say(f"DROP DATABASE {make_url(url).database} WITH (FORCE)")

    def _say(self, statement: str) -> None:
        store = Store(self._postgres)
        with store.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text(statement))
        store.close()

    def _url(self, name: str) -> str:
        return make_url(self._postgres).set(database=name).render_as_string(hide_password=False)


def _prepare(url: str, mode: str) -> None:
    store = Store(url)
    upgrade(store.engine)

    def job(tx: Tx) -> None:
        people.add_account(
            tx, account_id="shop", name="shop", actor="t", mode=mode, allowlist=["*"], channel_account=ACCOUNT
        )
        for cid in MEANT[mode]:
            conversations.create(
                tx, conversation_id=cid, account="shop", recipient=f"wm_{cid}", chat_type="private", pack=None
            )

    from gateway.service import now_utc

    store.write(lambda c: job(Tx(c, now_utc(), Settings(), PackShelf())))
    store.close()
    if url.startswith("sqlite"):  # into one file that can be copied
        Path(url.removeprefix("sqlite:///") + "-wal").unlink(missing_ok=True)


def _judge(result: Result, url: str, platform: Running) -> None:
    store = Store(url)
    rows = store.read(lambda c: c.execute(table_of(OutboundRow).select().order_by(text("created_at, segment"))).all())
    drafts = store.read(lambda c: c.execute(table_of(DraftRow).select()).all())
    made = {r.outbound_id: r for r in store.read(lambda c: c.execute(table_of(DeliveryRow).select()).all())}
    talks = store.read(lambda c: c.execute(table_of(ConversationRow).select()).all())
    store.close()
    result.ends.update(row.state for row in rows)
    with platform.simulator.world.lock:
        phones = {t.customer: [b for b in t.bubbles if b.by == "api"] for t in platform.simulator.world.talks.values()}
    result.wrong += [*_messages(result.mode, rows, phones), *_deliveries(rows, made, phones), *_drafts(rows, drafts)]
    for talk in talks:
        counted = sum(r.state not in UNCOUNTED for r in rows if r.recipient == talk.recipient)
        if talk.quota_used != counted:
            result.wrong.append(f"{talk.id}: quota {talk.quota_used}, {counted} messages")


def _messages(mode: str, rows: list, phones: dict) -> Iterator[str]:
    """Nothing lost, nothing twice: each meant text has its row, and what the phones show fits the states."""
    if sum(row.state == "unknown" for row in rows) > 1:
        yield "more than one message of unknown end"
    for cid, texts in MEANT[mode].items():
        mine = [row for row in rows if row.conversation_id == cid]
        shown = Counter(bubble.text for bubble in phones.get(f"wm_{cid}", ()))
        doubtful = any(row.state == "unknown" for row in mine)
        for told in texts:
            states = [row.state for row in mine if row.text == told]
            if not states and not (mode == "autopilot" and told == child.FOLLOW_UP and doubtful):
                yield f"{cid}: lost {told!r}"
            if any(state in ("queued", "sending") for state in states):
                yield f"{cid}: {told!r} still waits"
            if any(state in ("held", "channel_rejected") for state in states) and not doubtful:
                yield f"{cid}: {told!r} held for nothing"
            if shown[told] > 1:
                yield f"{cid}: {told!r} twice"
            if any(state in ("accepted", "failed_later") for state in states) and not shown[told]:
                yield f"{cid}: {told!r} accepted but not there"
        if set(shown) - set(texts):
            yield f"{cid}: unmeant text"


def _deliveries(rows: list, made: dict, phones: dict) -> Iterator[str]:
    """A Delivery has its message, a message its gate record."""
    there = {bubble.msgid for bubbles in phones.values() for bubble in bubbles}
    by_id = {row.msgid: row for row in rows}
    for outbound_id, delivery in made.items():
        if delivery.channel_message_id not in there:
            yield f"Delivery {outbound_id} without a message"
    for row in rows:
        if (row.state in ("accepted", "failed_later")) != (row.outbound_id in made):
            yield f"{row.outbound_id} is {row.state}, Delivery: {row.outbound_id in made}"
    for msgid in there:
        if msgid not in by_id or by_id[msgid].permit_expires_at is None:
            yield "a message on the phone without its permit"


def _drafts(rows: list, drafts: list) -> Iterator[str]:
    """A draft stands where its messages stand, and what left passed the gate or was a person's."""
    for draft in drafts:
        mine = [row for row in rows if row.draft_id == draft.id and row.draft_version == draft.version]
        if mine and draft.state != send_state([row.state for row in mine]):
            yield f"draft {draft.state}, messages {[row.state for row in mine]}"
        if any(row.kind != "human" and row.permit_expires_at for row in mine) and draft.quality_passed is not True:
            yield "a message left that did not pass"


@contextmanager
def matrix(postgres_url: str) -> Iterator[Matrix]:
    """Open a matrix on files and on databases of this server."""
    memory = Path("/dev/shm")  # noqa: S108  # a killed process does not lose what the system holds
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder, serve() as platform:
        yield Matrix(Path(folder), platform, postgres_url)


def run(console: Console) -> bool:
    """Kill at every point on both databases in all modes, print the table; True if nothing is wrong.

    CRASH_EVERY=n takes every n-th point only, for a quicker look.
    """
    every = int(os.environ.get("CRASH_EVERY", "1"))
    began, results = time.monotonic(), []
    with postgres() as url, matrix(url) as found:
        for database, mode in itertools.product(("sqlite", "postgresql"), MODES):
            names = found.points(mode, database)
            for number, name in list(enumerate(names, 1))[::every]:
                result = found.run(mode, database, number, name)
                results.append(result)
                for wrong in result.wrong:
                    console.print(f"[red]{database} {mode}, {number} {name}: {wrong}[/]")
            console.print(
                f"{database} {mode}: {len(names)} points, {len(results)} killed, {time.monotonic() - began:.0f} s"
            )
    console.print(table(results))
    return not any(result.wrong for result in results)


def table(results: list[Result]) -> Table:
    """Lay the results out by the point at which the process died."""
    by_point: defaultdict[str, list[Result]] = defaultdict(list)
    for result in results:
        by_point[result.point].append(result)
    made = Table(title=f"killed {len(results)} times")
    for column in ("killed", "times", *MODES, "messages sent", "unknown", "held behind it", "wrong"):
        made.add_column(column)
    for point, group in sorted(by_point.items(), key=lambda item: item[0].split(" ", 1)[::-1]):
        ends = sum((r.ends for r in group), Counter())
        modes = Counter(r.mode for r in group)
        sent = ends["accepted"] + ends["failed_later"]
        counts = [len(group), *(modes[m] for m in MODES), sent, ends["unknown"], ends["held"]]
        made.add_row(point, *map(str, counts), str(sum(bool(r.wrong) for r in group)))
    return made
