"""The protocol of a sender and the one sentence that every sender's `send` reads as.

A sender is synchronous and called from a worker thread, one message at a time per conversation. It never decides
whether something may be sent: the permit does. It never repeats a message: the outbox does.
"""

from abc import ABC, abstractmethod
from datetime import datetime
from hmac import compare_digest
from typing import Protocol

from outbound.errors import Action, PermitRefused, TextRefused
from outbound.message import MAX_BYTES, OutboundMessage, SendPermit
from outbound.outcome import Accepted, Fault, Outcome, Rejected, Unknown, Unreachable
from outbound.segments import check_text, is_msgid
from outbound.session import Moved, Page, Servicer, Session, SessionState

__all__ = [
    "Accepted",
    "BaseSender",
    "Fault",
    "Outcome",
    "Rejected",
    "Sender",
    "SessionChannel",
    "Unknown",
    "Unreachable",
    "check_permit",
]


class Sender(Protocol):
    """A way to the customer."""

    def send(self, message: OutboundMessage, permit: SendPermit, now: datetime) -> Outcome:
        """Send exactly this message under its permit.

        Raises PermitRefused when the permit does not fit; every other end is an Outcome.
        """
        ...


class SessionChannel(Protocol):
    """What a channel with sessions can do beside sending. Every fault is a value, never an exception."""

    def session_state(self, account: str, recipient: str) -> Session | Fault:
        """Read who holds the session."""
        ...

    def move_session(
        self,
        account: str,
        recipient: str,
        to: SessionState,
        servicer: str | None = None,
    ) -> Moved | Fault:
        """Move the session once; `servicer` is needed for `HUMAN`."""
        ...

    def servicers(self, account: str) -> tuple[Servicer, ...] | Fault:
        """List the people who may take sessions of this account."""
        ...

    def sync(self, account: str, cursor: str, token: str | None = None) -> Page | Fault:
        """Pull one page of the log after `cursor` (empty: from the oldest kept entry)."""
        ...


class BaseSender(ABC):
    """Check the key, check the text, then post; a new channel fills in `post` only."""

    max_bytes = MAX_BYTES

    def send(self, message: OutboundMessage, permit: SendPermit, now: datetime) -> Outcome:
        """Send exactly this message under its permit (see `Sender.send`)."""
        check_permit(message, permit, now)
        refusal = self._unsendable(message)
        return refusal or self.post(message)

    @abstractmethod
    def post(self, message: OutboundMessage) -> Outcome:
        """Hand the checked message to the channel, once."""

    def _unsendable(self, message: OutboundMessage) -> Rejected | None:
        if not is_msgid(message.msgid):
            return Rejected(None, Action.PAYLOAD, "bad_msgid", "the message id has characters or a length nobody takes")
        try:
            check_text(message.text, self.max_bytes)
        except TextRefused as refused:
            return Rejected(None, Action.PAYLOAD, refused.reason, str(refused))
        return None


def check_permit(message: OutboundMessage, permit: SendPermit, now: datetime) -> None:
    """Hold a message against its permit; raises PermitRefused that names the part that differs."""
    if permit.outbound_id != message.outbound_id:
        raise PermitRefused("the permit belongs to another outbound id")
    if permit.recipient != message.recipient:
        raise PermitRefused("the permit belongs to another recipient")
    if not compare_digest(permit.sha256, _digest(message)):
        raise PermitRefused("the permit belongs to other text: the bytes changed after they were decided")
    if now >= permit.expires_at:
        raise PermitRefused("the permit has expired: the send entry must decide again")


def _digest(message: OutboundMessage) -> str:
    try:
        return message.sha256
    except UnicodeEncodeError:
        raise PermitRefused("no permit can fit a text that is not valid Unicode") from None
