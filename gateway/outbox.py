"""The outbox: rows are written before any call, and their states decide where their draft stands."""

import functools
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import count
from typing import Any

from sqlalchemy import Row, Select, bindparam, literal_column, select

from gateway import conversations
from gateway.conversations import Talk
from gateway.errors import Refused
from gateway.tables import DraftRow, OutboundRow
from gateway.tx import Tx, new_id, table_of
from outbound.errors import TextRefused
from outbound.message import text_sha256
from outbound.segments import msgid_for, split


def enqueue(  # noqa: PLR0913  # the parts of one send, all by name
    tx: Tx,
    talk: Talk,
    text: str,
    *,
    kind: str,
    author: str,
    draft: Any = None,
    most: int = 1,
    handoff: bool = False,
    confirmed_stale: bool = False,
    last_seen: str | None = None,
    delay: int = 0,
    key: str | None = None,
) -> list[str]:
    """Write the rows of a reply that may leave; `key` makes the outbound id repeatable.

    Raises Refused `too_long` or `empty_text`; the text is never cut to fit.
    """
    parts = cut(text, 1 if handoff else most)
    base = key or new_id("o")
    ids = [f"{base}-{number}" for number in range(1, len(parts) + 1)]
    common = {
        "conversation_id": talk.row.id,
        "draft_id": draft.id if draft else None,
        "account_id": talk.account.id,
        "recipient": talk.row.recipient,
        "segments": len(parts),
        "kind": kind,
        "state": "queued",
        "author": author,
        "draft_version": draft.version if draft else 1,
        "moment_id": draft.moment_id if draft else None,
        "handoff": handoff,
        "confirmed_stale": confirmed_stale,
        "last_seen_message_id": last_seen or _newest(talk),
        "next_at": tx.now + timedelta(seconds=delay),
        "created_at": _behind(tx, talk),
        "updated_at": tx.now,
    }
    tx.add_all(OutboundRow, [common | _part(*given) for given in zip(ids, count(1), parts, strict=False)])
    tx.wake("outbox")
    return ids


def _part(outbound_id: str, number: int, text: str) -> dict[str, Any]:
    own = {"outbound_id": outbound_id, "segment": number, "msgid": msgid_for(outbound_id, number)}
    return own | {"text": text, "sha256": text_sha256(text)}


def _behind(tx: Tx, talk: Talk) -> datetime:
    """Give a moment behind everything that waits in this conversation, whatever other machines' clocks say."""
    last: datetime | None = tx.conn.execute(_last_waiting(), {"conversation_id": talk.row.id}).scalar()
    return tx.now if last is None else max(tx.now, last + timedelta(microseconds=1))


@functools.cache
def _last_waiting() -> Select[Any]:
    table = table_of(OutboundRow)
    waits = table.c.state.in_((literal_column("'queued'"), literal_column("'sending'")))  # as the index says
    mine = table.c.conversation_id == bindparam("conversation_id")
    return select(table.c.created_at).where(mine, waits).order_by(table.c.created_at.desc()).limit(1)


def cut(text: str, most: int) -> list[str]:
    """Split a reply into messages. Raises Refused with the channel's reason."""
    try:
        return list(split(text, most))
    except TextRefused as error:
        raise Refused(error.reason, str(error), field="text") from error


def load(tx: Tx, outbound_id: str) -> Row[Any] | None:
    """Load a message and lock it, its conversation before it; None if there is no such message."""
    return tx.held(OutboundRow, outbound_id=outbound_id)


def mark(tx: Tx, row: Row[Any], state: str, **values: Any) -> None:
    """Move a message to a state, with its audit row."""
    tx.change(OutboundRow, {"outbound_id": row.outbound_id}, state=state, updated_at=tx.now, **values)
    tx.audit(
        "outbox",
        "message",
        outbound_id=row.outbound_id,
        draft_id=row.draft_id,
        conversation_id=row.conversation_id,
        from_state=row.state,
        to_state=state,
        why=str(values.get("hint") or ""),
    )


