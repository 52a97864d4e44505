"""Conversations and their messages as the store knows them: the truth about what was said and who owns the talk."""

import functools
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row, Select, Update, bindparam, select, update
from sqlalchemy.exc import IntegrityError

from gateway import inbox, talk_rows
from gateway.errors import Conflict, Forbidden, NotFound
from gateway.tables import Account, ConversationRow, DraftRow, MessageRow, OutboundRow
from gateway.tx import Tx, table_of
from planner.turn import Message, Role

OPEN_STATES = ("evaluating", "awaiting_rewrite", "held", "no_reply")
UNSENT_STATES = (*OPEN_STATES, "approved", "queued")
WITH_PEOPLE = inbox.WITH_PEOPLE
LIVE_MESSAGE_STATES = ("queued", "sending", "accepted", "unknown")


@dataclass(frozen=True, slots=True)
class Talk:
    """A stored conversation with its account and its messages, oldest first.

    `account` has the account's columns as attributes; `recalled` are the ids of the messages that were taken back;
    `writer` is the person who is writing in the talk right now.
    """

    row: Row[Any]
    account: Any
    messages: tuple[Message, ...]
    recalled: frozenset[str] = frozenset()
    writer: str | None = None

    @property
    def mode(self) -> str:
        """The conversation's own mode, else its account's."""
        return str(self.row.mode or self.account.mode)

    @property
    def latest_customer(self) -> Message | None:
        """The newest customer message, or None."""
        return next((m for m in reversed(self.messages) if m.role is Role.CUSTOMER), None)

    @property
    def newest_heard(self) -> Message | None:
        """The newest message by a customer or a person: what an operator must have seen before deciding."""
        return next((m for m in reversed(self.messages) if m.role in (Role.CUSTOMER, Role.HUMAN)), None)

    @property
    def unanswered(self) -> bool:
        """Whether the newest message, system notes aside, is the customer's."""
        spoken = (m for m in reversed(self.messages) if m.role is not Role.SYSTEM)
        newest = next(spoken, None)
        return newest is not None and newest.role is Role.CUSTOMER

    @property
    def with_people(self) -> bool:
        """Whether a person holds the talk, by an internal handoff or by the channel's session."""
        return bool(self.row.handoff_open) or self.row.session_state in WITH_PEOPLE

    def owned_by_people(self, *, but_for: str | None = None) -> bool:
        """Whether people hold the talk, not counting the handoff that this draft opened itself."""
        own = but_for is not None and self.row.handoff_draft_id == but_for
        return self.row.session_state in WITH_PEOPLE or (bool(self.row.handoff_open) and not own)

    def without(self, message_ids: Collection[str]) -> "Talk":
        """The same talk as it was before these messages: a reply's own parts neither answer nor outdate it."""
        if not message_ids:
            return self
        return replace(self, messages=tuple(m for m in self.messages if m.id not in message_ids))

    def answered_after(self, message_id: str | None) -> bool:
        """Whether an agent or a person spoke after this message."""
        seen = False
        for message in self.messages:
            if message.id == message_id:
                seen = True
            elif seen and message.role in (Role.AGENT, Role.HUMAN):
                return True
        return False


def create(tx: Tx, *, conversation_id: str, account: str, recipient: str, chat_type: str, pack: str | None) -> bool:
    """Register a conversation; True if it is new. Another account, recipient or chat type under a known id is 409."""
    if tx.one(Account, id=account) is None:
        raise NotFound("unknown_account", f"no account is called {account!r}", field="account")
    tx.shelf.get(pack)
    known = tx.one(ConversationRow, id=conversation_id)
    if known is not None:
        if (known.account_id, known.recipient, known.chat_type) != (account, recipient, chat_type):
            raise Conflict("conversation_differs", "this id belongs to another account, recipient or chat type")
        return False
    try:
        with tx.conn.begin_nested():
            tx.add(
                ConversationRow,
                id=conversation_id,
                account_id=account,
                recipient=recipient,
                chat_type=chat_type,
                pack=pack,
                created_at=tx.now,
            )
    except IntegrityError as error:
        raise Conflict("recipient_known", "this recipient already has a conversation in this account") from error
    return True


def load(tx: Tx, conversation_id: str, *, chat_type: str | None = None, lock: bool = True) -> Talk:
    """Load a conversation and lock it; who holds it already, or only looks, goes without.

    Raises NotFound `unknown_conversation`, Forbidden `unknown_group`; Conflict when `chat_type` differs.
    """
    if lock:
        tx.hold(conversation_id)  # first, and apart: what is read behind a lock is what stands when it is given
    row = talk_rows.head(tx, conversation_id)
    if row is None:
        if chat_type == "group":
            raise Forbidden("unknown_group", "this group is not registered; groups are closed unless registered")
        raise NotFound("unknown_conversation", "register it first with POST /v1/conversations", field="conversation.id")
    if chat_type is not None and chat_type != row.chat_type:
        raise Conflict("chat_type_differs", f"this conversation is {row.chat_type}", field="conversation.chatType")
    said, gone = talk_rows.lines(tx, conversation_id)
    return Talk(
        row,
        talk_rows.account_of(row),
        _spoken(tx, said),
        frozenset(line.id for line in gone),
        row.writer if row.writer_until is not None and row.writer_until > tx.now else None,
    )


