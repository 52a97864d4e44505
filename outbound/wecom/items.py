"""Read the platform's log: messages and events as typed items, unknown kinds kept as they came."""

from collections.abc import Mapping
from typing import Any

from outbound.errors import OutcomeUnknown, SyncStalled
from outbound.session import EventKind, Item, Origin, Page
from outbound.wecom.wire import Json

EVENTS = {kind.value: kind for kind in EventKind}
ORIGINS = frozenset(Origin)
LATEST = 4_102_444_800


def page_of(answer: Json, account: str, cursor: str = "") -> Page:
    """Read one answer of sync_msg asked with `cursor`, which stays if the answer names no other.

    Raises SyncStalled when there is more but no cursor to go on from.
    """
    rows = answer.get("msg_list")
    if rows is not None and not isinstance(rows, list):
        raise OutcomeUnknown("the platform's log is not a list")
    has_more = answer.get("has_more") == 1
    after = _word(answer, "next_cursor")
    if has_more and not after:
        raise SyncStalled("the platform says there is more but names no place to go on from")
    items = tuple(item_of(row, account) for row in rows or () if isinstance(row, Mapping) and row.get("msgid"))
    return Page(items, after or cursor, has_more)


def item_of(row: Mapping[str, Any], account: str) -> Item:
    """Read one entry; an event keeps account and customer inside its `event`, a message at the top."""
    event = row.get("event") if row.get("msgtype") == "event" else None
    inner: Mapping[str, Any] = event if isinstance(event, Mapping) else row
    return Item(
        msgid=str(row["msgid"]),
        account=_word(inner, "open_kfid") or account,
        customer=_word(inner, "external_userid"),
        sent_at=_seconds(row.get("send_time")),
        origin=_origin(row.get("origin")),
        kind=_word(row, "msgtype") or "unknown",
        text=_text(row),
        servicer=_word(inner, "servicer_userid") or _word(inner, "new_servicer_userid") or None,
        event=_event(inner) if row.get("msgtype") == "event" else None,
        raw=row,
    )


def _seconds(value: Any) -> int:
    """Unix seconds before the year 2100; 0, long ago, for what is no such time."""
    return value if type(value) is int and 0 <= value < LATEST else 0


def _origin(value: Any) -> Origin:
    return Origin(value) if type(value) is int and value in ORIGINS else Origin.UNKNOWN


def _event(inner: Mapping[str, Any]) -> EventKind:
    return EVENTS.get(_word(inner, "event_type"), EventKind.OTHER)


def _text(row: Mapping[str, Any]) -> str | None:
    text = row.get("text")
    if row.get("msgtype") != "text" or not isinstance(text, Mapping):
        return None
    return _word(text, "content")


def _word(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    return value if isinstance(value, str) else ""
