"""The platform's HTTP face: `/cgi-bin/…`, HTTP 200 for business errors, faults where they were planned."""

import asyncio
import json
from contextlib import suppress
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from outbound.simulator.faults import Fault, FaultKind, Faults
from outbound.simulator.lookup import Refused
from outbound.simulator.platform import Platform
from outbound.simulator.world import Json, World

GETTOKEN = "gettoken"
WEBHOOK = "webhook/send"


class Api:
    """Answer the app's calls."""

    def __init__(self, world: World, platform: Platform, faults: Faults) -> None:
        self._world = world
        self._platform = platform
        self._faults = faults
        self.routes = [Route("/cgi-bin/{call:path}", self.answer, methods=["GET", "POST"])]

    async def answer(self, request: Request) -> Response:
        """Answer one call, or fail as planned."""
        call = request.path_params["call"]
        body = await _body(request)
        with self._world.lock:
            self._world.calls[call] += 1
            fault = self._faults.take(call)
            answer = {} if fault and fault.kind.before else self._done(call, request, body)
            if fault:
                self._faults.struck.append((fault, answer.get("errcode") == 0))
            if fault and fault.kind is FaultKind.FAIL_TYPE:
                self._platform.sending.fail_message(answer.get("msgid", ""), fault.value)
        if fault is None:
            return JSONResponse(answer)
        return await self._failed(fault, answer, request, body)

    def _done(self, call: str, request: Request, body: Any) -> Json:
        try:
            return {"errcode": 0, "errmsg": "ok", **self._result(call, request, body)}
        except Refused as refused:
            return {"errcode": refused.errcode, "errmsg": refused.errmsg}

    def _result(self, call: str, request: Request, body: Any) -> Json:
        query = request.query_params
        if call == GETTOKEN:
            return self._platform.gettoken(query)
        given = dict(query) if request.method == "GET" else body
        if not isinstance(given, dict):
            raise Refused(40058, "invalid json")
        if call == WEBHOOK:  # its key is its permission
            return self._platform.desk.webhook(query, given)
        self._platform.check_token(query.get("access_token", ""))
        method = self._platform.calls.get(call)
        if method is None:
            raise Refused(48002, "api forbidden: the simulator does not know this call")
        return method(given)

    async def _failed(self, fault: Fault, answer: Json, request: Request, body: Any) -> Response:
        kind = fault.kind
        if kind in (FaultKind.TIMEOUT_BEFORE, FaultKind.TIMEOUT_AFTER):
            return await _hang(request, self._world.knobs.hang_seconds)
        if kind in (FaultKind.HTTP, FaultKind.HTTP_AFTER):
            return PlainTextResponse("planned fault", fault.value)
        if kind is FaultKind.NOT_JSON:
            return PlainTextResponse("<html>planned fault</html>")
        return JSONResponse(_twisted(fault, answer, body))


def _twisted(fault: Fault, answer: Json, body: Any) -> Json:
    if fault.kind is FaultKind.ERRCODE:
        return {"errcode": fault.value, "errmsg": "planned fault"}
    if fault.kind is FaultKind.NO_ERRCODE:
        return {name: value for name, value in answer.items() if name != "errcode"}
    if fault.kind is FaultKind.NO_MSGID:
        return {name: value for name, value in answer.items() if name != "msgid"}
    if fault.kind is FaultKind.PARTLY_READ:
        return answer | {"errmsg": "ok. Warning: wrong json format."}
    if fault.kind is FaultKind.STUCK_CURSOR:
        return answer | {"has_more": 1, "next_cursor": body.get("cursor", "")}
    return answer


async def _body(request: Request) -> Any:
    raw = await request.body()
    try:
        return json.loads(raw) if raw else {}
    except ValueError:
        return None


async def _hang(request: Request, seconds: float) -> Response:
    """Keep the caller waiting until they leave or the time is over."""
    with suppress(TimeoutError):
        await asyncio.wait_for(_left(request), seconds)
    return PlainTextResponse("planned time-out", 504)


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
