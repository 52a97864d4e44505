"""Who looks at a draft right now: a hint for colleagues, never a lock (the store decides who was first)."""

import time
from collections.abc import Callable

KEPT = 45.0  # seconds: an open page shows itself every 20
MOST = 10_000


class Presence:
    """Remembers who showed themselves at a draft, in this process, for a short while."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seen: dict[tuple[str, str], float] = {}

    def note(self, draft_id: str, operator_id: str) -> None:
        """Remember that somebody has a draft open."""
        now = self._clock()
        if len(self._seen) >= MOST:
            self._seen = {key: at for key, at in self._seen.items() if now - at < KEPT}
        if len(self._seen) < MOST:
            self._seen[draft_id, operator_id] = now

    def others(self, draft_id: str, operator_id: str) -> list[str]:
        """List who else has it open."""
        now = self._clock()
        return sorted(
            who
            for (draft, who), at in self._seen.items()
            if draft == draft_id and who != operator_id and now - at < KEPT
        )
