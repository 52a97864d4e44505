"""The store: engines, one writer with group commit on SQLite, plain transactions on PostgreSQL.

A write is a function of a connection. On SQLite all writes run on one thread; those that wait together share one
commit, each inside its own savepoint, so that a failing one takes nothing else with it. Callers get the result only
after the commit is durable. On PostgreSQL a transaction that met another one there, or lost its connection before its
commit, is run again, so a write has no effect beside its transaction.
"""

import asyncio
import math
import queue
import random
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError, IntegrityError, InvalidatePoolError, SQLAlchemyError
from sqlalchemy.pool import ConnectionPoolEntry, QueuePool

from gateway.signals import Ear, Signals, remembered

T = TypeVar("T")
Write = Callable[[Connection], T]
MAX_GROUP = 64
TRIES = 6  # of a transaction that another one got in the way of
RESTED = 1.0  # seconds after which a connection is asked whether it still lives
CLASHES = ("40001", "40P01")  # PostgreSQL: serialization failure, deadlock
_USED = "used"  # when a connection came back
REPEATED = "pk_idempotency"  # the same request at the same moment


class Store:
    """A database; `write` and `read` run functions of a connection."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.signals = Signals()
        self.is_sqlite = url.startswith("sqlite")
        self._engine = _engine(url, write=True)
        self._read_engine = _engine(url, write=False) if self.is_sqlite else self._engine
        self._readers = ThreadPoolExecutor(8, thread_name_prefix="store")
        self._queue: queue.SimpleQueue[tuple[Write[Any], Future[Any]] | None] = queue.SimpleQueue()
        self._writer: threading.Thread | None = None
        self._closed = False
        self._ear: Ear | None = None
        if self.is_sqlite:
            self._writer = threading.Thread(target=self._write_loop, name="store-writer", daemon=True)
            self._writer.start()

    @property
    def engine(self) -> Engine:
        """The engine that may write; for migrations and checks."""
        return self._engine

    def write(self, job: Write[T]) -> T:
        """Run a function in a durable transaction and give its result; its exception rolls it back and comes out."""
        if self.is_sqlite or self._closed:
            return self._enqueue(job).result()
        return self._transaction(job)

    async def awrite(self, job: Write[T]) -> T:
        """Run `write` without blocking the event loop."""
        return await asyncio.wrap_future(self._enqueue(job))

    def read(self, job: Write[T]) -> T:
        """Run a function that only reads, against the last committed state."""
        try:
            return self._read(job)
        except DBAPIError as error:
            if not error.connection_invalidated:
                raise
        return self._read(job)  # over a new connection

    async def aread(self, job: Write[T]) -> T:
        """Run `read` without blocking the event loop."""
        return await asyncio.wrap_future(self._readers.submit(self.read, job))

    def listen(self) -> None:
        """Hear the signals of other processes too; SQLite has none of them."""
        if not self.is_sqlite and self._ear is None:
            self._ear = Ear(self._engine, self.signals)
            self._ear.start()

    def close(self) -> None:
        """Finish the writes that wait and close all connections."""
        if self._closed:
            return
        self._closed = True
        if self._ear is not None:
            self._ear.stop()
        if self._writer is not None:
            self._queue.put(None)
            self._writer.join(timeout=30)
        self._readers.shutdown(wait=True)
        self._read_engine.dispose()
        self._engine.dispose()

    def _read(self, job: Write[T]) -> T:
        with self._read_engine.connect() as connection:
            return job(connection)

    def _enqueue(self, job: Write[T]) -> "Future[T]":
        if self._closed:
            raise RuntimeError("the store is closed")
        if self._writer is None:
            return self._readers.submit(self._transaction, job)
        future: Future[T] = Future()
        self._queue.put((job, future))
        return future

    def _transaction(self, job: Write[T]) -> T:
        tried = 1
        while True:
            committing = False
            try:
                with self._engine.begin() as connection:
                    result = job(connection)
                    committing = True
            except DBAPIError as error:
                lost = error.connection_invalidated and not committing  # nothing of it can have become durable
                if tried == TRIES or not (lost or _met_another(error)):
                    raise
            else:
                return result
            time.sleep(random.uniform(0, 0.01 * 2**tried))  # noqa: S311  # only spreads the next tries
            tried += 1

    def _write_loop(self) -> None:
        with self._engine.connect() as connection:
            while group := self._next_group():
                _commit_group(connection, group)
                for signal in remembered(connection):
                    self.signals.fire(signal)

    def _next_group(self) -> list[tuple[Write[Any], "Future[Any]"]]:
        first = self._queue.get()
        if first is None:
            return []
        group = [first]
        while len(group) < MAX_GROUP and not self._queue.empty():
            item = self._queue.get()
            if item is None:
                self._queue.put(None)
                break
            group.append(item)
        return group


def _met_another(error: DBAPIError) -> bool:
    """Whether another transaction got in the way: run again, a repeat under a known key then finds its first result."""
    if getattr(error.orig, "sqlstate", None) in CLASHES:
        return True
    named = getattr(getattr(error.orig, "diag", None), "constraint_name", None)
    return isinstance(error, IntegrityError) and named == REPEATED


def _commit_group(connection: Connection, group: list[tuple[Write[Any], "Future[Any]"]]) -> None:
    done: list[tuple[Future[Any], Any]] = []
    try:
        with connection.begin():
            for job, future in group:
                if not future.set_running_or_notify_cancel():
                    continue
                try:
                    with _apart(connection):
                        done.append((future, job(connection)))
                except Exception as error:  # noqa: BLE001  # any error of a job belongs to its caller
                    future.set_exception(error)
    except SQLAlchemyError as error:
        for future, _ in done:
            future.set_exception(error)
        return
    for future, result in done:
        future.set_result(result)


@contextmanager
def _apart(connection: Connection) -> Iterator[None]:
    """Undo what a job did if it fails. One name for all: the driver keeps prepared what it has seen before."""
    connection.exec_driver_sql("SAVEPOINT job")
    try:
        yield
    except BaseException:
        connection.exec_driver_sql("ROLLBACK TO job")
        connection.exec_driver_sql("RELEASE job")
        raise
    connection.exec_driver_sql("RELEASE job")


def _engine(url: str, *, write: bool) -> Engine:
    if not url.startswith("sqlite"):
        return _looking_after(create_engine(url, pool_size=10))
    path = url.removeprefix("sqlite:///")
    if path not in ("", ":memory:"):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).touch(mode=0o600)  # it holds customers' words
    engine = create_engine(
        url, poolclass=QueuePool, pool_size=1 if write else 8, connect_args={"check_same_thread": False, "timeout": 30}
    )
    event.listen(engine, "connect", _sqlite_connect)
    event.listen(engine, "begin", _begin_immediate if write else _begin)
    return engine


def _looking_after(engine: Engine) -> Engine:
    """Ask a connection that has rested whether it still lives; one that was just in use is spared the round trip."""

    def returned(_connection: Any, record: ConnectionPoolEntry) -> None:
        record.info[_USED] = time.monotonic()

    def taken(connection: Any, record: ConnectionPoolEntry, _proxy: Any) -> None:
        if time.monotonic() - record.info.get(_USED, math.inf) < RESTED:
            return
        try:
            engine.dialect.do_ping(connection)
        except engine.dialect.loaded_dbapi.Error as error:
            raise InvalidatePoolError from error  # the pool connects anew, and asks no older connection

    event.listen(engine, "checkin", returned)
    event.listen(engine, "checkout", taken)
    return engine


def _sqlite_connect(connection: Any, _record: Any) -> None:
    # The driver's own transaction control loses updates; we say BEGIN ourselves.
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=30000", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_immediate(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN")


@contextmanager
def open_store(url: str) -> Iterator[Store]:
    """Open a store and close it again."""
    store = Store(url)
    try:
        yield store
    finally:
        store.close()
