"""How agents are called: each account's webhook, what no agent took, and what operators were not told."""

from typing import Any

from fastapi import APIRouter, Request, Response
from sqlalchemy import select

from gateway import agent_calls, alarm, hooks
from gateway.tables import Account
from gateway.tables_calls import AgentHook
from gateway.tx import Tx, table_of
from gateway.web.acts import act
from gateway.web.outcomes import Outcome, outcome_of
from gateway.web.page import PageRoute, page, service_of
from gateway.web.session import posted, viewer

router = APIRouter(route_class=PageRoute, include_in_schema=False)
MOST = 100
HERE = "/settings/agents"


@router.get("/settings/agents")
async def show(request: Request) -> Response:
    """Show webhooks, dead letters and the newest alerts."""
    caller = await viewer(request, "admin")
    told = request.query_params.get("r", "")

    def load(tx: Tx) -> dict[str, Any]:
        accounts = tx.conn.execute(select(table_of(Account)).order_by("name")).all()
        return {
            "accounts": accounts,
            "hooks": {row.account_id: hooks.shown(row.url) for row in tx.conn.execute(select(table_of(AgentHook)))},
            "letters": agent_calls.dead_letters(tx, (), MOST),
            "alerts": alarm.records(tx, (), MOST),
            "outcome": outcome_of(tx, caller, told),
        }

    return await page(request, "agents.html", caller, **await service_of(request).alook(load))


@router.post("/settings/agents/hooks")
async def set_hook(request: Request) -> Response:
    """Set an account's webhook and show its secret, this once: it is kept nowhere in the open."""
    caller, form = await posted(request, "admin")
    account, url = form.line("account", 200), form.secret("url", 600).strip()
    secret = await service_of(request).arun(lambda tx: hooks.set_hook(tx, account, url, caller.id))
    return await page(request, "new_key.html", caller, secret=secret, key_name=account)


@router.post("/settings/agents/hooks/{account_id}/remove")
async def remove_hook(request: Request, account_id: str) -> Response:
    """Call this account's agent no more."""
    caller, form = await posted(request, "admin")

    def job(tx: Tx) -> Outcome:
        hooks.remove_hook(tx, account_id, caller.id)
        return Outcome(True, "hook_removed", {"name": account_id})

    return await act(request, caller, form, f"remove-hook-{account_id}", HERE, job)


@router.post("/settings/agents/letters/{inbox_id}/retry")
async def retry(request: Request, inbox_id: str) -> Response:
    """Call the agent anew about a dead letter."""
    caller, form = await posted(request, "admin")

    def job(tx: Tx) -> Outcome:
        agent_calls.call_again(tx, inbox_id, caller.id)
        return Outcome(True, "called_again")

    return await act(request, caller, form, f"retry-{inbox_id}", HERE, job)
