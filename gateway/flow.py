"""The order of the steps: turn → plan → verify → decide → store → outbox. The only file that orders them.

Every function here runs inside one transaction that holds the conversation's lock, so that two callers can never
decide the same moment differently.
"""

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import Row, Select, bindparam, select

from gateway import conversations, drafts, handoff, writing
from gateway.contract import to_draft
from gateway.conversations import Talk
from gateway.errors import Conflict, GatewayError, Refused
from gateway.evaluate import Evaluated, evaluate_turn
from gateway.gate import Action, Decision, Mode, Situation, decide
from gateway.outbox import cut, enqueue
from gateway.tables import DraftRow, InboxRow, OutboundRow
from gateway.turns import Context, context_of, moment_of, stale_on_arrival, stored_turn
from gateway.tx import Tx, new_id, table_of
from gateway.wire import DraftIn, TurnIn
from planner.turn import ChatType

ANSWERABLE = ("awaiting_rewrite", "held")


@dataclass(frozen=True, slots=True)
class Moment:
    """What a draft answers. A follow-up's moment is its inbox row, else the conversation's customer message."""

    id: str | None
    message_id: str | None
    agent_id: str | None
    reply_id: str | None
    inbox_id: str | None

    @classmethod
    def of(cls, draft: Row[Any]) -> "Moment":
        """Give the moment of a stored draft."""
        return cls(draft.moment_id, draft.moment_id, draft.agent_id, draft.reply_id, draft.inbox_id)

    @property
    def author(self) -> str:
        """Whose words the draft holds."""
        return self.agent_id or "agent"

    def drafts(self, tx: Tx, conversation_id: str) -> list[Row[Any]]:
        """List the drafts posted for this moment, newest first."""
        table = table_of(DraftRow)
        return list(
            tx.conn.execute(
                select(table)
                .where(
                    table.c.conversation_id == conversation_id,
                    table.c.moment_id.is_not_distinct_from(self.id),
                    table.c.agent_id.is_not_distinct_from(self.agent_id),
                    table.c.reply_id.is_not_distinct_from(self.reply_id),
                )
                .order_by(table.c.created_at.desc(), table.c.id.desc())
            ).all()
        )


def post_draft(tx: Tx, wire: TurnIn, draft: DraftIn) -> dict[str, Any]:
    """Judge a posted draft and do what the gate decides; answers the evaluation with the draft's id and state."""
    talk = conversations.load(tx, wire.conversation.id, chat_type=wire.conversation.chat_type)
    context = context_of(wire, talk)
    moment = _moment(tx, wire, draft, talk)
    earlier = moment.drafts(tx, talk.row.id)
    first = next(
        (d for d in earlier if d.rewrite_count == 0 and d.quality_passed is False and d.state in ANSWERABLE), None
    )
    if first is not None:
        return _rewritten(tx, talk, first, context, draft)
    spent = any(d.rewrite_count == 1 for d in earlier)
    turn = stored_turn(talk, context, to_draft(draft), tx.local_now)
    evaluated = evaluate_turn(turn, tx.shelf, tx.settings.pass_score)
    situation = situation_of(tx, talk, moment, stale=stale_on_arrival(wire, talk), rewrite_used=spent, spent=spent)
    decision = _if_it_fits(tx, evaluated, decide_for(evaluated, situation))
    record = evaluated.record(rewrite_count=int(spent), fallback_reason=decision.fallback_reason)
    conversations.supersede(
        tx,
        talk.row.id,
        actor=moment.author,
        why="a newer draft came",
        agent_id=moment.agent_id,
        reply_id=moment.reply_id,
        states=conversations.OPEN_STATES,
        same_agent=True,
    )
    draft_id = tx.add(
        DraftRow,
        id=new_id("d"),
        conversation_id=talk.row.id,
        agent_id=moment.agent_id,
        model=draft.model,
        reply_id=moment.reply_id,
        inbox_id=moment.inbox_id,
        moment_id=moment.id,
        turn_id=wire.id,
        version=1,
        mode=talk.mode,
        stale=situation.stale,
        created_at=tx.now,
        updated_at=tx.now,
        **_standing(tx, evaluated, decision, record),
    )
    seq = drafts.add_text(
        tx,
        draft_id,
        version=1,
        kind="first",
        text=draft.text,
        author=moment.author,
        draft=_body(draft),
        context=context.record(),
        evaluation=record,
    )
    tx.change(DraftRow, {"id": draft_id}, text_seq=seq)
    handoff.inherit(tx, talk, draft_id, earlier)
    tx.audit(
        moment.author,
        "state",
        draft_id=draft_id,
        conversation_id=talk.row.id,
        from_state="evaluating",
        to_state=decision.state,
        why=_why(decision),
    )
    _answer_inbox(tx, talk, moment)
    return _carry_out(tx, talk, drafts.load(tx, draft_id), evaluated, decision, record)


