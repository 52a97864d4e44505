"""The stored rows. SQLModel describes them; every statement is SQLAlchemy Core on `Model.__table__`.

Enumerations are text with a CHECK, times are UTC, JSON columns are replaced whole.
"""

from datetime import UTC, datetime
from typing import Any, ClassVar

from sqlalchemy import (
    JSON,
    BigInteger,
    CheckConstraint,
    Column,
    DateTime,
    Index,
    Integer,
    MetaData,
    Text,
    UniqueConstraint,
    false,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator
from sqlmodel import Field, SQLModel

from gateway.contract import FALLBACKS
from gateway.gate import Mode

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}

DRAFT_STATES = (
    "evaluating",
    "awaiting_rewrite",
    "held",
    "approved",
    "queued",
    "sending",
    "sent",
    "sent_partial",
    "send_failed",
    "send_unknown",
    "no_reply",
    "rejected",
    "superseded",
    "expired",
)
MESSAGE_STATES = ("queued", "sending", "accepted", "channel_rejected", "unknown", "failed_later", "held")
MODES = tuple(str(mode) for mode in Mode)
ROLES = ("viewer", "operator", "admin")


class UtcTime(TypeDecorator[datetime]):
    """A moment, stored in UTC and read back with its offset (SQLite forgets offsets)."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, _dialect: Dialect) -> datetime | None:
        """Refuse naive moments and store the others in UTC."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a stored moment needs an offset")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, _dialect: Dialect) -> datetime | None:
        """Give the moment back in UTC."""
        if value is None or value.tzinfo is not None:
            return value
        return value.replace(tzinfo=UTC)


class JsonValue(TypeDecorator[Any]):
    """A JSON value: JSON text on SQLite, JSONB on PostgreSQL; None is SQL NULL, so that "null in old records" stays."""

    impl = JSON
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> Any:
        """Choose the database's own type."""
        kind = JSONB(none_as_null=True) if dialect.name == "postgresql" else JSON(none_as_null=True)
        return dialect.type_descriptor(kind)


def _moment(*, index: bool = False, null: bool = True) -> Any:
    return Field(default=None, sa_column=Column(UtcTime(), nullable=null, index=index))


def _json(*, null: bool = True) -> Any:
    return Field(default=None, sa_column=Column(JsonValue(), nullable=null))


def _text(*, null: bool = False) -> Any:
    return Field(default=None if null else "", sa_column=Column(Text(), nullable=null))


def _serial() -> Any:
    return Field(
        default=None,
        sa_column=Column(BigInteger().with_variant(Integer(), "sqlite"), primary_key=True, autoincrement=True),
    )


def _index_where(name: str, *columns: str, where: str) -> Index:
    """Index only the rows that matter: in a store of a million sent messages the few waiting ones stay quick to find."""
    return Index(name, *columns, postgresql_where=text(where), sqlite_where=text(where))


def _one_of(name: str, column: str, values: tuple[str, ...], *, null: bool = False) -> CheckConstraint:
    listed = ", ".join(f"'{value}'" for value in values)
    return CheckConstraint(f"{column} IN ({listed})" + (f" OR {column} IS NULL" if null else ""), name=name)


class Base(SQLModel):
    """Base of every table."""

    metadata: ClassVar[MetaData] = MetaData(naming_convention=NAMING)


class Account(Base, table=True):
    """One customer-service account (a WeCom kf account) and how far its agent is trusted."""

    __table_args__ = (_one_of("mode", "mode", MODES),)
    id: str = Field(primary_key=True)
    name: str
    mode: str = "review"
    pack: str = "property"
    channel: str = "wecom_kf"
    channel_account: str = ""
    allowlist: list[str] = _json(null=False)
    stopped_reason: str | None = None
    may_confirm: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    cursor: str | None = None
    created_at: datetime = _moment(null=False)


class ConversationRow(Base, table=True):
    """A talk with one customer; account, recipient and chat type never change."""

    __tablename__ = "conversation"
    __table_args__ = (
        _one_of("chat_type", "chat_type", ("private", "group")),
        _one_of("mode", "mode", MODES, null=True),
        UniqueConstraint("account_id", "recipient"),
        Index("ix_conversation_last_customer_at_id", "last_customer_at", "id"),
    )
    id: str = Field(primary_key=True)
    account_id: str = Field(foreign_key="account.id")
    recipient: str
    chat_type: str
    pack: str | None = None
    mode: str | None = None
    stage: str | None = None
    subject: str | None = None
    slots: dict[str, Any] | None = _json()
    display_name: str | None = None
    assigned_to: str | None = None
    handoff_open: bool = False
    handoff_draft_id: str | None = None
    last_human_at: datetime | None = _moment()
    session_state: int | None = None
    last_customer_at: datetime | None = _moment()
    last_customer_message_id: str | None = None
    quota_used: int = 0
    touches: int = 0
    last_touch_at: datetime | None = _moment()
    created_at: datetime = _moment(null=False)


