"""The HTTP API of contract section 5. Every endpoint reads its body, runs one function in one transaction, answers."""

import hashlib
import time
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.concurrency import run_in_threadpool

from gateway import approval, conversations, drafts, flow, views
from gateway import inbox as inbox_rows
from gateway.contract import parse
from gateway.errors import GatewayError, Refused
from gateway.http import answer, bearer, body_of, read
from gateway.jsonio import InputError
from gateway.openapi import documented
from gateway.people import Caller, key_caller
from gateway.second_opinions import ask_about_draft, ask_about_rewrite
from gateway.service import Service
from gateway.tables import IdempotencyRow
from gateway.tx import Tx
from gateway.wire import (
    ApproveIn,
    ConversationCreateIn,
    DraftIn,
    ManualSendIn,
    MessageIn,
    RejectIn,
    RewriteErrorIn,
    TurnIn,
)
from planner.turn import Role
from verifier.counsel import Kept

router = APIRouter(prefix="/v1")
MAX_WAIT = 30.0
LOOK_AGAIN = 0.5  # seconds until a waiting agent's inbox is looked at although no signal came
POSTABLE = ("customer", "human", "system")


def service_of(request: Request) -> Service:
    """Give the service that answers this request."""
    service: Service = request.app.state.service
    return service


async def act(request: Request, scope: str, job: Callable[[Tx, Caller], Any]) -> Any:
    secret = bearer(request)

    def run(tx: Tx) -> Any:
        caller = key_caller(tx, secret)
        caller.must(scope)
        return job(tx, caller)

    result = await service_of(request).arun(run)
    if isinstance(result, GatewayError):  # decided and stored, and yet an error for the caller
        raise result
    return result


async def look(request: Request, scope: str, job: Callable[[Tx, Caller], Any]) -> Any:
    """Run a function that only reads: nobody who writes waits for it."""
    secret = bearer(request)

    def run(tx: Tx) -> Any:
        caller = key_caller(tx, secret)
        caller.must(scope)
        return job(tx, caller)

    return await service_of(request).alook(run)


@router.post("/conversations", **documented(ConversationCreateIn, "Register a conversation"))
async def create(request: Request) -> Response:
    wire = await read(request, ConversationCreateIn)

    def job(tx: Tx, caller: Caller) -> bool:
        caller.must_reach(wire.account)
        return conversations.create(
            tx,
            conversation_id=wire.id,
            account=wire.account,
            recipient=wire.recipient,
            chat_type=wire.chat_type,
            pack=wire.pack,
        )

    new = await act(request, "channel", job)
    return answer({"id": wire.id, "created": new}, 201 if new else 200)


@router.post("/conversations/{conversation_id}/messages", **documented(MessageIn, "Store a message"))
async def message(request: Request, conversation_id: str) -> Response:
    wire = await read(request, MessageIn)
    if wire.role not in POSTABLE:
        raise InputError("role", "must be customer, human or system: the agent's words are drafts")

    def job(tx: Tx, caller: Caller) -> bool:
        talk = conversations.load(tx, conversation_id)
        caller.must_reach(talk.account.id)
        return conversations.record(
            tx, talk, message_id=wire.id, role=Role(wire.role), text=wire.text, at=wire.at, author=caller.id
        )

    new = await act(request, "channel", job)
    return answer({"id": wire.id, "created": new}, 201 if new else 200)


@router.get("/conversations/{conversation_id}")
async def conversation(request: Request, conversation_id: str) -> Response:
    def job(tx: Tx, caller: Caller) -> dict[str, Any]:
        talk = conversations.load(tx, conversation_id)
        caller.must_reach(talk.account.id)
        return views.conversation_record(talk)

    return answer(await act(request, "agent", job))


@router.post("/drafts", **documented(TurnIn, "Post a drafted answer"))
async def post_draft(request: Request) -> Response:
    raw = await body_of(request)
    wire = parse(TurnIn, raw)
    if wire.draft is None:
        raise InputError("draft", "is missing")
    draft, key = wire.draft, _idempotency_key(request)
    digest = hashlib.sha256(raw).hexdigest()
    kept = await _second_opinion(request, wire, draft, key)

    def job(tx: Tx, caller: Caller) -> dict[str, Any]:
        return once(tx, f"drafts:{caller.id}", key, digest, lambda: _reached(tx, caller, wire, draft, kept))

    return answer(await act(request, "agent", job))


async def _second_opinion(request: Request, wire: TurnIn, draft: DraftIn, key: str) -> Kept | None:
    """Ask the judge, if there is one, about a draft of an agent that may post it; a repeat is not asked about again."""
    service, secret = service_of(request), bearer(request)
    if service.judge is None:
        return None

    def is_settled(tx: Tx) -> bool:
        caller = key_caller(tx, secret)
        caller.must("agent")
        if caller.accounts:
            caller.must_reach(conversations.load(tx, wire.conversation.id).account.id)
        return tx.one(IdempotencyRow, scope=f"drafts:{caller.id}", key=key) is not None

    return await run_in_threadpool(ask_about_draft, service, wire, draft, is_settled)


