"""Work that time starts: deadlines, the channel's log, follow-ups. Due work lives in tables; this only ticks."""

import fcntl
import os
import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import structlog
from apscheduler.schedulers.background import BackgroundScheduler
from sqlalchemy import Connection, Row, delete, select, text
from sqlalchemy.exc import DBAPIError

from gateway import alarm, drafts, evaluation_log, flow, handoff, inbound, inbox
from gateway.store import Store
from gateway.tables import DraftRow, IdempotencyRow, OutboundRow
from gateway.tx import Tx, table_of

log = structlog.get_logger(__name__)
LOCK_ID = 7_305_118_926_401  # any number that no other program uses in this database
BATCH = 200
REPEATS_KEPT = timedelta(days=30)


def expire(tx: Tx) -> int:
    """Close what nobody decided in time: rewrites go to a person, held drafts expire and are never sent."""
    table = table_of(DraftRow)
    rows = tx.conn.execute(
        select(table.c.id)
        .where(table.c.state.in_(("awaiting_rewrite", "held")), table.c.deadline_at <= tx.now)
        .order_by(table.c.deadline_at)
        .limit(BATCH)
    ).all()
    closed = sum(_expire_one(tx, drafts.load(tx, row.id)) for row in rows)
    return closed + _start_approved(tx) + handoff.close_idle(tx)


def _expire_one(tx: Tx, row: Row[Any]) -> bool:
    if row.deadline_at is None or row.deadline_at > tx.now:  # somebody decided while it was looked for
        return False
    if row.state == "awaiting_rewrite":
        flow.expire_rewrite(tx, row, why="the rewrite did not come in time")
    elif row.state == "held":
        drafts.change_state(tx, row, "expired", actor="scheduler", why="nobody decided in time", deadline_at=None)
    return row.state in ("awaiting_rewrite", "held")


def tidy(tx: Tx) -> int:
    """Forget what is kept for a month, results for repeats, alerts, entries of the channel's log, and old rows of the evaluation log; gives how many.

    Close questions that are over. Drafts, messages and audit rows stay.
    """
    table = table_of(IdempotencyRow)
    inbox.tidy(tx)
    return (
        inbound.tidy(tx)
        + evaluation_log.tidy(tx)
        + alarm.tidy(tx)
        + tx.conn.execute(delete(table).where(table.c.created_at < tx.now - REPEATS_KEPT)).rowcount
    )


def _start_approved(tx: Tx) -> int:
    """Move approved drafts whose undo window is over to queued."""
    table = table_of(DraftRow)
    out = table_of(OutboundRow)
    rows = tx.conn.execute(
        select(table.c.id)
        .join(out, out.c.draft_id == table.c.id)
        .where(table.c.state == "approved", out.c.state == "queued", out.c.next_at <= tx.now, out.c.segment == 1)
        .limit(BATCH)
    ).all()
    ready = [row for row in (drafts.load(tx, row.id) for row in rows) if row.state == "approved"]
    for row in ready:
        drafts.change_state(tx, row, "queued", actor="scheduler", why="the undo window is over")
    if ready:
        tx.wake("outbox")
    return len(ready)


class Leader:
    """One process does the timed work: a lock on a file beside SQLite, an advisory lock on PostgreSQL."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._file: int | None = None
        self._connection: Connection | None = None

    def held(self) -> bool:
        """Whether this process leads; tries to take the lead when nobody has it."""
        with self._lock:
            return self._file_lock() if self._store.is_sqlite else self._advisory_lock()

    def leave(self) -> None:
        """Give the lead up."""
        with self._lock:
            self._leave()

    def _leave(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None
        if self._connection is not None:
            connection, self._connection = self._connection, None
            if not connection.invalidated:  # a dead one has lost it already
                connection.execute(text("SELECT pg_advisory_unlock(:id)"), {"id": LOCK_ID})
                connection.invalidate()
            connection.close()

    def _file_lock(self) -> bool:
        if self._file is not None:
            return True
        path = Path(self._store.url.removeprefix("sqlite:///") + ".lock")
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            return False
        self._file = handle
        return True

    def _advisory_lock(self) -> bool:
        # The lock belongs to the connection's session: it ends with it, also when the process dies.
        if self._connection is not None:
            if self._connection_lives():
                return True
            self._leave()  # the lead is lost: somebody else may have it
        connection = self._store.engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        if connection.execute(text("SELECT pg_try_advisory_lock(:id)"), {"id": LOCK_ID}).scalar():
            self._connection = connection
            return True
        connection.close()
        return False

    def _connection_lives(self) -> bool:
        try:
            return self._connection is not None and bool(self._connection.execute(text("SELECT 1")).scalar())
        except DBAPIError:
            return False


def start_scheduler(leader: Leader, jobs: dict[str, tuple[float, Callable[[], Any]]]) -> BackgroundScheduler:
    """Run each job every so many seconds while this process leads; a failing one is logged and tried again."""
    scheduler = BackgroundScheduler(timezone="UTC")
    for name, (seconds, job) in jobs.items():
        scheduler.add_job(
            _guarded(leader, name, job),
            "interval",
            seconds=seconds,
            id=name,
            coalesce=True,
            max_instances=1,
            next_run_time=datetime.now().astimezone() + timedelta(seconds=min(seconds, 0.2)),
        )
    scheduler.start()
    return scheduler


def _guarded(leader: Leader, name: str, job: Callable[[], Any]) -> Callable[[], None]:
    def run() -> None:
        try:
            if leader.held():
                job()
        except DBAPIError:
            log.exception("database_failed", job=name)
            leader.leave()
        except Exception:  # a job that fails must not end the others; the log tells
            log.exception("job_failed", job=name)

    return run
