"""The page of one draft, its live parts, and the advice while a person writes."""

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request, Response

from gateway import writing
from gateway.people import Caller
from gateway.tables import DraftRow
from gateway.tx import Tx
from gateway.web.clauses import claims_of, worst_first
from gateway.web.draft_card import EDITABLE, Card, allowance, evaluate_now, load_card, preview
from gateway.web.filters import Filters
from gateway.web.outcomes import outcome_of
from gateway.web.page import PageRoute, page, service_of
from gateway.web.presence import Presence
from gateway.web.queue_rows import counts, page_of
from gateway.web.session import colleagues, posted, viewer
from verifier.verdict import Judged

router = APIRouter(route_class=PageRoute, include_in_schema=False)
BESIDE = 20  # rows of the queue beside the draft


@router.get("/drafts/{draft_id}")
async def show(request: Request, draft_id: str) -> Response:
    """Show one draft."""
    return await _show(request, draft_id, "draft.html", whole=True)


@router.get("/drafts/{draft_id}/standing")
async def standing(request: Request, draft_id: str) -> Response:
    """Give the part that says where the draft stands, for the page that is open."""
    return await _show(request, draft_id, "draft_standing.html", whole=False)


@router.post("/drafts/{draft_id}/advice")
async def advice(request: Request, draft_id: str) -> Response:
    """Judge what a person is writing, as advice: their words are not gated by quality."""
    caller, form = await posted(request)
    text = form.text("text")
    await service_of(request).arun(lambda tx: _note_writing(tx, draft_id, caller))

    def load(tx: Tx) -> dict[str, Any]:
        card = load_card(tx, draft_id)
        source = next((t for t in reversed(card.texts) if t.draft is not None), card.text)
        now = evaluate_now(tx, card.talk, source, text) if source is not None else None
        verdict = now.verdict if now is not None else None
        record = now.record(rewrite_count=0, fallback_reason="") if now is not None else {}
        claims = claims_of(record, card.sources)
        return {
            "judged": isinstance(verdict, Judged),
            "failed": record.get("failedCheckIds") or [],
            "claims": [c for c in worst_first(claims) if c.status not in ("supported", "pending")],
            "preview": preview(tx, card.talk, text, handoff=form.ticked("handoff")),
        }

    return await page(request, "advice.html", caller, **await service_of(request).alook(load))


def _note_writing(tx: Tx, draft_id: str, caller: Caller) -> None:
    """While a person types no agent's words leave the conversation by themselves."""
    row = tx.one(DraftRow, id=draft_id)
    if row is not None:
        writing.note(tx, row.conversation_id, caller.id)


async def _show(request: Request, draft_id: str, template: str, *, whole: bool) -> Response:
    caller = await viewer(request)
    query = request.query_params
    presence: Presence = request.app.state.presence

    def load(tx: Tx) -> dict[str, Any]:
        card = load_card(tx, draft_id)
        return {"card": card} | (_around(tx, caller, card, query.get("r", "")) if whole else {})

    values = await service_of(request).alook(load)
    presence.note(values["card"].draft.id, caller.id)  # only drafts that exist
    others = presence.others(draft_id, caller.id)
    return await page(request, template, caller, others=others, **values, **_moved(values["card"], query))


def _moved(card: Card, query: Mapping[str, str]) -> dict[str, Any]:
    """Say how the draft differs from what the open page shows; a page that is opened now differs in nothing."""
    now = {"seen": card.newest_heard, "version": str(card.draft.version), "state": card.draft.state}
    shown = {name: query.get(name, value) for name, value in now.items()}
    decidable = card.draft.state in EDITABLE
    newer = decidable and shown["seen"] != now["seen"]
    changed = shown["version"] != now["version"] or (shown["state"] != now["state"] and shown["state"] in EDITABLE)
    return {**shown, "moved": "newer" if newer else "changed" if changed else ""}


def _around(tx: Tx, caller: Caller, card: Card, told: str) -> dict[str, Any]:
    """Load what stands around the draft on its page."""
    beside = page_of(tx, Filters(), limit=BESIDE).rows
    return {
        "outcome": outcome_of(tx, caller, told),
        "limits_view": allowance(tx, card.talk),
        "beside": beside,
        "following": _following(card, [row.id for row in beside]),
        "counts": counts(tx),
        "colleagues": [pair for pair in colleagues(tx) if pair[0] != caller.id],
        "worst_first": worst_first,
        "fixes_by_check": {c: [f for f in card.fixes if f.check_id == c] for c in {f.check_id for f in card.fixes}},
    }


def _following(card: Card, waiting: list[str]) -> str:
    """The draft to look at next: the one behind this one in the queue, else the first other."""
    own = card.draft.id
    after = waiting[waiting.index(own) + 1 :] if own in waiting else waiting
    return next((i for i in [*after, *waiting] if i != own), "")
