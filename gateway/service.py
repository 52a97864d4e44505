"""The service: store, channel and clock put together; everything else asks it to run a function of a Tx."""

from collections.abc import Callable
from datetime import UTC, datetime
from threading import Thread
from typing import TypeVar

from apscheduler.schedulers.background import BackgroundScheduler
from sqlalchemy import Connection

from gateway import followups, tally
from gateway.bell import Bell
from gateway.caller import Caller
from gateway.courier import Channel, Courier
from gateway.couriers import Couriers
from gateway.evaluate import warm_up
from gateway.jobs import Leader, expire, start_scheduler, tidy
from gateway.judge import judge_of
from gateway.packs import PackShelf
from gateway.puller import Puller
from gateway.settings import Settings
from gateway.store import Store
from gateway.tx import Tx
from gateway.wecom import wecom_client

T = TypeVar("T")


def now_utc() -> datetime:
    """Tell the moment."""
    return datetime.now(UTC)


class Service:
    """One running gateway. `clock` and `channel` are given, so that tests bring their own."""

    def __init__(
        self,
        settings: Settings,
        store: Store,
        channel: Channel | None = None,
        clock: Callable[[], datetime] = now_utc,
    ) -> None:
        self.settings = settings
        self.store = store
        self.shelf = PackShelf(settings.packs_dir)
        self.channel = channel
        self.clock = clock
        self.courier = Courier(self.run, channel, clock)
        self.puller = Puller(self.run, self.look, channel)
        self.caller = Caller(self.run, settings, clock)
        self.bell = Bell(self.run, settings, clock, lambda: wecom_client(settings, store))
        self.judge = judge_of(settings)
        self._leader = Leader(store)
        self._scheduler: BackgroundScheduler | None = None
        self._couriers: Couriers | None = None
        store.signals.on("resume", self._resume)

    def run(self, job: Callable[[Tx], T]) -> T:
        """Run a function in a durable transaction."""
        return self.store.write(self._in_tx(job))

    async def arun(self, job: Callable[[Tx], T]) -> T:
        """Run a function in a durable transaction without blocking the event loop."""
        return await self.store.awrite(self._in_tx(job))

    def look(self, job: Callable[[Tx], T]) -> T:
        """Run a function that only reads."""
        return self.store.read(self._in_tx(job))

    async def alook(self, job: Callable[[Tx], T]) -> T:
        """Run a function that only reads, without blocking the event loop."""
        return await self.store.aread(self._in_tx(job))

    def start(self) -> None:
        """Check the packs, start to carry messages, and start the timed work, which one process of all does."""
        warm_up(self.shelf)
        if self.judge is not None:
            Thread(target=self.judge.warm_up, name="judge warm-up", daemon=True).start()
        self._couriers = Couriers(self.courier, self.settings.couriers, self.settings.tick_seconds)
        for signal in ("outbox", "listening"):
            self.store.signals.on(signal, self._couriers.wake)
        self.store.listen()
        self._couriers.start()
        self._scheduler = start_scheduler(
            self._leader,
            {
                "deadlines": (self.settings.tick_seconds, lambda: self.run(expire)),
                "recover": (5.0, self.courier.recover),
                "channel": (self.settings.poll_seconds, self.pull_all),
                "tidy": (3600.0, lambda: self.run(tidy)),
                "agents": (self.settings.tick_seconds, self.caller.call_due),
                "alerts": (self.settings.tick_seconds, self.bell.ring),
                "follow_ups": (30.0, lambda: self.run(followups.ask_due)),
                "tally": (5.0, self.tally),
            },
        )

    def stop(self) -> None:
        """Finish the running work and close the store."""
        if self._scheduler is not None:
            self._scheduler.shutdown(wait=True)
            self._scheduler = None
        if self._couriers is not None:
            self._couriers.stop()
        self._leader.leave()
        self.caller.close()
        if self.judge is not None:
            self.judge.close()
        self.bell.close()
        if self.channel is not None:
            self.channel.close()
        self.store.close()

    def carry_all(self) -> int:
        """Carry messages until none is due; gives how many were looked at."""
        total = 0
        while self.courier.next():
            total += 1
        return total

    def tally(self, most: int = 25) -> None:
        """Count figures ahead, in small steps, so that nobody waits long for the writer."""
        for _ in range(most):
            if self.run(tally.count_on) < tally.BATCH:
                return

    def pull_all(self) -> int:
        """Pull every account's log to its end; gives how many items were new."""
        return self.pull(None)

    def pull(self, channel_account: str | None, token: str | None = None) -> int:
        """Pull the logs that a callback names; None means every account."""
        return self.puller.pull(channel_account, token)

    def _resume(self, channel_account: str) -> None:
        """Let the channel be tried at once: an operator, perhaps at another process, mended its cause."""
        if self.channel is not None:
            self.channel.resume(channel_account)

    def _in_tx(self, job: Callable[[Tx], T]) -> Callable[[Connection], T]:
        return lambda connection: job(Tx(connection, self.clock(), self.settings, self.shelf))
