"""The channel's limits as pure questions; each answer is a hold reason or nothing.

Sources: 5 messages per customer message within 48 h (document/path/94695, 96427); private chats only, since no
official API answers customers in groups.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

WINDOW = timedelta(hours=48)
MARGIN = timedelta(minutes=5)  # our clock and theirs differ, and a message needs time to travel
QUOTA = 5
RESERVE = 1
EVERYBODY = "*"


@dataclass(frozen=True, slots=True)
class Reach:
    """What is known when a message is about to leave.

    `used` counts messages sent since the customer's last one, those of unknown outcome too. `internal` marks a group
    channel of colleagues that was configured as such.
    """

    recipient: str
    private: bool
    now: datetime
    last_customer_at: datetime | None
    used: int
    segments: int = 1
    internal: bool = False


def hold_reasons(
    reach: Reach,
    allowlist: Collection[str],
    *,
    reserve: int = RESERVE,
    quota: int = QUOTA,
    window: timedelta = WINDOW,
) -> tuple[str, ...]:
    """List why these segments may not leave now; empty means that the channel's limits allow them.

    `reserve` messages of the quota are kept back; a person's own words and a handoff text may use them (0). A house
    may set `quota` and `window` below the channel's.
    """
    is_open = window_open(reach.last_customer_at, reach.now, window=window)
    left = quota_left(reach.used, reserve=reserve, quota=quota)
    reasons = (
        None if allowed(reach.recipient, allowlist) else "not_allowed",
        None if reach.private or reach.internal else "group_chat",
        None if reach.internal or is_open else "window_closed",
        None if reach.internal or reach.segments <= left else "quota_used",
    )
    return tuple(reason for reason in reasons if reason)


def allowed(recipient: str, allowlist: Collection[str]) -> bool:
    """Say whether the list lets this recipient be written to; entries are literal, `*` alone means everybody.

    An empty list allows nobody. Nothing is trimmed or matched as a pattern: `wm_c0.` is one odd name.
    """
    return bool(recipient) and (recipient in allowlist or EVERYBODY in allowlist)


def window_closes(last_customer_at: datetime, *, window: timedelta = WINDOW, margin: timedelta = MARGIN) -> datetime:
    """Give the instant from which nothing more is sent."""
    return last_customer_at + window - margin


def window_open(last_customer_at: datetime | None, now: datetime, *, window: timedelta = WINDOW) -> bool:
    """Say whether the customer wrote recently enough; without any message the window never opened.

    A customer's message that lies in the future (clocks differ) counts as just now.
    """
    return last_customer_at is not None and now < window_closes(last_customer_at, window=window)


def quota_left(used: int, *, reserve: int = RESERVE, quota: int = QUOTA) -> int:
    """Count the messages that may still be sent before the customer writes again; never negative."""
    return max(0, quota - reserve - max(0, used))
