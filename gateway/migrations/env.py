"""Alembic's environment: the target is the tables' metadata, the connection is handed in by `gateway.migrate`."""

from typing import Any

from alembic import context
from sqlmodel.sql.sqltypes import AutoString

from gateway.tables_calls import AlertRow
from gateway.tables_groups import GroupTurn
from gateway.tables_log import EvaluationRow
from gateway.tables_web import Tally


def _render_item(kind: str, item: Any, _context: Any) -> Any:
    # SQLModel's text type is a plain String for the database.
    if kind == "type" and isinstance(item, AutoString):
        return "sa.String()"
    return False


TABLES = (AlertRow, EvaluationRow, GroupTurn, Tally)  # one of each file: all tables share one metadata
connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=TABLES[0].metadata,
    render_as_batch=True,
    compare_type=True,
    transaction_per_migration=True,
    user_module_prefix="tables.",
    render_item=_render_item,
)
with context.begin_transaction():
    context.run_migrations()
