"""Shorthands of this room's tests."""

from datetime import UTC, datetime, timedelta

from outbound.message import OutboundMessage, SendKind, SendPermit
from outbound.segments import msgid_for
from outbound.simulator.world import ACCOUNT

NOW = datetime(2026, 5, 4, 9, 30, tzinfo=UTC)
CUSTOMER = "wm_kit_customer"


def message(text: str = "这套房周六可以看。", outbound_id: str = "out-1", **changes: object) -> OutboundMessage:
    segment = changes.get("segment", 1)
    fields = {"account": ACCOUNT, "recipient": CUSTOMER, "msgid": msgid_for(outbound_id, segment), **changes}
    return OutboundMessage(outbound_id=outbound_id, text=text, **fields)  # type: ignore[arg-type]


def permit_for(sent: OutboundMessage, **changes: object) -> SendPermit:
    fields = {
        "outbound_id": sent.outbound_id,
        "recipient": sent.recipient,
        "sha256": sent.sha256,
        "draft_version": 1,
        "kind": SendKind.AUTO,
        "expires_at": NOW + timedelta(minutes=2),
        **changes,
    }
    return SendPermit(**fields)  # type: ignore[arg-type]
