"""The long poll: answered when there is something, at the latest when its time is over; waiting costs nobody a write."""

import asyncio
import threading
import time

import pytest
from fastapi.testclient import TestClient

from gateway import people
from gateway.app import create_app
from gateway.waiters import Waiters


def test_a_wake_reaches_all_who_wait_and_nobody_else():
    async def wait(waiters):
        begun = time.monotonic()
        woken = asyncio.gather(*(waiters.wait(10) for _ in range(5)))
        await asyncio.sleep(0.05)
        threading.Thread(target=waiters.wake).start()
        await woken
        assert time.monotonic() - begun < 5
        begun = time.monotonic()
        await waiters.wait(0.05)
        assert time.monotonic() - begun >= 0.04

    waiters = Waiters()
    waiters.wake()
    asyncio.run(wait(waiters))
    assert not waiters._waiting
    waiters.wake("shop")


@pytest.fixture
def client(make_desk):
    desk = make_desk(debounce_seconds=0)
    desk.account()
    desk.account("other")
    desk.conversation()
    desk.conversation("c-2", account="other")

    def keys(tx):
        return {
            "all": people.add_key(tx, name="all", scopes=["agent"], actor="t")[1],
            "shop": people.add_key(tx, name="shop", scopes=["agent"], actor="t", accounts=["shop"])[1],
        }

    secrets = desk.run(keys)
    with TestClient(create_app(desk.service, scheduler=False)) as made:
        made.desk = desk
        made.ask = lambda key="all", **query: made.get(
            "/v1/inbox", params=query, headers={"Authorization": f"Bearer {secrets[key]}"}
        ).json()["items"]
        yield made


def test_a_message_wakes_the_agent_that_waits(client):
    """Long before its time is over."""
    answers = []
    waiting = threading.Thread(target=lambda: answers.append((client.ask(wait=20), time.monotonic())))
    waiting.start()
    time.sleep(0.2)
    said = time.monotonic()
    moment = client.desk.says("在吗")
    waiting.join(20)
    [(items, at)] = answers
    assert [i["momentId"] for i in items] == [moment]
    assert items[0]["account"] == "shop"
    assert at - said < 5


def test_an_empty_inbox_is_answered_when_the_time_is_over(client):
    begun = time.monotonic()
    assert client.ask(wait=0.3) == []
    assert 0.25 < time.monotonic() - begun < 5


def test_a_key_of_one_account_sees_only_its_rows(client):
    """And no more than it asked for, oldest first."""
    first, second = client.desk.says("在吗"), client.desk.says("在吗", "c-2")
    assert [i["momentId"] for i in client.ask()] == [first, second]
    assert [i["momentId"] for i in client.ask("shop")] == [first]
    assert [i["momentId"] for i in client.ask(limit=1)] == [first]


def test_waiting_writes_nothing(client, monkeypatch):
    """Twenty agents that wait do not hold up one that writes."""

    def no_write(*_args):
        raise AssertionError("the inbox is read, not written")

    monkeypatch.setattr(client.desk.service.store, "awrite", no_write)
    assert client.ask(wait=0.1) == []
    assert client.desk.service.store.is_sqlite
