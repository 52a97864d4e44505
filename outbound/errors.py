"""What can go wrong on the way to the customer, by who must act.

::

    OutboundError
      x PermitRefused        a message without its key: a fault in our program, never swallowed
      x TextRefused          the text cannot leave as written: the writer shortens or fills it
      x CallbackRefused      a callback that is not provably the platform's
      x ChannelFault         the channel did not take a call
        + ChannelRejected    the channel said no: its action tells who acts
        + ChannelUnreachable nothing was written: the outbox tries again
        + OutcomeUnknown     it may or may not have happened: a person decides
        + SyncStalled        the message log stands still: an operator is told

`rule_for` gives the action of a channel's error code, read from the data file `wecom/errcodes.json`.
"""

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

TABLE = Path(__file__).parent / "wecom" / "errcodes.json"
# "give up" is the table's word for a payload that no repair can save (an event code that came too late)
SYNONYMS = {"giveup": "payload"}


class Action(StrEnum):
    """What the sender's owner does with a refused message."""

    OK = "ok"
    RETRY = "retry"  # the platform is busy: same msgid, at most three tries
    TOKEN = "token"  # noqa: S105  # renew the access token once, then resend once
    RATE = "rate"  # pause the call, keep the queue
    REOPEN = "reopen"  # wait for the customer's next message, then judge the draft again
    HUMAN = "human"  # a person answers; no automatic resend
    HANDOFF = "handoff"  # the session did not move: nothing may be promised
    RESYNC = "resync"  # pull the log with the stored cursor and no token
    PAYLOAD = "payload"  # this message can never leave as it is
    CONFIG = "config"  # stop the channel, tell an operator once, keep the queue
    UNKNOWN = "unknown"  # it may have left: never repeated automatically


@dataclass(frozen=True, slots=True)
class ErrorRule:
    """One row of the error table; `alert` marks a code that the table does not know."""

    errcode: int
    action: Action
    meaning: str
    alert: bool = False


def rule_for(errcode: int) -> ErrorRule:
    """Give the rule of an error code; an unlisted one is refused for good and raises an alert (fail closed)."""
    found = _table().get(errcode)
    return found or ErrorRule(errcode, Action.PAYLOAD, "a code that the error table does not list", alert=True)


@functools.cache
def _table() -> Mapping[int, ErrorRule]:
    rows = json.loads(TABLE.read_text("utf-8"))
    return {row["errcode"]: ErrorRule(row["errcode"], _action(row["action"]), row["meaning"]) for row in rows}


def _action(word: str) -> Action:
    return Action(SYNONYMS.get(word, word))


class OutboundError(Exception):
    """Base of all errors of this room."""


class PermitRefused(OutboundError):  # named by what happened
    """The permit does not fit this message now; the words name the part that differs."""


class TextRefused(OutboundError):  # named by what happened
    """A text cannot be sent as written; `reason` is `empty_text`, `too_long` or `bad_characters`."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


class CallbackRefused(OutboundError):  # named by what happened
    """A callback is refused; `reason` says at which gate. The words hold nothing of the callback itself."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason


class ChannelFault(OutboundError):  # named by what happened
    """A call did not succeed; `detail` is for people and holds no secret."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


class ChannelUnreachable(ChannelFault):
    """No connection was made or nothing was written: the same call may be made again."""


class OutcomeUnknown(ChannelFault):
    """The request was written and no usable answer came."""


class SyncStalled(ChannelFault):
    """The platform says there is more, but its cursor does not move."""


class ChannelRejected(ChannelFault):
    """The channel answered with an error code, or a guard refused the call before it was made (`errcode` None)."""

    def __init__(  # the parts of one refusal, all by name
        self,
        errcode: int | None,
        action: Action,
        *,
        reason: str,
        detail: str,
        retry_after: float | None = None,
        alert: bool = False,
    ) -> None:
        super().__init__(detail)
        self.errcode = errcode
        self.action = action
        self.reason = reason
        self.retry_after = retry_after
        self.alert = alert
