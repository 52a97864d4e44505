"""A site: the web view over a real service, with people who are signed in at browsers of their own."""

import pytest
from starlette.testclient import TestClient

from gateway import people
from gateway.app import create_app
from tests.gateway.web.browser import PASSWORD, Browser


@pytest.fixture(scope="session")
def password_hash():
    """One argon2 hash for all: each costs 0.2 s."""
    return people.hash_password(PASSWORD)


@pytest.fixture
def add_person(desk, password_hash):
    def add(who="lin", role="operator", name=None):
        desk.run(
            lambda tx: people.add_operator(
                tx, operator_id=who, name=name or who.title(), password_hash=password_hash, role=role, actor="test"
            )
        )

    return add


@pytest.fixture
def app(desk):
    return create_app(desk.service, scheduler=False)


@pytest.fixture
def visitor(app):
    """A browser at which nobody is signed in."""
    return Browser(TestClient(app, follow_redirects=False))


@pytest.fixture
def browser_of(desk, app, add_person):
    """Open a browser at which a person of this role is signed in (without the slow password check)."""

    def make(who="lin", role="operator", name=None, **headers):
        add_person(who, role, name)
        secret = desk.run(lambda tx: people.open_session(tx, who))
        client = TestClient(app, follow_redirects=False, cookies={"draftgate": secret}, headers=headers)
        return Browser(client)

    return make


@pytest.fixture
def lin(browser_of):
    return browser_of("lin", "operator", "林小月")


@pytest.fixture
def held(desk):
    """A good draft that waits because the account is in review mode."""

    def make(cid="c-1", text=None, **kind):
        from gateway.tables import Account
        from tests.gateway.desk import GOOD

        desk.run(lambda tx: tx.change(Account, {"id": "shop"}, mode="review"))
        if cid != "c-1":
            desk.conversation(cid)
        desk.says("小区有没有人车分流", cid)
        return desk.post_good(cid, **kind) if text in (None, GOOD) else desk.post(text, cid, **kind)

    return make
