"""Deliveries: what the channel accepted, what failed later, and messages whose outcome a person must settle."""

from collections.abc import Iterator, Mapping
from datetime import datetime, time, timedelta
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request, Response
from sqlalchemy import Row, Select, func, select

from gateway import aftermath
from gateway.tables import Account, ConversationRow, DeliveryRow, OutboundRow
from gateway.tx import Tx, table_of
from gateway.web.acts import act
from gateway.web.filters import read_day
from gateway.web.outcomes import Outcome, outcome_of
from gateway.web.page import PageRoute, page, service_of
from gateway.web.queue_rows import customers, read_key
from gateway.web.session import posted, viewer

router = APIRouter(route_class=PageRoute, include_in_schema=False)
PAGE = 50
DAY = timedelta(days=1)
TABS = ("accepted", "failed_later", "unknown", "stopped")
KINDS = ("auto", "approved", "human")
_STOPPED = ("channel_rejected", "held")

_delivery, _out, _talk, _account = (
    table_of(DeliveryRow),
    table_of(OutboundRow),
    table_of(ConversationRow),
    table_of(Account),
)


@router.get("/deliveries")
async def listing(request: Request) -> Response:
    """List deliveries by their state; only accepted ones count as delivered."""
    caller = await viewer(request)
    query = request.query_params
    tab = query.get("tab", "accepted")
    tab = tab if tab in TABS else "accepted"
    after, told = query.get("after", "")[:300], query.get("r", "")
    wanted = {name: query.get(name, "").strip()[:200] for name in ("account", "kind", "since", "until", "search")}

    def load(tx: Tx) -> dict[str, Any]:
        rows = _page(tx, tab, wanted, after)
        last = rows[PAGE - 1] if len(rows) > PAGE else None
        accounts = tx.conn.execute(select(_account.c.id, _account.c.name).order_by(_account.c.name)).all()
        return {
            "rows": rows[:PAGE],
            "following": f"{last.moment.isoformat()}~{last.outbound_id}" if last is not None else "",
            "counts": _counts(tx),
            "accounts": [(row.id, row.name) for row in accounts],
            "outcome": outcome_of(tx, caller, told),
        }

    values = await service_of(request).alook(load)
    return await page(
        request,
        "deliveries.html",
        caller,
        tab=tab,
        tabs=TABS,
        kinds=KINDS,
        wanted=wanted,
        query=query_of(wanted),
        **values,
    )


@router.post("/messages/{outbound_id}/settle")
async def settle(request: Request, outbound_id: str) -> Response:
    """Record what a person saw in the chat: it arrived, or it did not."""
    caller, form = await posted(request)
    arrived = form.line("arrived") == "yes"

    def job(tx: Tx) -> Outcome:
        aftermath.settle_unknown(tx, outbound_id, arrived=arrived, actor=caller.id)
        return Outcome(True, "arrived" if arrived else "not_arrived")

    return await act(request, caller, form, f"settle-{outbound_id}", "/deliveries?tab=unknown", job)


@router.post("/messages/{outbound_id}/again")
async def again(request: Request, outbound_id: str) -> Response:
    """Send once more under the same id: the platform refuses a second copy."""
    caller, form = await posted(request)

    def job(tx: Tx) -> Outcome:
        aftermath.send_again(tx, outbound_id, caller.id)
        return Outcome(True, "sent_again")

    return await act(request, caller, form, f"again-{outbound_id}", "/deliveries?tab=unknown", job)


def query_of(wanted: Mapping[str, str]) -> str:
    """Write the filters as the query of an address."""
    return urlencode({name: value for name, value in wanted.items() if value})


def _page(tx: Tx, tab: str, wanted: Mapping[str, str], after: str) -> list[Row[Any]]:
    delivered = tab in ("accepted", "failed_later")
    table, moment = (_delivery, _delivery.c.accepted_at) if delivered else (_out, _out.c.updated_at)
    query = _rows(tab, moment.label("moment")).order_by(moment.desc(), table.c.outbound_id.desc()).limit(PAGE + 1)
    query = query.where(*_wanted(tx, wanted, moment))
    since, key = read_key(after)
    if since is not None:
        query = query.where((moment < since) | ((moment == since) & (table.c.outbound_id < key)))
    return list(tx.conn.execute(query).all())


def _wanted(tx: Tx, wanted: Mapping[str, str], moment: Any) -> Iterator[Any]:
    if wanted["account"]:
        yield _talk.c.account_id == wanted["account"]
    if wanted["kind"] in KINDS:
        yield _out.c.kind == wanted["kind"]
    since, until = read_day(wanted["since"]), read_day(wanted["until"])
    if since:
        yield moment >= datetime.combine(since, time(), tx.settings.zone)
    if until:
        yield moment < datetime.combine(until + DAY, time(), tx.settings.zone)
    if wanted["search"]:
        yield _out.c.conversation_id.in_(customers(tx, wanted["search"]))


def _rows(tab: str, moment: Any) -> Select[Any]:
    columns = (
        _out.c.outbound_id,
        _out.c.conversation_id,
        _out.c.draft_id,
        _out.c.text,
        _out.c.segment,
        _out.c.segments,
        _out.c.kind,
        _out.c.author,
        _out.c.hint,
        _out.c.errcode,
        _out.c.resends,
        _out.c.state.label("message_state"),
        _talk.c.recipient,
        _talk.c.display_name,
        _account.c.name.label("account_name"),
        moment,
    )
    if tab in ("accepted", "failed_later"):
        told = (_delivery.c.channel_message_id, _delivery.c.reason, _delivery.c.failed_at)
        query = select(*columns, *told).join_from(_delivery, _out, _out.c.outbound_id == _delivery.c.outbound_id)
        query = query.where(_delivery.c.state == tab)
    else:
        query = select(*columns, _out.c.channel_message_id)
        query = query.where(_out.c.state.in_(("unknown",) if tab == "unknown" else _STOPPED))
    return query.join(_talk, _talk.c.id == _out.c.conversation_id).join(_account, _account.c.id == _talk.c.account_id)


def _counts(tx: Tx) -> dict[str, int]:
    """Count what was delivered in the last day, and all that waits for a person's word."""
    lately = _delivery.c.accepted_at >= tx.now - DAY
    by_state = select(_delivery.c.state, func.count().label("number")).where(lately).group_by(_delivery.c.state)
    unknown = select(func.count()).select_from(_out).where(_out.c.state == "unknown")
    found: dict[str, int] = {row.state: row.number for row in tx.conn.execute(by_state)}
    return {
        "accepted": found.get("accepted", 0),
        "failed_later": found.get("failed_later", 0),
        "unknown": int(tx.conn.execute(unknown).scalar_one()),
    }
