"""The stored rows of group turns, and of who is writing where."""

from datetime import datetime
from typing import Any

from sqlalchemy import Index
from sqlmodel import Field

from gateway.tables import Base, _json, _moment, _one_of, _serial, _text

REPLY_KINDS = ("primary", "cross_agent", "dropped")


class GroupTurn(Base, table=True):
    """One moment of a group that several agents answer: who was there, and which cross replies may follow."""

    __tablename__ = "group_turn"
    id: str = Field(primary_key=True)
    conversation_id: str = Field(foreign_key="conversation.id", index=True)
    members: list[str] = _json(null=False)
    primaries: dict[str, str] = _json(null=False)
    plans: list[dict[str, Any]] = _json(null=False)
    dropped: list[dict[str, Any]] = _json(null=False)
    reason: str = ""
    context: dict[str, Any] = _json(null=False)
    created_at: datetime = _moment(null=False)


class GroupReply(Base, table=True):
    """One reply of a group turn, or a proposal that was dropped: by whom, to whom, why, in which round.

    `reason` is what a cross reply was to add; `why` says why something was dropped and is empty for what was given.
    """

    __tablename__ = "group_reply"
    __table_args__ = (_one_of("kind", "kind", REPLY_KINDS), Index("ix_group_reply_at", "at"))
    seq: int | None = _serial()
    turn_id: str = Field(foreign_key="group_turn.id", index=True)
    at: datetime = _moment(null=False)
    kind: str
    agent_id: str = ""
    reply_id: str | None = None
    draft_id: str | None = Field(default=None, foreign_key="draft.id")
    respond_to_agent_id: str | None = None
    reason: str | None = _text(null=True)
    round: int = 0
    why: str = ""


class Writing(Base, table=True):
    """A person who is writing in a conversation right now: until then no agent's words leave it by themselves."""

    __tablename__ = "writing"
    conversation_id: str = Field(primary_key=True, foreign_key="conversation.id")
    operator_id: str
    until: datetime = _moment(null=False)
