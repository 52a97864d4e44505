"""What may leave: a message, the permit that lets exactly it leave, and what became of it."""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

MAX_BYTES = 2048  # kf text.content, bytes of UTF-8 (document/path/96427, 2023-12-19)


class SendKind(StrEnum):
    """Whose words leave: the agent's by the gate alone, the agent's after a person's approval, or a person's own."""

    AUTO = "auto"
    APPROVED = "approved"
    HUMAN = "human"


@dataclass(frozen=True, slots=True)
class OutboundMessage:
    """One segment of one reply on its way to one customer.

    `outbound_id` is the key before sending and `msgid` derives from it; `event_code` makes it a message on an event
    (the one text that may follow a handoff).
    """

    outbound_id: str
    account: str
    recipient: str
    text: str
    msgid: str
    segment: int = 1
    segments: int = 1
    event_code: str | None = None

    @property
    def sha256(self) -> str:
        """Hex digest of the text's UTF-8 bytes."""
        return text_sha256(self.text)


def text_sha256(text: str) -> str:
    """Give the hex digest of a text's UTF-8 bytes, the key under which texts are approved and permitted."""
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class SendPermit:
    """The only key to a sender: it fits one text to one recipient once, until it expires.

    Constructed in `gateway.send_entry` alone, inside the transaction that decided it; a test guards that.
    """

    outbound_id: str
    recipient: str
    sha256: str
    draft_version: int
    kind: SendKind
    expires_at: datetime
