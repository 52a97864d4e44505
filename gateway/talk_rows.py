"""The rows of a talk: the conversation beside its account and who is writing, and what was said in it."""

import functools
from collections import namedtuple
from collections.abc import Iterable
from typing import Any

from sqlalchemy import CompoundSelect, Row, Select, bindparam, null, select

from gateway.tables import Account, ConversationRow, MessageRow, OutboundRow
from gateway.tables_groups import Writing
from gateway.tx import Tx, table_of
from planner.turn import Role

LONGEST = 400  # messages of a talk that are looked at
_SAID = ("seq", "id", "role", "text", "at", "agent_id", "recalled_at")


def head(tx: Tx, conversation_id: str) -> Row[Any] | None:
    """Load a conversation beside its account, its `writer` and until when he counts as writing (`writer_until`)."""
    return tx.conn.execute(_head(), {"id": conversation_id}).first()


def account_of(row: Row[Any]) -> Any:
    """Give the account's columns of such a row, under their own names."""
    line = _account_line()
    return line(*row[-len(line._fields) :])  # they stand last


def lines(tx: Tx, conversation_id: str) -> tuple[list[Row[Any]], list[Row[Any]]]:
    """Load the newest messages, oldest first, and all that were taken back."""
    given = {"conversation_id": conversation_id, "limit": LONGEST}
    rows = tx.conn.execute(_lines(), given).all()
    gone = [row for row in rows if row.recalled_at is not None]
    said = sorted((row for row in rows if row.recalled_at is None), key=lambda row: row.seq)
    return as_answered(said), gone


def newest(tx: Tx, conversation_id: str, limit: int) -> list[Row[Any]]:
    """Load the newest messages, oldest first; none that was taken back."""
    given = {"conversation_id": conversation_id, "limit": limit}
    return as_answered(reversed(tx.conn.execute(_newest(), given).all()))


def as_answered(rows: Iterable[Row[Any]]) -> list[Row[Any]]:
    """Set what the customer wrote while a reply was on its way behind that reply: it is not answered by it."""
    ordered: list[Row[Any]] = []
    for row in rows:
        at = len(ordered)
        # A reply is let go only while the message it has seen is the newest one: later ones met it on its way.
        if row.last_seen_message_id is not None:
            while at and ordered[at - 1].role == Role.CUSTOMER and ordered[at - 1].id != row.last_seen_message_id:
                at -= 1
        ordered.insert(at, row)
    return ordered


@functools.cache
def _account_line() -> Any:
    return namedtuple("AccountLine", table_of(Account).c.keys())  # noqa: PYI024  # the table says what it has


# Like those of `Tx`, these statements are built once: building them costs more than running them.
@functools.cache
def _head() -> Select[Any]:
    talk, account, writing = table_of(ConversationRow), table_of(Account), table_of(Writing)
    writer = writing.c.operator_id.label("writer"), writing.c.until.label("writer_until")
    line = (column.label(f"its_{name}") for name, column in account.c.items())
    return (
        select(talk, *writer, *line)
        .join(account, account.c.id == talk.c.account_id)
        .outerjoin(writing, writing.c.conversation_id == talk.c.id)
        .where(talk.c.id == bindparam("id"))
    )


@functools.cache
def _newest() -> Select[Any]:
    table, out = table_of(MessageRow), table_of(OutboundRow)
    return (
        select(*(table.c[name] for name in _SAID), out.c.last_seen_message_id)
        .outerjoin(out, out.c.outbound_id == table.c.outbound_id)
        .where(table.c.conversation_id == bindparam("conversation_id"), table.c.recalled_at.is_(None))
        .order_by(table.c.seq.desc())
        .limit(bindparam("limit"))
    )


@functools.cache
def _lines() -> CompoundSelect[Any]:
    """The newest messages and all that were taken back, in no order."""
    table, newest = table_of(MessageRow), _newest().subquery()
    mine = table.c.conversation_id == bindparam("conversation_id")
    gone = select(*(table.c[name] for name in _SAID), null()).where(mine, table.c.recalled_at.is_not(None))
    return select(newest).union_all(gone)
