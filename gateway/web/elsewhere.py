"""Signing in elsewhere and coming back: what both ways share.

A state is random, kept as a hash, used once, short-lived, and bound to the browser by a cookie: nobody can be signed in
as somebody else by a link.
"""

import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from fastapi import Request, Response
from sqlalchemy import delete, func, select

from gateway.errors import Forbidden, TooMany
from gateway.people import close_session, digest, open_session
from gateway.settings import Settings
from gateway.tables_web import SignInBegun
from gateway.tx import Tx, table_of
from gateway.web.identities import operator_of
from gateway.web.page import go, local_path, page, service_of
from gateway.web.session import session_secret, set_cookie

LASTS = timedelta(minutes=10)
MOST = 5000  # sign-ins begun and not finished
COOKIE = "draftgate_begun"
PATH = "/sign-in"


@dataclass(frozen=True, slots=True)
class Begun:
    """A sign-in that came back: what was kept for it, and where the person wanted to go."""

    told: dict[str, Any]
    wanted: str


class NotHere(Exception):
    """The other side did not vouch for anybody; the message is for the log."""


def offered(settings: Settings) -> tuple[str, ...]:
    """List the other ways in that the settings open; each needs the address under which we are reached."""
    ways = []
    if settings.public_url and settings.wecom_corp_id and settings.sign_in_wecom_agent_id:
        ways.append("wecom")
    if settings.public_url and settings.oidc_issuer and settings.oidc_client_id:
        ways.append("oidc")
    return tuple(ways)


def must_offer(request: Request, provider: str) -> Settings:
    """Give the settings. Raises Forbidden for a way in that is not open."""
    settings = service_of(request).settings
    if provider not in offered(settings):
        raise Forbidden("not_offered", "this way of signing in is not set up")
    return settings


def return_address(settings: Settings, provider: str) -> str:
    """Give the address that the other side sends the browser back to."""
    return f"{settings.public_url.rstrip('/')}/sign-in/{provider}/back"


async def leave(request: Request, provider: str, told: dict[str, Any], state: str, address: str) -> Response:
    """Remember a sign-in and send the browser to the other side."""
    wanted = local_path(request.query_params.get("next", "/"))
    await service_of(request).arun(lambda tx: _begin(tx, provider, told, state, wanted))
    response = Response(status_code=303, headers={"Location": address})
    # Lax, not strict: it must come back with the browser from the other side's page.
    response.set_cookie(
        COOKIE,
        state,
        max_age=int(LASTS.total_seconds()),
        path=PATH,
        secure=service_of(request).settings.secure_cookies,
        httponly=True,
        samesite="lax",
    )
    return response


async def come_back(request: Request, provider: str) -> Begun:
    """Take up the sign-in that this browser began. Raises Forbidden for any other."""
    state, kept = request.query_params.get("state", ""), request.cookies.get(COOKIE, "")
    if not state or len(state) > 200 or not secrets.compare_digest(state.encode(), kept.encode()):
        raise Forbidden("wrong_state", "this sign-in was begun elsewhere, or long ago; begin again")
    begun = await service_of(request).arun(lambda tx: _finish(tx, provider, state))
    if begun is None:
        raise Forbidden("wrong_state", "this sign-in was begun elsewhere, or long ago; begin again")
    return begun


async def enter(request: Request, provider: str, subject: str, wanted: str) -> Response:
    """Open a session for the operator whom the other side vouched for, or say that nobody is bound to it."""
    old = session_secret(request)

    def job(tx: Tx) -> str:
        operator = operator_of(tx, provider, subject)
        if operator is None:
            return ""
        close_session(tx, old)
        return open_session(tx, operator)

    service = service_of(request)
    secret = await service.arun(job)
    if not secret:
        told = {"wanted": wanted, "problem": "unbound", "seconds": 0, "subject": subject[:200]}
        response = await page(request, "sign_in.html", None, 403, ways=offered(service.settings), **told)
    else:
        response = go(wanted)
        set_cookie(response, service.settings, secret)
    response.delete_cookie(COOKIE, path=PATH)
    return response


def new_state() -> str:
    """Make a random value that nobody can guess."""
    return secrets.token_urlsafe(32)


def _begin(tx: Tx, provider: str, told: dict[str, Any], state: str, wanted: str) -> None:
    table = table_of(SignInBegun)
    tx.conn.execute(delete(table).where(table.c.expires_at < tx.now))
    if int(tx.conn.execute(select(func.count()).select_from(table)).scalar_one()) >= MOST:
        raise TooMany("busy", "too many sign-ins at this moment; try again in some minutes")
    tx.add(SignInBegun, sha256=digest(state), provider=provider, told=told, wanted=wanted, expires_at=tx.now + LASTS)


def _finish(tx: Tx, provider: str, state: str) -> Begun | None:
    table = table_of(SignInBegun)
    row = tx.one(SignInBegun, lock=True, sha256=digest(state))
    tx.conn.execute(delete(table).where(table.c.sha256 == digest(state)))
    if row is None or row.provider != provider or row.expires_at < tx.now:
        return None
    return Begun(dict(row.told), row.wanted)
