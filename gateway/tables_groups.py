"""The stored rows of group turns, and of who is writing where."""

from datetime import datetime
from typing import Any

from sqlmodel import Field

from gateway.tables import Base, _json, _moment


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


class Writing(Base, table=True):
    """A person who is writing in a conversation right now: until then no agent's words leave it by themselves."""

    __tablename__ = "writing"
    conversation_id: str = Field(primary_key=True, foreign_key="conversation.id")
    operator_id: str
    until: datetime = _moment(null=False)
