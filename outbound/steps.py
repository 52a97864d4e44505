"""What follows an outcome: one table from what the channel said to what becomes of the message and the channel."""

import random
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from outbound.errors import Action
from outbound.outcome import Accepted, Outcome, Rejected, Unknown, Unreachable

TRIES = 3
FIRST_WAIT, LONGEST_WAIT = 2.0, 60.0  # seconds


class MessageState(StrEnum):
    """The states of one message, as the contract names them."""

    QUEUED = "queued"
    ACCEPTED = "accepted"
    CHANNEL_REJECTED = "channel_rejected"
    UNKNOWN = "unknown"
    HELD = "held"


@dataclass(frozen=True, slots=True)
class Step:
    """The message's next state and what else is to be done.

    `again_after` is set only with `QUEUED`. `stop_channel` rests the account and keeps the queue; `alert` tells an
    operator (once per cause); `counts` says that the message uses the customer's quota.
    """

    state: MessageState
    reason: str = ""
    again_after: timedelta | None = None
    stop_channel: bool = False
    alert: bool = False
    counts: bool = False


_QUEUED = frozenset({Action.RATE, Action.CONFIG, Action.TOKEN})
_HELD = frozenset({Action.REOPEN, Action.HUMAN, Action.HANDOFF})


def step_after(outcome: Outcome, *, tries: int, doubtful: bool = False, jitter: random.Random | None = None) -> Step:
    """Give the step after an outcome.

    `tries` counts the calls made for this message so far, this one included. `doubtful` says that an earlier call
    under the same id may have made the message (it ended unknown, or busy): then a refusal proves nothing, since it
    may be the refusal of a second copy. `jitter` spreads the waits.
    """
    if isinstance(outcome, Accepted):
        return Step(MessageState.ACCEPTED, counts=True)
    if isinstance(outcome, Unknown):
        return Step(MessageState.UNKNOWN, outcome.reason, alert=True, counts=True)
    if isinstance(outcome, Unreachable):
        return _again(tries, jitter, "channel_unreachable", doubtful=doubtful)
    if outcome.action is Action.RETRY:
        return _again(tries, jitter, outcome.reason, doubtful=True)
    if doubtful and outcome.errcode is not None and outcome.action not in _QUEUED:
        return Step(MessageState.UNKNOWN, "refused after a call of unknown end", alert=True, counts=True)
    return _refused(outcome)


def _refused(outcome: Rejected) -> Step:
    if outcome.action in _QUEUED:
        wait = timedelta(seconds=outcome.retry_after or LONGEST_WAIT)
        stopped = outcome.action is not Action.RATE
        return Step(MessageState.QUEUED, outcome.reason, wait, stop_channel=stopped, alert=True)
    if outcome.action in _HELD:
        return Step(MessageState.HELD, outcome.reason, alert=outcome.alert)
    return Step(MessageState.CHANNEL_REJECTED, outcome.reason, alert=outcome.alert)


def _again(tries: int, jitter: random.Random | None, reason: str, *, doubtful: bool) -> Step:
    """Try up to three times with growing waits; then a person takes over."""
    if tries < TRIES:
        wait = min(FIRST_WAIT * 4 ** (tries - 1), LONGEST_WAIT)
        spread = jitter.uniform(0.5, 1.5) if jitter else 1.0
        return Step(MessageState.QUEUED, reason, timedelta(seconds=wait * spread))
    if doubtful:
        return Step(MessageState.UNKNOWN, reason, alert=True, counts=True)
    return Step(MessageState.HELD, reason, alert=True)