def messages(tx: Tx, conversation_id: str, limit: int = talk_rows.LONGEST) -> tuple[Message, ...]:
    """Load the newest messages, oldest first, their moments in the shop's time zone; none that was taken back.

    What the customer wrote while a reply was on its way stands behind that reply: it is not answered by it.
    """
    return _spoken(tx, talk_rows.newest(tx, conversation_id, limit))


def _spoken(tx: Tx, rows: Iterable[Row[Any]]) -> tuple[Message, ...]:
    zone = tx.settings.zone
    return tuple(Message(r.id, Role(r.role), r.text, r.at.astimezone(zone), r.agent_id) for r in rows)


@functools.cache
def _counting() -> Update:
    table = table_of(ConversationRow)
    counted = table.c.quota_used + bindparam("sent")
    return update(table).where(table.c.id == bindparam("conversation_id")).values(quota_used=counted)


def record(  # noqa: PLR0913  # the parts of one message, all by name
    tx: Tx,
    talk: Talk,
    *,
    message_id: str,
    role: Role,
    text: str,
    at: datetime,
    author: str,
    agent_id: str | None = None,
    outbound_id: str | None = None,
    ask_agent: bool = True,
) -> bool:
    """Store a message and what follows from it; True if it is new, False for a repeat.

    A customer's message makes undecided drafts stale, opens an inbox row and restores the quota. A person's words
    supersede what the agent wanted to say. A different text under a stored id is 409.
    """
    if not keep(
        tx, talk.row.id, message_id=message_id, role=role, text=text, at=at, agent_id=agent_id, outbound_id=outbound_id
    ):
        return False
    if role is Role.CUSTOMER:
        _customer_wrote(tx, talk, message_id, at, ask_agent=ask_agent)
    elif role is Role.HUMAN:
        _person_spoke(tx, talk, author)
    return True


def keep(tx: Tx, conversation_id: str, *, message_id: str, role: Role, text: str, **values: Any) -> bool:
    """Store a message, and nothing that follows from it; True if it is new. A different text under its id is 409."""
    if tx.add_new(MessageRow, conversation_id=conversation_id, id=message_id, role=str(role), text=text, **values):
        return True
    known = tx.one(MessageRow, conversation_id=conversation_id, id=message_id)
    if known is None or known.text != text or known.role != role:
        raise Conflict("message_differs", "another text is stored under this message id", field="id")
    return False


def _customer_wrote(tx: Tx, talk: Talk, message_id: str, at: datetime, *, ask_agent: bool) -> None:
    conversation = talk.row.id
    heard = min(at, tx.now)  # a sender's clock that is ahead opens no longer window
    last = talk.row.last_customer_at
    belated = last is not None and heard < last  # an older message that came late: the newer one still counts
    if not belated:
        given = {"last_customer_at": heard, "last_customer_message_id": message_id}
        tx.change(ConversationRow, {"id": conversation}, **given, quota_used=0, touches=0)
    tx.change(DraftRow, {"conversation_id": conversation, "state": UNSENT_STATES}, stale=True)
    fresh = tx.now - at <= timedelta(minutes=tx.settings.fresh_minutes)
    if ask_agent and fresh:
        inbox.ask(tx, conversation, message_id, at)
    elif not belated:
        inbox.close(tx, conversation)


def _person_spoke(tx: Tx, talk: Talk, author: str) -> None:
    conversation = talk.row.id
    tx.change(ConversationRow, {"id": conversation}, last_human_at=tx.now)
    inbox.close(tx, conversation)
    supersede(tx, conversation, actor=author, why="a person answered")


def supersede(tx: Tx, conversation_id: str, *, actor: str, why: str) -> None:
    """Retire all that the agent wanted to say and that has not left."""
    rows = tx.conn.execute(_unsent(), {"conversation_id": conversation_id}).all()
    retire(tx, conversation_id, rows, actor=actor, why=why)


def retire(tx: Tx, conversation_id: str, rows: Iterable[Row[Any]], *, actor: str, why: str) -> None:
    """Retire drafts, given by `id` and `state`, with an audit row each."""
    for row in rows:
        tx.change(DraftRow, {"id": row.id}, state="superseded", updated_at=tx.now)
        tx.change(OutboundRow, {"draft_id": row.id, "state": "queued"}, state="held", hint=why, updated_at=tx.now)
        tx.audit(
            actor,
            "superseded",
            draft_id=row.id,
            conversation_id=conversation_id,
            from_state=row.state,
            to_state="superseded",
            why=why,
        )


@functools.cache
def _unsent() -> Select[Any]:
    table = table_of(DraftRow)
    mine = table.c.conversation_id == bindparam("conversation_id")
    return select(table.c.id, table.c.state).where(mine, table.c.state.in_(UNSENT_STATES))


def use_quota(tx: Tx, conversation_id: str, messages_sent: int) -> None:
    """Count messages against the customer's quota; negative gives some back."""
    tx.conn.execute(_counting(), {"conversation_id": conversation_id, "sent": messages_sent})
