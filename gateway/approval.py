"""What people decide: approve, reject, write their own words, take and give back."""

from typing import Any

from sqlalchemy import Row, select

from gateway import conversations, drafts, flow, handoff, outbox, shown_draft, whose_words
from gateway.conversations import Talk
from gateway.errors import Conflict, NotFound, Refused
from gateway.judgement import approval_deadline
from gateway.tables import DraftRow, IdempotencyRow, OutboundRow
from gateway.tx import Tx, new_id, table_of
from gateway.wire import ApproveIn, ManualSendIn, RejectIn
from outbound.message import text_sha256
from verifier.verdict import Judged

UNCHANGED_FROM = ("held", "no_reply")
EDITED_FROM = ("held", "no_reply", "awaiting_rewrite")


def approve(tx: Tx, draft_id: str, order: ApproveIn, actor: str) -> dict[str, Any]:
    """Approve exactly the version and text that were shown, unchanged or in the person's own wording.

    Raises Conflict for anything that has changed since; Refused when the gate or a limit says no.
    """
    draft = drafts.load(tx, draft_id)
    talk = conversations.load(tx, draft.conversation_id)
    shown = drafts.text_of(tx, draft)
    shown_draft.must_be_as_shown(draft, shown, order.version, order.text_sha256, EDITED_FROM)
    shown_draft.must_have_seen(draft, talk, order)
    wanted = order.text if order.text is not None else shown.text
    source = whose_words.agents_text(tx, talk, wanted, shown)
    if source is None:
        return _approve_own_words(tx, draft, talk, wanted, order, actor)
    if draft.state not in UNCHANGED_FROM:
        raise Conflict(
            "already_decided",
            f"the draft is {draft.state}: its rewrite is awaited",
            state=draft.state,
            decidedBy=draft.decided_by,
        )
    return _approve_agents_words(tx, draft, talk, source, order, actor)


def _approve_agents_words(
    tx: Tx, draft: Row[Any], talk: Talk, source: Row[Any], order: ApproveIn, actor: str
) -> dict[str, Any]:
    """Agent content stays gated: it leaves only if it passes now."""
    evaluated = whose_words.evaluated(tx, talk, source)
    verdict = evaluated.verdict
    if not isinstance(verdict, Judged):
        raise Refused(
            "quality_unavailable",
            "this text could not be checked; edit it or write your own words",
            fallbackReason="quality_unavailable",
        )
    if not verdict.passed:
        code = "rewrite_limit_reached" if draft.rewrite_count else "quality_gate_failed"
        raise Refused(
            code,
            "this text fails the gate; edit it or write your own words",
            fallbackReason=code,
            hardFailureIds=list(verdict.hard_failures),
            failedCheckIds=list(verdict.failed),
        )
    move = order.handoff if order.handoff is not None else evaluated.claims_handoff
    whose_words.must_be_within_limits(tx, talk, source.text, flow.segments_of(tx, evaluated), move=move)
    record = evaluated.record(rewrite_count=draft.rewrite_count or 0, fallback_reason=draft.fallback_reason or "")
    values = {
        "scenarios": sorted({r.scenario for r in evaluated.plan.risks}),
        "quality_checks": record["qualityChecks"],
        "quality_score": verdict.score,
        "quality_passed": True,
        "text_seq": source.seq,
    }
    _spend(
        tx,
        draft,
        talk,
        source.text,
        kind="approved",
        order=order,
        actor=actor,
        move=move,
        most=flow.segments_of(tx, evaluated),
        **values,
    )
    return _answer(tx, draft.id)


def _approve_own_words(tx: Tx, draft: Row[Any], talk: Talk, text: str, order: ApproveIn, actor: str) -> dict[str, Any]:
    """A person's words skip the quality gate; allowlist, private chat and length hold."""
    most = whose_words.most_segments(tx, talk)
    whose_words.must_be_within_limits(tx, talk, text, most, move=bool(order.handoff))
    kept = whose_words.kept_failures(tx, draft, text)
    seq = drafts.add_text(tx, draft.id, version=draft.version, kind="edited", text=text, author=actor)
    if kept:
        tx.audit(
            actor,
            "kept_failing_clause",
            draft_id=draft.id,
            conversation_id=draft.conversation_id,
            why="the edit leaves a failing clause unchanged",
            detail={"clauses": kept},
        )
    _spend(
        tx, draft, talk, text, kind="human", order=order, actor=actor, move=bool(order.handoff), most=most, text_seq=seq
    )
    return _answer(tx, draft.id) | {"warnings": [{"clause": c, "message": "this clause failed the gate"} for c in kept]}


def _spend(  # one approval, by name
    tx: Tx,
    draft: Row[Any],
    talk: Talk,
    text: str,
    *,
    kind: str,
    order: ApproveIn,
    actor: str,
    move: bool,
    most: int,
    **values: Any,
) -> None:
    undo = tx.settings.undo_seconds
    drafts.change_state(
        tx,
        draft,
        "approved",
        actor=actor,
        why=f"approved as {kind} text",
        decided_by=actor,
        handoff=move,
        hold_reasons=[],
        deadline_at=None,
        **values,
    )
    fresh = drafts.load(tx, draft.id)
    outbox.enqueue(
        tx,
        talk,
        text,
        kind=kind,
        author=actor,
        draft=fresh,
        most=most,
        handoff=move,
        delay=undo,
        confirmed_stale=order.confirm_stale,
        last_seen=order.last_seen_message_id,
    )
    if not move:
        handoff.close_handoff(
            tx, talk.row.id, actor=actor, why="the draft that opened it was approved", draft_id=draft.id
        )
    if undo == 0:
        outbox.refresh_draft(tx, draft.id)


