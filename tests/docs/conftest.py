"""A live gateway over HTTP with a memory channel, one account, one customer, and the documents' texts."""

import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from gateway import people
from gateway.server import Running, build_service
from gateway.service import Service
from gateway.settings import Settings
from tests.gateway.desk import MemoryChannel

ROOT = Path(__file__).parents[2]
SECRET_KEY = "a-key-of-the-tests-and-of-nothing-else"


class Live:
    """A running gateway: `says` is the customer, `arrived` the customer's phone."""

    def __init__(self, running, channel, secrets):
        self.running, self.url, self.channel, self.secrets = running, running.url, channel, secrets
        self.service = running.service
        self._count = 0

    def call(self, scope, method, path, **given):
        headers = {"Authorization": f"Bearer {self.secrets[scope]}"} | given.pop("headers", {})
        return httpx2.request(method, self.url + path, headers=headers, timeout=30, **given)

    def says(self, text, cid="c-1", account="shop-1"):
        self._count += 1
        known = {"id": cid, "account": account, "recipient": f"wm_{cid}", "chatType": "private"}
        self.call("channel", "POST", "/v1/conversations", json=known).raise_for_status()
        at = self.service.clock().isoformat()
        told = {"id": f"m-{self._count}", "role": "customer", "text": text, "at": at}
        self.call("channel", "POST", f"/v1/conversations/{cid}/messages", json=told).raise_for_status()
        return told

    def run(self, *command, **environment):
        """Run a script against this gateway; gives what it printed."""
        given = os.environ | {"GATE_URL": self.url, "GATE_KEY": self.secrets["agent"], **environment}
        done = subprocess.run(
            [sys.executable, *map(str, command)],
            env=given,
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    @property
    def arrived(self):
        return [m.text for m in self.channel.sent]


@contextmanager
def running_in(folder):
    """Run a gateway of its own in a folder."""
    settings = Settings(
        database_url=f"sqlite:///{folder / 'gate.sqlite3'}",
        tick_seconds=0.1,
        debounce_seconds=0,
        secret_key=SECRET_KEY,
    )
    built = build_service(settings)
    channel = MemoryChannel()
    service = Service(settings, built.store, channel)

    def prepare(tx):
        for account, pack in (("shop-1", "property"), ("cars-1", "used_car")):
            given = {"mode": "auto", "pack": pack, "allowlist": ["*"]}
            people.add_account(tx, account_id=account, name=account, actor="test", **given)
        return {scope: people.add_key(tx, name=scope, scopes=[scope], actor="test")[1] for scope in people.SCOPES}

    secrets = service.run(prepare)
    with Running(service) as running:
        yield Live(running, channel, secrets)


@pytest.fixture
def live(tmp_path):
    with running_in(tmp_path) as made:
        yield made


@pytest.fixture(scope="module")
def standing(tmp_path_factory):
    """One gateway for all of a file's tests that leave nothing behind in it."""
    with running_in(tmp_path_factory.mktemp("standing")) as made:
        yield made
