"""Every change of a setting and every sign-in, newest first, with what was before and what is now."""

import json
from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request, Response
from sqlalchemy import Row, select

from gateway.tables import AuditRow
from gateway.tx import Tx, table_of
from gateway.web.page import PageRoute, page, service_of
from gateway.web.session import viewer

router = APIRouter(route_class=PageRoute, include_in_schema=False)
CHANGES = (
    "account_added",
    "account_changed",
    "alert_target_added",
    "alert_target_removed",
    "calibration_applied",
    "calibration_forgotten",
    "channel_restarted",
    "channel_stopped",
    "conversation_changed",
    "hook_removed",
    "hook_set",
    "identity_added",
    "identity_removed",
    "key_added",
    "key_revoked",
    "limits_changed",
    "log_deleted",
    "operator_added",
    "operator_changed",
    "password_changed",
)
SIGN_INS = ("signed_in", "signed_out", "sign_in_failed")
TABS: Mapping[str, tuple[str, ...]] = {"changes": CHANGES, "sign_ins": SIGN_INS}
PAGE = 50
LONGEST = 300  # characters of a value


@router.get("/settings/history")
async def show(request: Request) -> Response:
    """Show the changes, or the sign-ins."""
    caller = await viewer(request, "admin")
    wanted, after = request.query_params.get("tab", ""), request.query_params.get("after", "")
    tab = wanted if wanted in TABS else "changes"
    before = int(after) if after.isascii() and after.isdigit() and len(after) < 18 else None
    rows = await service_of(request).alook(lambda tx: recorded(tx, TABS[tab], before, PAGE + 1))
    following = str(rows[PAGE - 1].seq) if len(rows) > PAGE else ""
    values: dict[str, Any] = {
        "rows": rows[:PAGE],
        "following": following,
        "tab": tab,
        "tabs": tuple(TABS),
        "changed": changed,
    }
    return await page(request, "changes.html", caller, **values)


def recorded(tx: Tx, events: tuple[str, ...], before: int | None, most: int) -> list[Row[Any]]:
    """List audit rows that belong to no draft, newest first."""
    table = table_of(AuditRow)
    query = select(table).where(table.c.draft_id.is_(None), table.c.event.in_(events))
    if before is not None:
        query = query.where(table.c.seq < before)
    return list(tx.conn.execute(query.order_by(table.c.seq.desc()).limit(most)).all())


def changed(detail: Mapping[str, Any] | None) -> list[tuple[str, str, str]]:
    """Give what changed as (name, before, after); what stayed the same is left out."""
    before, after = (detail or {}).get("before"), (detail or {}).get("after")
    if not isinstance(before, Mapping) or not isinstance(after, Mapping):
        return []
    names = [*before, *(name for name in after if name not in before)]
    return [(n, _say(before.get(n)), _say(after.get(n))) for n in names if before.get(n) != after.get(n)]


def _say(value: Any) -> str:
    told = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) if value is not None else "—"
    return told if len(told) <= LONGEST else told[:LONGEST] + "…"
