"""Operator alerts over WeCom: a group robot's webhook, or a message of the app to members.

The robot gives no id and the app silently drops what is over its limit: neither is ever proof that somebody read it.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import httpx2

from outbound.alerts import Alert, Notified, render
from outbound.errors import ChannelFault, ChannelRejected
from outbound.outcome import Fault, Rejected, outcome_of
from outbound.wecom.client import WeComClient, rejection
from outbound.wecom.guard import Guard
from outbound.wecom.settings import API_BASE
from outbound.wecom.wire import Json, Wire

WEBHOOK = "webhook/send"
MESSAGE = "message/send"
ROBOT_PER_MINUTE = 20
MEMBER_PER_MINUTE = 30


@dataclass(frozen=True, slots=True)
class RobotSettings:
    """A group robot: the `key` of its webhook address."""

    key: str = field(repr=False)
    base_url: str = API_BASE
    connect_timeout: float = 5.0
    read_timeout: float = 10.0
    proxy: str | None = field(default=None, repr=False)


class RobotNotifier:
    """Tell one internal group through its robot, at most 20 times a minute."""

    def __init__(
        self,
        settings: RobotSettings,
        *,
        clock: Callable[[], float] = time.time,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        self._key = settings.key
        self._wire = Wire(settings, transport)
        self._guard = Guard(clock, per_minute=ROBOT_PER_MINUTE)

    def close(self) -> None:
        """Close the connections."""
        self._wire.close()

    def notify(self, alert: Alert) -> Notified | Fault:
        """Post the alert to the group."""
        body = {"msgtype": "text", "text": {"content": render(alert)}}
        try:
            self._guard.admit(WEBHOOK, WEBHOOK)
            self._judge(self._wire.exchange("POST", WEBHOOK, {"key": self._key}, json=body))
        except ChannelFault as fault:
            return outcome_of(fault)
        return Notified()

    def _judge(self, answer: Json) -> None:
        if answer["errcode"] == 0:
            self._guard.succeeded(WEBHOOK, WEBHOOK)
            return
        fault = rejection(answer)
        self._guard.note(fault, WEBHOOK, WEBHOOK)
        raise fault


class AppNotifier:
    """Tell members through the app, at most 30 times a minute: beyond that the platform drops messages silently."""

    def __init__(
        self,
        client: WeComClient,
        agent_id: int,
        members: tuple[str, ...],
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._client = client
        self._agent_id = agent_id
        self._members = members
        self._guard = Guard(clock, per_minute=MEMBER_PER_MINUTE)

    def notify(self, alert: Alert) -> Notified | Fault:
        """Send the alert to all members of the list; nobody reached is a refusal."""
        body = {
            "touser": "|".join(self._members),
            "agentid": self._agent_id,
            "msgtype": "text",
            "text": {"content": render(alert)},
        }
        try:
            self._guard.admit(MESSAGE, MESSAGE)
            answer = self._client.call("POST", MESSAGE, {}, json=body)
        except ChannelFault as fault:
            return outcome_of(fault)
        return self._reached(answer)

    def _reached(self, answer: Json) -> Notified | Rejected:
        # the answer lists ids in lower case
        missed = _listed(answer, "invaliduser") | _listed(answer, "unlicenseduser")
        if {member.lower() for member in self._members} <= missed:
            nobody = rejection({"errcode": 81013, "errmsg": "every member is invalid or without a licence"})
            return _rejected(nobody)
        return Notified(str(answer.get("msgid") or "") or None)


def _listed(answer: Json, name: str) -> set[str]:
    return {part.lower() for part in str(answer.get(name) or "").split("|") if part}


def _rejected(fault: ChannelRejected) -> Rejected:
    return Rejected(fault.errcode, fault.action, fault.reason, fault.detail)
