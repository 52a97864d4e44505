"""A sender that keeps messages in a list: for tests and dry runs. It answers like a channel and creates no Delivery."""

from collections import deque

from outbound.errors import Action
from outbound.message import OutboundMessage
from outbound.outcome import Accepted, Outcome, Rejected
from outbound.sender import BaseSender


class MemorySender(BaseSender):
    """Take every message once per account and id; `plan` queues outcomes that come instead.

    `creates_delivery` is False: what is sent here reached nobody.
    """

    creates_delivery = False

    def __init__(self) -> None:
        self.sent: list[OutboundMessage] = []
        self._planned: deque[Outcome] = deque()
        self._seen: set[tuple[str, str]] = set()

    def plan(self, *outcomes: Outcome) -> None:
        """Let the next posts end like this, in order; they leave no message."""
        self._planned.extend(outcomes)

    def post(self, message: OutboundMessage) -> Outcome:
        """Keep the message, or give the next planned outcome."""
        if self._planned:
            return self._planned.popleft()
        key = (message.account, message.msgid)
        if key in self._seen:
            return Rejected(40058, Action.PAYLOAD, "channel_rejected", "this message id was used before")
        self._seen.add(key)
        self.sent.append(message)
        return Accepted(message.msgid, {"errcode": 0, "msgid": message.msgid})
