"""The access token: kept in one place, renewed by one caller at a time, never logged.

The platform may end a token early and answers 40014, 42001 or 40001 then. A late refusal of an older token must not
cost a new one: the refused value is compared with the kept one first.
"""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

from outbound.errors import ChannelFault

EARLY = 300.0  # seconds before its end from which a token is renewed
ECHO = 1.0  # seconds for which callers that waited share one failure instead of repeating it


@dataclass(frozen=True, slots=True)
class Token:
    """An access token and the Unix time at which it ends."""

    value: str = field(repr=False)
    expires_at: float

    def usable(self, now: float) -> bool:
        """Say whether it may still be used at `now`."""
        return now < self.expires_at


class TokenShelf(Protocol):
    """Where the token of one app is kept; a shelf in a database makes renewal single-flight over machines."""

    def exclusive(self) -> AbstractContextManager[object]:
        """Let one caller in at a time."""
        ...

    def load(self) -> Token | None:
        """Give the kept token."""
        ...

    def save(self, token: Token) -> None:
        """Keep a new token in place of the old."""
        ...


class MemoryShelf:
    """A shelf for one process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._token: Token | None = None

    def exclusive(self) -> AbstractContextManager[object]:
        """Let one thread in at a time."""
        return self._lock

    def load(self) -> Token | None:
        """Give the kept token."""
        return self._token

    def save(self, token: Token) -> None:
        """Keep a new token in place of the old."""
        self._token = token


class TokenCache:
    """Give a usable token, fetching as rarely as possible. `fetch` raises ChannelFault, `clock` gives Unix time."""

    def __init__(self, fetch: Callable[[], Token], shelf: TokenShelf, clock: Callable[[], float]) -> None:
        self._fetch = fetch
        self._shelf = shelf
        self._clock = clock
        self._failure: tuple[float, ChannelFault] | None = None

    def current(self) -> str:
        """Give the token in use, or fetch the first one."""
        return self._other_than(None)

    def renew(self, refused: str) -> str:
        """Give another token than the refused one: the shelf's if that is newer, else a fetched one."""
        return self._other_than(refused)

    def _other_than(self, refused: str | None) -> str:
        if kept := self._kept(refused):
            return kept
        with self._shelf.exclusive():
            if kept := self._kept(refused):  # another caller renewed it while this one waited
                return kept
            self._share_failure()
            return self._renewed()

    def _kept(self, refused: str | None) -> str | None:
        token = self._shelf.load()
        if token is None or token.value == refused or not token.usable(self._clock()):
            return None
        return token.value

    def _renewed(self) -> str:
        try:
            token = self._fetch()
        except ChannelFault as fault:
            self._failure = (self._clock(), fault)
            raise
        self._failure = None
        self._shelf.save(token)
        return token.value

    def _share_failure(self) -> None:
        if self._failure and 0 <= self._clock() - self._failure[0] < ECHO:
            raise self._failure[1]
