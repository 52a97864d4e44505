"""What a person does on a draft's page: each button is one posted form, done once, told on the page that follows."""

from collections.abc import Callable

from fastapi import APIRouter, Request, Response
from pydantic import ValidationError

from gateway import approval, drafts, writing
from gateway.errors import Conflict, Refused
from gateway.jsonio import InputError
from gateway.people import Caller
from gateway.tx import Tx
from gateway.web.draft_card import EDITABLE
from gateway.web.forms import Form
from gateway.web.outcomes import Click, Outcome, once
from gateway.web.page import PageRoute, go, local_path, service_of
from gateway.web.session import colleagues, posted
from gateway.wire import ApproveIn, RejectIn

router = APIRouter(route_class=PageRoute, include_in_schema=False)
Job = Callable[[Tx], Outcome]


async def act(
    request: Request, caller: Caller, form: Form, deed: str, back: str, job: Job, *, typed: str | None = None
) -> Response:
    """Do a click's job once and go to the page that tells what became of it."""
    click = Click(caller, deed, form.line("request", 60) or "-", form.digest, typed)
    key = await service_of(request).arun(lambda tx: once(tx, click, job))
    where = local_path(form.secret("back", 4000) or back)
    return go(f"{where}{'&' if '?' in where else '?'}r={key}")


@router.post("/drafts/{draft_id}/approve")
async def approve(request: Request, draft_id: str) -> Response:
    """Approve exactly the text that was shown."""
    caller, form = await posted(request)

    def job(tx: Tx) -> Outcome:
        _must_be_alone(tx, draft_id, caller, form)
        return _approved(approval.approve(tx, draft_id, _order(form, None), caller.id), "approved")

    return await act(request, caller, form, "approve", f"/drafts/{draft_id}", job)


@router.post("/drafts/{draft_id}/edit")
async def edit(request: Request, draft_id: str) -> Response:
    """Approve in the person's own wording."""
    caller, form = await posted(request)
    text = form.text("text")

    def job(tx: Tx) -> Outcome:
        _must_be_alone(tx, draft_id, caller, form)
        return _approved(approval.approve(tx, draft_id, _order(form, text), caller.id), "edited")

    return await act(request, caller, form, "edit", f"/drafts/{draft_id}", job, typed=text)


@router.post("/drafts/{draft_id}/reject")
async def reject(request: Request, draft_id: str) -> Response:
    """Reject with a reason."""
    caller, form = await posted(request)

    def job(tx: Tx) -> Outcome:
        reason = form.line("reason") or form.line("why")
        approval.reject(tx, draft_id, RejectIn(version=form.number("version"), reason=reason), caller.id)
        return Outcome(True, "rejected")

    return await act(request, caller, form, "reject", f"/drafts/{draft_id}", job)


@router.post("/drafts/{draft_id}/undo")
async def undo(request: Request, draft_id: str) -> Response:
    """Take an approval back before the message leaves."""
    caller, form = await posted(request)

    def job(tx: Tx) -> Outcome:
        approval.undo(tx, draft_id, caller.id)
        return Outcome(True, "undone")

    return await act(request, caller, form, "undo", f"/drafts/{draft_id}", job)


@router.post("/drafts/{draft_id}/reopen")
async def reopen(request: Request, draft_id: str) -> Response:
    """Bring the unsent parts back for another decision."""
    caller, form = await posted(request)

    def job(tx: Tx) -> Outcome:
        approval.reopen(tx, draft_id, caller.id)
        return Outcome(True, "reopened")

    return await act(request, caller, form, "reopen", f"/drafts/{draft_id}", job)


@router.post("/drafts/reject-many")
async def reject_many(request: Request) -> Response:
    """Reject the ticked drafts of the queue, each only if it is still as shown."""
    caller, form = await posted(request)
    ticked = [pair.rsplit("~", 1) for pair in form.choices("draft")]

    def job(tx: Tx) -> Outcome:
        if not ticked:
            raise InputError("draft", "tick at least one draft")
        done = sum(_reject_if_open(tx, pair, form.line("reason"), caller.id) for pair in ticked)
        return Outcome(True, "rejected_many", {"count": str(done), "left": str(len(ticked) - done)})

    return await act(request, caller, form, "reject-many", "/", job)


@router.post("/drafts/assign-many")
async def assign_many(request: Request) -> Response:
    """Give the conversations of the ticked drafts to a colleague, or to oneself."""
    caller, form = await posted(request)
    ticked, to = [pair.rsplit("~", 1)[0] for pair in form.choices("draft")], form.line("to", 100)

    def job(tx: Tx) -> Outcome:
        if not ticked:
            raise InputError("draft", "tick at least one draft")
        if to not in dict(colleagues(tx)):
            raise Refused("unknown_colleague", "choose a colleague who may decide", field="to")
        talks = sorted({drafts.load(tx, draft_id).conversation_id for draft_id in ticked})
        for talk in talks:
            approval.take(tx, talk, caller.id, to=to)
        return Outcome(True, "assigned_many", {"count": str(len(talks)), "to": to})

    return await act(request, caller, form, "assign-many", "/", job)


def _reject_if_open(tx: Tx, pair: list[str], reason: str, actor: str) -> bool:
    draft_id, version = pair[0], pair[-1]
    row = drafts.load(tx, draft_id)
    if row.state not in ("held", "no_reply", "awaiting_rewrite") or str(row.version) != version:
        return False
    approval.reject(tx, draft_id, RejectIn(version=row.version, reason=reason), actor)
    return True


def _must_be_alone(tx: Tx, draft_id: str, caller: Caller, form: Form) -> None:
    """Stop a decision that would cross a colleague's pen, unless the person has said that it is theirs to make."""
    row = drafts.load(tx, draft_id)
    who = writing.writer(tx, row.conversation_id)
    if who not in (None, caller.id) and row.state in EDITABLE and not form.ticked("confirmTogether"):
        raise Conflict("being_edited", "a colleague is writing in this conversation", writer=who)


def _order(form: Form, text: str | None) -> ApproveIn:
    """Read what the form says was shown. Raises InputError."""
    fields = {
        "version": form.number("version"),
        "textSha256": form.line("textSha256", 64),
        "lastSeenMessageId": form.line("lastSeenMessageId", 200) or None,
        "text": text,
        "confirmStale": form.ticked("confirmStale"),
        "handoff": form.ticked("handoff") if form.line("handoffShown") == "yes" else None,
    }
    try:
        return ApproveIn.model_validate(fields)
    except ValidationError as error:
        raise InputError(str(error.errors()[0]["loc"][0]), "this form is not whole; open the page again") from error


def _approved(answer: dict[str, object], key: str) -> Outcome:
    warnings = answer.get("warnings")
    notes = tuple(str(w["clause"]) for w in warnings) if isinstance(warnings, list) else ()
    state = str(answer["state"])
    return Outcome(True, f"{key}_undo" if state == "approved" else key, {"state": state}, notes=notes)