@router.get("/drafts/{draft_id}")
async def get_draft(request: Request, draft_id: str) -> Response:
    def job(tx: Tx, caller: Caller) -> dict[str, Any]:
        row = drafts.load(tx, draft_id)
        caller.must_reach(conversations.load(tx, row.conversation_id).account.id)
        return views.draft_record(tx, row)

    return answer(await act(request, "agent", job))


@router.post("/drafts/{draft_id}/rewrite", **documented(DraftIn, "Answer the one rewrite, or {error}"))
async def rewrite(request: Request, draft_id: str) -> Response:
    raw = await body_of(request)
    failed = b'"error"' in raw and b'"text"' not in raw
    error = parse(RewriteErrorIn, raw).error if failed else None
    draft = None if failed else parse(DraftIn, raw)
    kept = None
    if draft is not None and service_of(request).judge is not None:
        await look(request, "agent", lambda tx, caller: _reach_draft(tx, caller, draft_id))
        kept = await run_in_threadpool(ask_about_rewrite, service_of(request), draft_id, draft)

    def job(tx: Tx, caller: Caller) -> Any:
        _reach_draft(tx, caller, draft_id)
        return flow.post_rewrite(tx, draft_id, draft, error, kept)

    return answer(await act(request, "agent", job))


@router.post("/drafts/{draft_id}/approve", **documented(ApproveIn, "Approve exactly what was shown"))
async def approve(request: Request, draft_id: str) -> Response:
    order = await read(request, ApproveIn)

    def job(tx: Tx, caller: Caller) -> dict[str, Any]:
        _reach_draft(tx, caller, draft_id)
        return approval.approve(tx, draft_id, order, caller.id)

    return answer(await act(request, "operator", job))


@router.post("/drafts/{draft_id}/reject", **documented(RejectIn, "Reject a draft"))
async def reject(request: Request, draft_id: str) -> Response:
    order = await read(request, RejectIn)

    def job(tx: Tx, caller: Caller) -> dict[str, Any]:
        _reach_draft(tx, caller, draft_id)
        return approval.reject(tx, draft_id, order, caller.id)

    return answer(await act(request, "operator", job))


@router.post("/conversations/{conversation_id}/manual-send", **documented(ManualSendIn, "Send a person's words"))
async def manual_send(request: Request, conversation_id: str) -> Response:
    order = await read(request, ManualSendIn)

    def job(tx: Tx, caller: Caller) -> dict[str, Any]:
        caller.must_reach(conversations.load(tx, conversation_id).account.id)
        return approval.manual_send(tx, conversation_id, order, caller.id)

    return answer(await act(request, "operator", job))


@router.get("/inbox")
async def inbox(
    request: Request,
    wait: Annotated[float, Query(ge=0.0, le=MAX_WAIT)] = 0.0,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
) -> Response:
    """List what agents are asked to answer, oldest first; `wait` seconds for the first row."""
    until = time.monotonic() + wait
    while True:
        rows = await look(request, "agent", lambda tx, caller: inbox_rows.records(tx, caller.accounts, limit))
        left = until - time.monotonic()
        if rows or left <= 0 or await request.is_disconnected():
            return answer({"items": rows})
        await request.app.state.waiters.wait(min(left, LOOK_AGAIN))


@router.get("/deliveries")
async def deliveries(
    request: Request,
    conversation: str | None = None,
    state: str | None = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    before: str | None = None,
) -> Response:
    """List Deliveries, newest first, and count those that the channel has not taken back."""

    def job(tx: Tx, caller: Caller) -> dict[str, Any]:
        return views.delivery_records(tx, caller, conversation=conversation, state=state, limit=limit, before=before)

    return answer(await look(request, "agent", job))


def _reached(tx: Tx, caller: Caller, wire: TurnIn, draft: DraftIn, kept: Kept | None) -> dict[str, Any]:
    if caller.accounts:
        talk = conversations.load(tx, wire.conversation.id, chat_type=wire.conversation.chat_type)
        caller.must_reach(talk.account.id)
    return flow.post_draft(tx, wire, draft, kept)


def _reach_draft(tx: Tx, caller: Caller, draft_id: str) -> None:
    if caller.accounts:
        row = drafts.load(tx, draft_id)
        caller.must_reach(conversations.load(tx, row.conversation_id).account.id)


def _idempotency_key(request: Request) -> str:
    key = request.headers.get("idempotency-key", "")
    if not 1 <= len(key) <= 200:
        raise Refused(
            "idempotency_key",
            "send an Idempotency-Key header of 1 to 200 characters: a repeat gets the first result",
            field="Idempotency-Key",
        )
    return key


def once(tx: Tx, scope: str, key: str, digest: str, job: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Run a job once per key; a repeat gets the first result. Raises Refused `idempotency_key_reused`."""
    known = tx.one(IdempotencyRow, scope=scope, key=key)
    if known is not None:
        if known.request_sha256 != digest:
            raise Refused(
                "idempotency_key_reused", "this Idempotency-Key was used for another body", field="Idempotency-Key"
            )
        return dict(known.response)
    result = job()
    tx.add(IdempotencyRow, scope=scope, key=key, request_sha256=digest, status=200, response=result, created_at=tx.now)
    return result
