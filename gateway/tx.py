"""One transaction's world: a connection, the moment, the settings; and the few Core statements that all modules use."""

import functools
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import SimpleNamespace
from typing import Any, TypeVar

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Insert,
    Row,
    Select,
    Table,
    Update,
    bindparam,
    insert,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql.dml import ReturningInsert
from sqlmodel import SQLModel

from gateway.alert_rows import alert_of
from gateway.packs import PackShelf
from gateway.settings import Settings
from gateway.signals import remember, tell_all
from gateway.tables import AuditRow, ConversationRow
from gateway.tables_calls import AlertRow

T = TypeVar("T")


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
    _read: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)

    def once(self, read: "Callable[[Tx], T]") -> T:
        """Read something that this transaction does not change, and remember it until the end."""
        if read not in self._read:
            self._read[read] = read(self)
        return self._read[read]  # type: ignore[no-any-return]  # the key holds the type

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

    def held(self, model: type[SQLModel], /, **where: Any) -> Row[Any] | None:
        """Load one row that belongs to a conversation, by equality, and lock both until the end, the conversation first."""
        if self.conn.dialect.name == "sqlite":
            return self.one(model, **where)
        return self.conn.execute(_select_held(model, tuple(where)), where).first()

    def add(self, model: type[SQLModel], /, **values: Any) -> Any:
        """Insert one row and give its primary key (the first column of it)."""
        done = self.conn.execute(_insert(model), {**_defaults(model), **values})
        return (done.inserted_primary_key or (None,))[0]

    def add_row(self, model: type[SQLModel], /, **values: Any) -> Any:
        """Insert one row, its primary key given, and give it as it stands now."""
        given = {**_defaults(model), **values}
        self.conn.execute(_insert(model), given)
        return SimpleNamespace(**(dict.fromkeys(table_of(model).c.keys()) | given))

    def add_new(self, model: type[SQLModel], /, **values: Any) -> bool:
        """Insert one row unless one with the same keys is there; True if it is new."""
        given = {**_defaults(model), **values}
        return self.conn.execute(_insert_new(model, self.conn.dialect.name), given).first() is not None

    def add_all(self, model: type[SQLModel], rows: Sequence[Mapping[str, Any]], /) -> None:
        """Insert several rows, with the same columns each, in one statement."""
        self.conn.execute(_insert(model), [{**_defaults(model), **row} for row in rows])

    def change(self, model: type[SQLModel], where: Mapping[str, Any], /, **values: Any) -> int:
        """Update rows by equality (a tuple means one of) and give how many there were."""
        kinds = tuple((name, _kind(value)) for name, value in where.items())
        given = {f"where_{name}": value for name, value in where.items() if value is not None}
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
def _select_held(model: type[SQLModel], names: tuple[str, ...]) -> Select[Any]:
    table, talk = table_of(model), table_of(ConversationRow)
    query = select(table).join(talk, talk.c.id == table.c.conversation_id)
    mine = (table.c[name] == bindparam(name) for name in names)
    # PostgreSQL locks in the order that is given here, and reads both rows as they are once it has the locks.
    return query.where(*mine).with_for_update(of=[talk, table])


@functools.cache
def _insert(model: type[SQLModel]) -> Insert:
    return insert(table_of(model))


@functools.cache
def _insert_new(model: type[SQLModel], dialect: str) -> ReturningInsert[Any]:
    made = sqlite.insert if dialect == "sqlite" else postgresql.insert
    table = table_of(model)
    return made(table).on_conflict_do_nothing().returning(*table.primary_key)


def _kind(value: Any) -> str:
    return "null" if value is None else "several" if isinstance(value, tuple) else "one"


@functools.cache
def _update(model: type[SQLModel], where: tuple[tuple[str, str], ...], names: tuple[str, ...]) -> Update:
    table = table_of(model)
    conditions = [_condition(table.c[name], kind) for name, kind in where]
    return update(table).where(*conditions).values({name: bindparam(name) for name in names})


def _condition(column: Column[Any], kind: str) -> ColumnElement[bool]:
    # Plain equality: PostgreSQL uses no index for IS NOT DISTINCT FROM.
    if kind == "null":
        return column.is_(None)
    given = bindparam(f"where_{column.name}", type_=column.type, expanding=kind == "several")
    return column.in_(given) if kind == "several" else column == given


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
