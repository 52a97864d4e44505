"""The send entry: the last look before a message leaves, and the only place that makes a SendPermit.

It decides again in one transaction, with the real clock, all messages known now and the running rules. Whatever is not
exactly as it was decided goes back to a person.
"""

import functools
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import Row, Select, bindparam, select

from gateway import conversations, drafts, flow, outbox
from gateway.calibration import stored as calibrated
from gateway.conversations import WITH_PEOPLE, Talk
from gateway.counsels import counsel_again
from gateway.evaluate import Evaluated, evaluate_turn
from gateway.gate import Action
from gateway.moment import Moment
from gateway.tables import OutboundRow
from gateway.turns import Context, stored_draft, stored_turn
from gateway.tx import Tx, table_of
from outbound.limits import Reach, hold_reasons
from outbound.message import OutboundMessage, SendKind, SendPermit, text_sha256
from verifier.verdict import Judged


@dataclass(frozen=True, slots=True)
class Admitted:
    """A message with its permit; `move_first` means that the session goes to people before the text leaves."""

    message: OutboundMessage
    permit: SendPermit
    account: str
    move_first: bool
    attempt: int = 1


def admit(tx: Tx, outbound_id: str) -> Admitted | None:
    """Let one queued message leave, or hold it with the reason (None)."""
    row = outbox.load(tx, outbound_id)
    return admit_held(tx, row) if row is not None else None


def admit_held(tx: Tx, row: Row[Any]) -> Admitted | None:
    """Let a message leave whose conversation this transaction holds, or hold it with the reason (None)."""
    if row.state != "queued" or row.permit_used_at is not None:
        return None
    talk = conversations.load(tx, row.conversation_id, lock=False)
    reasons = _reasons(tx, row, talk.without(_own_words(tx, row)))
    if reasons:
        outbox.hold(tx, row, reasons, "not sent: " + ", ".join(reasons))
        return None
    return _permit(tx, row, talk)


def _permit(tx: Tx, row: Row[Any], talk: Talk) -> Admitted:
    expires = tx.now + timedelta(seconds=tx.settings.permit_seconds)
    permit = SendPermit(row.outbound_id, row.recipient, row.sha256, row.draft_version, SendKind(row.kind), expires)
    tx.change(
        OutboundRow,
        {"outbound_id": row.outbound_id},
        state="sending",
        permit_expires_at=expires,
        permit_used_at=tx.now,
        attempts=row.attempts + 1,
        updated_at=tx.now,
    )
    if not row.doubtful:  # a message that may have arrived before was counted then
        conversations.use_quota(tx, row.conversation_id, 1)
    outbox.refresh_draft(tx, row.draft_id)
    message = OutboundMessage(
        row.outbound_id,
        talk.account.channel_account or talk.account.id,
        row.recipient,
        row.text,
        row.msgid,
        row.segment,
        row.segments,
        row.event_code,
    )
    return Admitted(message, permit, row.account_id, bool(row.handoff) and row.segment == 1, row.attempts + 1)


def _reasons(tx: Tx, row: Row[Any], talk: Talk) -> tuple[str, ...]:
    if text_sha256(row.text) != row.sha256 or (row.recipient, row.account_id) != (talk.row.recipient, talk.account.id):
        return ("not_allowed",)
    found = list(limits(tx, talk, segments=1, person=row.kind != "auto" or bool(row.handoff)))
    if _newer_message(row, talk):
        found.append("stale")
    if not found:
        found.extend(_by_kind(tx, row, talk))
    return tuple(found)


