"""What came in: a Turn is one customer moment and the agent's drafted answer to it.

Every value here is frozen and holds what the caller sent, unread. Nothing in this module knows JSON, time or a store;
the wire's camelCase lives in `gateway.contract`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


class Role(StrEnum):
    """Who wrote a message; `system` notes are never evidence and never answered."""

    CUSTOMER = "customer"
    AGENT = "agent"
    HUMAN = "human"
    SYSTEM = "system"


class ChatType(StrEnum):
    """Only private chats may be answered by the gateway."""

    PRIVATE = "private"
    GROUP = "group"


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation; `at` carries an offset."""

    id: str
    role: Role
    text: str
    at: datetime
    agent_id: str | None = None


@dataclass(frozen=True, slots=True)
class Slot:
    """A value that is already known about the customer; `source` is `conversation`, `profile` or `tool`."""

    value: Any
    source: str
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Citation:
    """A passage that the agent cites; without `text` it backs nothing."""

    id: str
    text: str = ""
    title: str | None = None
    subject: str | None = None
    url: str | None = None
    published_at: datetime | None = None
    valid_until: datetime | None = None
    withdrawn: bool = False


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool answered; `status` is `ok`, `error` or `empty`; only `ok` with content backs anything."""

    id: str
    tool: str
    status: str
    subject: str | None = None
    data: Any = None
    text: str | None = None
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Grounding:
    """The agent's declaration which passage a clause rests on.

    Exactly one of (`evidence_id` with `evidence_quote`), (`evidence_id` with `path`) and (`message_id`) is given.
    """

    quote: str
    evidence_id: str | None = None
    evidence_quote: str | None = None
    path: str | None = None
    message_id: str | None = None


@dataclass(frozen=True, slots=True)
class Action:
    """What the agent did; `status` is `done`, `pending` or `failed`; only `done` backs a done-claim."""

    type: str
    status: str
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """What would be sent, with everything that the agent says stands behind it."""

    text: str
    requires_human: bool = False
    agent_id: str | None = None
    model: str | None = None
    citations: tuple[Citation, ...] = ()
    tool_results: tuple[ToolResult, ...] = ()
    grounding: tuple[Grounding, ...] = ()
    actions: tuple[Action, ...] = ()
    inbox_id: str | None = None
    reply_id: str | None = None
    reply_kind: str | None = None
    respond_to_agent_id: str | None = None
    cross_reply_reason: str | None = None
    cross_reply_round: int | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """The talk so far, oldest message first, and what is already known."""

    id: str
    chat_type: ChatType
    messages: tuple[Message, ...] = ()
    subject: str | None = None
    stage: str | None = None
    slots: Mapping[str, Slot] = field(default_factory=dict)

    @property
    def unanswered(self) -> tuple[Message, ...]:
        """The customer's messages since the last word of an agent or a person; empty for a proactive draft."""
        found: list[Message] = []
        for message in reversed(self.messages):
            if message.role in (Role.AGENT, Role.HUMAN):
                break
            if message.role is Role.CUSTOMER:
                found.append(message)
        return tuple(reversed(found))

    @property
    def last_sent(self) -> Message | None:
        """The newest message by an agent or a person, or None."""
        ours = (m for m in reversed(self.messages) if m.role in (Role.AGENT, Role.HUMAN))
        return next(ours, None)


@dataclass(frozen=True, slots=True)
class Turn:
    """One moment: `now` is the instant against which dates and expiry are read; `draft` is None when only planning."""

    id: str
    now: datetime
    conversation: Conversation
    draft: Draft | None = None
    pack: str | None = None
