"""WeCom customer service (微信客服) as a sender and as a channel with sessions."""

from collections.abc import Callable
from typing import Any, TypeVar

from outbound.errors import Action, ChannelFault, OutcomeUnknown
from outbound.lanes import Lanes
from outbound.message import OutboundMessage
from outbound.outcome import Accepted, Fault, Outcome, Rejected, Unknown, outcome_of
from outbound.sender import BaseSender
from outbound.session import Moved, Page, Servicer, Session, SessionState
from outbound.wecom.client import WeComClient
from outbound.wecom.items import page_of
from outbound.wecom.wire import Json

SESSION_REFUSES = 95018
PAGE = 200  # entries asked for at once (the platform gives up to 1,000): a page is stored in one transaction
RECEIVING = 0  # in kf/servicer/list; the event uses 1 for the same

T = TypeVar("T")


class WeComSender(BaseSender):
    """Send kf messages and move kf sessions; strictly one call at a time per account and customer."""

    creates_delivery = True

    def __init__(self, client: WeComClient) -> None:
        self.client = client
        self._lanes = Lanes()

    def close(self) -> None:
        """Close the connections."""
        self.client.close()

    def resume(self, account: str | None = None) -> None:
        """Let a stopped account, or everything, be tried at once: an operator mended the cause."""
        self.client.guard.resume(account)

    def post(self, message: OutboundMessage) -> Outcome:
        """Hand one checked message to the platform."""
        with self._lanes.of(message.account, message.recipient):
            outcome = _valued(lambda: self._accepted(message))
            if isinstance(outcome, Rejected) and outcome.errcode == SESSION_REFUSES:
                return self._explained(outcome, message)
            return outcome

    def session_state(self, account: str, recipient: str) -> Session | Fault:
        """Read who holds the session."""
        return _valued(lambda: _session(self.client.session(account, recipient)))

    def move_session(
        self,
        account: str,
        recipient: str,
        to: SessionState,
        servicer: str | None = None,
    ) -> Moved | Fault:
        """Move the session once; the platform refuses a move that its table does not know."""
        with self._lanes.of(account, recipient):
            return _valued(lambda: _moved(self.client.move(account, recipient, to, servicer), to, servicer))

    def servicers(self, account: str) -> tuple[Servicer, ...] | Fault:
        """List the people who may take sessions of this account; departments are left out."""
        return _valued(lambda: _servicers(self.client.servicers(account)))

    def sync(self, account: str, cursor: str, token: str | None = None) -> Page | Fault:
        """Pull one page of the log; an expired callback token gives a Rejected with action `resync`."""
        return _valued(lambda: page_of(self.client.sync(account, cursor, token, PAGE), account, cursor))

    def _accepted(self, message: OutboundMessage) -> Accepted | Unknown:
        if message.event_code is None:
            answer = self.client.send_text(message.account, message.recipient, message.text, message.msgid)
        else:
            answer = self.client.send_event_text(message.account, message.event_code, message.text, message.msgid)
        msgid = answer.get("msgid")
        if not isinstance(msgid, str) or not msgid:
            return Unknown("the platform said yes but gave no message id")
        return Accepted(msgid, answer)

    def _explained(self, refused: Rejected, message: OutboundMessage) -> Rejected:
        """Find out why the session refuses: people hold it, or it is over."""
        session = self.session_state(message.account, message.recipient)
        if not isinstance(session, Session):
            return refused
        if session.state.with_people:
            told = "people hold this conversation: answer in the WeCom client"
            return Rejected(refused.errcode, Action.HUMAN, "human_owns", told)
        told = "the session is over: wait for the customer's next message"
        return Rejected(refused.errcode, Action.REOPEN, "window_closed", told)


def _valued(call: Callable[[], T]) -> T | Fault:
    try:
        return call()
    except ChannelFault as fault:
        return outcome_of(fault)


def _session(answer: Json) -> Session:
    return Session(_state(answer.get("service_state")), answer.get("servicer_userid") or None)


def _state(value: Any) -> SessionState:
    try:
        return SessionState(value)
    except ValueError:
        raise OutcomeUnknown(f"the platform names a session state that nobody knows: {value!r}") from None


def _moved(answer: Json, to: SessionState, servicer: str | None) -> Moved:
    return Moved(to, answer.get("msg_code") or None, servicer)


def _servicers(answer: Json) -> tuple[Servicer, ...]:
    rows = answer.get("servicer_list")
    people = [row for row in rows if isinstance(row, dict) and row.get("userid")] if isinstance(rows, list) else []
    return tuple(Servicer(str(row["userid"]), row.get("status") == RECEIVING) for row in people)
