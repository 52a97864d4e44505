"""Bring a database to the current tables, and check that tables and migrations agree."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, Engine, text

LOCK_ID = 7_305_118_926_402  # beside the leader's


def _config(engine: Engine) -> tuple[Config, Engine]:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    return config, engine


def upgrade(engine: Engine) -> None:
    """Run all migrations that are missing; of several processes that start together one does, the others wait."""
    config, engine = _config(engine)
    with engine.connect() as connection, _alone(connection):
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
        connection.commit()


@contextmanager
def _alone(connection: Connection) -> Iterator[None]:
    if connection.dialect.name == "sqlite":  # there the transaction itself keeps others out
        yield
        return
    connection.execute(text("SELECT pg_advisory_lock(:id)"), {"id": LOCK_ID})
    connection.commit()
    try:
        yield
    finally:
        connection.invalidate()  # the lock ends with its session, whatever came of the migrations


def check(engine: Engine) -> None:
    """Raise `alembic.util.CommandError` if the tables differ from what the migrations make."""
    config, engine = _config(engine)
    with engine.connect() as connection:
        config.attributes["connection"] = connection
        command.check(config)


def new_revision(engine: Engine, message: str, revision: str) -> None:
    """Write a migration for what has changed (a developer's tool)."""
    config, engine = _config(engine)
    with engine.connect() as connection:
        config.attributes["connection"] = connection
        command.revision(config, message, autogenerate=True, rev_id=revision)
