"""Signing in and out."""

import asyncio
from collections.abc import Callable
from typing import Any

from fastapi import APIRouter, Request, Response

from gateway.errors import TooMany
from gateway.people import check_password, close_session, open_session, password_hash_of
from gateway.tx import Tx
from gateway.web.attempts import note_failure, note_success, wait_for
from gateway.web.elsewhere import offered
from gateway.web.forms import Form, read_form
from gateway.web.page import PageRoute, go, local_path, page, service_of
from gateway.web.session import (
    SignedOut,
    drop_cookie,
    must_be_ours,
    posted,
    session_secret,
    set_cookie,
    viewer,
)

router = APIRouter(route_class=PageRoute, include_in_schema=False)
AT_ONCE = 2  # each check takes 0.2 s and 64 MiB
MOST_WAITING = 20


class Hasher:
    """Checks passwords in threads, few at once; more than a short queue is turned away."""

    def __init__(self) -> None:
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._waiting = 0

    async def run(self, work: Callable[..., Any], *values: Any) -> Any:
        """Run a slow password function. Raises TooMany when too many wait."""
        if self._waiting >= MOST_WAITING:
            raise TooMany("busy", "too many sign-ins at this moment; try again in some seconds")
        self._waiting += 1
        try:
            async with self._slots:
                return await asyncio.to_thread(work, *values)
        finally:
            self._waiting -= 1


@router.get("/sign-in")
async def sign_in_page(request: Request) -> Response:
    """Show the form, or go on if somebody is signed in."""
    wanted = local_path(request.query_params.get("next", "/"))
    try:
        await viewer(request)
    except SignedOut:
        return await page(
            request,
            "sign_in.html",
            None,
            wanted=wanted,
            problem=None,
            seconds=0,
            ways=offered(service_of(request).settings),
        )
    return go(wanted)


@router.post("/sign-in")
async def sign_in(request: Request) -> Response:
    """Check name and password; a session gets a new id each time."""
    must_be_ours(request)
    form = await read_form(request)
    name, address = form.line("name", 100), request.client.host if request.client else "-"
    service = service_of(request)
    seconds = await service.alook(lambda tx: wait_for(tx, address, name))
    if seconds:
        return await _again(request, form, "too_often", 429, seconds)
    stored = await service.alook(lambda tx: password_hash_of(tx, name))
    hasher: Hasher = request.app.state.hasher
    if not await hasher.run(check_password, stored, form.secret("password")):
        known = name if stored is not None else "sign-in"
        await service.arun(lambda tx: _failed(tx, address, name, known))
        return await _again(request, form, "wrong", 403)
    old = session_secret(request)

    def open_new(tx: Tx) -> str:
        close_session(tx, old)
        note_success(tx, address, name)
        return open_session(tx, name)

    response = go(local_path(form.secret("next", 4000)))
    set_cookie(response, service.settings, await service.arun(open_new))
    return response


@router.post("/sign-out")
async def sign_out(request: Request) -> Response:
    """End this session, or all of this person's."""
    _, form = await posted(request, "view")
    secret, everywhere = session_secret(request), form.line("everywhere") == "yes"
    await service_of(request).arun(lambda tx: close_session(tx, secret, everywhere=everywhere))
    response = go("/sign-in")
    drop_cookie(response, service_of(request).settings)
    return response


def _failed(tx: Tx, address: str, name: str, known: str) -> None:
    note_failure(tx, address, name)
    # Only names that exist are written down: people type passwords into the wrong field.
    tx.audit(known, "sign_in_failed")


async def _again(request: Request, form: Form, problem: str, status: int, seconds: int = 0) -> Response:
    wanted = local_path(form.secret("next", 4000))
    ways = offered(service_of(request).settings)
    return await page(request, "sign_in.html", None, status, wanted=wanted, problem=problem, seconds=seconds, ways=ways)
