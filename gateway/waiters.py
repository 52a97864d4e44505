"""Long polls that wait: woken by a signal from any thread or process, or after a while by themselves."""

import asyncio
import contextlib
import threading


class Waiters:
    """Those who wait now."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = set()

    def wake(self, _about: str = "") -> None:
        """Wake all of them; quick, and from any thread."""
        with self._lock:
            waiting = tuple(self._waiting)
        for loop, event in waiting:
            with contextlib.suppress(RuntimeError):  # its loop has ended
                loop.call_soon_threadsafe(event.set)

    async def wait(self, seconds: float) -> None:
        """Wait to be woken, at most so long."""
        mine = (asyncio.get_running_loop(), asyncio.Event())
        with self._lock:
            self._waiting.add(mine)
        try:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(mine[1].wait(), seconds)
        finally:
            with self._lock:
                self._waiting.discard(mine)
