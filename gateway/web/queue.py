"""The queue: what waits for a person, kept current while it is looked at."""

from typing import Any

from fastapi import APIRouter, Request, Response
from sqlalchemy import Row

from gateway.tx import Tx
from gateway.web.draft_card import Allowance
from gateway.web.filters import AGES, TABS, Filters
from gateway.web.outcomes import outcome_of
from gateway.web.page import PageRoute, language_of, page, service_of
from gateway.web.presence import Presence
from gateway.web.queue_rows import COUNTED, choices, counts, page_of
from gateway.web.session import colleagues, viewer
from gateway.web.words import Language

router = APIRouter(route_class=PageRoute, include_in_schema=False)


@router.get("/")
async def queue(request: Request) -> Response:
    """Show the queue."""
    return await _show(request, "queue.html")


@router.get("/queue/rows")
async def rows(request: Request) -> Response:
    """Give the rows alone, for the page that is open."""
    return await _show(request, "queue_rows.html")


async def _show(request: Request, template: str) -> Response:
    caller = await viewer(request)
    filters, after = Filters.read(request.query_params), request.query_params.get("after", "")[:300]
    told = request.query_params.get("r", "")

    def load(tx: Tx) -> dict[str, Any]:
        shown = page_of(tx, filters, after)
        return {
            "rows": shown.rows,
            "following": shown.following,
            "partly": shown.partly,
            "allowances": {row.id: _allowance(tx, row) for row in shown.rows if row.chat_type == "private"},
            "counts": counts(tx),
            "choices": choices(tx),
            "colleagues": colleagues(tx),
            "outcome": outcome_of(tx, caller, told),
        }

    values = await service_of(request).alook(load)
    lang = language_of(request)
    presence: Presence = request.app.state.presence
    return await page(
        request,
        template,
        caller,
        filters=filters,
        after=after,
        tabs=list(TABS),
        counted=COUNTED,
        fallbacks=lang.codes("fallback"),
        holds=lang.codes("hold"),
        scenarios=lang.codes("scenario"),
        checks=lang.codes("check"),
        ages=AGES,
        mark_words=lambda mark: mark_words(lang, mark),
        looking={row.id: presence.others(row.id, caller.id) for row in values["rows"]},
        **values,
    )


def _allowance(tx: Tx, row: Row[Any]) -> Allowance:
    return Allowance.of(row.last_customer_at, row.quota_used, tx.now)


def mark_words(lang: Language, mark: str) -> str:
    """Say a mark of the figures (`check_edited~tone`) in words; an unknown one says itself."""
    kind, _, name = mark.partition("~")
    if kind in ("verdict", "decision") and lang.knows(f"statistics.{name}"):
        return lang.say(f"statistics.{name}")
    if kind.startswith("check") and lang.knows(f"check.{name}"):
        told = kind.removeprefix("check").removeprefix("_") or "fail"
        return f"{lang.name('check', name)} · {lang.name('statistics', told)}"
    return f"{lang.say('statistics.topic')} {name}" if kind == "topic" else mark
