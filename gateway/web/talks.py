"""Conversations: the list, one of them, and what a person does there: write, take, give back, hand over."""

from typing import Any

from fastapi import APIRouter, Request, Response
from sqlalchemy import Row, or_, select

from gateway import approval, evaluation_log, send_entry, stages, writing
from gateway.errors import NotFound, Refused
from gateway.tables import MODES, Account, AuditRow, ConversationRow, DraftRow
from gateway.tx import Tx, table_of
from gateway.web.acts import act
from gateway.web.draft_card import allowance, load_talk
from gateway.web.outcomes import Outcome, outcome_of
from gateway.web.page import PageRoute, page, service_of
from gateway.web.queue_rows import customers, read_key
from gateway.web.session import colleagues, posted, viewer
from gateway.wire import ManualSendIn

router = APIRouter(route_class=PageRoute, include_in_schema=False)
PAGE = 50
SCAN = 5000  # conversations that a search for words looks through for one page


@router.get("/conversations")
async def listing(request: Request) -> Response:
    """List conversations, the one that the customer wrote in last first."""
    caller = await viewer(request)
    query = request.query_params
    search, mine, after = query.get("search", "").strip()[:200], query.get("mine", ""), query.get("after", "")[:300]

    def load(tx: Tx) -> dict[str, Any]:
        mine_only = caller.id if mine == "yes" else ""
        rows, following = _listed(tx, search, mine_only, with_people=mine == "people", after=after)
        return {"rows": rows, "following": following}

    values = await service_of(request).alook(load)
    return await page(request, "conversations.html", caller, search=search, mine=mine, **values)


@router.get("/conversations/{conversation_id}")
async def show(request: Request, conversation_id: str) -> Response:
    """Show one conversation."""
    caller = await viewer(request)
    told = request.query_params.get("r", "")

    def load(tx: Tx) -> dict[str, Any]:
        talk = load_talk(tx, conversation_id)
        return {
            "talk": talk,
            "drafts": _drafts(tx, conversation_id),
            "history": _history(tx, conversation_id),
            "limits_view": allowance(tx, talk),
            "limits": send_entry.limits(tx, talk, segments=1, person=True),
            "colleagues": [pair for pair in colleagues(tx) if pair[0] != caller.id],
            "modes": MODES,
            "logged": evaluation_log.count_of(tx, conversation_id),
            "stage": stages.current(tx, talk),
            "stages": stages.stages_of(tx, talk),
            "outcome": outcome_of(tx, caller, told),
        }

    return await page(request, "conversation.html", caller, **await service_of(request).alook(load))


@router.post("/conversations/{conversation_id}/send")
async def send(request: Request, conversation_id: str) -> Response:
    """Send a person's own words."""
    caller, form = await posted(request)
    text = form.text("text")

    def job(tx: Tx) -> Outcome:
        order = ManualSendIn.model_validate(
            {
                "text": text,
                "clientRequestId": f"web-{caller.id}-{form.line('request', 60)}",
                "lastSeenMessageId": form.line("lastSeenMessageId", 200) or None,
            }
        )
        approval.manual_send(tx, conversation_id, order, caller.id)
        return Outcome(True, "written")

    return await act(request, caller, form, "send", f"/conversations/{conversation_id}", job, typed=text)


@router.post("/conversations/{conversation_id}/writing")
async def note_writing(request: Request, conversation_id: str) -> Response:
    """Tell that a person is writing here: colleagues see it, and no agent's words leave meanwhile."""
    caller, _ = await posted(request)

    def job(tx: Tx) -> None:
        load_talk(tx, conversation_id)
        writing.note(tx, conversation_id, caller.id)

    await service_of(request).arun(job)
    return Response(status_code=204)


@router.post("/conversations/{conversation_id}/take")
async def take(request: Request, conversation_id: str) -> Response:
    """Take the conversation."""
    caller, form = await posted(request)

    def job(tx: Tx) -> Outcome:
        approval.take(tx, conversation_id, caller.id)
        return Outcome(True, "taken")

    return await act(request, caller, form, "take", f"/conversations/{conversation_id}", job)


@router.post("/conversations/{conversation_id}/give-back")
async def give_back(request: Request, conversation_id: str) -> Response:
    """Give the conversation back to the agent."""
    caller, form = await posted(request)

    def job(tx: Tx) -> Outcome:
        approval.give_back(tx, conversation_id, caller.id)
        return Outcome(True, "given_back")

    return await act(request, caller, form, "give-back", f"/conversations/{conversation_id}", job)


@router.post("/conversations/{conversation_id}/hand-over")
async def hand_over(request: Request, conversation_id: str) -> Response:
    """Hand the conversation over to a named colleague."""
    caller, form = await posted(request)
    to = form.line("to", 100)

    def job(tx: Tx) -> Outcome:
        if to not in dict(colleagues(tx)):
            raise Refused("unknown_colleague", "choose a colleague who may decide", field="to")
        approval.take(tx, conversation_id, caller.id, to=to)
        return Outcome(True, "handed_over", {"to": to})

    return await act(request, caller, form, "hand-over", f"/conversations/{conversation_id}", job)


