"""Sessions of a channel: who holds the conversation on the platform's side, and the log of what happened there."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Any


class SessionState(IntEnum):
    """The five states of a kf session (document/path/94698, 2023-11-30)."""

    UNHANDLED = 0
    ASSISTANT = 1
    POOL = 2
    HUMAN = 3
    ENDED = 4  # also "not started"

    @property
    def open_to_us(self) -> bool:
        """Whether a plain message may be sent through the API."""
        return self in (SessionState.UNHANDLED, SessionState.ASSISTANT)

    @property
    def with_people(self) -> bool:
        """Whether people hold the session, or it waits for them."""
        return self in (SessionState.POOL, SessionState.HUMAN)


@dataclass(frozen=True, slots=True)
class Session:
    """A session as the channel tells it; `servicer` only while a person holds it."""

    state: SessionState
    servicer: str | None = None


@dataclass(frozen=True, slots=True)
class Moved:
    """The session is in `state` now; `event_code` allows the one text that may follow, None when none came."""

    state: SessionState
    event_code: str | None = None
    servicer: str | None = None


@dataclass(frozen=True, slots=True)
class Servicer:
    """A person who may take sessions; a department row (not expanded by the platform) is never receiving."""

    user_id: str
    receiving: bool


class Origin(IntEnum):
    """Who caused an item of the log; only a customer's words may reach an agent."""

    UNKNOWN = 0
    CUSTOMER = 3
    SYSTEM = 4
    SERVICER = 5


class EventKind(StrEnum):
    """Events that we act on; everything else is `OTHER`, kept and shown."""

    ENTER = "enter_session"
    SEND_FAILED = "msg_send_fail"
    SERVICER_STATUS = "servicer_status_change"
    SESSION = "session_status_change"
    CUSTOMER_RECALL = "user_recall_msg"
    SERVICER_RECALL = "servicer_recall_msg"
    REFUSES = "reject_customer_msg_switch_change"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Item:
    """One entry of the channel's log.

    `msgid` with `account` is the key for dropping repeats. `sent_at` is Unix seconds. `kind` is the platform's word
    (`text`, `image`, `event`, …; new kinds pass through); `text` is set for texts only. `event` is None for messages.
    """

    msgid: str
    account: str
    customer: str
    sent_at: int
    origin: Origin
    kind: str
    text: str | None = None
    servicer: str | None = None
    event: EventKind | None = None
    raw: Mapping[str, Any] = field(default_factory=dict)

    @property
    def from_customer(self) -> bool:
        """Whether these are the customer's own words or media."""
        return self.origin is Origin.CUSTOMER and self.event is None

    @property
    def by_person(self) -> bool:
        """Whether a colleague wrote this in the channel's own client: a human reply, never our Delivery."""
        return self.origin is Origin.SERVICER and self.event is None


@dataclass(frozen=True, slots=True)
class Page:
    """One page of the log. Store its items and `next_cursor` in one transaction, then process."""

    items: tuple[Item, ...]
    next_cursor: str
    has_more: bool
