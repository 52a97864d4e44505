"""A gateway worker in a process of its own, on a clock that may run fast, against the simulator."""

import gc
import logging
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from pydantic import SecretStr

from gateway.evaluate import SHELF, warm_up
from gateway.service import Service
from gateway.settings import Settings
from gateway.store import Store
from gateway.token_shelf import DatabaseShelf
from outbound.simulator.world import CORP_ID, SECRET
from outbound.wecom.client import WeComClient
from outbound.wecom.sender import WeComSender
from outbound.wecom.settings import WeComSettings

warm_up(SHELF)  # once, before processes are forked


@dataclass(frozen=True)
class Fast:
    """A clock that was right at `start` and runs `speed` times as fast; gives Unix time."""

    start: float
    speed: float = 1.0

    def __call__(self) -> float:
        return self.start + (time.time() - self.start) * self.speed

    def moment(self) -> datetime:
        """Give the same as a moment."""
        return datetime.fromtimestamp(self(), UTC)


@dataclass(frozen=True)
class Place:
    """Where a worker works: its database, the simulator, its clock, its patience with an answer in seconds."""

    url: str
    api_base: str
    clock: Fast
    read_timeout: float = 3.0
    couriers: int = 4


def settings_at(place: Place) -> Settings:
    """Give settings under which a fast clock lets nothing expire by accident."""
    return Settings(
        database_url=place.url,
        poll_seconds=0.2,
        tick_seconds=0.2,
        permit_seconds=600,
        approval_minutes=10080,
        fresh_minutes=1440,
        couriers=place.couriers,
        wecom_api_base=place.api_base,
        wecom_corp_id=CORP_ID,
        wecom_secret=SecretStr(SECRET),
    )


def service_at(place: Place, *, channel: bool = True) -> Service:
    """Build a service; without a channel it only decides and looks."""
    settings = settings_at(place)
    store = Store(settings.database_url)
    told = WeComSettings(CORP_ID, SECRET, place.api_base, read_timeout=place.read_timeout, calls_per_minute=0)
    client = WeComClient(told, shelf=DatabaseShelf(store, settings), clock=place.clock) if channel else None
    service = Service(settings, store, WeComSender(client) if client else None, place.clock.moment)
    service.shelf = SHELF
    return service


def work(place: Place, ready: Callable[[], None] = lambda: None) -> None:
    """Work until told to stop (SIGTERM)."""
    gc.freeze()
    logging.getLogger("apscheduler").setLevel(logging.ERROR)  # on a busy machine it tells of every tick left out
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    service = service_at(place)
    service.start()
    ready()
    stop.wait()
    service.stop()
