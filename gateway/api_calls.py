"""Endpoints for operators about what goes to agents and to operators themselves: dead letters and alerts."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from gateway import agent_calls, alarm
from gateway.api import act, look
from gateway.http import answer
from gateway.people import Caller
from gateway.tx import Tx

router = APIRouter(prefix="/v1")
Limit = Annotated[int, Query(ge=1, le=1000)]


@router.get("/dead-letters")
async def dead_letters(request: Request, limit: Limit = 100) -> Response:
    """List inbox rows that no agent's webhook took, newest first."""

    def job(tx: Tx, caller: Caller) -> list[dict[str, Any]]:
        return agent_calls.dead_letters(tx, caller.accounts, limit)

    return answer({"items": await look(request, "operator", job)})


@router.post("/dead-letters/{inbox_id}/retry")
async def retry(request: Request, inbox_id: str) -> Response:
    """Call the agent anew, as often as the first time."""

    def job(tx: Tx, caller: Caller) -> None:
        agent_calls.call_again(tx, inbox_id, caller.id, caller.accounts)

    await act(request, "operator", job)
    return answer({"id": inbox_id, "state": "waiting"})


@router.get("/alerts")
async def alerts(request: Request, limit: Limit = 100) -> Response:
    """List the newest alerts to operators, with what became of each."""

    def job(tx: Tx, caller: Caller) -> list[dict[str, Any]]:
        return alarm.records(tx, caller.accounts, limit)

    return answer({"items": await look(request, "operator", job)})
