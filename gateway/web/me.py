"""A person's own account: a new password."""

from typing import Any

from fastapi import APIRouter, Request, Response
from sqlalchemy import delete

from gateway.errors import Refused
from gateway.people import check_password, digest, hash_password, password_hash_of
from gateway.tables import OperatorRow, SessionRow
from gateway.tx import Tx, table_of
from gateway.web.acts import act
from gateway.web.outcomes import Outcome, outcome_of
from gateway.web.page import PageRoute, page, service_of
from gateway.web.session import posted, session_secret, viewer
from gateway.web.signin import Hasher

router = APIRouter(route_class=PageRoute, include_in_schema=False)


@router.get("/me")
async def show(request: Request) -> Response:
    """Show the form for a new password."""
    caller = await viewer(request)
    told = request.query_params.get("r", "")
    outcome = await service_of(request).alook(lambda tx: outcome_of(tx, caller, told))
    return await page(request, "me.html", caller, outcome=outcome)


@router.post("/me/password")
async def change_password(request: Request) -> Response:
    """Set a new password; every other session of this person ends."""
    caller, form = await posted(request, "view")
    hasher: Hasher = request.app.state.hasher
    stored = await service_of(request).alook(lambda tx: password_hash_of(tx, caller.id))
    known = await hasher.run(check_password, stored, form.secret("old"))
    hashed: Any = await hasher.run(hash_password, form.secret("new")) if known else None
    own = digest(session_secret(request))

    def job(tx: Tx) -> Outcome:
        if hashed is None:
            raise Refused("wrong_password", "the old password is wrong", field="old")
        tx.change(OperatorRow, {"id": caller.id}, password_hash=hashed)
        sessions = table_of(SessionRow)
        tx.conn.execute(delete(sessions).where(sessions.c.operator_id == caller.id, sessions.c.sha256 != own))
        tx.audit(caller.id, "password_changed")
        return Outcome(True, "password_changed")

    return await act(request, caller, form, "password", "/me", job)
