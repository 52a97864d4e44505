"""Couriers: the threads of one process that carry messages, each a message at a time; every process has some."""

import threading
from typing import Protocol

import structlog
from sqlalchemy.exc import DBAPIError

log = structlog.get_logger(__name__)


class Carries(Protocol):
    """Whoever carries the next message."""

    def next(self) -> bool:
        """Carry the next message whose turn it is; False when there is none."""
        ...


class Couriers:
    """Threads that carry until they are stopped; they look when they are woken, and every `seconds` all the same."""

    def __init__(self, courier: Carries, count: int, seconds: float) -> None:
        self._courier = courier
        self._seconds = seconds
        self._bell = threading.Condition()
        self._rung = 0
        self._stopped = False
        self._threads = [threading.Thread(target=self._work, name=f"courier-{n}", daemon=True) for n in range(count)]

    def start(self) -> None:
        """Begin to carry."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Finish the messages that are on their way, then end."""
        with self._bell:
            self._stopped = True
            self._bell.notify_all()
        for thread in self._threads:
            if thread.ident is not None:
                thread.join()

    def wake(self, _about: str = "") -> None:
        """Have one courier look for work now; who finds some wakes the next."""
        with self._bell:
            self._rung += 1
            self._bell.notify()

    def _work(self) -> None:
        while not self._stopped:
            rung = self._rung
            if not self._carried():
                self._rest(rung)

    def _carried(self) -> bool:
        try:
            return self._courier.next()
        except DBAPIError:
            log.exception("database_failed", job="outbox")
        except Exception:  # one message's trouble must not end the others; the log tells
            log.exception("job_failed", job="outbox")
        return False

    def _rest(self, rung: int) -> None:
        """Wait for the bell, unless it rang since `rung` was read."""
        with self._bell:
            if self._rung == rung and not self._stopped:
                self._bell.wait(self._seconds)
