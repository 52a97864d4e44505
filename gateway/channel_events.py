"""What the channel's events do: failed messages, sessions that change hands, recalls; all others are kept and shown."""

import re
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Row

from gateway import aftermath, conversations, handoff, inbox, recalls
from gateway.conversations import Talk
from gateway.tables import Account, ConversationRow
from gateway.tables_calls import AlertRow
from gateway.tx import Tx, table_of
from outbound.errors import Action
from outbound.outcome import Fault, Rejected
from outbound.session import Item, SessionState
from outbound.wecom.events import Recalled, SendFailed, SessionChanged, event_of
from planner.turn import Role

ACTOR = "channel"
_ODD = re.compile(r"[^0-9A-Za-z_.-]")
ONCE = 3600  # seconds in which the same trouble of an account is told once


def act(tx: Tx, account: Row[Any], talk: Talk | None, item: Item) -> None:
    """Carry an event out that came for the first time, and note it where people see it."""
    name = _name(item)
    event = event_of(item)
    if talk is not None:
        at = datetime.fromtimestamp(item.sent_at, UTC)
        conversations.record(tx, talk, message_id=item.msgid, role=Role.SYSTEM, text=f"[{name}]", at=at, author=ACTOR)
    else:
        tx.audit(ACTOR, "event", why=name, detail={"account": account.id})
    if isinstance(event, SendFailed):
        _failed(tx, account, event)
    elif isinstance(event, SessionChanged) and talk is not None:
        _changed(tx, talk, event)
    elif isinstance(event, Recalled) and talk is not None:
        recalls.recall(tx, talk.row.id, event.msgid, by_customer=event.by_customer)


def _name(item: Item) -> str:
    inside = item.raw.get("event")
    told = inside.get("event_type") if isinstance(inside, dict) else None
    return _ODD.sub("", str(told or ""))[:60] or "unknown_event"


def _failed(tx: Tx, account: Row[Any], event: SendFailed) -> None:
    number = event.fail_type if event.fail_type is not None else 0
    aftermath.channel_failed(tx, event.msgid, number, f"msg_send_fail, fail_type {number}: {event.detail}")
    if event.action is Action.CONFIG:
        stop(tx, account, f"fail_type {number}: {event.detail}")


def stop(tx: Tx, account: Row[Any], why: str) -> None:
    """Stop sending for an account until an operator starts it again; the queue is kept, operators are told once."""
    if account.stopped_reason:
        return
    tx.change(Account, {"id": account.id}, stopped_reason=why[:500])
    tx.audit(ACTOR, "channel_stopped", why=why, detail={"account": account.id})


def _changed(tx: Tx, talk: Talk, event: SessionChanged) -> None:
    """Follow what people did to a session in the client; our own moves raise no event and are noted where they are made."""
    tx.change(ConversationRow, {"id": talk.row.id}, session_state=int(event.state))
    tx.audit(ACTOR, "session_moved", conversation_id=talk.row.id, why=f"the session is in state {int(event.state)}")
    if event.state is not SessionState.ENDED:
        return
    opened_there = talk.row.handoff_draft_id is None and talk.row.assigned_to == event.left
    if talk.row.handoff_open and event.left and opened_there:
        # The colleague whose words took the talk in the client has ended it there.
        handoff.close_handoff(tx, talk.row.id, actor=event.left, why="the colleague ended the session")
    else:
        inbox.give_back(tx, talk.row.id)


def not_pulled(tx: Tx, account_id: str, fault: Fault) -> None:
    """Act on a log that cannot be pulled: a fault of configuration stops the account, a stuck log is told once an hour."""
    account = tx.one(Account, lock=True, id=account_id)
    if account is None or not isinstance(fault, Rejected) or fault.action is not Action.CONFIG:
        return
    if fault.reason != "sync_stalled":
        stop(tx, account, fault.detail)
    elif not _told(tx, account_id):
        tx.audit(ACTOR, "sync_stalled", why=fault.detail, detail={"account": account_id})


def _told(tx: Tx, account_id: str) -> bool:
    table = table_of(AlertRow)
    recent = datetime.fromtimestamp(tx.now.timestamp() - ONCE, UTC)
    query = table.select().where(
        table.c.account_id == account_id, table.c.kind == "stopped", table.c.created_at > recent
    )
    return tx.conn.execute(query.limit(1)).first() is not None


def authorised(tx: Tx, added: tuple[str, ...], removed: tuple[str, ...]) -> None:
    """Note which kf accounts the app may use from now on; one that was taken away is stopped."""
    accounts = tx.conn.execute(table_of(Account).select()).all()
    for account in accounts:
        there = account.channel_account or account.id
        if there in removed:
            stop(tx, account, "the kf account was taken away from this app")
    known = {a.channel_account or a.id for a in accounts}
    told = {"added": sorted(set(added)), "removed": sorted(set(removed)), "unknown": sorted(set(added) - known)}
    tx.audit(ACTOR, "account_rights_changed", why="the app's kf accounts changed", detail=told)
