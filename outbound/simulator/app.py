"""The simulated WeCom platform as one ASGI app: the API, its control plane and a demo page."""

from typing import Any

from starlette.applications import Starlette

from outbound.simulator.api import Api
from outbound.simulator.callbacks import Callbacks
from outbound.simulator.control import Control
from outbound.simulator.faults import Faults
from outbound.simulator.knobs import Knobs
from outbound.simulator.page import PAGE_ROUTES
from outbound.simulator.people import People
from outbound.simulator.platform import Platform
from outbound.simulator.world import ACCOUNT, World


class Simulator:
    """One simulated platform. Tests act through `people`, plan `faults`, read `world`; others use `/_sim/`."""

    def __init__(self, knobs: Knobs | None = None) -> None:
        self.world = World(knobs)
        self.people = People(self.world)
        self.platform = Platform(self.world)
        self.faults = Faults()
        self.callbacks = Callbacks(self.world)
        self.world.listener = self.callbacks.heard
        api = Api(self.world, self.platform, self.faults)
        control = Control(self.world, self._actions())
        self.app = Starlette(routes=[*api.routes, *control.routes, *PAGE_ROUTES])

    def turn(self, **knobs: Any) -> None:
        """Turn knobs while it runs."""
        with self.world.lock:
            self.world.knobs = self.world.knobs.with_values(knobs)

    def expire_tokens(self) -> None:
        """End all access tokens early, as the platform may."""
        with self.world.lock:
            self.world.tokens = dict.fromkeys(self.world.tokens, 0.0)

    def empty_pages(self, count: int = 1, account: str = ACCOUNT) -> None:
        """Let the next pages of the log be empty although there is more."""
        with self.world.lock:
            self.world.accounts[account].empty_pages = count

    def reset(self) -> None:
        """Start over; knobs and the callback address stay."""
        self.callbacks.clear()
        self.world.reset()
        self.platform.desk.read.clear()
        self.faults.clear()

    def _actions(self) -> dict[str, Any]:
        people = self.people
        return {
            "open_account": people.open_account,
            "says": people.says,
            "sends": people.sends,
            "enters": people.enters,
            "recalls": people.recalls,
            "refuses": people.refuses,
            "takes": people.takes,
            "servicer_says": people.servicer_says,
            "ends": people.ends,
            "sets_status": people.sets_status,
            "advance": self.world.advance,
            "fault": self.faults.plan,
            "expire_tokens": self.expire_tokens,
            "empty_pages": self.empty_pages,
            "knobs": self.turn,
            "callbacks": self.callbacks.point,
            "callback_fate": self.callbacks.plan,
            "reset": self.reset,
        }
