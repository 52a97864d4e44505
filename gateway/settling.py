"""What became of a call decides where its message, its draft and its channel stand."""

from typing import Any

from sqlalchemy import Row

from gateway import conversations, outbox
from gateway.tables import Account, ConversationRow, DeliveryRow
from gateway.tx import Tx
from outbound.errors import Action
from outbound.outcome import Accepted, Fault, Outcome, Rejected
from outbound.session import SessionState
from outbound.steps import MessageState, Step, step_after
from planner.turn import Role

TRIAL = 60.0  # seconds after which a resting channel is tried again by itself


def settle(tx: Tx, outbound_id: str, outcome: Outcome, attempt: int | None = None) -> None:
    """Record what became of a message and move its draft accordingly; `attempt` is the permit's number.

    The outcome of an attempt that others gave up as lost is too late, but for one thing: accepted is then the truth.
    """
    row = outbox.load(tx, outbound_id)
    if row is None or attempt not in (None, row.attempts):
        return
    if row.state != "sending" and not (row.state == "unknown" and isinstance(outcome, Accepted)):
        return
    step = step_after(outcome, tries=row.attempts - row.rests, doubtful=row.doubtful)
    doubtful = row.doubtful or (isinstance(outcome, Rejected) and outcome.action is Action.RETRY)
    if not step.counts and not doubtful:
        outbox.give_quota_back(tx, row)
    if isinstance(outcome, Accepted):
        _accepted(tx, row, outcome)
    else:
        _not_accepted(tx, row, outcome, step, doubtful=doubtful)
    outbox.refresh_draft(tx, row.draft_id)


def _not_accepted(tx: Tx, row: Row[Any], outcome: Fault, step: Step, *, doubtful: bool) -> None:
    errcode = outcome.errcode if isinstance(outcome, Rejected) else None
    told = outcome.detail if isinstance(outcome, Rejected) else outcome.reason
    hint = f"{errcode}: {told}" if errcode is not None else told
    values: dict[str, Any] = {"errcode": errcode, "hint": hint, "doubtful": doubtful}
    if step.again_after is not None:
        values["next_at"] = tx.now + step.again_after
    if isinstance(outcome, Rejected) and step.state is MessageState.QUEUED and outcome.action is not Action.RETRY:
        values["rests"] = row.rests + 1  # such a permit is no try: three pauses must not use up the three tries
    if step.stop_channel and not _rests_already(outcome):
        # The queue is kept: an operator mends the channel, then every message is decided anew and goes on.
        tx.change(Account, {"id": row.account_id}, stopped_reason=hint[:500])
        tx.audit(
            "channel", "channel_stopped", conversation_id=row.conversation_id, outbound_id=row.outbound_id, why=hint
        )
        values["next_at"] = tx.now
    if step.state is MessageState.QUEUED:
        values["permit_used_at"] = None  # it provably did not leave: the next try is decided anew
    outbox.mark(tx, row, str(step.state), **values)
    if step.state is not MessageState.QUEUED:
        outbox.hold_rest(tx, row, "an earlier part was not accepted")
    if step.state in (MessageState.HELD, MessageState.CHANNEL_REJECTED):
        outbox.note_reason(tx, row, step.reason)
    if step.reason == "human_owns":  # the platform says so before its log does
        tx.change(ConversationRow, {"id": row.conversation_id}, session_state=int(SessionState.HUMAN))


def _rests_already(outcome: Fault) -> bool:
    """Whether no call was made because this process still rests after an earlier one: no news about the channel."""
    return isinstance(outcome, Rejected) and outcome.retry_after is not None and outcome.retry_after <= TRIAL


def _accepted(tx: Tx, row: Row[Any], outcome: Accepted) -> None:
    outbox.mark(tx, row, "accepted", channel_message_id=outcome.channel_message_id, errcode=0)
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
    words = {"message_id": row.outbound_id, "text": row.text, "at": tx.now, "outbound_id": row.outbound_id}
    if row.kind == "human":
        talk = conversations.load(tx, row.conversation_id, lock=False)  # it is held
        conversations.record(tx, talk, role=Role.HUMAN, author=row.author, **words)
    else:
        conversations.keep(tx, row.conversation_id, role=Role.AGENT, **words)
