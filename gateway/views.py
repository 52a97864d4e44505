"""What callers see of the store: records of conversations, drafts, the inbox and Deliveries. Nothing here changes a row."""

from datetime import datetime
from typing import Any

from sqlalchemy import Row, func, select

from gateway import flow
from gateway.conversations import Talk
from gateway.jsonio import InputError
from gateway.people import Caller
from gateway.tables import AuditRow, ConversationRow, DeliveryRow, DraftText, OutboundRow
from gateway.turns import message_record
from gateway.tx import Tx, table_of
from outbound.limits import quota_left, window_closes


def conversation_record(talk: Talk) -> dict[str, Any]:
    """Write a conversation with its messages and what the channel still allows."""
    row = talk.row
    closes = window_closes(row.last_customer_at) if row.last_customer_at else None
    return {
        "id": row.id,
        "account": talk.account.id,
        "recipient": row.recipient,
        "chatType": row.chat_type,
        "mode": talk.mode,
        "pack": row.pack or talk.account.pack,
        "stage": row.stage,
        "subject": row.subject,
        "handoffOpen": bool(row.handoff_open),
        "assignedTo": row.assigned_to,
        "sessionState": row.session_state,
        "withPeople": talk.with_people,
        "windowClosesAt": closes.isoformat() if closes else None,
        "quotaLeft": quota_left(row.quota_used, reserve=0),
        "newestMessageId": talk.newest_heard.id if talk.newest_heard else None,
        "messages": [message_record(m) for m in talk.messages],
    }


def draft_record(tx: Tx, row: Row[Any]) -> dict[str, Any]:
    """Write a draft with all its texts, its messages and its history."""
    texts = _rows(tx, DraftText, "draft_id", row.id, "seq")
    messages = _rows(tx, OutboundRow, "draft_id", row.id, "created_at")
    history = _rows(tx, AuditRow, "draft_id", row.id, "seq")
    current = next((t for t in texts if t.seq == row.text_seq), None)
    return flow.answer(tx, row) | {
        "conversationId": row.conversation_id,
        "text": current.text if current else None,
        "textSha256": current.sha256 if current else None,
        "agentId": row.agent_id,
        "model": row.model,
        "decidedBy": row.decided_by,
        "handoff": row.handoff,
        "createdAt": row.created_at.isoformat(),
        "texts": [
            {"version": t.version, "kind": t.kind, "text": t.text, "author": t.author, "at": t.created_at.isoformat()}
            for t in texts
        ],
        "messages": [message_state(m) for m in messages],
        "history": [
            {
                "at": a.at.isoformat(),
                "actor": a.actor,
                "event": a.event,
                "from": a.from_state,
                "to": a.to_state,
                "why": a.why,
            }
            for a in history
        ],
    }


def message_state(row: Row[Any]) -> dict[str, Any]:
    """Write one outbound message and where it stands."""
    return {
        "outboundId": row.outbound_id,
        "segment": row.segment,
        "segments": row.segments,
        "text": row.text,
        "state": row.state,
        "kind": row.kind,
        "errcode": row.errcode,
        "hint": row.hint,
        "channelMessageId": row.channel_message_id,
        "attempts": row.attempts,
        "version": row.draft_version,
    }


def delivery_records(
    tx: Tx, caller: Caller, *, conversation: str | None, state: str | None, limit: int, before: str | None
) -> dict[str, Any]:
    """List Deliveries newest first, with the count of those that stand."""
    table, talks = table_of(DeliveryRow), table_of(ConversationRow)
    where = []
    if conversation is not None:
        where.append(table.c.conversation_id == conversation)
    if caller.accounts:
        reach = select(talks.c.id).where(talks.c.account_id.in_(caller.accounts))
        where.append(table.c.conversation_id.in_(reach))
    counted = select(func.count()).select_from(table).where(table.c.state == "accepted", *where)
    if state is not None:
        where.append(table.c.state == state)
    if before is not None:
        where.append(table.c.accepted_at < _moment(before))
    rows = tx.conn.execute(select(table).where(*where).order_by(table.c.accepted_at.desc()).limit(limit)).all()
    return {
        "count": int(tx.conn.execute(counted).scalar_one()),
        "items": [
            {
                "outboundId": r.outbound_id,
                "conversationId": r.conversation_id,
                "channelMessageId": r.channel_message_id,
                "state": r.state,
                "failType": r.fail_type,
                "reason": r.reason,
                "acceptedAt": r.accepted_at.isoformat(),
                "failedAt": r.failed_at.isoformat() if r.failed_at else None,
            }
            for r in rows
        ],
    }


def _rows(tx: Tx, model: Any, column: str, value: str, order: str) -> list[Row[Any]]:
    table = table_of(model)
    return list(tx.conn.execute(select(table).where(table.c[column] == value).order_by(table.c[order])).all())


def _moment(value: str) -> datetime:
    try:
        moment = datetime.fromisoformat(value)
    except ValueError as error:
        raise InputError("before", "must be an RFC 3339 moment") from error
    if moment.tzinfo is None:
        raise InputError("before", "must have an offset")
    return moment
