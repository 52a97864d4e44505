"""Bring a database to the current tables, and check that tables and migrations agree."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Engine


def _config(engine: Engine) -> tuple[Config, Engine]:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    return config, engine


def upgrade(engine: Engine) -> None:
    """Run all migrations that are missing."""
    config, engine = _config(engine)
    with engine.connect() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
        connection.commit()


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