def hold(tx: Tx, row: Row[Any], reasons: Sequence[str], detail: str, *, bump: bool = False) -> None:
    """Keep a message, and the rest of its reply, for a person; the draft goes back to held with the reasons."""
    mark(tx, row, "held", hint=detail)
    hold_rest(tx, row, detail)
    for reason in reasons:
        note_reason(tx, row, reason)
    refresh_draft(tx, row.draft_id, bump=bump)


def put_off(tx: Tx, outbound_id: str) -> None:
    """Let others go first for a minute."""
    tx.change(OutboundRow, {"outbound_id": outbound_id, "state": "queued"}, next_at=tx.now + timedelta(minutes=1))


def give_quota_back(tx: Tx, row: Row[Any]) -> None:
    """Return what a message that did not leave had taken from the customer's quota."""
    conversations.use_quota(tx, row.conversation_id, -1)


def hold_rest(tx: Tx, row: Row[Any], why: str) -> None:
    """Hold the later parts of the same reply."""
    table = table_of(OutboundRow)
    base = row.outbound_id.rsplit("-", 1)[0]
    query = select(table).where(
        table.c.conversation_id == row.conversation_id, table.c.state == "queued", table.c.segment > row.segment
    )
    for other in tx.conn.execute(query).all():
        if other.outbound_id.rsplit("-", 1)[0] == base:
            mark(tx, other, "held", hint=why)


def note_reason(tx: Tx, row: Row[Any], reason: str) -> None:
    """Add a cause of holding to the message's draft."""
    draft = tx.one(DraftRow, id=row.draft_id) if row.draft_id else None
    if draft is not None and reason not in draft.hold_reasons:
        tx.change(DraftRow, {"id": draft.id}, hold_reasons=[*draft.hold_reasons, reason])


def send_state(states: Sequence[str]) -> str:
    """Derive a draft's state from its messages' states, first match (contract section 4)."""
    if "unknown" in states:
        return "send_unknown"
    if "sending" in states or "queued" in states:
        return "sending" if "sending" in states else "queued"
    if all(state == "accepted" for state in states):
        return "sent"
    if "accepted" in states:
        return "sent_partial"
    if all(state == "held" for state in states):
        return "held"
    return "send_failed"


def refresh_draft(tx: Tx, draft_id: str | None, *, bump: bool = False) -> None:
    """Bring a draft's state in line with its newest reply's messages."""
    rows = tx.conn.execute(_states(), {"draft_id": draft_id}).all() if draft_id else ()  # its conversation is held
    draft = next(iter(rows), None)
    if draft is None or draft.state in ("superseded", "rejected", "expired"):
        return
    states = [row.message_state for row in rows if row.message_state is not None]
    state = send_state(states) if states else draft.state
    if state == draft.state and not bump:
        return
    values: dict[str, Any] = {
        "state": state,
        "updated_at": tx.now,
        "version": draft.version + int(bump or state == "held"),
    }
    if state == "held":
        values["deadline_at"] = tx.now + timedelta(minutes=tx.settings.approval_minutes)
    tx.change(DraftRow, {"id": draft_id}, **values)
    tx.audit(
        "outbox",
        "state",
        draft_id=draft_id,
        conversation_id=draft.conversation_id,
        from_state=draft.state,
        to_state=state,
        why="its messages moved",
    )


@functools.cache
def _states() -> Select[Any]:
    """The draft, beside the state of each message of its newest reply; beside nothing if it has none."""
    draft, out = table_of(DraftRow), table_of(OutboundRow)
    newest = (out.c.draft_id == draft.c.id) & (out.c.draft_version == draft.c.version)
    return (
        select(draft.c.conversation_id, draft.c.state, draft.c.version, out.c.state.label("message_state"))
        .outerjoin(out, newest)
        .where(draft.c.id == bindparam("draft_id"))
    )


def _newest(talk: Talk) -> str | None:
    return talk.newest_heard.id if talk.newest_heard else None
