"""Settings for administrators: accounts, API keys, operators. Every change is an audit row with before and after."""

from typing import Any

from fastapi import APIRouter, Request, Response
from sqlalchemy import delete, func, select

from gateway import aftermath
from gateway.alarm import targets
from gateway.calibration import stored as calibrated
from gateway.errors import Conflict, NotFound, Refused
from gateway.people import (
    SCOPES,
    add_account,
    add_key,
    add_operator,
    change_account,
    hash_password,
    revoke_key,
)
from gateway.tables import MODES, ROLES, Account, ApiKeyRow, OperatorRow, SessionRow
from gateway.tables_calls import ALERT_KINDS
from gateway.tables_web import PROVIDERS
from gateway.touches import touch_rules
from gateway.tx import Tx, table_of
from gateway.web import identities
from gateway.web.acts import act
from gateway.web.forms import Form
from gateway.web.history import CHANGES, recorded
from gateway.web.outcomes import Outcome, outcome_of
from gateway.web.page import PageRoute, page, service_of
from gateway.web.session import posted, viewer
from gateway.web.signin import Hasher

router = APIRouter(route_class=PageRoute, include_in_schema=False)


@router.get("/settings")
async def show(request: Request) -> Response:
    """Show the settings."""
    caller = await viewer(request, "admin")
    told = request.query_params.get("r", "")

    def load(tx: Tx) -> dict[str, Any]:
        return {
            "accounts": _all(tx, Account, "name"),
            "keys": _all(tx, ApiKeyRow, "created_at"),
            "operators": _all(tx, OperatorRow, "name"),
            "identities": identities.listed(tx),
            "packs": tx.shelf.names(),
            "history": recorded(tx, CHANGES, None, 8),
            "targets": targets(tx),
            "touch_rules": touch_rules(tx),
            "calibration": (held := calibrated.load(tx)),
            "late": calibrated.outdated(held, tx.shelf) if held else [],
            "outcome": outcome_of(tx, caller, told),
        }

    values = await service_of(request).alook(load)
    return await page(
        request,
        "settings.html",
        caller,
        modes=MODES,
        roles=ROLES,
        scopes=SCOPES,
        kinds=ALERT_KINDS,
        providers=PROVIDERS,
        **values,
    )


@router.post("/settings/accounts")
async def create_account(request: Request) -> Response:
    """Register an account; nobody can be written to until its allowlist says so."""
    caller, form = await posted(request, "admin")

    def job(tx: Tx) -> Outcome:
        account_id = _needed(form, "id")
        add_account(
            tx,
            account_id=account_id,
            name=form.line("name", 100) or account_id,
            actor=caller.id,
            pack=form.line("pack", 64) or "property",
            channel_account=form.line("channel_account", 200),
        )
        return Outcome(True, "account_added", {"name": account_id})

    return await act(request, caller, form, "add-account", "/settings", job)


@router.post("/settings/accounts/{account_id}")
async def save_account(request: Request, account_id: str) -> Response:
    """Change an account's mode, pack and allowlist, and whether a judge may confirm."""
    caller, form = await posted(request, "admin")
    mode = form.line("mode", 20)
    allowlist = [line.strip() for line in form.text("allowlist").splitlines() if line.strip()]

    def job(tx: Tx) -> Outcome:
        if mode not in MODES:
            raise Refused("unknown_mode", f"one of {', '.join(MODES)}", field="mode")
        values = {"mode": mode, "pack": form.line("pack", 64), "allowlist": allowlist}
        change_account(tx, account_id, caller.id, **values, may_confirm=form.ticked("may_confirm"))
        return Outcome(True, "account_saved", {"name": account_id, "mode": mode})

    return await act(request, caller, form, f"account-{account_id}", "/settings", job)


@router.post("/settings/accounts/{account_id}/restart")
async def restart(request: Request, account_id: str) -> Response:
    """Let a stopped channel try again."""
    caller, form = await posted(request, "admin")

    def job(tx: Tx) -> Outcome:
        aftermath.restart_channel(tx, account_id, caller.id)
        return Outcome(True, "channel_restarted", {"name": account_id})

    return await act(request, caller, form, f"restart-{account_id}", "/settings", job)


@router.post("/settings/keys")
async def create_key(request: Request) -> Response:
    """Make an API key and show its secret, this once: it is kept nowhere, so this page cannot be told again."""
    caller, form = await posted(request, "admin")

    def make(tx: Tx) -> str:
        known = {row.id for row in _all(tx, Account, "name")}
        accounts = form.choices("account")
        if set(accounts) - known:
            raise NotFound("unknown_account", "no such account")
        _, secret = add_key(
            tx, name=_needed(form, "name"), scopes=form.choices("scope"), actor=caller.id, accounts=accounts
        )
        return secret

    secret = await service_of(request).arun(make)
    return await page(request, "new_key.html", caller, secret=secret, key_name=form.line("name", 100))