class MessageRow(Base, table=True):
    """One message of a conversation as the store knows it, in order of `seq`; a recalled one is kept and not shown."""

    __tablename__ = "message"
    __table_args__ = (
        UniqueConstraint("conversation_id", "id"),
        _one_of("role", "role", ("customer", "agent", "human", "system")),
        Index("ix_message_conversation_id_seq", "conversation_id", "seq"),
    )
    seq: int | None = _serial()
    conversation_id: str = Field(foreign_key="conversation.id")
    id: str
    role: str
    text: str = _text()
    at: datetime = _moment(null=False)
    agent_id: str | None = None
    outbound_id: str | None = None
    recalled_at: datetime | None = _moment()


class DraftRow(Base, table=True):
    """A draft and where it stands. The five frozen quality fields are null when nothing is known."""

    __tablename__ = "draft"
    __table_args__ = (
        _one_of("state", "state", DRAFT_STATES),
        _one_of("fallback_reason", "fallback_reason", tuple(sorted(FALLBACKS)), null=True),
        CheckConstraint("quality_score BETWEEN 0 AND 100 OR quality_score IS NULL", name="quality_score"),
        CheckConstraint("rewrite_count IN (0, 1) OR rewrite_count IS NULL", name="rewrite_count"),
        Index("ix_draft_state_created_at_id", "state", "created_at", "id"),
        Index("ix_draft_conversation_id_created_at", "conversation_id", "created_at"),
        Index("ix_draft_state_deadline_at_id", "state", "deadline_at", "id"),
        Index("ix_draft_created_at_id", "created_at", "id"),
    )
    id: str = Field(primary_key=True)
    conversation_id: str = Field(foreign_key="conversation.id")
    agent_id: str | None = None
    model: str | None = None
    reply_id: str | None = None
    inbox_id: str | None = None
    moment_id: str | None = None
    turn_id: str = ""
    state: str
    version: int = 1
    mode: str
    action: str
    stale: bool = False
    handoff: bool = False
    hold_reasons: list[str] = _json(null=False)
    quality_score: int | None = None
    quality_checks: list[dict[str, Any]] | None = _json()
    quality_passed: bool | None = None
    rewrite_count: int | None = None
    fallback_reason: str | None = None
    scenarios: list[str] = _json(null=False)
    text_seq: int | None = None
    deadline_at: datetime | None = _moment()
    decided_by: str | None = None
    undo_until: datetime | None = _moment()
    created_at: datetime = _moment(null=False)
    updated_at: datetime = _moment(null=False)


class DraftText(Base, table=True):
    """Every text that a draft has had: first, rewritten, late, edited; never changed afterwards."""

    __tablename__ = "draft_text"
    __table_args__ = (
        _one_of("kind", "kind", ("first", "rewrite", "late", "error", "edited")),
        Index("ix_draft_text_draft_id_seq", "draft_id", "seq"),
    )
    seq: int | None = _serial()
    draft_id: str = Field(foreign_key="draft.id")
    version: int
    kind: str
    text: str = _text()
    sha256: str
    author: str
    draft: dict[str, Any] | None = _json()
    context: dict[str, Any] | None = _json()
    evaluation: dict[str, Any] | None = _json()
    created_at: datetime = _moment(null=False)


class OutboundRow(Base, table=True):
    """The outbox: a row stands here before any call to a channel.

    `attempts` numbers the permits, `rests` counts those of them that the channel turned away unread (a pause).
    """

    __tablename__ = "outbound"
    __table_args__ = (
        _one_of("state", "state", MESSAGE_STATES),
        _one_of("kind", "kind", ("auto", "approved", "human")),
        UniqueConstraint("msgid"),
        Index("ix_outbound_state_next_at", "state", "next_at"),
        _index_where("ix_outbound_queued", "created_at", "outbound_id", where="state = 'queued'"),
        _index_where("ix_outbound_waiting", "conversation_id", where="state IN ('queued', 'sending')"),
        Index("ix_outbound_conversation_id_created_at", "conversation_id", "created_at"),
        Index("ix_outbound_channel_message_id", "channel_message_id"),
    )
    outbound_id: str = Field(primary_key=True)
    conversation_id: str = Field(foreign_key="conversation.id")
    draft_id: str | None = Field(default=None, foreign_key="draft.id", index=True)
    account_id: str
    recipient: str
    segment: int = 1
    segments: int = 1
    text: str = _text()
    sha256: str
    msgid: str
    kind: str
    state: str
    author: str
    draft_version: int = 1
    moment_id: str | None = None
    confirmed_stale: bool = False
    last_seen_message_id: str | None = None
    handoff: bool = False
    event_code: str | None = None
    permit_expires_at: datetime | None = _moment()
    permit_used_at: datetime | None = _moment()
    attempts: int = 0
    rests: int = 0
    resends: int = 0
    doubtful: bool = False
    next_at: datetime = _moment(null=False)
    errcode: int | None = None
    hint: str | None = _text(null=True)
    channel_message_id: str | None = None
    created_at: datetime = _moment(null=False)
    updated_at: datetime = _moment(null=False)


