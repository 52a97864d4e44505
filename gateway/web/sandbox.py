"""The sandbox: paste a turn and see its plan, claims, checks and decision in each mode. Nothing is stored or sent."""

import json
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request, Response

from gateway.contract import parse, to_turn
from gateway.errors import NotFound
from gateway.evaluate import evaluate_turn, plan_turn, stateless_record
from gateway.examples import TURN
from gateway.flow import decide_for
from gateway.gate import Decision, Mode, Situation
from gateway.jsonio import InputError
from gateway.turns import Context, message_record
from gateway.tx import Tx
from gateway.web.clauses import ClaimView, Stretch, claims_of, stretches
from gateway.web.draft_card import load_card
from gateway.web.evidence import sources_of
from gateway.web.page import PageRoute, page, service_of
from gateway.web.session import posted, viewer
from gateway.wire import TurnIn
from planner.turn import ChatType
from verifier.verdict import Judged

router = APIRouter(route_class=PageRoute, include_in_schema=False)
MAX_TURN = 100_000  # characters


@dataclass(frozen=True, slots=True)
class Tried:
    """What became of a turn: the flat record, the draft's marked text and the decision in each mode."""

    record: dict[str, Any]
    claims: tuple[ClaimView, ...] = ()
    stretches: tuple[Stretch, ...] = ()
    decisions: tuple[tuple[str, Decision], ...] = ()
    judged: bool = False


@router.get("/sandbox")
async def show(request: Request) -> Response:
    """Show the box with an example in it, or with the turn of a draft that somebody picked."""
    caller = await viewer(request)
    picked = request.query_params.get("draft", "")
    turn = await service_of(request).alook(lambda tx: turn_of(tx, picked)) if picked else TURN
    written = json.dumps(turn, ensure_ascii=False, indent=2)
    return await page(request, "sandbox.html", caller, written=written, tried=None, problem=None)


@router.post("/sandbox")
async def run(request: Request) -> Response:
    """Judge the pasted turn."""
    caller, form = await posted(request, "view")
    written = form.secret("turn", MAX_TURN).replace("\r\n", "\n")
    try:
        tried = await service_of(request).alook(lambda tx: _try(tx, written))
    except InputError as error:
        problem = f"{error.field}: {error.message}" if error.field else error.message
        return await page(request, "sandbox.html", caller, 422, written=written, tried=None, problem=problem)
    return await page(request, "sandbox.html", caller, written=written, tried=tried, problem=None)


def turn_of(tx: Tx, draft_id: str) -> dict[str, Any]:
    """Write a stored draft as the turn that a caller would post now. Raises NotFound."""
    card = load_card(tx, draft_id)
    source = next((text for text in reversed(card.texts) if text.draft is not None), None)
    if source is None:
        raise NotFound("no_text", "this draft was imported without its turn")
    context = Context.read(source.context) if source.context else Context("-", None, None, None, {}, ())
    row = card.talk.row
    conversation = {
        "id": row.id,
        "chatType": row.chat_type,
        "messages": [*context.messages, *(message_record(m) for m in card.talk.messages)],
        "slots": {**(row.slots or {}), **context.slots},
    }
    told = {"subject": context.subject or row.subject, "stage": context.stage or row.stage}
    conversation |= {name: value for name, value in told.items() if value}
    pack = context.pack or row.pack or card.talk.account.pack
    return {"id": context.turn_id, "pack": pack, "conversation": conversation, "draft": dict(source.draft)}


def _try(tx: Tx, written: str) -> Tried:
    wire = parse(TurnIn, written.encode())
    turn = to_turn(wire, tx.local_now)
    if turn.draft is None or wire.draft is None:
        plan = plan_turn(turn, tx.shelf)
        return Tried({"risks": [{"scenario": r.scenario, "level": str(r.level), "quote": r.quote} for r in plan.risks]})
    evaluated = evaluate_turn(turn, tx.shelf, tx.settings.pass_score)
    record = stateless_record(evaluated)
    body = wire.draft.model_dump(mode="json", by_alias=True)
    messages = [{"id": m.id, "text": m.text} for m in turn.conversation.messages]
    claims = claims_of(record, sources_of(body, messages))
    unanswered = bool(turn.conversation.unanswered)
    chat = ChatType(turn.conversation.chat_type)
    decisions = tuple((str(mode), decide_for(evaluated, Situation(mode, chat, unanswered=unanswered))) for mode in Mode)
    marked = tuple(stretches(turn.draft.text, record, claims))
    return Tried(record, claims, marked, decisions, isinstance(evaluated.verdict, Judged))
