"""The order of the steps: turn → plan → verify → decide → store → outbox. The only file that orders them.

Every function here runs inside one transaction that holds the conversation's lock, so that two callers can never
decide the same moment differently.
"""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Row

from gateway import conversations, drafts, evaluation_log, handoff, stages
from gateway.calibration import stored as calibrated
from gateway.contract import to_draft
from gateway.conversations import Talk
from gateway.counsels import counsel_of
from gateway.errors import Conflict, GatewayError, Refused
from gateway.evaluate import Evaluated, evaluate_turn
from gateway.gate import Action, Decision, Mode, Situation, decide
from gateway.judgement import Judgement, approval_deadline
from gateway.moment import Moment, moment_for
from gateway.outbox import cut, enqueue
from gateway.tables import DraftRow, InboxRow
from gateway.turns import Context, context_of, stale_on_arrival, stored_turn
from gateway.tx import Tx, new_id
from gateway.wire import DraftIn, TurnIn
from planner.turn import ChatType
from verifier.counsel import Kept

ANSWERABLE = ("awaiting_rewrite", "held")


def post_draft(tx: Tx, wire: TurnIn, draft: DraftIn, kept: Kept | None = None) -> dict[str, Any]:
    """Judge a posted draft and do what the gate decides; answers the evaluation with the draft's id and state.

    `kept` is what a judge said about it before this transaction (see gateway.second_opinions).
    """
    talk = conversations.load(tx, wire.conversation.id, chat_type=wire.conversation.chat_type)
    context = context_of(wire, talk)
    moment = moment_for(tx, wire, draft, talk)
    stages.move(tx, talk, wire.conversation.stage, moment.author)
    siblings = moment.siblings(tx, talk.row.id)
    earlier = [sibling for sibling in siblings if sibling.moment_id == moment.id]
    first = next(
        (d for d in earlier if d.rewrite_count == 0 and d.quality_passed is False and d.state in ANSWERABLE), None
    )
    if first is not None:
        return _rewritten(tx, talk, drafts.load(tx, first.id), context, draft, kept)
    spent = any(d.rewrite_count == 1 for d in earlier)
    situation = situation_of(tx, talk, moment, stale=stale_on_arrival(wire, talk), rewrite_used=spent, spent=spent)
    judgement = _judge(tx, talk, context, draft, situation, kept)
    older = [sibling for sibling in siblings if sibling.state in conversations.OPEN_STATES]
    conversations.retire(tx, talk.row.id, older, actor=moment.author, why="a newer draft came")
    values = {"model": draft.model, "turn_id": wire.id, "stale": situation.stale, "mode": talk.mode}
    row = _store(tx, talk.row.id, moment, judgement, values)
    _add_text(tx, row.id, draft, context, judgement, version=1, kind="first", author=moment.author)
    evaluation_log.note(tx, talk.account.id, row.id, judgement)
    handoff.inherit(tx, talk, row.id, earlier)
    _answer_inbox(tx, talk, moment)
    return _carry_out(tx, talk, row, draft.text, judgement)


def _judge(tx: Tx, talk: Talk, context: Context, draft: DraftIn, situation: Situation, kept: Kept | None) -> Judgement:
    turn = stored_turn(talk, context, to_draft(draft), tx.local_now)
    judged = evaluate_turn(turn, tx.shelf, tx.settings.pass_score, counsel=counsel_of(tx, talk, kept))
    evaluated = calibrated.banded(judged, tx.once(calibrated.load))
    decision = _if_it_fits(tx, evaluated, decide_for(evaluated, situation))
    used = int(situation.rewrite_used)
    return Judgement(
        evaluated, decision, evaluated.record(rewrite_count=used, fallback_reason=decision.fallback_reason)
    )


def _store(tx: Tx, conversation_id: str, moment: Moment, judgement: Judgement, values: Mapping[str, Any]) -> Any:
    """Write the row of a new draft with its audit row, and give the row."""
    row = tx.add_row(
        DraftRow,
        id=new_id("d"),
        conversation_id=conversation_id,
        agent_id=moment.agent_id,
        reply_id=moment.reply_id,
        inbox_id=moment.inbox_id,
        moment_id=moment.id,
        version=1,
        state=judgement.decision.state,
        created_at=tx.now,
        updated_at=tx.now,
        **judgement.standing(tx),
        **values,
    )
    tx.audit(
        moment.author,
        "state",
        draft_id=row.id,
        conversation_id=conversation_id,
        from_state="evaluating",
        to_state=row.state,
        why=judgement.why,
    )
    return row


