"""The outbox: rows are written before any call, and what became of a call decides where message and draft stand."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import Row, select

from gateway import conversations
from gateway.conversations import Talk
from gateway.errors import Refused
from gateway.tables import Account, DeliveryRow, DraftRow, OutboundRow
from gateway.tx import Tx, new_id, table_of
from outbound.errors import Action, TextRefused
from outbound.message import text_sha256
from outbound.outcome import Accepted, Fault, Outcome, Rejected
from outbound.segments import msgid_for, split
from outbound.steps import MessageState, Step, step_after
from planner.turn import Role

WAIT = ("queued", "sending")


def enqueue(  # noqa: PLR0913  # the parts of one send, all by name
    tx: Tx,
    talk: Talk,
    text: str,
    *,
    kind: str,
    author: str,
    draft: Row[Any] | None = None,
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
    ids = []
    base = key or new_id("o")
    for number, part in enumerate(parts, 1):
        outbound_id = f"{base}-{number}"
        ids.append(outbound_id)
        tx.add(
            OutboundRow,
            outbound_id=outbound_id,
            conversation_id=talk.row.id,
            draft_id=draft.id if draft else None,
            account_id=talk.account.id,
            recipient=talk.row.recipient,
            segment=number,
            segments=len(parts),
            text=part,
            sha256=text_sha256(part),
            msgid=msgid_for(outbound_id, number),
            kind=kind,
            state="queued",
            author=author,
            draft_version=draft.version if draft else 1,
            moment_id=draft.moment_id if draft else None,
            handoff=handoff,
            confirmed_stale=confirmed_stale,
            last_seen_message_id=last_seen or _newest(talk),
            next_at=tx.now + timedelta(seconds=delay),
            created_at=tx.now,
            updated_at=tx.now,
        )
    return ids


def cut(text: str, most: int) -> list[str]:
    """Split a reply into messages. Raises Refused with the channel's reason."""
    try:
        return list(split(text, most))
    except TextRefused as error:
        raise Refused(error.reason, str(error), field="text") from error


def due(tx: Tx, limit: int = 20) -> list[str]:
    """List the messages whose turn it is: the first unsent one of each conversation whose channel is not stopped."""
    table, accounts = table_of(OutboundRow), table_of(Account)
    rows = tx.conn.execute(
        select(table.c.outbound_id, table.c.conversation_id, table.c.state, table.c.next_at, table.c.permit_used_at)
        .join(accounts, accounts.c.id == table.c.account_id)
        .where(table.c.state.in_(WAIT), accounts.c.stopped_reason.is_(None))
        .order_by(table.c.created_at, table.c.outbound_id)
        .limit(1000)
    ).all()
    heads: dict[str, Any] = {}
    for row in rows:
        heads.setdefault(row.conversation_id, row)
    return [r.outbound_id for r in heads.values() if _ready(r, tx)][:limit]


def _ready(row: Row[Any], tx: Tx) -> bool:
    # A queued row whose permit was used is a tampered one: it is never carried again.
    return row.state == "queued" and row.permit_used_at is None and row.next_at <= tx.now


def settle(tx: Tx, outbound_id: str, outcome: Outcome) -> None:
    """Record what became of a message and move its draft accordingly."""
    row = tx.one(OutboundRow, lock=True, outbound_id=outbound_id)
    if row is None or row.state != "sending":
        return
    step = step_after(outcome, tries=row.attempts, doubtful=row.doubtful)
    doubtful = row.doubtful or (isinstance(outcome, Rejected) and outcome.action is Action.RETRY)
    if not step.counts and not doubtful:
        give_quota_back(tx, row)
    if isinstance(outcome, Accepted):
        _accepted(tx, row, outcome)
    else:
        _not_accepted(tx, row, outcome, step, doubtful=doubtful)
    refresh_draft(tx, row.draft_id)


def _not_accepted(tx: Tx, row: Row[Any], outcome: Fault, step: Step, *, doubtful: bool) -> None:
    errcode = outcome.errcode if isinstance(outcome, Rejected) else None
    told = outcome.detail if isinstance(outcome, Rejected) else outcome.reason
    hint = f"{errcode}: {told}" if errcode is not None else told
    values: dict[str, Any] = {"errcode": errcode, "hint": hint, "doubtful": doubtful}
    if step.again_after is not None:
        values["next_at"] = tx.now + step.again_after
    if step.stop_channel:
        # The queue is kept: an operator mends the channel, then every message is decided anew and goes on.
        tx.change(Account, {"id": row.account_id}, stopped_reason=hint[:500])
        tx.audit(
            "channel", "channel_stopped", conversation_id=row.conversation_id, outbound_id=row.outbound_id, why=hint
        )
        values["next_at"] = tx.now
    mark(tx, row, str(step.state), **values)
    if step.state is not MessageState.QUEUED:
        hold_rest(tx, row, "an earlier part was not accepted")
    if step.state in (MessageState.HELD, MessageState.CHANNEL_REJECTED):
        _note_reason(tx, row, step.reason)


def _accepted(tx: Tx, row: Row[Any], outcome: Accepted) -> None:
    mark(tx, row, "accepted", channel_message_id=outcome.channel_message_id, errcode=0)
    tx.add(
        DeliveryRow,
        outbound_id=row.outbound_id,
        conversation_id=row.conversation_id,
        channel_message_id=outcome.channel_message_id,
        accepted_at=tx.now,
    )
    record_words(tx, row)


def record_words(tx: Tx, row: Row[Any]) -> None:
    """Put a sent message into the conversation, as the agent's or a person's words."""
    talk = conversations.load(tx, row.conversation_id)
    role = Role.HUMAN if row.kind == "human" else Role.AGENT
    conversations.record(
        tx,
        talk,
        message_id=row.outbound_id,
        role=role,
        text=row.text,
        at=tx.now,
        author=row.author,
        outbound_id=row.outbound_id,
    )


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
        _note_reason(tx, row, reason)
    refresh_draft(tx, row.draft_id, bump=bump)


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


def _note_reason(tx: Tx, row: Row[Any], reason: str) -> None:
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
    draft = tx.one(DraftRow, lock=True, id=draft_id) if draft_id else None
    if draft is None or draft.state in ("superseded", "rejected", "expired"):
        return
    table = table_of(OutboundRow)
    rows = tx.conn.execute(
        select(table.c.state).where(table.c.draft_id == draft_id, table.c.draft_version == draft.version)
    ).all()
    state = send_state([row.state for row in rows]) if rows else draft.state
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


def _newest(talk: Talk) -> str | None:
    return talk.newest_heard.id if talk.newest_heard else None
