"""A message is taken back: nothing that was written with it in mind goes out, and nobody is asked to answer it."""

from datetime import timedelta

from sqlalchemy import select

from gateway import conversations, inbox, outbox
from gateway.conversations import UNSENT_STATES
from gateway.tables import DraftRow, InboxRow, MessageRow, OutboundRow
from gateway.tx import Tx, table_of


def recall(tx: Tx, conversation_id: str, message_id: str, *, by_customer: bool) -> bool:
    """Hide a message from agents and checks, and hold what rests on it; False if there is no such message.

    The record stays, with the moment of the recall. A person's own words that wait are not held.
    """
    where = {"conversation_id": conversation_id, "id": message_id, "recalled_at": None}
    if not tx.change(MessageRow, where, recalled_at=tx.now):
        return False
    tx.audit(
        "channel",
        "message_recalled",
        conversation_id=conversation_id,
        why="the customer took a message back" if by_customer else "a colleague took a message back",
    )
    tx.change(DraftRow, {"conversation_id": conversation_id, "state": UNSENT_STATES}, stale=True)
    _hold_waiting(tx, conversation_id)
    if by_customer:
        _ask_what_is_left(tx, conversation_id, message_id)
    return True


def _hold_waiting(tx: Tx, conversation_id: str) -> None:
    table = table_of(OutboundRow)
    query = select(table).where(
        table.c.conversation_id == conversation_id, table.c.state == "queued", table.c.kind != "human"
    )
    for row in tx.conn.execute(query.order_by(table.c.segment)).all():
        current = tx.one(OutboundRow, outbound_id=row.outbound_id)
        if current is not None and current.state == "queued":  # an earlier part holds the later ones with it
            outbox.hold(tx, current, ("stale",), "not sent: a message was taken back")


def _ask_what_is_left(tx: Tx, conversation_id: str, message_id: str) -> None:
    asked = tx.change(
        InboxRow,
        {"conversation_id": conversation_id, "moment_id": message_id, "state": "open"},
        state="closed",
    )
    talk = conversations.load(tx, conversation_id)
    left = talk.latest_customer
    if not asked or left is None or not talk.unanswered:
        return
    if tx.now - left.at > timedelta(minutes=tx.settings.fresh_minutes):
        return
    again = {"conversation_id": conversation_id, "moment_id": left.id, "state": "closed"}
    if not tx.change(InboxRow, again, state="open", ready_at=tx.now):
        inbox.ask(tx, conversation_id, left.id, left.at)
    tx.wake("inbox")
