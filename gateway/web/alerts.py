"""Where alerts go, and when silent customers are followed up: settings beside the accounts."""

from fastapi import APIRouter, Request, Response

from gateway import alert_targets
from gateway.errors import Refused
from gateway.tx import Tx
from gateway.web.acts import act
from gateway.web.forms import Form
from gateway.web.limits import set_touch_rules
from gateway.web.outcomes import Outcome
from gateway.web.page import PageRoute
from gateway.web.session import posted

router = APIRouter(route_class=PageRoute, include_in_schema=False)


@router.post("/settings/alerts")
async def add_target(request: Request) -> Response:
    """Tell a group through its robot, or members of the app, what waits, failed or stopped."""
    caller, form = await posted(request, "admin")

    def job(tx: Tx) -> Outcome:
        account, kinds = form.line("account", 200), form.choices("kind")
        if form.line("how", 20) == "app":
            agent, members = _agent(form), form.line("members").replace("，", ",").split(",")
            alert_targets.add_members(tx, account, agent, [m for m in members if m.strip()], kinds, caller.id)
        else:
            alert_targets.add_robot(tx, account, form.secret("key", 500), kinds, caller.id)
        return Outcome(True, "alert_target_added")

    return await act(request, caller, form, "add-alert", "/settings", job)


@router.post("/settings/alerts/{target_id}/remove")
async def remove_target(request: Request, target_id: str) -> Response:
    """Tell this target no more."""
    caller, form = await posted(request, "admin")

    def job(tx: Tx) -> Outcome:
        alert_targets.remove_target(tx, target_id, caller.id)
        return Outcome(True, "alert_target_removed")

    return await act(request, caller, form, f"remove-alert-{target_id}", "/settings", job)


@router.post("/settings/limits")
async def set_limits(request: Request) -> Response:
    """Change when and how often silent customers are followed up."""
    caller, form = await posted(request, "admin")

    def job(tx: Tx) -> Outcome:
        set_touch_rules(tx, form.line("from", 8), form.line("until", 8), form.number("touches"), caller.id)
        return Outcome(True, "limits_saved")

    return await act(request, caller, form, "limits", "/settings", job)


def _agent(form: Form) -> int:
    raw = form.line("agent_id", 12)
    if not (raw.isascii() and raw.isdigit()):
        raise Refused("bad_members", "give the app's agent id, a whole number", field="agent_id")
    return int(raw)
