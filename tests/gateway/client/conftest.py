"""Both faces of the client, so that every promise is kept by both."""

import asyncio

import httpx2
import pytest

from gateway.client import AsyncClient, Client
from tests.docs.conftest import live, standing

__all__ = ["live", "standing"]

URL, KEY = "http://gate.example", "dg_a-key-of-the-tests"


class Blocking:
    """The blocking face."""

    kind = Client

    def __init__(self, url=URL, key=KEY, handler=None, **given):
        transport = {"transport": httpx2.MockTransport(handler)} if handler else {}
        self.client = Client(url, key, **transport, **given)

    def __call__(self, method, *args, **given):
        with self.client as client:
            return getattr(client, method)(*args, **given)


class Awaiting:
    """The awaiting face, each call in a loop of its own."""

    kind = AsyncClient

    def __init__(self, url=URL, key=KEY, handler=None, **given):
        transport = {"transport": httpx2.MockTransport(handler)} if handler else {}
        self.make = lambda: AsyncClient(url, key, **transport, **given)
        self.client = self.make()

    def __call__(self, method, *args, **given):
        async def ask():
            async with self.make() as client:
                return await getattr(client, method)(*args, **given)

        return asyncio.run(ask())


@pytest.fixture(params=[Blocking, Awaiting], ids=["Client", "AsyncClient"])
def face(request):
    return request.param


@pytest.fixture
def pauses(monkeypatch):
    """Take the client's pauses down instead of making them; other threads of the process go on sleeping."""
    taken = []

    async def pause(seconds):
        taken.append(seconds)

    monkeypatch.setattr("gateway.client.blocking.sleep", taken.append)
    monkeypatch.setattr("gateway.client.awaiting.sleep", pause)
    return taken