def undo(tx: Tx, draft_id: str, actor: str) -> dict[str, Any]:
    """Take an approval back while nothing has left."""
    draft = drafts.load(tx, draft_id)
    if draft.state not in ("approved", "queued"):
        raise Conflict("too_late", f"the draft is {draft.state}", state=draft.state)
    tx.change(OutboundRow, {"draft_id": draft_id, "state": "queued"}, state="held", hint="undone", updated_at=tx.now)
    drafts.change_state(
        tx,
        draft,
        "held",
        actor=actor,
        why="the approval was undone",
        bump=True,
        decided_by=None,
        deadline_at=approval_deadline(tx),
    )
    return _answer(tx, draft_id)


def reject(tx: Tx, draft_id: str, order: RejectIn, actor: str) -> dict[str, Any]:
    """Reject a draft that nobody has decided."""
    draft = drafts.load(tx, draft_id)
    shown_draft.must_be_open(draft, (*EDITED_FROM, "send_failed", "sent_partial"))
    if draft.version != order.version:
        raise Conflict("version_differs", f"version {draft.version} stands now", version=draft.version)
    drafts.change_state(tx, draft, "rejected", actor=actor, why=order.reason, decided_by=actor, deadline_at=None)
    tx.change(OutboundRow, {"draft_id": draft_id, "state": "queued"}, state="held", hint="rejected", updated_at=tx.now)
    return _answer(tx, draft_id)


def reopen(tx: Tx, draft_id: str, actor: str) -> dict[str, Any]:
    """Bring a failed or partial send back to held with the unsent parts only."""
    draft = drafts.load(tx, draft_id)
    if draft.state not in ("send_failed", "sent_partial"):
        raise Conflict("not_reopenable", f"the draft is {draft.state}", state=draft.state)
    table = table_of(OutboundRow)
    rows = tx.conn.execute(
        select(table)
        .where(table.c.draft_id == draft_id, table.c.draft_version == draft.version)
        .order_by(table.c.segment)
    ).all()
    rest = "".join(row.text for row in rows if row.state != "accepted")
    source = drafts.text_of(tx, draft)
    seq = drafts.add_text(
        tx,
        draft_id,
        version=draft.version + 1,
        kind=source.kind,
        text=rest,
        author=source.author,
        draft=(dict(source.draft) | {"text": rest}) if source.draft else None,
        context=source.context,
        evaluation=source.evaluation,
    )
    drafts.change_state(
        tx,
        draft,
        "held",
        actor=actor,
        why="reopened",
        bump=True,
        text_seq=seq,
        decided_by=None,
        deadline_at=approval_deadline(tx),
    )
    return _answer(tx, draft_id)


def manual_send(tx: Tx, conversation_id: str, order: ManualSendIn, actor: str) -> dict[str, Any]:
    """Send a person's own words; a repeat with the same clientRequestId gets the first result."""
    scope = f"manual-send:{conversation_id}"
    known = tx.one(IdempotencyRow, scope=scope, key=order.client_request_id)
    if known is not None:
        if known.request_sha256 != text_sha256(order.text):
            raise Conflict("request_id_used", "this clientRequestId was used for another text", field="clientRequestId")
        return dict(known.response)
    talk = conversations.load(tx, conversation_id)
    newest = talk.newest_heard.id if talk.newest_heard else None
    if order.last_seen_message_id != newest:
        raise Conflict("newer_message", "the conversation moved on; look at it again", newestMessageId=newest)
    if whose_words.equal_agent_text(tx, talk, order.text) is not None:
        raise Refused("agent_text", "these are the agent's words: approve the draft, or change them", field="text")
    most = whose_words.most_segments(tx, talk)
    whose_words.must_be_within_limits(tx, talk, order.text, most, move=False)
    conversations.supersede(tx, conversation_id, actor=actor, why="a person answered")
    ids = outbox.enqueue(tx, talk, order.text, kind="human", author=actor, most=most, last_seen=newest, key=new_id("m"))
    tx.audit(actor, "manual_send", conversation_id=conversation_id, outbound_id=ids[0], why="a person's own words")
    answer = {"conversationId": conversation_id, "outboundIds": ids, "state": "queued"}
    tx.add(
        IdempotencyRow,
        scope=scope,
        key=order.client_request_id,
        request_sha256=text_sha256(order.text),
        status=200,
        response=answer,
        created_at=tx.now,
    )
    return answer


def take(tx: Tx, conversation_id: str, actor: str, to: str | None = None) -> None:
    """Take a conversation, for oneself or for a named colleague."""
    handoff.open_handoff(
        tx, conversations.load(tx, conversation_id), actor=actor, why="taken by a person", to=to or actor
    )


def give_back(tx: Tx, conversation_id: str, actor: str) -> None:
    """Give a conversation back to the agent."""
    if not handoff.close_handoff(tx, conversation_id, actor=actor, why="given back"):
        raise Conflict("not_taken", "this conversation is not with people")


def _answer(tx: Tx, draft_id: str) -> dict[str, Any]:
    row = tx.one(DraftRow, id=draft_id)
    if row is None:
        raise NotFound("unknown_draft", draft_id)
    return flow.answer(tx, row)
