"""Hand a session to people: first move it, only then may a text promise it.

The order is the platform's: once the session is with people a plain message is refused, and the one text that may
still be sent needs the code which the move gives. If the move fails, nothing was promised.
"""

from dataclasses import dataclass

from outbound.errors import Action
from outbound.outcome import Fault, Rejected, Unreachable
from outbound.sender import SessionChannel
from outbound.session import Moved, Servicer, Session, SessionState

# target is no active servicer; servicer stopped: another target may still take it
OTHER_TARGET = frozenset({95014, 95019})


@dataclass(frozen=True, slots=True)
class HandedOver:
    """People have the session. With `event_code` one text may follow; without, the reply belongs in the client."""

    state: SessionState
    event_code: str | None
    servicer: str | None = None


@dataclass(frozen=True, slots=True)
class NotHandedOver:
    """The session did not move: nothing may be sent. `maybe` is True when even reading the state failed."""

    reason: str
    detail: str
    maybe: bool = False


def hand_over(
    channel: SessionChannel,
    account: str,
    recipient: str,
    servicer: str | None = None,
) -> HandedOver | NotHandedOver:
    """Move a session to a servicer who receives (the named one first), else to the pool.

    Makes each move at most once. After a move of unknown end the state is read: moved without a code is handed over
    without a text.
    """
    for target in _targets(channel, account, servicer):
        to = SessionState.HUMAN if target else SessionState.POOL
        moved = channel.move_session(account, recipient, to, target)
        if isinstance(moved, Moved):
            return HandedOver(moved.state, moved.event_code, moved.servicer)
        if not (isinstance(moved, Rejected) and moved.errcode in OTHER_TARGET):
            return _looked_up(channel, account, recipient, moved)
    return NotHandedOver("channel_handoff_failed", "no servicer receives and the pool refused the session")


def _targets(channel: SessionChannel, account: str, servicer: str | None) -> tuple[str | None, ...]:
    """The named servicer if given, then the pool; None stands for the pool."""
    if servicer is None:
        return (None,)
    others = channel.servicers(account)
    ready = _receiving(others) if isinstance(others, tuple) else []
    return (servicer, *[user for user in ready if user != servicer][:1], None)


def _receiving(people: tuple[Servicer, ...]) -> list[str]:
    return [person.user_id for person in people if person.receiving]


def _looked_up(channel: SessionChannel, account: str, recipient: str, fault: Fault) -> HandedOver | NotHandedOver:
    """The platform refused or the answer got lost: what the session says counts."""
    if isinstance(fault, Unreachable) or (isinstance(fault, Rejected) and fault.action is not Action.HANDOFF):
        return NotHandedOver("channel_handoff_failed", _words(fault))
    session = channel.session_state(account, recipient)
    if not isinstance(session, Session):
        return NotHandedOver("channel_handoff_failed", _words(fault), maybe=True)
    if session.state.with_people:
        return HandedOver(session.state, None, session.servicer)
    return NotHandedOver("channel_handoff_failed", _words(fault))


def _words(fault: Fault) -> str:
    return fault.detail if isinstance(fault, Rejected) else fault.reason