def limits(tx: Tx, talk: Talk, *, segments: int, person: bool) -> tuple[str, ...]:
    """List the channel's reasons against sending now; a person's decision may use the reserve of the quota."""
    if talk.row.session_state in WITH_PEOPLE:
        return ("human_owns",)
    if talk.account.stopped_reason:
        return ("channel_stopped",)
    reach = Reach(
        talk.row.recipient,
        talk.row.chat_type == "private",
        tx.now,
        talk.row.last_customer_at,
        talk.row.quota_used,
        segments,
    )
    return hold_reasons(
        reach,
        talk.account.allowlist,
        reserve=0 if person else tx.settings.quota_reserve,
        quota=tx.settings.quota,
        window=timedelta(hours=tx.settings.window_hours),
    )


def _own_words(tx: Tx, row: Row[Any]) -> frozenset[str]:
    """Give the ids under which earlier words of the same hand stand in the talk; they do not outdate a message.

    They are the reply's earlier parts and, when a person writes several messages in a row, the earlier ones.
    """
    base = row.outbound_id.rsplit("-", 1)[0]
    parts = frozenset(f"{base}-{number}" for number in range(1, row.segment))
    if row.kind != SendKind.HUMAN:
        return parts
    given = {name: getattr(row, name) for name in ("conversation_id", "author", "last_seen_message_id", "created_at")}
    return parts | frozenset(tx.conn.execute(_earlier_words(), given).scalars())


@functools.cache
def _earlier_words() -> Select[Any]:
    table = table_of(OutboundRow)
    given = {
        name: bindparam(name, type_=table.c[name].type) for name in ("author", "last_seen_message_id", "created_at")
    }
    return select(table.c.outbound_id).where(
        table.c.conversation_id == bindparam("conversation_id"),
        table.c.kind == str(SendKind.HUMAN),
        table.c.author == given["author"],
        table.c.last_seen_message_id.is_not_distinct_from(given["last_seen_message_id"]),
        table.c.created_at < given["created_at"],
    )


def _newer_message(row: Row[Any], talk: Talk) -> bool:
    newest = talk.newest_heard
    return newest is not None and newest.id != row.last_seen_message_id


def _by_kind(tx: Tx, row: Row[Any], talk: Talk) -> list[str]:
    if row.kind == SendKind.HUMAN:
        return []
    draft = drafts.with_text(tx, row.draft_id)
    if draft is None or draft.version != row.draft_version:
        return ["stale"]
    whole = "".join(part.text for part in _parts(tx, row))
    if whole != draft.text:
        return ["not_allowed"]
    turn = stored_turn(talk, Context.read(draft.context or {}), stored_draft(draft.draft or {}), tx.local_now)
    judged = evaluate_turn(turn, tx.shelf, tx.settings.pass_score, counsel=counsel_again(tx, talk, draft.evaluation))
    evaluated = calibrated.banded(judged, tx.once(calibrated.load))
    if row.kind == SendKind.APPROVED:
        return _approved(draft, evaluated)
    moment = Moment.of(draft)
    situation = flow.situation_of(
        tx, talk, moment, stale=draft.stale, rewrite_used=draft.rewrite_count == 1, spent=False, draft_id=draft.id
    )
    decision = flow.decide_for(evaluated, situation)
    if decision.action is Action.SEND:
        return []
    return list(decision.hold_reasons) or [decision.fallback_reason or str(decision.action)]


def _approved(draft: Row[Any], evaluated: Evaluated) -> list[str]:
    """Unchanged agent text that a person approved: it must still pass, and no new scenario may have come up."""
    verdict = evaluated.verdict
    if not isinstance(verdict, Judged):
        return ["quality_unavailable"]
    if not verdict.passed:
        return ["quality_gate_failed"]
    new = {r.scenario for r in evaluated.plan.risks} - set(draft.scenarios)
    return ["requires_human"] if new else []


def _parts(tx: Tx, row: Row[Any]) -> list[Row[Any]]:
    if row.segments == 1:
        return [row]
    base = row.outbound_id.rsplit("-", 1)[0]
    rows = (tx.one(OutboundRow, outbound_id=f"{base}-{number}") for number in range(1, row.segments + 1))
    return [part for part in rows if part is not None]
