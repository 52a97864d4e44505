"""Server-sent events: open pages hear that something changed and fetch their live parts anew."""

import asyncio
import time
from collections.abc import AsyncIterator

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse
from sqlalchemy import func, select
from starlette.responses import Response

from gateway.people import session_caller
from gateway.service import Service
from gateway.tables import AuditRow, MessageRow
from gateway.tx import Tx, table_of
from gateway.web.page import PageRoute, service_of
from gateway.web.session import session_secret, viewer

router = APIRouter(route_class=PageRoute, include_in_schema=False)
LOOK_EVERY = 1.0  # seconds between two looks at the store, however many pages are open
BREATHE_EVERY = 15.0  # seconds until a silent stream says that it lives, and asks whether its reader is signed in
LONGEST = 600.0  # seconds until a page must connect anew


class Pulse:
    """A number that grows whenever something is stored; looked up at most once a second for all pages together."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._read_at = float("-inf")
        self._mark = ""

    async def mark(self) -> str:
        """Give the present mark; while somebody looks it up, others are given the last one."""
        # No lock: one that waits in an event loop must not be woken from another one.
        if not self._mark or time.monotonic() - self._read_at >= LOOK_EVERY:
            self._read_at = time.monotonic()
            self._mark = await self._service.alook(_newest)
        return self._mark


@router.get("/events")
async def events(request: Request) -> Response:
    """Stream `changed` events to one open page; `since` is what had happened when the page was made."""
    await viewer(request)
    pulse: Pulse = request.app.state.pulse
    since = request.headers.get("last-event-id") or request.query_params.get("since", "")
    stream = changes(service_of(request), pulse, session_secret(request), since[:60])
    return StreamingResponse(stream, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})


async def changes(
    service: Service, pulse: Pulse, secret: str, since: str = "", longest: float = LONGEST
) -> AsyncIterator[str]:
    """Write an event each time that the mark moves; ends when the reader is signed out, or after a while.

    What moved between the making of the page and its first breath here is told as well.
    """
    seen = since or await pulse.mark()
    ends = time.monotonic() + longest
    breathe = time.monotonic() + BREATHE_EVERY
    yield "retry: 2000\n\n"
    while time.monotonic() < ends:
        await asyncio.sleep(LOOK_EVERY)
        mark = await pulse.mark()
        if mark != seen:
            seen = mark
            yield f"id: {mark}\nevent: changed\ndata: {mark}\n\n"
        if time.monotonic() >= breathe:
            breathe = time.monotonic() + BREATHE_EVERY
            if await service.alook(lambda tx: session_caller(tx, secret)) is None:
                return
            yield ": still here\n\n"


def _newest(tx: Tx) -> str:
    marks = (tx.conn.execute(select(func.max(table_of(m).c.seq))).scalar() or 0 for m in (AuditRow, MessageRow))
    return "-".join(str(mark) for mark in marks)
