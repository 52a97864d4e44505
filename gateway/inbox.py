"""The inbox: what agents are asked to answer, as the long poll and the webhook both see it.

A customer's message opens a row; the next one closes it and opens its own, so that there is one row for all that waits.
Messages typed in quick succession are one turn: their row becomes visible when the customer has been quiet for
`debounce_seconds`, at most `MOST` times as long after the first of them. All of it stands in the store.
"""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Row, and_, or_, select

from gateway.playbooks import playbook_record
from gateway.tables import Account, ConversationRow, InboxRow
from gateway.tx import Tx, new_id, table_of

MOST = 5  # times the quiet time: who never stops typing is answered all the same
WITH_PEOPLE = (2, 3)  # session states: waiting pool, a servicer


def ask(tx: Tx, conversation_id: str, message_id: str, at: datetime) -> None:
    """Ask agents to answer a customer's message; what was asked before in this conversation is part of it now."""
    earlier = tx.one(InboxRow, conversation_id=conversation_id, state="open", kind="reply")
    close(tx, conversation_id)
    quiet = timedelta(seconds=tx.settings.debounce_seconds)
    came = min(at, tx.now)
    in_a_row = earlier is not None and earlier.ready_at is not None and came < earlier.ready_at
    burst = (earlier.burst_at or came) if earlier is not None and in_a_row else came
    tx.add(
        InboxRow,
        id=new_id("in"),
        conversation_id=conversation_id,
        kind="reply",
        moment_id=message_id,
        burst_at=burst,
        ready_at=min(came + quiet, burst + MOST * quiet),
        created_at=tx.now,
    )
    tx.wake("inbox")


def close(tx: Tx, conversation_id: str) -> None:
    """Ask no more about this conversation."""
    tx.change(InboxRow, {"conversation_id": conversation_id, "state": "open"}, state="closed")


def give_back(tx: Tx, conversation_id: str) -> None:
    """Let the agent answer again after people, from here on: what is no longer fresh is not replayed.

    A customer's old question that nobody answered is left to people: operators are told.
    """
    row = tx.one(InboxRow, conversation_id=conversation_id, state="open", kind="reply")
    if row is None:
        return
    if tx.now - row.created_at > timedelta(minutes=tx.settings.fresh_minutes):
        close(tx, conversation_id)
        tx.audit(
            "gate",
            "left_unanswered",
            conversation_id=conversation_id,
            why="people gave the conversation back with an old question open",
        )
    else:
        tx.wake("inbox")


def tidy(tx: Tx) -> int:
    """Ask no more about what can no longer be answered: the channel's window closed long ago."""
    table = table_of(InboxRow)
    before = tx.now - timedelta(hours=tx.settings.window_hours)
    old = table.update().where(table.c.state == "open", table.c.created_at < before)
    return tx.conn.execute(old.values(state="closed")).rowcount


def visible(tx: Tx) -> ColumnElement[bool]:
    """Say which rows (joined with their conversation) agents may see now: open, quiet, and not with people."""
    inbox, talk = table_of(InboxRow), table_of(ConversationRow)
    return and_(
        inbox.c.state == "open",
        or_(inbox.c.ready_at.is_(None), inbox.c.ready_at <= tx.now),
        talk.c.handoff_open.is_(False),
        or_(talk.c.session_state.is_(None), talk.c.session_state.not_in(WITH_PEOPLE)),
    )


def records(tx: Tx, accounts: Collection[str], limit: int) -> list[dict[str, Any]]:
    """List what waits, oldest first; `accounts` empty means all."""
    inbox, talk = table_of(InboxRow), table_of(ConversationRow)
    account = table_of(Account)
    query = (
        select(inbox, talk.c.account_id, talk.c.stage, talk.c.pack, account.c.pack.label("account_pack"))
        .join(talk, talk.c.id == inbox.c.conversation_id)
        .join(account, account.c.id == talk.c.account_id)
        .where(visible(tx))
        .order_by(inbox.c.seq)
        .limit(limit)
    )
    if accounts:
        query = query.where(talk.c.account_id.in_(accounts))
    rows = tx.conn.execute(query).all()
    return [record(tx, row, row, row.account_pack) | {"account": row.account_id} for row in rows]


def record(tx: Tx, row: Row[Any], talk: Row[Any], account_pack: str) -> dict[str, Any]:
    """Write one row as agents see it, with what the playbook says about its conversation now."""
    return {
        "id": row.id,
        "kind": row.kind,
        "momentId": row.moment_id,
        "instruction": row.instruction,
        "playbook": playbook_record(tx, talk, account_pack),
        "conversationId": row.conversation_id,
        "createdAt": row.created_at.isoformat(),
    }
