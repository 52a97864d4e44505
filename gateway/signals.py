"""Signals: who waits for work hears of it at once, in this process and, on PostgreSQL, in all others.

A signal is a hint and nothing more: what is due stands in the tables, and everybody looks there from time to time. A
lost signal costs a moment, never a message.
"""

import threading
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import structlog
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError

log = structlog.get_logger(__name__)
CHANNEL = "draftgate"
LOOK = 1.0  # seconds between two looks whether to stop
_KEPT = "draftgate_signals"
Listener = Callable[[str], None]


class Signals:
    """Calls its listeners with what a signal carries after its topic (`resume:shop` gives `shop`)."""

    def __init__(self) -> None:
        self._listeners: defaultdict[str, list[Listener]] = defaultdict(list)

    def on(self, topic: str, listener: Listener) -> None:
        """Have a quick function called, from any thread, at each signal of a topic."""
        self._listeners[topic].append(listener)

    def fire(self, signal: str) -> None:
        """Tell the listeners of this process."""
        topic, _, about = signal.partition(":")
        for listener in tuple(self._listeners[topic]):
            listener(about)


def remember(connection: Connection, signal: str) -> None:
    """Keep a signal until the connection's transaction is durable."""
    connection.info.setdefault(_KEPT, set()).add(signal)


def remembered(connection: Connection) -> set[str]:
    """Give what was kept, and forget it."""
    kept: set[str] = connection.info.pop(_KEPT, set())
    return kept


def tell_all(connection: Connection, signal: str) -> None:
    """Let PostgreSQL tell every process once this transaction is durable; it sends equal ones once."""
    connection.execute(_NOTIFY, {"channel": CHANNEL, "signal": signal})


class Ear:
    """A thread that hears PostgreSQL's notifications on a connection of its own.

    Fires `listening` when it begins, also after a lost connection: who waits looks at the tables then.
    """

    def __init__(self, engine: Engine, signals: Signals) -> None:
        self._engine = engine
        self._signals = signals
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="ear", daemon=True)

    def start(self) -> None:
        """Begin to listen."""
        self._thread.start()

    def stop(self) -> None:
        """Stop listening, within about a second."""
        self._stop.set()
        self._thread.join(10)

    def _run(self) -> None:
        dbapi: Any = self._engine.dialect.dbapi
        while not self._stop.is_set():
            try:
                self._listen()
            except (DBAPIError, dbapi.Error) as error:
                log.warning("signals_lost", error=str(error).partition("\n")[0])
                self._stop.wait(LOOK)

    def _listen(self) -> None:
        with self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            driver: Any = connection.connection.driver_connection
            connection.detach()  # it listens, so it must not go back into the pool
            connection.execute(_LISTEN)
            self._signals.fire("listening")
            while not self._stop.is_set():
                for note in driver.notifies(timeout=LOOK):
                    self._signals.fire(note.payload)


_LISTEN = text("LISTEN draftgate")
_NOTIFY = text("SELECT pg_notify(:channel, :signal)")