def post_rewrite(tx: Tx, draft_id: str, draft: DraftIn | None, error: str | None) -> dict[str, Any] | GatewayError:
    """Judge the one rewrite of a draft, or note that the agent could not make it.

    A late or second one is a Conflict that is given back, not raised: the text is kept as history all the same.
    """
    row = drafts.load(tx, draft_id)
    talk = conversations.load(tx, row.conversation_id)
    if row.state == "awaiting_rewrite" and row.deadline_at is not None and tx.now >= row.deadline_at:
        expire_rewrite(tx, row, why="the rewrite came after its deadline")
        row = drafts.load(tx, draft_id)
    if row.state != "awaiting_rewrite":
        return _too_late(tx, row, draft)
    if draft is None:
        expire_rewrite(tx, row, why=f"the agent could not rewrite: {error}"[:500])
        return answer(tx, drafts.load(tx, draft_id))
    return _rewritten(tx, talk, row, Context.read(drafts.text_of(tx, row).context or {}), draft)


def _too_late(tx: Tx, row: Row[Any], draft: DraftIn | None) -> GatewayError:
    """Keep a rewrite that nobody waits for as history."""
    author = row.agent_id or "agent"
    if draft is not None:
        drafts.add_text(
            tx, row.id, version=row.version, kind="late", text=draft.text, author=author, draft=_body(draft)
        )
        tx.audit(
            author,
            "late_rewrite",
            draft_id=row.id,
            conversation_id=row.conversation_id,
            why=f"the draft was {row.state}; the text is kept as history",
        )
    return Conflict(
        "rewrite_not_awaited",
        f"this draft is {row.state}: a draft has one rewrite, in time",
        state=row.state,
        decidedBy=row.decided_by,
        fallbackReason=row.fallback_reason,
    )


def expire_rewrite(tx: Tx, row: Row[Any], *, why: str) -> None:
    """Keep a draft whose rewrite did not come for a person: the one chance is used."""
    drafts.change_state(
        tx,
        row,
        "held",
        actor="gate",
        why=why,
        rewrite_count=1,
        fallback_reason="rewrite_limit_reached",
        action=str(Action.HOLD),
        deadline_at=approval_deadline(tx),
    )


def _rewritten(tx: Tx, talk: Talk, row: Row[Any], context: Context, draft: DraftIn) -> dict[str, Any]:
    body = _body(draft)
    turn = stored_turn(talk, context, to_draft(draft), tx.local_now)
    evaluated = evaluate_turn(turn, tx.shelf, tx.settings.pass_score)
    moment = Moment.of(row)
    situation = situation_of(tx, talk, moment, stale=row.stale, rewrite_used=True, spent=False, draft_id=row.id)
    decision = _if_it_fits(tx, evaluated, decide_for(evaluated, situation))
    record = evaluated.record(rewrite_count=1, fallback_reason=decision.fallback_reason)
    seq = drafts.add_text(
        tx,
        row.id,
        version=row.version + 1,
        kind="rewrite",
        text=draft.text,
        author=row.agent_id or "agent",
        draft=body,
        context=context.record(),
        evaluation=record,
    )
    drafts.change_state(
        tx,
        row,
        decision.state,
        actor=row.agent_id or "agent",
        why=_why(decision),
        bump=True,
        text_seq=seq,
        **{k: v for k, v in _standing(tx, evaluated, decision, record).items() if k != "state"},
    )
    return _carry_out(tx, talk, drafts.load(tx, row.id), evaluated, decision, record)


def situation_of(
    tx: Tx, talk: Talk, moment: Moment, *, stale: bool, rewrite_used: bool, spent: bool, draft_id: str | None = None
) -> Situation:
    """Gather what the gate must know besides the text."""
    return Situation(
        mode=Mode(talk.mode),
        chat_type=ChatType(talk.row.chat_type),
        rewrite_used=rewrite_used,
        human_owns=talk.owned_by_people(but_for=draft_id),
        being_edited=writing.writer(tx, talk.row.id) is not None,
        stale=stale,
        already_answered=_already_answered(tx, talk, moment, draft_id),
        rewrite_spent=spent,
        unanswered=talk.unanswered,
        min_band=tx.settings.min_band_to_send,
    )


def decide_for(evaluated: Evaluated, situation: Situation) -> Decision:
    """Decide with the turn's own words about needing a person."""
    return decide(evaluated.plan, evaluated.verdict, situation, draft_requires_human=evaluated.draft_requires_human)


def _if_it_fits(tx: Tx, evaluated: Evaluated, decision: Decision) -> Decision:
    """Hold what the gate would send but no clean cut makes fit into the channel's messages."""
    if decision.action is not Action.SEND or evaluated.turn.draft is None:
        return decision
    try:
        cut(evaluated.turn.draft.text, segments_of(tx, evaluated))
    except Refused as refused:
        return Decision(Action.HOLD, decision.fallback_reason, (refused.code,))
    return decision


