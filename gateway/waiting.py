"""Whose turn it is: the first waiting message of each conversation, found so that no two couriers take the same one."""

import functools
from typing import Any

from sqlalchemy import Row, Select, bindparam, exists, literal_column, or_, select, tuple_

from gateway.tables import Account, ConversationRow, OutboundRow
from gateway.tx import Tx, table_of

LOOKS = 3  # at conversations that changed hands while they were being looked at


def first(tx: Tx) -> Row[Any] | None:
    """Give the row of the message that has waited longest among those whose turn it is, its conversation held; None if none is.

    Messages of one conversation take turns: nothing is due while an earlier one waits or one is on its way. On
    PostgreSQL conversations that others hold are passed over.
    """
    shared = tx.conn.dialect.name != "sqlite"
    for _ in range(LOOKS):
        found = tx.conn.execute(_due(skip=shared), {"now": tx.now}).first()
        if found is None or not shared:
            return found
        head = tx.conn.execute(_head(), {"conversation_id": found.conversation_id}).first()
        # What was read before the conversation was held may be over: the row is looked at again.
        if head is not None and head.outbound_id == found.outbound_id and _ready(head, tx):
            return head
    return None


def _ready(row: Row[Any], tx: Tx) -> bool:
    # A queued row whose permit was used is a tampered one: it is never carried again.
    return row.state == "queued" and row.permit_used_at is None and row.next_at <= tx.now


@functools.cache
def _due(*, skip: bool) -> Select[Any]:
    row, other = table_of(OutboundRow), table_of(OutboundRow).alias("other")
    account, talk = table_of(Account), table_of(ConversationRow)
    earlier = exists(
        select(other.c.outbound_id).where(
            other.c.conversation_id == row.c.conversation_id,
            other.c.state.in_((_word("queued"), _word("sending"))),
            or_(
                other.c.state == _word("sending"),
                tuple_(other.c.created_at, other.c.outbound_id) < tuple_(row.c.created_at, row.c.outbound_id),
            ),
        )
    )
    query = (
        select(*((row.c.outbound_id, row.c.conversation_id) if skip else row.c))
        .join(account, account.c.id == row.c.account_id)
        .join(talk, talk.c.id == row.c.conversation_id)
        .where(
            row.c.state == _word("queued"),
            row.c.permit_used_at.is_(None),
            row.c.next_at <= bindparam("now", type_=row.c.next_at.type),
            account.c.stopped_reason.is_(None),
            ~earlier,
        )
        .order_by(row.c.created_at, row.c.outbound_id)
        .limit(1)
    )
    return query.with_for_update(of=talk, skip_locked=True) if skip else query


@functools.cache
def _head() -> Select[Any]:
    row = table_of(OutboundRow)
    return (
        select(row)
        .where(
            row.c.conversation_id == bindparam("conversation_id"),
            row.c.state.in_((_word("queued"), _word("sending"))),
        )
        .order_by(row.c.state.desc(), row.c.created_at, row.c.outbound_id)  # one on its way comes first
        .limit(1)
    )


def _word(state: str) -> Any:
    # Written out, so that the databases may use the indexes which hold only such rows.
    return literal_column(f"'{state}'")
