"""The puller: reads the channel's logs, one reader for each account at a time.

Callbacks come in bursts and tell nothing but that there is something to read: while an account is being read, all of them
together make one more round.
"""

import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import structlog
from sqlalchemy import select

from gateway import channel_events, inbound
from gateway.courier import Channel
from gateway.tables import Account
from gateway.tx import Tx, table_of
from outbound.log import pages
from outbound.session import Page

log = structlog.get_logger(__name__)
RunTx = Callable[[Callable[[Tx], Any]], Any]


class Puller:
    """Pulls logs; `run` runs a function in a durable transaction, `look` one that only reads."""

    def __init__(self, run: RunTx, look: RunTx, channel: Channel | None) -> None:
        self._run = run
        self._look = look
        self._channel = channel
        self._lock = threading.Lock()
        self._reading: set[str] = set()
        self._again: dict[str, str | None] = {}  # the channel's account: the newest callback's token

    def pull(self, channel_account: str | None, token: str | None = None) -> int:
        """Pull the log of one account of the channel, or of all (None), to its end; gives how many items were new.

        What another thread is reading is left to it: it makes one more round.
        """
        if channel_account is not None and self.left_to_a_reader(channel_account, token):
            return 0
        accounts = self._look(partial(_accounts, channel_account=channel_account))
        if channel_account is not None and not accounts:
            log.warning("callback_for_unknown_account")
        return sum(self._read(account, there, token) for account, there in accounts)

    def left_to_a_reader(self, there: str, token: str | None) -> bool:
        """Whether somebody is reading this account of the channel and will make one more round; quick."""
        with self._lock:
            if there not in self._reading:
                return False
            self._again[there] = token
            return True

    def _read(self, account_id: str, there: str, token: str | None) -> int:
        with self._lock:
            if there in self._reading:
                self._again[there] = token
                return 0
            self._reading.add(there)
        try:
            total = self._pages(account_id, there, token)
            while self._one_more(there):
                total += self._pages(account_id, there, self._again_with(there))
        except BaseException:  # whatever ended it, the next one may read
            with self._lock:
                self._reading.discard(there)
                self._again.pop(there, None)
            raise
        return total

    def _one_more(self, there: str) -> bool:
        """Whether somebody asked meanwhile; if not, this reader is done, in the same step."""
        with self._lock:
            if there in self._again:
                return True
            self._reading.discard(there)
            return False

    def _again_with(self, there: str) -> str | None:
        with self._lock:
            return self._again.pop(there, None)

    def _pages(self, account_id: str, there: str, token: str | None) -> int:
        if self._channel is None:
            return 0
        total = 0
        cursor: str = self._look(partial(_cursor, account_id=account_id))
        for page in pages(self._channel, there, cursor, token):
            if not isinstance(page, Page):
                log.warning("sync_failed", account=account_id, fault=repr(page))
                self._run(partial(channel_events.not_pulled, account_id=account_id, fault=page))
                return total
            taken: tuple[int, bool] = self._run(
                partial(inbound.take_page, account_id=account_id, page=page, after=cursor)
            )
            new, current = taken
            total += new
            if not current:  # another process has read on: it goes on from there
                return total
            cursor = page.next_cursor
        return total


def _accounts(tx: Tx, channel_account: str | None) -> list[tuple[str, str]]:
    rows = tx.conn.execute(select(table_of(Account)).order_by("id")).all()
    found = [(r.id, r.channel_account or r.id) for r in rows]
    return [(account, there) for account, there in found if channel_account in (None, there)]


def _cursor(tx: Tx, account_id: str) -> str:
    row = tx.one(Account, id=account_id)
    return str(row.cursor or "") if row is not None else ""
