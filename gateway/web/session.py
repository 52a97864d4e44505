"""Who is at the browser: the session cookie, and what each posted form must prove."""

import secrets
from collections.abc import Mapping
from urllib.parse import urlsplit

from fastapi import Request, Response
from sqlalchemy import select

from gateway.errors import Forbidden
from gateway.people import Caller, session_caller
from gateway.service import Service
from gateway.settings import Settings
from gateway.tables import OperatorRow
from gateway.tx import Tx, table_of
from gateway.web.forms import Form, read_form


class SignedOut(Exception):
    """Nobody is signed in at this browser."""


def cookie_name(settings: Settings) -> str:
    """Give the cookie's name; over https browsers bind `__Host-` to this very host."""
    return "__Host-draftgate" if settings.secure_cookies else "draftgate"


def set_cookie(response: Response, settings: Settings, secret: str) -> None:
    """Hand the session's id to the browser."""
    response.set_cookie(
        cookie_name(settings),
        secret,
        max_age=settings.session_hours * 3600,
        path="/",
        secure=settings.secure_cookies,
        httponly=True,
        samesite="strict",
    )


def drop_cookie(response: Response, settings: Settings) -> None:
    """Make the browser forget the session."""
    response.delete_cookie(
        cookie_name(settings), path="/", secure=settings.secure_cookies, httponly=True, samesite="strict"
    )


def session_secret(request: Request) -> str:
    """Give the session id that the browser sent, empty for none."""
    settings = _service(request).settings
    secret = request.cookies.get(cookie_name(settings), "")
    return secret if len(secret) <= 200 else ""


async def viewer(request: Request, scope: str = "view") -> Caller:
    """Give the person at the browser. Raises SignedOut, or Forbidden without the scope."""
    secret = session_secret(request)
    caller = await _service(request).alook(lambda tx: session_caller(tx, secret)) if secret else None
    if caller is None:
        raise SignedOut
    caller.must(scope)
    # Read before the page's data: what happens from here on is news to the open page.
    request.state.mark = await request.app.state.pulse.mark()
    return caller


async def posted(request: Request, scope: str = "operator") -> tuple[Caller, Form]:
    """Give the person and the form of a POST that came from a page of ours.

    Raises SignedOut; Forbidden for a foreign origin, a wrong form token or a missing scope.
    """
    must_be_ours(request)
    caller = await viewer(request, scope)
    form = await read_form(request)
    if not secrets.compare_digest(form.line("csrf").encode(), caller.csrf.encode()):
        raise Forbidden("wrong_form", "this form belongs to another session; open the page again")
    return caller, form


def must_be_ours(request: Request) -> None:
    """Raise Forbidden unless the browser says that the form was on a page of this site."""
    origin, public = _place(request.headers.get("origin", "")), _service(request).settings.public_url
    if public:
        fits = origin is not None and origin == _place(public)
    else:  # nobody said how we are reached: the page's host must be the one that this request went to
        here = _place(f"{origin[0] if origin else 'http'}://{request.headers.get('host', '')}")
        fits = origin is not None and origin == here
    if not fits:
        raise Forbidden("wrong_origin", "open the page under the address that is set as DRAFTGATE_PUBLIC_URL")


def people_of(tx: Tx) -> Mapping[str, str]:
    """Map the ids of all operators to their names."""
    table = table_of(OperatorRow)
    return {row.id: row.name for row in tx.conn.execute(select(table.c.id, table.c.name)).all()}


def colleagues(tx: Tx) -> list[tuple[str, str]]:
    """List those who may take a conversation: (id, name), by name."""
    table = table_of(OperatorRow)
    rows = tx.conn.execute(
        select(table.c.id, table.c.name).where(table.c.disabled.is_(False), table.c.role != "viewer")
    ).all()
    return sorted(((row.id, row.name) for row in rows), key=lambda pair: pair[1])


def _place(url: str) -> tuple[str, str, int | None] | None:
    """Give scheme, host and port of an origin, None for anything else."""
    try:
        parts = urlsplit(url)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        return None
    if not parts.hostname or "@" in parts.netloc or parts.scheme not in ("http", "https"):
        return None
    return parts.scheme, parts.hostname, port


def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service
