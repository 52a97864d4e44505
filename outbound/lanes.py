"""One lane per customer: what concerns the same conversation happens one after the other in this process."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Lanes:
    """Locks by key that vanish when nobody uses them."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._locks: dict[tuple[str, ...], tuple[threading.RLock, int]] = {}

    @contextmanager
    def of(self, *key: str) -> Iterator[None]:
        """Hold the lane of this key; the holder may enter it again."""
        lock = self._take(key)
        try:
            with lock:
                yield
        finally:
            self._leave(key)

    def _take(self, key: tuple[str, ...]) -> threading.RLock:
        with self._guard:
            lock, users = self._locks.get(key, (threading.RLock(), 0))
            self._locks[key] = (lock, users + 1)
            return lock

    def _leave(self, key: tuple[str, ...]) -> None:
        with self._guard:
            lock, users = self._locks[key]
            if users == 1:
                del self._locks[key]
            else:
                self._locks[key] = (lock, users - 1)
