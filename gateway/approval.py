"""What people decide: approve, reject, write their own words, take and give back."""

from typing import Any

from sqlalchemy import Row, select

from gateway import conversations, drafts, flow, handoff, outbox, send_entry
from gateway.conversations import Talk
from gateway.errors import Conflict, NotFound, Refused
from gateway.evaluate import Evaluated, evaluate_turn
from gateway.tables import DraftRow, IdempotencyRow, OutboundRow
from gateway.turns import Context, stored_draft, stored_turn
from gateway.tx import Tx, new_id, table_of
from gateway.wire import ApproveIn, ManualSendIn, RejectIn
from outbound.message import text_sha256
from verifier.claims import Status
from verifier.verdict import Judged

UNCHANGED_FROM = ("held", "no_reply")
EDITED_FROM = ("held", "no_reply", "awaiting_rewrite")
REASONS = {
    "not_allowed": "the recipient is not on the account's allowlist",
    "group_chat": "groups are not answered; copy the text or reject the draft",
    "window_closed": "the 48-hour window is closed: wait for the customer's next message",
    "quota_used": "the messages that one customer message allows are used up",
    "human_owns": "people hold this session: answer in the WeCom client",
    "channel_stopped": "the channel is stopped until its configuration is mended",
}


def approve(tx: Tx, draft_id: str, order: ApproveIn, actor: str) -> dict[str, Any]:
    """Approve exactly the version and text that were shown, unchanged or in the person's own wording.

    Raises Conflict for anything that has changed since; Refused when the gate or a limit says no.
    """
    draft = drafts.load(tx, draft_id)
    talk = conversations.load(tx, draft.conversation_id)
    shown = drafts.text_of(tx, draft)
    _must_be_as_shown(draft, shown, order.version, order.text_sha256, EDITED_FROM)
    _must_have_seen(draft, talk, order)
    wanted = order.text if order.text is not None else shown.text
    source = _agents_text(tx, talk, wanted, shown)
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
    evaluated = _evaluate(tx, talk, source)
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
    _within_limits(tx, talk, source.text, flow.segments_of(tx, evaluated), move=move)
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
    most = _most_segments(tx, talk)
    _within_limits(tx, talk, text, most, move=bool(order.handoff))
    kept = _kept_failures(tx, draft, text)
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
        deadline_at=flow.approval_deadline(tx),
    )
    return _answer(tx, draft_id)


def reject(tx: Tx, draft_id: str, order: RejectIn, actor: str) -> dict[str, Any]:
    """Reject a draft that nobody has decided."""
    draft = drafts.load(tx, draft_id)
    _must_be_open(draft, (*EDITED_FROM, "send_failed", "sent_partial"))
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
        deadline_at=flow.approval_deadline(tx),
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
    if _equal_agent_text(tx, talk, order.text) is not None:
        raise Refused("agent_text", "these are the agent's words: approve the draft, or change them", field="text")
    most = _most_segments(tx, talk)
    _within_limits(tx, talk, order.text, most, move=False)
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


def _must_be_open(draft: Row[Any], states: tuple[str, ...]) -> None:
    if draft.state not in states:
        raise Conflict(
            "already_decided",
            f"the draft is {draft.state}",
            state=draft.state,
            decidedBy=draft.decided_by,
            version=draft.version,
        )


def _must_be_as_shown(draft: Row[Any], shown: Row[Any], version: int, sha256: str, states: tuple[str, ...]) -> None:
    _must_be_open(draft, states)
    if draft.version != version:
        raise Conflict(
            "version_differs", f"version {draft.version} stands now", version=draft.version, state=draft.state
        )
    if shown.sha256 != sha256:
        raise Conflict("text_differs", "the shown text is not this draft's text", field="textSha256")


def _must_have_seen(draft: Row[Any], talk: Talk, order: ApproveIn) -> None:
    newest = talk.newest_heard.id if talk.newest_heard else None
    if order.last_seen_message_id != newest:
        raise Conflict(
            "newer_message", "the conversation moved on; look at it again", newestMessageId=newest, stale=draft.stale
        )
    if draft.stale and not order.confirm_stale:
        raise Conflict("stale", "the customer wrote since this draft; confirm that it still fits (confirmStale)")


def _agents_text(tx: Tx, talk: Talk, wanted: str, shown: Row[Any]) -> Row[Any] | None:
    if shown.kind != "edited" and wanted == shown.text:
        return shown
    return _equal_agent_text(tx, talk, wanted)


def _equal_agent_text(tx: Tx, talk: Talk, wanted: str) -> Row[Any] | None:
    key = drafts.same_words(wanted)
    return next((row for row in drafts.agent_texts(tx, talk.row.id) if drafts.same_words(row.text) == key), None)


def _evaluate(tx: Tx, talk: Talk, source: Row[Any]) -> Evaluated:
    context = Context.read(source.context) if source.context else Context("-", talk.row.pack, None, None, {}, ())
    body = source.draft or {"text": source.text}
    return evaluate_turn(stored_turn(talk, context, stored_draft(body), tx.local_now), tx.shelf, tx.settings.pass_score)


def _within_limits(tx: Tx, talk: Talk, text: str, most: int, *, move: bool) -> None:
    parts = outbox.cut(text, 1 if move else most)
    reasons = send_entry.limits(tx, talk, segments=len(parts), person=True)
    if reasons:
        raise Refused(reasons[0], REASONS.get(reasons[0], reasons[0]), holdReasons=list(reasons))


def _kept_failures(tx: Tx, draft: Row[Any], text: str) -> list[str]:
    evaluation = drafts.text_of(tx, draft).evaluation or {}
    bad = (Status.CONTRADICTED, Status.UNSUPPORTED, Status.STALE)
    return [c["quote"] for c in evaluation.get("claims", []) if c["status"] in bad and c["quote"] in text]


def _most_segments(tx: Tx, talk: Talk) -> int:
    return int(tx.shelf.get(talk.row.pack or talk.account.pack).sections.get("maxSegments", 1))


def _answer(tx: Tx, draft_id: str) -> dict[str, Any]:
    row = tx.one(DraftRow, id=draft_id)
    if row is None:
        raise NotFound("unknown_draft", draft_id)
    return flow.answer(tx, row)
