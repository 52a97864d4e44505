"""One transaction's world: a connection, the moment, the settings; and the few Core statements that all modules use."""

import functools
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, Table, Update, bindparam, insert, select, update
from sqlmodel import SQLModel

from gateway.alert_rows import alert_of
from gateway.packs import PackShelf
from gateway.settings import Settings
from gateway.signals import remember, tell_all
from gateway.tables import AuditRow, ConversationRow
from gateway.tables_calls import AlertRow


def table_of(model: type[SQLModel]) -> Table:
    """Give a model's table."""
    return model.__table__  # type: ignore[attr-defined, no-any-return]  # set by SQLModel


@dataclass(frozen=True, slots=True)
class Tx:
    """A running transaction. `now` is its one moment."""

    conn: Connection
    now: datetime
    settings: Settings
    shelf: PackShelf

    @property
    def local_now(self) -> datetime:
        """The moment on the shop's clock: a turn's 明天 is read against it."""
        return self.now.astimezone(self.settings.zone)

    def hold(self, conversation_id: str) -> bool:
        """Keep everybody else from deciding about this conversation until the end; True if others might be there.

        Whoever locks a draft or a message takes this first: in one order nobody waits in a ring. SQLite has one
        writer, so there is nothing to keep off.
        """
        if self.conn.dialect.name == "sqlite":
            return False
        self.conn.execute(_holding(), {"id": conversation_id})
        return True

    def wake(self, topic: str) -> None:
        """Tell those who wait for work of this kind, in every process, once this transaction is durable."""
        if self.conn.dialect.name == "sqlite":
            remember(self.conn, topic)
        else:
            tell_all(self.conn, topic)

    def one(self, model: type[SQLModel], /, *, lock: bool = False, **where: Any) -> Row[Any] | None:
        """Load one row by equality, or None; `lock` keeps others from changing it until the end (PostgreSQL)."""
        return self.conn.execute(_select(model, tuple(where), lock), where).first()

    def add(self, model: type[SQLModel], /, **values: Any) -> Any:
        """Insert one row and give its primary key (the first column of it)."""
        done = self.conn.execute(insert(table_of(model)), {**_defaults(model), **values})
        return (done.inserted_primary_key or (None,))[0]

    def change(self, model: type[SQLModel], where: Mapping[str, Any], /, **values: Any) -> int:
        """Update rows by equality (a tuple means one of) and give how many there were."""
        kinds = tuple((name, isinstance(value, tuple)) for name, value in where.items())
        given = {f"where_{name}": value for name, value in where.items()}
        return self.conn.execute(_update(model, kinds, tuple(values)), given | values).rowcount

    def audit(self, actor: str, event: str, **values: Any) -> None:
        """Write who did what, and why; what operators should know at once becomes an alert."""
        self.add(AuditRow, at=self.now, actor=actor, event=event, **values)
        alert = alert_of(event, values)
        if alert is not None:
            self.add(AlertRow, created_at=self.now, **alert)


# Statements are built once per shape: building them costs more than running them.
@functools.cache
def _select(model: type[SQLModel], names: tuple[str, ...], lock: bool) -> Select[Any]:  # part of the key
    table = table_of(model)
    query = select(table).where(*(table.c[name] == bindparam(name) for name in names))
    return query.with_for_update() if lock else query


@functools.cache
def _holding() -> Select[Any]:
    table = table_of(ConversationRow)
    return select(table.c.id).where(table.c.id == bindparam("id")).with_for_update()


@functools.cache
def _update(model: type[SQLModel], where: tuple[tuple[str, bool], ...], names: tuple[str, ...]) -> Update:
    table = table_of(model)
    conditions = [
        table.c[name].in_(bindparam(f"where_{name}", expanding=True))
        if several
        else table.c[name].is_not_distinct_from(bindparam(f"where_{name}", type_=table.c[name].type))
        for name, several in where
    ]
    return update(table).where(*conditions).values({name: bindparam(name) for name in names})


@functools.cache
def _defaults(model: type[SQLModel]) -> Mapping[str, Any]:
    # Core statements do not see SQLModel's defaults.
    return {
        name: field.default
        for name, field in model.model_fields.items()
        if not field.is_required() and name in table_of(model).c and field.default is not None
    }


def new_id(prefix: str) -> str:
    """Make an id that nobody can guess."""
    return f"{prefix}_{secrets.token_urlsafe(12)}"
