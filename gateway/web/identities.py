"""Who an operator is at a sign-in of somebody else's: bound and loosened by administrators, each with an audit row."""

from typing import Any

from sqlalchemy import Row, delete, select

from gateway.errors import Conflict, NotFound, Refused
from gateway.tables import OperatorRow, SessionRow
from gateway.tables_web import PROVIDERS, Identity
from gateway.tx import Tx, table_of

LONGEST = 255


def operator_of(tx: Tx, provider: str, subject: str) -> str | None:
    """Give the active operator that an identity is bound to, or None."""
    row = tx.one(Identity, provider=provider, subject=subject)
    if row is None or tx.one(OperatorRow, id=row.operator_id, disabled=False) is None:
        return None
    return str(row.operator_id)


def bind(tx: Tx, provider: str, subject: str, operator_id: str, actor: str) -> None:
    """Let an identity sign in as an operator. Raises Refused, NotFound, or Conflict for one that is bound already."""
    if provider not in PROVIDERS or not subject or len(subject) > LONGEST or not subject.isprintable():
        raise Refused("bad_identity", "give the subject as the other side spells it", field="subject")
    if tx.one(OperatorRow, id=operator_id) is None:
        raise NotFound("unknown_operator", "no such operator")
    if tx.one(Identity, provider=provider, subject=subject) is not None:
        raise Conflict("identity_bound", "this identity is bound already; loosen it first")
    tx.add(Identity, provider=provider, subject=subject, operator_id=operator_id, created_at=tx.now)
    tx.audit(actor, "identity_added", why=f"{operator_id}: {provider}")


def loosen(tx: Tx, provider: str, subject: str, actor: str) -> None:
    """End an identity's way in, and the sessions of its operator. Raises NotFound."""
    row = tx.one(Identity, provider=provider, subject=subject)
    if row is None:
        raise NotFound("unknown_identity", "no such identity is bound")
    table, sessions = table_of(Identity), table_of(SessionRow)
    tx.conn.execute(delete(table).where(table.c.provider == provider, table.c.subject == subject))
    tx.conn.execute(delete(sessions).where(sessions.c.operator_id == row.operator_id))
    tx.audit(actor, "identity_removed", why=f"{row.operator_id}: {provider}")


def listed(tx: Tx) -> list[Row[Any]]:
    """List all identities by operator."""
    table = table_of(Identity)
    return list(tx.conn.execute(select(table).order_by(table.c.operator_id, table.c.provider, table.c.subject)).all())