@router.post("/conversations/{conversation_id}/mode")
async def set_mode(request: Request, conversation_id: str) -> Response:
    """Give a conversation a mode of its own, or its account's again."""
    caller, form = await posted(request, "admin")
    mode = form.line("mode", 20)

    def job(tx: Tx) -> Outcome:
        row = tx.one(ConversationRow, lock=True, id=conversation_id)
        if row is None:
            raise NotFound("unknown_conversation", "no such conversation")
        if mode and mode not in MODES:
            raise Refused("unknown_mode", f"one of {', '.join(MODES)}", field="mode")
        tx.change(ConversationRow, {"id": conversation_id}, mode=mode or None)
        detail = {"before": {"mode": row.mode}, "after": {"mode": mode or None}}
        tx.audit(caller.id, "conversation_changed", conversation_id=conversation_id, detail=detail)
        return Outcome(True, "conversation_saved")

    return await act(request, caller, form, "mode", f"/conversations/{conversation_id}", job)


@router.post("/conversations/{conversation_id}/stage")
async def set_stage(request: Request, conversation_id: str) -> Response:
    """Say at which stage of its playbook a conversation is."""
    caller, form = await posted(request)
    stage = form.line("stage", 200)

    def job(tx: Tx) -> Outcome:
        talk = load_talk(tx, conversation_id)
        if not stages.move(tx, talk, stage, caller.id):
            raise Refused("unknown_stage", "the pack has no such stage", field="stage")
        return Outcome(True, "stage_saved")

    return await act(request, caller, form, "stage", f"/conversations/{conversation_id}", job)


def _listed(tx: Tx, search: str, assignee: str, *, with_people: bool, after: str) -> tuple[list[Row[Any]], str]:
    """Give a page of rows and the key of the next; a search for words looks through a stretch of the newest at a time."""
    talk, account = table_of(ConversationRow), table_of(Account)
    known = customers(tx, search) if search else []
    query = (
        select(talk, account.c.name.label("account_name"), account.c.mode.label("account_mode"))
        .join(account, account.c.id == talk.c.account_id)
        .where(talk.c.last_customer_at.is_not(None))
        .order_by(talk.c.last_customer_at.desc(), talk.c.id.desc())
        .limit(PAGE + 1)
    )
    if assignee:
        query = query.where(talk.c.assigned_to == assignee)
    if with_people:
        query = query.where(talk.c.handoff_open)
    if known:
        query = query.where(talk.c.id.in_(known))
    if not search or known:
        return _paged(list(tx.conn.execute(_behind(query, talk, after)).all()), "")
    stretch = _behind(
        select(talk.c.id, talk.c.last_customer_at)
        .where(talk.c.last_customer_at.is_not(None))
        .order_by(talk.c.last_customer_at.desc(), talk.c.id.desc()),
        talk,
        after,
    )
    inner = stretch.limit(SCAN).subquery()
    fits = or_(
        *(column.contains(search, autoescape=True) for column in (talk.c.recipient, talk.c.display_name, talk.c.id))
    )
    found = list(tx.conn.execute(query.where(talk.c.id.in_(select(inner.c.id)), fits)).all())
    end = tx.conn.execute(stretch.offset(SCAN - 1).limit(1)).first()
    return _paged(found, f"{end.last_customer_at.isoformat()}~{end.id}" if end is not None else "")


def _paged(rows: list[Row[Any]], cut: str) -> tuple[list[Row[Any]], str]:
    last = rows[PAGE - 1] if len(rows) > PAGE else None
    return rows[:PAGE], f"{last.last_customer_at.isoformat()}~{last.id}" if last is not None else cut


def _behind(query: Any, talk: Any, after: str) -> Any:
    moment, talk_id = read_key(after)
    if moment is None:
        return query
    same = (talk.c.last_customer_at == moment) & (talk.c.id < talk_id)
    return query.where((talk.c.last_customer_at < moment) | same)


def _drafts(tx: Tx, conversation_id: str) -> list[Row[Any]]:
    table = table_of(DraftRow)
    query = (
        select(table).where(table.c.conversation_id == conversation_id).order_by(table.c.created_at.desc()).limit(20)
    )
    return list(tx.conn.execute(query).all())


def _history(tx: Tx, conversation_id: str) -> list[Row[Any]]:
    """Who took and gave back; a draft's own history is on its page."""
    table = table_of(AuditRow)
    events = ("handoff_opened", "handoff_closed", "manual_send", "session_moved", "conversation_changed", "log_deleted")
    query = (
        select(table)
        .where(table.c.conversation_id == conversation_id, table.c.event.in_(events))
        .order_by(table.c.seq.desc())
        .limit(30)
    )
    return list(tx.conn.execute(query).all())