class DeliveryRow(Base, table=True):
    """One message that the channel accepted and gave an id; `failed_later` takes it out of the count."""

    __tablename__ = "delivery"
    __table_args__ = (_one_of("state", "state", ("accepted", "failed_later")),)
    outbound_id: str = Field(primary_key=True, foreign_key="outbound.outbound_id")
    conversation_id: str = Field(index=True)
    channel_message_id: str
    state: str = "accepted"
    fail_type: int | None = None
    reason: str | None = None
    accepted_at: datetime = _moment(null=False, index=True)
    failed_at: datetime | None = _moment()


class InboxRow(Base, table=True):
    """What an agent is asked to answer: a customer's message, a rewrite, or a follow-up.

    Messages typed in quick succession are one row, for the newest: `burst_at` is when the first of them came, `ready_at`
    the moment from which agents see it; None is at once.
    """

    __tablename__ = "inbox"
    __table_args__ = (
        _one_of("kind", "kind", ("reply", "follow_up")),
        _one_of("state", "state", ("open", "answered", "closed")),
        UniqueConstraint("conversation_id", "moment_id"),
        Index("ix_inbox_state_seq", "state", "seq"),
    )
    seq: int | None = _serial()
    id: str = Field(unique=True)
    conversation_id: str = Field(foreign_key="conversation.id")
    kind: str
    moment_id: str
    instruction: str | None = _text(null=True)
    state: str = "open"
    burst_at: datetime | None = _moment()
    ready_at: datetime | None = _moment()
    created_at: datetime = _moment(null=False)


class AuditRow(Base, table=True):
    """Who changed what, when, from, to, why; rows are only ever added."""

    __tablename__ = "audit"
    __table_args__ = (
        Index("ix_audit_draft_id_seq", "draft_id", "seq"),
        Index("ix_audit_conversation_id_seq", "conversation_id", "seq"),
    )
    seq: int | None = _serial()
    at: datetime = _moment(null=False)
    actor: str
    event: str
    draft_id: str | None = None
    conversation_id: str | None = None
    outbound_id: str | None = None
    from_state: str | None = None
    to_state: str | None = None
    why: str = _text()
    detail: dict[str, Any] | None = _json()


class IdempotencyRow(Base, table=True):
    """The first result of a request, given again to its repeats."""

    __tablename__ = "idempotency"
    scope: str = Field(primary_key=True)
    key: str = Field(primary_key=True)
    request_sha256: str
    status: int
    response: dict[str, Any] | None = _json()
    created_at: datetime = _moment(null=False, index=True)


class ApiKeyRow(Base, table=True):
    """An agent's key: only its hash is kept."""

    __tablename__ = "api_key"
    id: str = Field(primary_key=True)
    sha256: str = Field(unique=True)
    name: str
    scopes: list[str] = _json(null=False)
    accounts: list[str] = _json(null=False)
    created_at: datetime = _moment(null=False)
    revoked_at: datetime | None = _moment()


class OperatorRow(Base, table=True):
    """A person who decides; the password is an argon2 hash."""

    __tablename__ = "operator"
    __table_args__ = (_one_of("role", "role", ROLES),)
    id: str = Field(primary_key=True)
    name: str
    password_hash: str
    role: str = "operator"
    disabled: bool = False
    created_at: datetime = _moment(null=False)


class SessionRow(Base, table=True):
    """A signed-in browser; the cookie holds a random id, the row its hash."""

    __tablename__ = "web_session"
    sha256: str = Field(primary_key=True)
    operator_id: str = Field(foreign_key="operator.id", index=True)
    csrf: str
    created_at: datetime = _moment(null=False)
    expires_at: datetime = _moment(null=False)


class SignInAttempt(Base, table=True):
    """Failed sign-ins of one place, or of one place for one name, in the running window; the key is a hash."""

    __tablename__ = "sign_in_attempt"
    key: str = Field(primary_key=True)
    failures: int = 0
    since: datetime = _moment(null=False, index=True)


class SettingRow(Base, table=True):
    """A setting that is changed while the service runs."""

    __tablename__ = "setting"
    key: str = Field(primary_key=True)
    value: Any = _json()
    updated_at: datetime = _moment(null=False)
