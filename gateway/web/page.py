"""Pages: templates filled with escaped values, in the viewer's language, under headers that let no foreign code run."""

import hashlib
import secrets
from collections.abc import Callable, Coroutine
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import structlog
from fastapi import FastAPI, Request, Response
from fastapi.routing import APIRoute
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.exceptions import HTTPException

from gateway.errors import GatewayError, NotFound
from gateway.http import answer
from gateway.jsonio import InputError
from gateway.people import Caller
from gateway.service import Service
from gateway.web.outcomes import told
from gateway.web.session import SignedOut, people_of, viewer
from gateway.web.visible import marked, unveil
from gateway.web.words import HTML_NAMES, Language, choose

log = structlog.get_logger(__name__)
HERE = Path(__file__).parent
COUNTS_TO = 9999  # what is more is not counted on: a hundred thousand rows would cost every page
LANGUAGE_COOKIE = "draftgate_lang"
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    # Not `no-referrer`: under that, browsers send `Origin: null` with our own forms.
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
_templates = Environment(
    loader=FileSystemLoader(HERE / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    auto_reload=False,
)
_templates.globals.update(marked=marked, unveil=unveil)


class PageRoute(APIRoute):
    """A route whose answers are pages: errors too, and every answer carries the safety headers."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Wrap the handler."""
        inner = super().get_route_handler()

        async def handle(request: Request) -> Response:
            try:
                _without_nul(request)
                response = await inner(request)
            except SignedOut:
                response = await sign_in_first(request)
            except (GatewayError, InputError) as error:
                response = await error_page(request, error)
            except Exception:  # the reader learns nothing of the inside; the log has it all
                log.exception("request_failed", path=request.scope["path"])
                response = await plain_error(request, 500)
            return guarded(response)

        return handle


def guarded(response: Response) -> Response:
    """Set the safety headers."""
    for name, value in HEADERS.items():
        response.headers[name] = value
    response.headers.setdefault("Cache-Control", "no-store")
    return response


def install_error_pages(app: FastAPI) -> None:
    """Show people a page of ours for an address that no route takes; programs keep their JSON."""

    @app.exception_handler(HTTPException)
    async def _http(request: Request, error: HTTPException) -> Response:
        if "text/html" in request.headers.get("accept", "") and not request.url.path.startswith("/v1/"):
            return guarded(await plain_error(request, error.status_code))
        record = {"error": {"code": f"http_{error.status_code}", "message": str(error.detail)}}
        return answer(record, error.status_code)


def _without_nul(request: Request) -> None:
    """No stored text holds a NUL (PostgreSQL takes none), so nothing can be found under one."""
    if "\x00" in request.scope["path"]:
        raise NotFound("not_found", "there is no such page")
    while b"%00" in request.scope["query_string"]:
        request.scope["query_string"] = request.scope["query_string"].replace(b"%00", b"")


def language_of(request: Request) -> Language:
    """Choose the viewer's language."""
    kept = request.cookies.get(LANGUAGE_COOKIE)
    return choose(request.query_params.get("lang"), kept, request.headers.get("accept-language", ""))


def service_of(request: Request) -> Service:
    """Give the service behind this request."""
    service: Service = request.app.state.service
    return service


async def page(request: Request, template: str, caller: Caller | None, status: int = 200, **values: Any) -> Response:
    """Fill a template. Keeps the language when a link asked for another one."""
    lang = language_of(request)
    zone = service_of(request).settings.zone
    names = await service_of(request).alook(people_of) if caller is not None else {}

    def clock(moment: datetime | None, form: str = "%m-%d %H:%M") -> str:
        return moment.astimezone(zone).strftime(form) if moment is not None else "—"

    html = _templates.get_template(template).render(
        {
            "t": lang.say,
            "name": lang.name,
            "knows": lang.knows,
            "first": lang.first,
            "why": lang.why,
            "lang": lang.code,
            "html_lang": HTML_NAMES[lang.code],
            "viewer": caller,  # not `caller`: a template macro has its own
            "decides": caller is not None and "operator" in caller.scopes,
            "administers": caller is not None and "admin" in caller.scopes,
            "person": lambda who: names.get(who, who),
            "names_of": lambda ids: [names.get(who, who) for who in ids],
            "people": names,
            "clock": clock,
            "many": lambda number: f"{number - 1}+" if number == COUNTS_TO + 1 else str(number),
            "now": service_of(request).clock(),
            "told": lambda outcome: told(outcome, lang, names),
            "static": static_url,
            "here": request.url.path,
            "mark": getattr(request.state, "mark", ""),
            "request_id": secrets.token_urlsafe(12),
            "outcome": None,
        }
        | values
    )
    response = Response(html, status, media_type="text/html")
    if request.query_params.get("lang") == lang.code:
        response.set_cookie(LANGUAGE_COOKIE, lang.code, max_age=31_536_000, samesite="strict", path="/", httponly=True)
    return response


def go(path: str) -> Response:
    """Send the browser to a page of ours, to be fetched anew."""
    return Response(status_code=303, headers={"Location": local_path(path)})


def local_path(path: str) -> str:
    """Give the path if it stays on this site, else the first page."""
    fine = (
        path.startswith("/") and not path.startswith("//") and path.isascii() and path.isprintable() and " " not in path
    )
    return path if fine and "\\" not in path and len(path) <= 1000 else "/"


async def sign_in_first(request: Request) -> Response:
    """Ask for a sign-in; a fragment that htmx fetched makes the whole page go there.

    A link on another site (an alert in a chat) comes without the strict cookie: such a visitor takes one step on our
    own ground first, and is asked only if there is still no session.
    """
    if request.headers.get("hx-request") == "true":
        return Response(status_code=204, headers={"HX-Redirect": "/sign-in"})
    wanted = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    if request.method == "GET" and request.headers.get("sec-fetch-site") == "cross-site":
        return await page(request, "step.html", None, wanted=local_path(wanted))
    back = f"?next={quote(local_path(wanted), safe='')}" if request.method == "GET" and wanted != "/" else ""
    return Response(status_code=303, headers={"Location": f"/sign-in{back}"})


async def plain_error(request: Request, status: int) -> Response:
    """Say by its number alone that something went wrong."""
    key = {404: "refused.not_found", 405: "refused.not_found", 500: "error.internal"}.get(status, "refused.other")
    caller = await _somebody(request) if status < 500 else None
    return await page(request, "error.html", caller, status, key=key, field="", detail="", number=status)


async def error_page(request: Request, error: GatewayError | InputError) -> Response:
    """Say what went wrong and what to do, without its inside."""
    lang = language_of(request)
    code = error.code if isinstance(error, GatewayError) else "bad_input"
    key = f"refused.{code}" if lang.knows(f"refused.{code}") else "refused.other"
    field = error.field if isinstance(error, InputError) else ""
    told = {"key": key, "field": field, "detail": str(error), "number": error.status}
    return await page(request, "error.html", await _somebody(request), error.status, **told)


async def _somebody(request: Request) -> Caller | None:
    """Give whoever is signed in, so that an error page keeps their way about."""
    try:
        return await viewer(request, "view")
    except (SignedOut, GatewayError):
        return None


@cache
def static_url(name: str) -> str:
    """Give the address of a static file; it changes with the content, so that browsers may keep it."""
    content = (HERE / "static" / name).read_bytes()
    return f"/static/{name}?v={hashlib.sha256(content).hexdigest()[:12]}"
