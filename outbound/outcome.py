"""What became of a call to the channel: a closed set of frozen values, each with one meaning."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from outbound.errors import Action, ChannelFault, ChannelRejected, ChannelUnreachable, SyncStalled

REASONS: Mapping[Action, str] = {
    Action.RETRY: "channel_busy",
    Action.TOKEN: "channel_stopped",
    Action.RATE: "rate_limited",
    Action.REOPEN: "window_closed",
    Action.HUMAN: "channel_refused",
    Action.HANDOFF: "channel_handoff_failed",
    Action.RESYNC: "resync",
    Action.PAYLOAD: "channel_rejected",
    Action.CONFIG: "channel_stopped",
}
QUOTA_USED = 95001


@dataclass(frozen=True, slots=True)
class Accepted:
    """The channel took the message and gave it an id: the only outcome that makes a Delivery.

    Accepted is not delivered: a failure event with this id may still come.
    """

    channel_message_id: str
    raw: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rejected:
    """The message did not leave. `reason` is a hold reason, `detail` a sentence for people, `retry_after` seconds.

    `errcode` is None when no call was made. `alert` marks a code that the error table does not list.
    """

    errcode: int | None
    action: Action
    reason: str
    detail: str = ""
    retry_after: float | None = None
    alert: bool = False


@dataclass(frozen=True, slots=True)
class Unreachable:
    """Nothing was written: the same message may be tried again with the same id."""

    reason: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """The request was written and no usable answer came: never repeated automatically, a person decides."""

    reason: str


Fault = Rejected | Unreachable | Unknown
Outcome = Accepted | Fault


def reason_for(errcode: int, action: Action) -> str:
    """Give the hold reason that belongs to a refusal."""
    return "quota_used" if errcode == QUOTA_USED else REASONS.get(action, "channel_rejected")


def outcome_of(fault: ChannelFault) -> Fault:
    """Turn a raised fault into the value that is stored and acted on."""
    if isinstance(fault, ChannelRejected):
        return Rejected(fault.errcode, fault.action, fault.reason, fault.detail, fault.retry_after, fault.alert)
    if isinstance(fault, ChannelUnreachable):
        return Unreachable(fault.detail)
    if isinstance(fault, SyncStalled):
        return Rejected(None, Action.CONFIG, "sync_stalled", fault.detail, alert=True)
    return Unknown(fault.detail)
