"""A conversation's rows of the evaluation log, deleted by an administrator on its page."""

from fastapi import APIRouter, Request, Response

from gateway import evaluation_log
from gateway.errors import Refused
from gateway.tx import Tx
from gateway.web.acts import act
from gateway.web.draft_card import load_talk
from gateway.web.outcomes import Outcome
from gateway.web.page import PageRoute
from gateway.web.session import posted

router = APIRouter(route_class=PageRoute, include_in_schema=False)


@router.post("/conversations/{conversation_id}/forget-log")
async def forget(request: Request, conversation_id: str) -> Response:
    """Delete the rows for good, once the person has said that it is meant."""
    caller, form = await posted(request, "admin")

    def job(tx: Tx) -> Outcome:
        load_talk(tx, conversation_id)
        if not form.ticked("confirm"):
            raise Refused("not_confirmed", "tick that the rows may go for good", field="confirm")
        deleted = evaluation_log.forget(tx, conversation_id, caller.id)
        return Outcome(True, "log_forgotten", {"count": str(deleted)})

    return await act(request, caller, form, "forget-log", f"/conversations/{conversation_id}", job)