def _add_text(
    tx: Tx,
    draft_id: str,
    draft: DraftIn,
    context: Context,
    judgement: Judgement,
    *,
    version: int,
    kind: str,
    author: str,
) -> None:
    """Keep a judged text and make it the draft's current one."""
    seq = drafts.add_text(
        tx,
        draft_id,
        version=version,
        kind=kind,
        text=draft.text,
        author=author,
        draft=_body(draft),
        context=context.record(),
        evaluation=judgement.record,
    )
    tx.change(DraftRow, {"id": draft_id}, text_seq=seq)


def post_rewrite(
    tx: Tx, draft_id: str, draft: DraftIn | None, error: str | None, kept: Kept | None = None
) -> dict[str, Any] | GatewayError:
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
    return _rewritten(tx, talk, row, Context.read(drafts.text_of(tx, row).context or {}), draft, kept)


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


def _rewritten(
    tx: Tx, talk: Talk, row: Row[Any], context: Context, draft: DraftIn, kept: Kept | None
) -> dict[str, Any]:
    moment = Moment.of(row)
    situation = situation_of(tx, talk, moment, stale=row.stale, rewrite_used=True, spent=False, draft_id=row.id)
    judgement = _judge(tx, talk, context, draft, situation, kept)
    _add_text(tx, row.id, draft, context, judgement, version=row.version + 1, kind="rewrite", author=moment.author)
    evaluation_log.note(tx, talk.account.id, row.id, judgement)
    to, values = judgement.decision.state, judgement.standing(tx)
    drafts.change_state(tx, row, to, actor=moment.author, why=judgement.why, bump=True, **values)
    return _carry_out(tx, talk, drafts.load(tx, row.id), draft.text, judgement)


def situation_of(
    tx: Tx, talk: Talk, moment: Moment, *, stale: bool, rewrite_used: bool, spent: bool, draft_id: str | None = None
) -> Situation:
    """Gather what the gate must know besides the text."""
    return Situation(
        mode=Mode(talk.mode),
        chat_type=ChatType(talk.row.chat_type),
        rewrite_used=rewrite_used,
        human_owns=talk.owned_by_people(but_for=draft_id),
        being_edited=talk.writer is not None,
        stale=stale,
        already_answered=moment.answered(tx, talk, draft_id),
        rewrite_spent=spent,
        unanswered=talk.unanswered,
        min_band=calibrated.least_band(tx.settings.min_band_to_send, tx.once(calibrated.load)),
        judge_required=tx.settings.judge_required,
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


def answer(tx: Tx, row: Any, record: Mapping[str, Any] | None = None) -> dict[str, Any]:
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


def _carry_out(tx: Tx, talk: Talk, row: Any, text: str, judgement: Judgement) -> dict[str, Any]:
    if judgement.decision.action is Action.SEND:
        most = segments_of(tx, judgement.evaluated)
        enqueue(tx, talk, text, kind="auto", author=row.agent_id or "agent", draft=row, most=most)
    elif judgement.needs_person:
        handoff.open_handoff(tx, talk, actor="gate", why="the turn needs a person", draft_id=row.id)
    return answer(tx, row, judgement.record)


def segments_of(tx: Tx, evaluated: Evaluated) -> int:
    """Say in how many messages a reply of this pack may be sent."""
    return int(tx.shelf.get(evaluated.turn.pack).sections.get("maxSegments", 1))


def _answer_inbox(tx: Tx, talk: Talk, moment: Moment) -> None:
    where = {"conversation_id": talk.row.id, "state": "open"}
    where |= {"id": moment.inbox_id} if moment.inbox_id else {"moment_id": moment.id or ""}
    tx.change(InboxRow, where, state="answered")


def _body(draft: DraftIn) -> dict[str, Any]:
    return draft.model_dump(mode="json", by_alias=True, exclude_unset=True)