@router.post("/settings/keys/{key_id}/revoke")
async def revoke(request: Request, key_id: str) -> Response:
    """Make a key useless for good."""
    caller, form = await posted(request, "admin")

    def job(tx: Tx) -> Outcome:
        revoke_key(tx, key_id, caller.id)
        return Outcome(True, "key_revoked")

    return await act(request, caller, form, f"revoke-{key_id}", "/settings", job)


@router.post("/settings/operators")
async def create_operator(request: Request) -> Response:
    """Add an operator."""
    caller, form = await posted(request, "admin")
    hashed = await _hashed(request, form.secret("password"))

    def job(tx: Tx) -> Outcome:
        operator_id = _needed(form, "id")
        name = form.line("name", 100) or operator_id
        add_operator(
            tx, operator_id=operator_id, name=name, password_hash=hashed, role=form.line("role", 20), actor=caller.id
        )
        return Outcome(True, "operator_added", {"name": name})

    return await act(request, caller, form, "add-operator", "/settings", job)


@router.post("/settings/operators/{operator_id}")
async def change_operator(request: Request, operator_id: str) -> Response:
    """Change role, password or whether somebody may sign in; a changed password or role ends all their sessions."""
    caller, form = await posted(request, "admin")
    password = form.secret("password")
    hashed = await _hashed(request, password) if password else None
    role, disabled = form.line("role", 20), form.ticked("disabled")

    def job(tx: Tx) -> Outcome:
        row = tx.one(OperatorRow, lock=True, id=operator_id)
        if row is None:
            raise NotFound("unknown_operator", "no such operator")
        if role not in ROLES:
            raise Refused("unknown_role", f"one of {', '.join(ROLES)}", field="role")
        if row.role == "admin" and (role != "admin" or disabled) and _active_admins(tx) == 1:
            raise Conflict("last_admin", "somebody must remain who may change settings")
        values = {"role": role, "disabled": disabled} | ({"password_hash": hashed} if hashed else {})
        tx.change(OperatorRow, {"id": operator_id}, **values)
        if operator_id != caller.id or hashed:
            tx.conn.execute(delete(table_of(SessionRow)).where(table_of(SessionRow).c.operator_id == operator_id))
        before = {"role": row.role, "disabled": row.disabled}
        after = {"role": role, "disabled": disabled, "password": "changed" if hashed else "kept"}
        tx.audit(caller.id, "operator_changed", why=operator_id, detail={"before": before, "after": after})
        return Outcome(True, "operator_saved", {"name": row.name})

    return await act(request, caller, form, f"operator-{operator_id}", "/settings", job)


@router.post("/settings/identities")
async def bind_identity(request: Request) -> Response:
    """Let an identity of WeCom or of the OIDC provider sign in as an operator."""
    caller, form = await posted(request, "admin")

    def job(tx: Tx) -> Outcome:
        identities.bind(tx, form.line("provider", 20), form.line("subject"), form.line("operator", 100), caller.id)
        return Outcome(True, "identity_bound")

    return await act(request, caller, form, "bind", "/settings", job)


@router.post("/settings/identities/loosen")
async def loosen_identity(request: Request) -> Response:
    """End an identity's way in."""
    caller, form = await posted(request, "admin")

    def job(tx: Tx) -> Outcome:
        identities.loosen(tx, form.line("provider", 20), form.line("subject"), caller.id)
        return Outcome(True, "identity_loosened")

    return await act(request, caller, form, "loosen", "/settings", job)


async def _hashed(request: Request, password: str) -> str:
    hasher: Hasher = request.app.state.hasher
    return str(await hasher.run(hash_password, password))


def _needed(form: Form, name: str) -> str:
    value = form.line(name, 100)
    if not value:
        raise Refused("missing_field", f"{name} is missing", field=name)
    return value


def _all(tx: Tx, model: Any, order: str) -> list[Any]:
    table = table_of(model)
    return list(tx.conn.execute(select(table).order_by(table.c[order])).all())


def _active_admins(tx: Tx) -> int:
    table = table_of(OperatorRow)
    query = select(func.count()).select_from(table).where(table.c.role == "admin", table.c.disabled.is_(False))
    return int(tx.conn.execute(query).scalar_one())
