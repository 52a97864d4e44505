"""What the platform's events ask for: failed messages, sessions that changed hands, recalls, servicers."""

from dataclasses import dataclass
from typing import Any

from outbound.errors import Action
from outbound.session import EventKind, Item, SessionState

# fail_type of msg_send_fail (document/path/94699, 2024-12-23; 7 and 9 only in older copies)
FAIL_TYPES: dict[int, tuple[Action, str]] = {
    0: (Action.HUMAN, "unknown cause"),
    1: (Action.CONFIG, "the kf account was deleted"),
    2: (Action.CONFIG, "the app was closed"),
    4: (Action.REOPEN, "more than 48 hours since the customer wrote"),
    5: (Action.REOPEN, "the session is closed"),
    6: (Action.REOPEN, "more than five messages since the customer wrote"),
    8: (Action.CONFIG, "the corp is not verified"),
    10: (Action.HUMAN, "the customer refuses messages"),
    11: (Action.CONFIG, "no member has logged in to the WeCom app"),
    12: (Action.PAYLOAD, "the kf component forbids this type of message"),
    13: (Action.HUMAN, "the platform's security limit"),
}
# change_type of session_status_change
SESSION_AFTER = {1: SessionState.HUMAN, 2: SessionState.HUMAN, 3: SessionState.ENDED, 4: SessionState.HUMAN}


@dataclass(frozen=True, slots=True)
class SendFailed:
    """An accepted message did not arrive: `msgid` is the channel's id of that message."""

    msgid: str
    action: Action
    detail: str
    fail_type: int | None


@dataclass(frozen=True, slots=True)
class SessionChanged:
    """People moved a session in the client; our own moves raise no event. `left` is who had it before."""

    state: SessionState
    servicer: str | None
    event_code: str | None
    left: str | None = None


@dataclass(frozen=True, slots=True)
class Recalled:
    """A message was taken back; a draft that quotes it must not go out."""

    msgid: str
    by_customer: bool


@dataclass(frozen=True, slots=True)
class ServicerChanged:
    """A servicer started or stopped receiving."""

    servicer: str
    receiving: bool


@dataclass(frozen=True, slots=True)
class Entered:
    """A customer opened the chat; the code, valid 20 seconds, allows one greeting. The 48-hour window stays shut."""

    scene: str
    welcome_code: str | None


@dataclass(frozen=True, slots=True)
class Refusing:
    """A customer switched our messages off, or on again."""

    refuses: bool


@dataclass(frozen=True, slots=True)
class OtherEvent:
    """An event we do not know: kept and shown, never dropped."""

    name: str


Event = SendFailed | SessionChanged | Recalled | ServicerChanged | Entered | Refusing | OtherEvent


def event_of(item: Item) -> Event | None:
    """Read an item's event, None for a message. An event with missing parts is an OtherEvent."""
    if item.event is None:
        return None
    inside = item.raw.get("event")
    fields: dict[str, Any] = inside if isinstance(inside, dict) else {}
    return _read(item.event, fields) or OtherEvent(str(fields.get("event_type", "")))


def fail_action(fail_type: Any) -> tuple[Action, str]:
    """Give what a fail_type asks for; an unknown one goes to a person like 0."""
    known = FAIL_TYPES.get(fail_type) if type(fail_type) is int else None
    return known or (Action.HUMAN, f"unknown cause (fail_type {fail_type!r})")


def _read(kind: EventKind, fields: dict[str, Any]) -> Event | None:  # noqa: PLR0911  # one line per event
    if kind is EventKind.SEND_FAILED and fields.get("fail_msgid"):
        number = fields.get("fail_type")
        return SendFailed(str(fields["fail_msgid"]), *fail_action(number), number if type(number) is int else None)
    if kind is EventKind.SESSION and (state := _after(fields.get("change_type"))) is not None:
        new, old = fields.get("new_servicer_userid") or None, fields.get("old_servicer_userid") or None
        return SessionChanged(state, new, fields.get("msg_code") or None, old)
    if kind in (EventKind.CUSTOMER_RECALL, EventKind.SERVICER_RECALL) and fields.get("recall_msgid"):
        return Recalled(str(fields["recall_msgid"]), kind is EventKind.CUSTOMER_RECALL)
    if kind is EventKind.SERVICER_STATUS and fields.get("servicer_userid"):
        # 1 and 2 here; 0 and 1 in the list of servicers
        return ServicerChanged(str(fields["servicer_userid"]), fields.get("status") == 1)
    if kind is EventKind.ENTER:
        return Entered(str(fields.get("scene", "")), fields.get("welcome_code") or None)
    if kind is EventKind.REFUSES:
        return Refusing(fields.get("reject_switch") == 1)
    return None


def _after(change: Any) -> SessionState | None:
    return SESSION_AFTER.get(change) if type(change) is int else None
