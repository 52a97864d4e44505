"""The access token in the database: one renewal at a time over all processes, sealed at rest.

It is sealed under a key made from the app's own secret: whoever has that needs no token, and nobody else can read it. It
is in no API answer, export, log or audit row.
"""

import fcntl
import hashlib
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Connection, insert, select, text, update

from gateway.settings import Settings
from gateway.store import Store
from gateway.tables_calls import ChannelToken
from gateway.tx import table_of
from gateway.vault import Vault
from outbound.wecom.token import Token

PURPOSE = "access token"
BITS = 63  # an advisory lock's number is a signed 64-bit integer


class DatabaseShelf:
    """A shelf that all processes with the same store and app share."""

    def __init__(self, store: Store, settings: Settings) -> None:
        secret = settings.wecom_secret
        app = f"{settings.wecom_api_base}\n{settings.wecom_corp_id}\n{secret.get_secret_value()}"
        self._digest = hashlib.sha256(b"draftgate token\n" + app.encode())
        self._id = self._digest.hexdigest()[:32]
        self._store = store
        self._vault = Vault(secret)
        self._threads = threading.Lock()
        self._kept: Token | None = None
        self._alone = False  # whether the thread that holds the lock reads the store, not its memory

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Let one caller of all processes in at a time; what it loads is what the store holds now."""
        with self._threads, self._of_all_processes():
            self._alone = True
            try:
                yield
            finally:
                self._alone = False

    def load(self) -> Token | None:
        """Give the kept token; outside of `exclusive` this process's copy, which a refused call finds out to be old."""
        if self._kept is None or self._alone:
            self._kept = self._store.read(self._load)
        return self._kept

    def save(self, token: Token) -> None:
        """Keep a new token in place of the old."""
        sealed = self._vault.seal(token.value, PURPOSE)
        self._store.write(lambda connection: self._save(connection, sealed, token.expires_at))
        self._kept = token

    def _load(self, connection: Connection) -> Token | None:
        table = table_of(ChannelToken)
        row = connection.execute(select(table).where(table.c.id == self._id)).first()
        value = self._vault.open(row.sealed, PURPOSE) if row is not None else None
        return Token(value, row.expires_at.timestamp()) if row is not None and value is not None else None

    def _save(self, connection: Connection, sealed: str, ends: float) -> None:
        table = table_of(ChannelToken)
        values = {"sealed": sealed, "expires_at": datetime.fromtimestamp(ends, UTC)}
        if connection.execute(update(table).where(table.c.id == self._id).values(values)).rowcount == 0:
            connection.execute(insert(table).values(id=self._id, **values))

    @contextmanager
    def _of_all_processes(self) -> Iterator[None]:
        if self._store.is_sqlite:
            with _file_lock(Path(self._store.url.removeprefix("sqlite:///") + ".token.lock")):
                yield
            return
        # The lock belongs to the session of its connection: it ends with it, also when the process dies.
        number = int.from_bytes(self._digest.digest()[:8], "big") >> (64 - BITS)
        with self._store.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text("SELECT pg_advisory_lock(:id)"), {"id": number})
            try:
                yield
            finally:
                connection.execute(text("SELECT pg_advisory_unlock(:id)"), {"id": number})


@contextmanager
def _file_lock(path: Path) -> Iterator[None]:
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
