"""The courier carries queued messages to their channel, one at a time per conversation.

Each message is chosen and admitted by the send entry in one transaction, sent outside of any, and settled in another.
Any number of couriers may work, in any number of processes: they take turns in the tables. The permit is a lease as
well: a process that dies between the two transactions leaves the message `sending` until the lease is over; `recover`
makes it `unknown` then, and a person decides.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Protocol

import structlog
from sqlalchemy import select
from sqlalchemy.exc import DBAPIError

from gateway import outbox, send_entry, settling, waiting
from gateway.send_entry import Admitted
from gateway.tables import ConversationRow, OutboundRow
from gateway.tx import Tx, table_of
from outbound.errors import PermitRefused
from outbound.handoff import NotHandedOver, hand_over
from outbound.message import OutboundMessage, SendPermit
from outbound.outcome import Fault, Outcome, Unknown, Unreachable
from outbound.session import Moved, Page, Servicer, Session, SessionState

log = structlog.get_logger(__name__)
RunTx = Callable[[Callable[[Tx], Any]], Any]


@dataclass(frozen=True, slots=True)
class Turn:
    """A message whose turn it was; None says that the send entry held it."""

    outbound_id: str
    admitted: Admitted | None


class NotJudged(Exception):
    """The send entry failed over a message; the cause says how."""

    def __init__(self, outbound_id: str) -> None:
        super().__init__(outbound_id)
        self.outbound_id = outbound_id


class Channel(Protocol):
    """A sender whose conversations have sessions."""

    def send(self, message: OutboundMessage, permit: SendPermit, now: datetime) -> Outcome:
        """Send exactly this message under its permit."""
        ...

    def session_state(self, account: str, recipient: str) -> Session | Fault:
        """Read who holds the session."""
        ...

    def move_session(
        self, account: str, recipient: str, to: SessionState, servicer: str | None = None
    ) -> Moved | Fault:
        """Move the session once."""
        ...

    def servicers(self, account: str) -> tuple[Servicer, ...] | Fault:
        """List the people who may take sessions."""
        ...

    def sync(self, account: str, cursor: str, token: str | None = None) -> Page | Fault:
        """Pull one page of the log."""
        ...

    def resume(self, account: str | None = None) -> None:
        """Let a stopped account be tried at once: an operator mended the cause."""
        ...

    def close(self) -> None:
        """Let go of connections; further calls fail."""
        ...


class Courier:
    """Carries messages; `run` runs a function of a Tx in a durable transaction, `clock` tells the moment."""

    def __init__(self, run: RunTx, channel: Channel | None, clock: Callable[[], datetime]) -> None:
        self._run = run
        self._channel = channel
        self._clock = clock

    def next(self) -> bool:
        """Carry the message whose turn it is through the send entry and the channel; False when there is none."""
        try:
            turn: Turn | None = self._run(_next)
        except NotJudged as error:  # fail closed: it waits for a person, and the others go on
            log.exception("not_judged_at_the_send_entry", outbound_id=error.outbound_id)
            self._put_aside(error.outbound_id)
            return True
        if turn is None:
            return False
        if turn.admitted is not None:
            self._carry(turn.admitted)
        return True

    def _carry(self, admitted: Admitted) -> None:
        message, outbound_id = admitted.message, admitted.message.outbound_id
        if admitted.move_first:
            moved = self._move(message)
            if not isinstance(moved, OutboundMessage):
                self._run(lambda tx: _not_sent(tx, outbound_id, moved))
                return
            message = moved
        outcome = self._send(message, admitted.permit)
        if isinstance(outcome, NotHandedOver):
            self._run(lambda tx: _not_sent(tx, outbound_id, outcome))
        else:
            self._run(lambda tx: settling.settle(tx, outbound_id, outcome, admitted.attempt))

    def _put_aside(self, outbound_id: str) -> None:
        try:
            self._run(lambda tx: _not_judged(tx, outbound_id))
        except Exception:  # not even that: the others go first
            log.exception("job_failed", job="outbox")
            self._run(lambda tx: outbox.put_off(tx, outbound_id))

    def recover(self) -> int:
        """Make messages unknown that a process left in the middle of their call; gives how many."""
        return int(self._run(_recover))

    def _send(self, message: OutboundMessage, permit: SendPermit) -> Outcome | NotHandedOver:
        if self._channel is None:
            return Unreachable("no channel is connected: set DRAFTGATE_WECOM_CORP_ID and DRAFTGATE_WECOM_SECRET")
        try:
            return self._channel.send(message, permit, self._clock())
        except PermitRefused as refused:  # nothing was written
            log.exception("permit_refused", outbound_id=message.outbound_id)
            moved = message.event_code is not None
            return NotHandedOver("human_owns" if moved else "not_allowed", str(refused))
        except Exception as error:  # whatever happened, it may have left: a person decides
            log.exception("send_failed_unexpectedly", outbound_id=message.outbound_id)
            return Unknown(f"unexpected: {type(error).__name__}")

    def _move(self, message: OutboundMessage) -> OutboundMessage | NotHandedOver:
        """Move the session to people first; the message on the event, or why it may not be sent."""
        if self._channel is None:
            return NotHandedOver("channel_handoff_failed", "no channel is connected")
        people = self._channel.servicers(message.account)
        first = next((s.user_id for s in people if s.receiving), None) if isinstance(people, tuple) else None
        moved = hand_over(self._channel, message.account, message.recipient, first)
        if isinstance(moved, NotHandedOver):
            return moved
        self._run(lambda tx: _session_is(tx, message.outbound_id, moved.state, moved.event_code))
        if moved.event_code is None:
            return NotHandedOver("human_owns", "people hold this session now: answer in the WeCom client")
        return replace(message, event_code=moved.event_code)


def _next(tx: Tx) -> Turn | None:
    row = waiting.first(tx)
    if row is None:
        return None
    try:
        return Turn(row.outbound_id, send_entry.admit_held(tx, row))
    except DBAPIError:
        raise
    except Exception as error:
        raise NotJudged(row.outbound_id) from error


def _not_judged(tx: Tx, outbound_id: str) -> None:
    row = outbox.load(tx, outbound_id)
    if row is not None and row.state == "queued":
        outbox.hold(tx, row, ("quality_unavailable",), "not sent: it could not be checked again")


def _not_sent(tx: Tx, outbound_id: str, why: NotHandedOver) -> None:
    row = outbox.load(tx, outbound_id)
    if row is not None and row.state == "sending":
        outbox.give_quota_back(tx, row)
        outbox.hold(tx, row, (why.reason,), f"nothing was sent: {why.detail}", bump=True)


def _session_is(tx: Tx, outbound_id: str, state: SessionState, code: str | None) -> None:
    row = outbox.load(tx, outbound_id)
    if row is not None and row.state == "sending":
        tx.change(ConversationRow, {"id": row.conversation_id}, session_state=int(state))
        tx.change(OutboundRow, {"outbound_id": outbound_id}, event_code=code)
        tx.audit(
            "courier",
            "session_moved",
            conversation_id=row.conversation_id,
            outbound_id=outbound_id,
            draft_id=row.draft_id,
            why=f"the session is in state {int(state)}",
        )


def _recover(tx: Tx) -> int:
    table = table_of(OutboundRow)
    before = tx.now - timedelta(seconds=tx.settings.permit_seconds)
    rows = tx.conn.execute(select(table).where(table.c.state == "sending", table.c.permit_expires_at <= before)).all()
    for row in rows:
        settling.settle(tx, row.outbound_id, Unknown("the service stopped during the call"))
    return len(rows)
