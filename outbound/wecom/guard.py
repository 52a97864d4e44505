"""Guards before a call: a stopped channel is not tried, a paused call waits, and our own pace stays under the limit.

Repeating a wrong secret bars the caller's address for an hour, and every further call during a rate block lengthens
nothing but the log: so both are remembered here. State is per process; each process finds out with one call.
"""

import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from outbound.errors import Action, ChannelRejected

MINUTE, HOUR = 60.0, 3600.0


@dataclass(frozen=True, slots=True)
class Stop:
    """A channel that rests: `scope` is a kf account, or the call that was refused; `since` is Unix time."""

    scope: str
    errcode: int | None
    detail: str
    since: float


class Guard:
    """Remember stops, pauses and recent calls; safe to share between threads.

    A stopped scope rests for a minute, or as long as `rests` says for it (seconds); then one trial passes.
    """

    def __init__(
        self, clock: Callable[[], float], *, per_minute: int, rests: Mapping[str, float] | None = None
    ) -> None:
        self._clock = clock
        self._per_minute = per_minute
        self._rests = rests or {}
        self._lock = threading.Lock()
        self._stops: dict[str, Stop] = {}
        self._pauses: dict[str, float] = {}  # call: Unix time until which it rests
        self._recent: dict[str, deque[float]] = {}

    @property
    def stops(self) -> tuple[Stop, ...]:
        """What rests now."""
        with self._lock:
            return tuple(self._stops.values())

    def admit(self, call: str, scope: str) -> None:
        """Let a call pass or raise the ChannelRejected that says why not; nothing was written then."""
        with self._lock:
            now = self._clock()
            self._refuse_stopped(scope, now)
            self._refuse_paused(call, now)
            self._refuse_pace(call, now)

    def note(self, fault: ChannelRejected, call: str, scope: str) -> None:
        """Remember a refusal that concerns more than this one message."""
        with self._lock:
            if fault.action is Action.CONFIG:
                self._stops[scope] = Stop(scope, fault.errcode, fault.detail, self._clock())
            elif fault.action is Action.RATE:
                fault.retry_after = self._pause(call)

    def succeeded(self, call: str, scope: str) -> None:
        """Forget what a success disproves."""
        with self._lock:
            self._stops.pop(scope, None)
            if self._clock() >= self._pauses.get(call, 0.0):
                self._pauses.pop(call, None)

    def resume(self, scope: str | None = None) -> None:
        """Let an operator end a rest: of one scope, or of everything."""
        with self._lock:
            if scope is None:
                self._stops.clear()
                self._pauses.clear()
            else:
                self._stops.pop(scope, None)

    def _refuse_stopped(self, scope: str, now: float) -> None:
        stop = self._stops.get(scope)
        if stop is None:
            return
        left = stop.since + self._rests.get(scope, MINUTE) - now
        if left > 0:
            raise ChannelRejected(
                stop.errcode,
                Action.CONFIG,
                reason="channel_stopped",
                detail=stop.detail,
                retry_after=left,
            )
        # one trial; others keep resting until it succeeds
        self._stops[scope] = Stop(scope, stop.errcode, stop.detail, now)

    def _refuse_paused(self, call: str, now: float) -> None:
        until = self._pauses.get(call, 0.0)
        if now < until:
            raise _rate(f"{call} rests after the platform's limit", until - now)

    def _refuse_pace(self, call: str, now: float) -> None:
        if not self._per_minute:
            return
        recent = self._recent.setdefault(call, deque())
        while recent and recent[0] <= now - MINUTE:
            recent.popleft()
        if len(recent) >= self._per_minute:
            raise _rate(f"{call} reached our own limit of {self._per_minute} a minute", recent[0] + MINUTE - now)
        recent.append(now)

    def _pause(self, call: str) -> float:
        """Rest for a minute first; for an hour when the platform still refuses after that."""
        length = HOUR if call in self._pauses else MINUTE
        self._pauses[call] = self._clock() + length
        return length


def _rate(detail: str, retry_after: float) -> ChannelRejected:
    return ChannelRejected(None, Action.RATE, reason="rate_limited", detail=detail, retry_after=retry_after)
