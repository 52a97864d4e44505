"""The control plane under `/_sim/`: what people and fate do on the simulated platform, as HTTP calls."""

import inspect
import json
from collections.abc import Callable, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from outbound.simulator.world import Account, Bubble, Json, Talk, World


class Control:
    """Carry out named actions; `actions` maps the last part of the path to a function of the body's fields."""

    def __init__(self, world: World, actions: Mapping[str, Callable[..., Any]]) -> None:
        self._world = world
        self._actions = actions
        self.routes = [
            Route("/_sim/state", self.state, methods=["GET"]),
            Route("/_sim/{action}", self.act, methods=["POST"]),
        ]

    async def state(self, _request: Request) -> Response:
        """Show everything."""
        return JSONResponse(snapshot(self._world))

    async def act(self, request: Request) -> Response:
        """Carry out one action; a wrong name or field is answered with what there is."""
        name = request.path_params["action"]
        action = self._actions.get(name)
        if action is None:
            return _error(404, f"{name} is no action; there are {', '.join(sorted(self._actions))}")
        try:
            fields = json.loads(await request.body() or b"{}")
            inspect.signature(action).bind(**fields)
            with self._world.lock:
                return JSONResponse({"result": action(**fields)})
        except (TypeError, ValueError) as error:
            return _error(422, f"{name}: {error}")


def snapshot(world: World) -> Json:
    """Give the world as JSON: the clock, accounts, talks with their bubbles, and how often each call was made."""
    with world.lock:
        return {
            "now": world.now(),
            "calls": dict(world.calls),
            "accounts": [_account(account) for account in world.accounts.values()],
            "talks": [_talk(talk) for talk in world.talks.values()],
        }


def _account(account: Account) -> Json:
    return {
        "open_kfid": account.open_kfid,
        "name": account.name,
        "servicers": dict(account.servicers),
        "entries": len(account.log),
    }


def _talk(talk: Talk) -> Json:
    return {
        "open_kfid": talk.account,
        "external_userid": talk.customer,
        "state": int(talk.state),
        "servicer": talk.servicer,
        "wroteAt": talk.wrote_at,
        "used": talk.used,
        "refuses": talk.refuses,
        "bubbles": [_bubble(bubble) for bubble in talk.bubbles],
    }


def _bubble(bubble: Bubble) -> Json:
    return {
        "msgid": bubble.msgid,
        "by": bubble.by,
        "kind": bubble.kind,
        "text": bubble.text,
        "at": bubble.at,
        "failType": bubble.failed,
        "recalled": bubble.recalled,
    }


def _error(status: int, told: str) -> Response:
    return JSONResponse({"error": told}, status)
