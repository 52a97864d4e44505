"""The bell: carries claimed alerts to their robots and members, one round at each tick of the scheduler."""

import functools
from collections.abc import Callable
from datetime import datetime
from typing import Any

import httpx2
import structlog
from sqlalchemy import Row

from gateway import alarm
from gateway.alarm import Claimed
from gateway.alert_targets import purpose
from gateway.settings import Settings
from gateway.tx import Tx
from gateway.vault import Vault
from outbound.alerts import Notified, Notifier
from outbound.errors import Action
from outbound.outcome import Fault, Rejected, Unknown, Unreachable
from outbound.wecom.client import WeComClient
from outbound.wecom.notifiers import AppNotifier, RobotNotifier, RobotSettings

log = structlog.get_logger(__name__)
RunTx = Callable[[Callable[[Tx], Any]], Any]


class Bell:
    """Tells operators. `client` makes the WeCom client for app messages; `transport` replaces the network in tests."""

    def __init__(
        self,
        run: RunTx,
        settings: Settings,
        clock: Callable[[], datetime],
        client: Callable[[], WeComClient | None] = lambda: None,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        self._run = run
        self._settings = settings
        self._clock = clock
        self._client_of = client
        self._transport = transport
        self._vault = Vault(settings.secret_key)
        self._robots: dict[str, RobotNotifier] = {}
        self._client: WeComClient | None = None

    def ring(self) -> int:
        """Tell what may be told now; gives how many posts were tried."""
        while self._run(alarm.spread) >= alarm.BATCH:
            pass
        claimed: list[Claimed] = self._run(alarm.claim)
        away: dict[str, Fault] = {}  # a target that just did not answer is not waited for again in this round
        for post in claimed:
            outcome = away.get(post.target.id) or self._told(post)
            if isinstance(outcome, Unreachable | Unknown):
                away[post.target.id] = outcome
            if not self._run(functools.partial(alarm.settle, post=post, outcome=outcome)):
                log.warning("alert_given_up", post=post.seq, target=post.target.id, fault=repr(outcome))
        return len(claimed)

    def close(self) -> None:
        """Close the connections."""
        for robot in self._robots.values():
            robot.close()
        if self._client is not None:
            self._client.close()

    def _told(self, post: Claimed) -> Notified | Fault:
        notifier = self._notifier(post.target)
        if isinstance(notifier, Rejected):
            return notifier
        return notifier.notify(post.alert)

    def _notifier(self, target: Row[Any]) -> Notifier | Rejected:
        return self._robot(target) if target.kind == "robot" else self._app(target)

    def _robot(self, target: Row[Any]) -> Notifier | Rejected:
        key = self._vault.open(target.sealed_key, purpose(target.id))
        if key is None:
            return _not_set_up(
                "the robot's key cannot be opened: was DRAFTGATE_SECRET_KEY changed? Add the robot again"
            )
        if target.sealed_key not in self._robots:
            settings = RobotSettings(key, self._settings.wecom_api_base)
            self._robots[target.sealed_key] = RobotNotifier(settings, clock=self._seconds, transport=self._transport)
        return self._robots[target.sealed_key]

    def _app(self, target: Row[Any]) -> Notifier | Rejected:
        if self._client is None:
            self._client = self._client_of()
        if self._client is None:
            return _not_set_up("app messages need DRAFTGATE_WECOM_CORP_ID and DRAFTGATE_WECOM_SECRET")
        # The store counts the minute, for all processes; a notifier's own count starts anew with each.
        return AppNotifier(self._client, int(target.agent_id), tuple(target.members), clock=self._seconds)

    def _seconds(self) -> float:
        return self._clock().timestamp()


def _not_set_up(detail: str) -> Rejected:
    return Rejected(None, Action.CONFIG, "channel_stopped", detail)
