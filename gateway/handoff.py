"""The internal handoff: who, agent or people, owns a conversation. Holding never calls the channel."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import Row, or_, select

from gateway import inbox
from gateway.conversations import Talk
from gateway.tables import ConversationRow
from gateway.tx import Tx, table_of


def open_handoff(
    tx: Tx, talk: Talk, *, actor: str, why: str, draft_id: str | None = None, to: str | None = None
) -> None:
    """Assign the conversation to people; agent drafts are held from now on."""
    if talk.row.handoff_open:
        if to is not None:
            tx.change(ConversationRow, {"id": talk.row.id}, assigned_to=to)
        return
    tx.change(
        ConversationRow,
        {"id": talk.row.id},
        handoff_open=True,
        handoff_draft_id=draft_id,
        assigned_to=to,
        last_human_at=tx.now,
    )
    tx.audit(actor, "handoff_opened", conversation_id=talk.row.id, draft_id=draft_id, why=why)


def close_handoff(tx: Tx, conversation_id: str, *, actor: str, why: str, draft_id: str | None = None) -> bool:
    """Give the conversation back to the agent; with `draft_id` only if that draft opened the handoff."""
    where = {"id": conversation_id, "handoff_open": True}
    if draft_id is not None:
        where["handoff_draft_id"] = draft_id
    closed = tx.change(ConversationRow, where, handoff_open=False, handoff_draft_id=None, assigned_to=None)
    if closed:
        tx.audit(actor, "handoff_closed", conversation_id=conversation_id, draft_id=draft_id, why=why)
        inbox.give_back(tx, conversation_id)
    return bool(closed)


def inherit(tx: Tx, talk: Talk, draft_id: str, earlier: Sequence[Row[Any]]) -> None:
    """Let a newer draft for the same moment stand for the one that opened the handoff."""
    if talk.row.handoff_draft_id in {row.id for row in earlier}:
        tx.change(ConversationRow, {"id": talk.row.id}, handoff_draft_id=draft_id)


def close_idle(tx: Tx) -> int:
    """Give back the conversations in which no person has written for `handoffIdleMinutes`."""
    table = table_of(ConversationRow)
    since = tx.now - timedelta(minutes=tx.settings.handoff_idle_minutes)
    rows = tx.conn.execute(
        select(table.c.id).where(
            table.c.handoff_open, or_(table.c.last_human_at.is_(None), table.c.last_human_at < since)
        )
    ).all()
    for row in rows:
        close_handoff(tx, row.id, actor="scheduler", why="no person has written for a while")
    return len(rows)