def approval_deadline(tx: Tx) -> Any:
    """Give the moment at which a draft that is held now expires."""
    return tx.now + timedelta(minutes=tx.settings.approval_minutes)


def answer(tx: Tx, row: Row[Any], record: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Give a draft as the API shows it: its newest evaluation and where it stands."""
    evaluation = dict(record) if record is not None else dict(drafts.text_of(tx, row).evaluation or {})
    evaluation |= {
        "qualityScore": row.quality_score,
        "qualityChecks": row.quality_checks,
        "qualityPassed": row.quality_passed,
        "rewriteCount": row.rewrite_count,
        "fallbackReason": row.fallback_reason,
    }
    return evaluation | {
        "draftId": row.id,
        "version": row.version,
        "state": row.state,
        "action": row.action,
        "mode": row.mode,
        "holdReasons": list(row.hold_reasons),
        "stale": row.stale,
        "deadlineAt": row.deadline_at.isoformat() if row.deadline_at else None,
    }


def _moment(tx: Tx, wire: TurnIn, draft: DraftIn, talk: Talk) -> Moment:
    inbox = tx.one(InboxRow, id=draft.inbox_id) if draft.inbox_id else None
    if draft.inbox_id and (inbox is None or inbox.conversation_id != talk.row.id):
        raise Conflict("unknown_inbox_row", "this inbox row does not belong to the conversation", field="draft.inboxId")
    message_id = moment_of(wire, talk)
    moment_id = inbox.moment_id if inbox is not None and inbox.kind == "follow_up" else message_id
    return Moment(moment_id, message_id, draft.agent_id, draft.reply_id, draft.inbox_id)


def _already_answered(tx: Tx, talk: Talk, moment: Moment, draft_id: str | None) -> bool:
    answers = tx.conn.execute(_answers(), {"conversation_id": talk.row.id, "moment_id": moment.id}).scalars()
    if any(answer != draft_id or draft_id is None for answer in answers):
        return True
    return moment.id is not None and moment.id == moment.message_id and talk.answered_after(moment.id)


@functools.cache
def _answers() -> Select[Any]:
    table = table_of(OutboundRow)
    return select(table.c.draft_id).where(
        table.c.conversation_id == bindparam("conversation_id"),
        table.c.moment_id.is_not_distinct_from(bindparam("moment_id", type_=table.c.moment_id.type)),
        table.c.state.in_(conversations.LIVE_MESSAGE_STATES),
    )


def _standing(tx: Tx, evaluated: Evaluated, decision: Decision, record: Mapping[str, Any]) -> dict[str, Any]:
    waits = {
        Action.REWRITE: tx.now + timedelta(seconds=tx.settings.rewrite_seconds),
        Action.HOLD: approval_deadline(tx),
    }
    return {
        "state": decision.state,
        "action": str(decision.action),
        "hold_reasons": list(decision.hold_reasons),
        "quality_score": record["qualityScore"],
        "quality_checks": record["qualityChecks"],
        "quality_passed": record["qualityPassed"],
        "rewrite_count": record["rewriteCount"],
        "fallback_reason": decision.fallback_reason,
        "scenarios": sorted({r.scenario for r in evaluated.plan.risks}),
        "deadline_at": waits.get(decision.action),
    }


def _carry_out(
    tx: Tx, talk: Talk, row: Row[Any], evaluated: Evaluated, decision: Decision, record: Mapping[str, Any]
) -> dict[str, Any]:
    if decision.action is Action.SEND:
        text = drafts.text_of(tx, row).text
        enqueue(tx, talk, text, kind="auto", author=row.agent_id or "agent", draft=row, most=segments_of(tx, evaluated))
    elif decision.fallback_reason == "requires_human" and not decision.hold_reasons and decision.action is Action.HOLD:
        handoff.open_handoff(tx, talk, actor="gate", why="the turn needs a person", draft_id=row.id)
    return answer(tx, row, record)


def segments_of(tx: Tx, evaluated: Evaluated) -> int:
    """Say in how many messages a reply of this pack may be sent."""
    return int(tx.shelf.get(evaluated.turn.pack).sections.get("maxSegments", 1))


def _answer_inbox(tx: Tx, talk: Talk, moment: Moment) -> None:
    where = {"conversation_id": talk.row.id, "state": "open"}
    where |= {"id": moment.inbox_id} if moment.inbox_id else {"moment_id": moment.id or ""}
    tx.change(InboxRow, where, state="answered")


def _body(draft: DraftIn) -> dict[str, Any]:
    return draft.model_dump(mode="json", by_alias=True, exclude_unset=True)


def _why(decision: Decision) -> str:
    return ", ".join(part for part in (str(decision.action), decision.fallback_reason, *decision.hold_reasons) if part)
