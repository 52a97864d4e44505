"""Which entries of the audit trail operators are told of at once.

The alert is written in the transaction of the entry itself, so that none is lost; whoever is told, and when, is the
alarm's work (`gateway.alarm`), off the path of requests.
"""

from collections.abc import Mapping
from typing import Any

NEWS = {
    "channel_stopped": "stopped",
    "sync_stalled": "stopped",
    "agent_unreachable": "unanswered",
    "left_unanswered": "unanswered",
    "item_not_read": "unanswered",
}
FAILED = ("channel_rejected", "unknown", "failed_later")
KEPT = ("conversation_id", "draft_id", "outbound_id")


def alert_of(event: str, values: Mapping[str, Any]) -> dict[str, Any] | None:
    """Give the alert that an audit entry makes, or None: a draft waits, a message failed, a channel stopped."""
    kind = _kind(event, values)
    if kind is None:
        return None
    detail = values.get("detail") or {}
    ids = {name: values.get(name) for name in KEPT}
    return ids | {"kind": kind, "account_id": detail.get("account"), "why": str(values.get("why") or "")[:200]}


def _kind(event: str, values: Mapping[str, Any]) -> str | None:
    to = values.get("to_state")
    if event == "state":
        return "held" if to == "held" else None
    if event in ("message", "failed_later"):
        # A held part of a draft shows as the held draft; a person's own words have no draft that could.
        failed = to in FAILED or (to == "held" and values.get("draft_id") is None)
        return "failed" if failed else None
    return NEWS.get(event)
