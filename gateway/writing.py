"""Who is writing in a conversation right now: while a person types, no agent's words leave it by themselves."""

from datetime import timedelta

from sqlalchemy.exc import IntegrityError

from gateway.tables_groups import Writing
from gateway.tx import Tx

LASTS = timedelta(seconds=30)  # an editor tells of itself at every pause between two words


def note(tx: Tx, conversation_id: str, operator_id: str) -> None:
    """Remember that a person is writing in a conversation, for a short while."""
    now = {"operator_id": operator_id, "until": tx.now + LASTS}
    if tx.change(Writing, {"conversation_id": conversation_id}, **now):
        return
    try:
        with tx.conn.begin_nested():
            tx.add(Writing, conversation_id=conversation_id, **now)
    except IntegrityError:  # two people began at once: either of them is somebody
        tx.change(Writing, {"conversation_id": conversation_id}, **now)


def writer(tx: Tx, conversation_id: str) -> str | None:
    """Give who is writing in a conversation, or None."""
    row = tx.one(Writing, conversation_id=conversation_id)
    return row.operator_id if row is not None and row.until > tx.now else None
