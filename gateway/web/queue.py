"""The queue: what waits for a person, kept current while it is looked at."""

from typing import Any

from fastapi import APIRouter, Request, Response

from gateway.tx import Tx
from gateway.web.outcomes import outcome_of
from gateway.web.page import PageRoute, language_of, page, service_of
from gateway.web.queue_rows import COUNTED, TABS, Filters, choices, counts, page_of
from gateway.web.session import viewer

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
        found, following = page_of(tx, filters, after)
        return {
            "rows": found,
            "following": following,
            "counts": counts(tx),
            "choices": choices(tx),
            "outcome": outcome_of(tx, caller, told),
        }

    values = await service_of(request).alook(load)
    lang = language_of(request)
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
        **values,
    )
