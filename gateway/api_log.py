"""The HTTP routes of the evaluation log: what it says over a span, and its rows of one conversation deleted."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from gateway import evaluation_log
from gateway.api import act, look
from gateway.errors import NotFound
from gateway.http import answer
from gateway.log_summary import summary_of
from gateway.people import Caller
from gateway.spans import span_of
from gateway.tables import ConversationRow
from gateway.tx import Tx

router = APIRouter(prefix="/v1")
Word = Annotated[str, Query(max_length=200)]


@router.get("/statistics")
async def statistics(request: Request, since: Word = "", until: Word = "", account: Word = "") -> Response:
    """Count the evaluation log: verdicts, failed checks, weak topics, cross replies; the last seven days unless told."""

    def job(tx: Tx, caller: Caller) -> dict[str, Any]:
        if account and caller.accounts and account not in caller.accounts:
            raise NotFound("unknown_account", "no such account")
        span = span_of(since, until, tx.now, tx.settings.zone)
        return summary_of(tx, span, {account} if account else caller.accounts).record()

    return answer(await look(request, "operator", job))


@router.delete("/conversations/{conversation_id}/evaluations")
async def delete_log(request: Request, conversation_id: str) -> Response:
    """Delete a conversation's rows of the evaluation log."""

    def job(tx: Tx, caller: Caller) -> int:
        row = tx.one(ConversationRow, id=conversation_id)
        if caller.accounts and (row is None or row.account_id not in caller.accounts):
            raise NotFound("unknown_conversation", "no such conversation")
        return evaluation_log.forget(tx, conversation_id, caller.id)

    return answer({"id": conversation_id, "deleted": await act(request, "admin", job)})
