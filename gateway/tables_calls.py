"""The stored rows of what goes to agents, operators and the platform beside the messages to customers."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Integer, UniqueConstraint
from sqlmodel import Field

from gateway.tables import Base, _index_where, _json, _moment, _one_of, _serial, _text

ALERT_KINDS = ("held", "failed", "stopped", "unanswered")
ALERT_STATES = ("waiting", "posted", "void")
POST_STATES = ("waiting", "told", "collapsed", "failed", "void")
CALL_STATES = ("waiting", "done", "dead", "void")
TARGET_KINDS = ("robot", "app")


def _number() -> Any:
    return BigInteger().with_variant(Integer(), "sqlite")


class AlertTarget(Base, table=True):
    """Where an account's alerts go: a group robot (its key is sealed), or members of the app."""

    __tablename__ = "alert_target"
    __table_args__ = (_one_of("kind", "kind", TARGET_KINDS),)
    id: str = Field(primary_key=True)
    account_id: str = Field(foreign_key="account.id", index=True)
    kind: str
    sealed_key: str | None = _text(null=True)
    agent_id: int | None = None
    members: list[str] = _json(null=False)
    kinds: list[str] = _json(null=False)
    created_at: datetime = _moment(null=False)


class AlertRow(Base, table=True):
    """Something that operators should know, written in the transaction in which it happened."""

    __tablename__ = "alert"
    __table_args__ = (
        _one_of("kind", "kind", ALERT_KINDS),
        _one_of("state", "state", ALERT_STATES),
        Index("ix_alert_state_seq", "state", "seq"),
        Index("ix_alert_account_id_created_at", "account_id", "created_at"),
    )
    seq: int | None = _serial()
    kind: str
    state: str = "waiting"
    account_id: str | None = None
    conversation_id: str | None = None
    draft_id: str | None = None
    outbound_id: str | None = None
    why: str = _text()
    created_at: datetime = _moment(null=False)


class AlertPost(Base, table=True):
    """One alert for one target. A collapsed one is told in the summary that another post carries."""

    __tablename__ = "alert_post"
    __table_args__ = (
        _one_of("state", "state", POST_STATES),
        UniqueConstraint("alert_seq", "target_id"),
        Index("ix_alert_post_state_next_at", "state", "next_at"),
        Index("ix_alert_post_target_id_last_at", "target_id", "last_at"),
    )
    seq: int | None = _serial()
    alert_seq: int = Field(sa_column=Column(_number(), ForeignKey("alert.seq"), nullable=False))
    target_id: str
    state: str = "waiting"
    attempts: int = 0
    summary: str | None = _text(null=True)
    error: str | None = _text(null=True)
    next_at: datetime = _moment(null=False)
    last_at: datetime | None = _moment()
    created_at: datetime = _moment(null=False)


class AgentHook(Base, table=True):
    """An account's agent that is called instead of asking: its address, and the sealed secret that signs the calls.

    While the secret is being changed the earlier one signs as well.
    """

    __tablename__ = "agent_hook"
    account_id: str = Field(primary_key=True, foreign_key="account.id")
    url: str
    sealed_secret: str = _text()
    sealed_before: str | None = _text(null=True)
    created_at: datetime = _moment(null=False)


class AgentCall(Base, table=True):
    """The calls for one inbox row, until the agent took it or the tries were used up."""

    __tablename__ = "agent_call"
    __table_args__ = (
        _one_of("state", "state", CALL_STATES),
        Index("ix_agent_call_state_next_at", "state", "next_at"),
    )
    inbox_id: str = Field(primary_key=True)
    account_id: str
    conversation_id: str
    state: str = "waiting"
    attempts: int = 0
    status: int | None = None
    error: str | None = _text(null=True)
    next_at: datetime = _moment(null=False)
    created_at: datetime = _moment(null=False)
    updated_at: datetime = _moment(null=False)


class ChannelItem(Base, table=True):
    """An entry of the channel's log that is more than plain text, as it came: events and kinds that we do not read.

    After a month `raw` is forgotten; the row stays, so that a late repeat is still known.
    """

    __tablename__ = "channel_item"
    __table_args__ = (_index_where("ix_channel_item_kept", "at", where="raw IS NOT NULL"),)
    account_id: str = Field(primary_key=True)
    msgid: str = Field(primary_key=True)
    kind: str
    conversation_id: str | None = Field(default=None, index=True)
    raw: dict[str, Any] | None = _json()
    note: str = _text()
    at: datetime = _moment(null=False)


class ChannelToken(Base, table=True):
    """The platform's access token, sealed; one row for each app."""

    __tablename__ = "channel_token"
    id: str = Field(primary_key=True)
    sealed: str = _text()
    expires_at: datetime = _moment(null=False)
