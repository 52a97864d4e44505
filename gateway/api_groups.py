"""The HTTP routes of group turns (contract section 6)."""

import hashlib
from typing import Any

from fastapi import APIRouter, Request, Response

from gateway import groups
from gateway.api import act, once
from gateway.contract import parse
from gateway.http import answer, body_of
from gateway.openapi import documented
from gateway.people import Caller
from gateway.tx import Tx
from gateway.wire import CrossRepliesIn, GroupTurnIn

router = APIRouter(prefix="/v1/group-turns")


@router.post("", **documented(GroupTurnIn, "Post a group's primary replies and a proposal for cross replies"))
async def group_turn(request: Request) -> Response:
    """Judge several agents' replies to one moment; the same bytes again get the first result."""
    raw = await body_of(request)
    wire = parse(GroupTurnIn, raw)
    digest = hashlib.sha256(raw).hexdigest()
    key = request.headers.get("idempotency-key", digest)[:200]

    def job(tx: Tx, caller: Caller) -> dict[str, Any]:
        return once(tx, f"group-turns:{caller.id}", key, digest, lambda: groups.post_turn(tx, wire, caller))

    return answer(await act(request, "agent", job))


@router.get("/{turn_id}")
async def show(request: Request, turn_id: str) -> Response:
    """Show a group turn: each reply with what it is, the plan, and what was dropped and why."""
    return answer(await act(request, "agent", lambda tx, caller: groups.turn_record(tx, turn_id, caller)))


@router.post("/{turn_id}/cross-replies", **documented(CrossRepliesIn, "Post the planned cross replies"))
async def cross_replies(request: Request, turn_id: str) -> Response:
    """Judge the cross replies that the plan foresees; the same bytes again get the first result."""
    raw = await body_of(request)
    wire = parse(CrossRepliesIn, raw)
    digest = hashlib.sha256(raw).hexdigest()
    key = request.headers.get("idempotency-key", digest)[:200]

    def job(tx: Tx, caller: Caller) -> dict[str, Any]:
        scope = f"cross-replies:{caller.id}:{turn_id[:60]}"
        return once(tx, scope, key, digest, lambda: groups.post_cross_replies(tx, turn_id, wire, caller))

    return answer(await act(request, "agent", job))
