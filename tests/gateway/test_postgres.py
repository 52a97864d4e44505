"""The same flow on PostgreSQL: posted, judged, approved, sent; two at once decide one thing; one leader."""

import threading

import pytest
from sqlalchemy import text

from gateway.errors import GatewayError
from gateway.jobs import Leader
from gateway.migrate import upgrade
from gateway.service import Service
from gateway.settings import Settings
from gateway.store import Store
from tests.gateway.desk import GOOD, HANDOFF, Desk, MemoryChannel


@pytest.fixture
def desk(postgres, clock):
    """A desk on an empty PostgreSQL."""
    settings = Settings(database_url=postgres)
    store = Store(settings.database_url)
    store.write(lambda c: c.execute(text("DROP SCHEMA public CASCADE; CREATE SCHEMA public")))
    upgrade(store.engine)
    channel = MemoryChannel()
    service = Service(settings, store, channel, clock)
    made = Desk(service, clock, channel)
    made.account()
    made.conversation()
    yield made
    service.stop()


def test_the_flow_is_the_same(desk):
    """A good answer leaves, a risk answer waits, its approval moves the session first."""
    desk.says("小区人车分流吗")
    desk.post_good()
    desk.carry()
    desk.says("我要投诉你们店")
    draft = desk.post(HANDOFF, requiresHuman=True)["draftId"]
    desk.carry()
    assert desk.arrived == [GOOD]
    desk.approve(draft)
    desk.carry()
    assert desk.arrived == [GOOD, HANDOFF]
    assert desk.deliveries()["count"] == 2


def test_eight_approvals_at_once_send_one_message(desk):
    """Whoever comes second learns what was decided."""
    desk.says("我要投诉你们店")
    draft = desk.post(HANDOFF, requiresHuman=True)["draftId"]
    outcomes = []

    def approve():
        try:
            outcomes.append(desk.approve(draft)["state"])
        except GatewayError as error:
            outcomes.append(error.code)

    threads = [threading.Thread(target=approve) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["already_decided"] * 7 + ["queued"]
    desk.carry()
    assert desk.arrived == [HANDOFF]


def test_two_couriers_carry_one_message_once(desk):
    """The send entry's row lock decides, not luck."""
    desk.says("小区人车分流吗")
    desk.post_good()
    threads = [threading.Thread(target=desk.service.carry_all) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert desk.arrived == [GOOD]


def test_the_advisory_lock_makes_one_leader(desk):
    """Another process gets the lead when the first lets go."""
    first, second = Leader(desk.service.store), Leader(desk.service.store)
    assert first.held()
    assert not second.held()
    first.leave()
    assert second.held()
    second.leave()
