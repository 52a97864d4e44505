"""Small HTTP pieces that all routes use: bodies read strictly and within limits, answers as plain JSON, errors as records."""

import json
from typing import Any, TypeVar

import structlog
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gateway.contract import parse
from gateway.errors import GatewayError, Unauthorized
from gateway.jsonio import MAX_BODY, InputError

log = structlog.get_logger(__name__)
M = TypeVar("M", bound=BaseModel)


def answer(content: Any, status: int = 200) -> Response:
    """Write a JSON answer; NaN can never get out."""
    body = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=str)
    return Response(body, status, media_type="application/json")


async def body_of(request: Request, limit: int = MAX_BODY) -> bytes:
    """Read a request's body. Raises InputError 413 as soon as it is longer than the limit."""
    declared = request.headers.get("content-length", "0")
    if declared.isdigit() and int(declared) > limit:
        raise InputError("body", f"larger than {limit} bytes", 413)
    chunks, size = [], 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > limit:
            raise InputError("body", f"larger than {limit} bytes", 413)
        chunks.append(chunk)
    return b"".join(chunks)


async def read(request: Request, model: type[M]) -> M:
    """Read a request's body as one of the wire shapes."""
    return parse(model, await body_of(request))


def bearer(request: Request) -> str:
    """Give the API key of a request. Raises Unauthorized when there is none."""
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not key or len(key) > 200:
        raise Unauthorized("no_key", "send the API key as `Authorization: Bearer …`")
    return key


def install_errors(app: FastAPI) -> None:
    """Answer every error as `{error: {code, message, …}}`; an unexpected one says nothing of its inside."""

    @app.exception_handler(GatewayError)
    async def _gateway(_request: Request, error: GatewayError) -> Response:
        return answer(error.record(), error.status)

    @app.exception_handler(InputError)
    async def _input(_request: Request, error: InputError) -> Response:
        record = {"error": {"code": "bad_input", "field": error.field, "message": error.message}}
        return answer(record, error.status)

    @app.exception_handler(RequestValidationError)
    async def _query(_request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        record = {"code": "bad_input", "field": str(first["loc"][-1]), "message": str(first["msg"])}
        return answer({"error": record}, 422)

    @app.exception_handler(HTTPException)
    async def _http(_request: Request, error: HTTPException) -> Response:
        record = {"error": {"code": f"http_{error.status_code}", "message": str(error.detail)}}
        return answer(record, error.status_code)

    app.add_middleware(Guard)


HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
)


class Guard:
    """Answer what nobody caught with a plain 500, and set the headers that every answer carries.

    A plain ASGI middleware: one that wraps the request hides from a long poll that its client has gone.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = False

        async def send_guarded(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = message.setdefault("headers", [])
                present = {name.lower() for name, _ in headers}
                headers.extend(pair for pair in HEADERS if pair[0] not in present)
            await send(message)

        try:
            await self._app(scope, receive, send_guarded)
        except Exception:  # the client learns nothing of the inside; the log has it all
            log.exception("request_failed", path=scope["path"])
            if started:
                raise
            failed = answer({"error": {"code": "internal", "message": "the request failed; it was logged"}}, 500)
            await failed(scope, receive, send_guarded)
