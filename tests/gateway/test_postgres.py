"""The same flow on PostgreSQL: posted, judged, approved, sent; two at once decide one thing; one leader."""

import functools
import random
import threading
import time

import pytest
from sqlalchemy import text

from gateway import approval
from gateway.errors import GatewayError
from gateway.jobs import Leader, expire
from gateway.migrate import upgrade
from gateway.service import Service
from gateway.settings import Settings
from gateway.store import Store
from outbound.outcome import Accepted
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


def workers(desk, count, **settings):
    """More services on the desk's database, each with a channel of its own."""
    made = []
    for _ in range(count):
        given = Settings(database_url=desk.service.settings.database_url, **settings)
        made.append(Service(given, Store(given.database_url), MemoryChannel(), desk.clock))
    return made


def test_one_customers_messages_leave_one_after_the_other(desk):
    """Four workers, twenty customers with five messages each: in order, and never two at a time to one customer."""
    for number in range(20):
        desk.conversation(f"q-{number}")
        mid = desk.says("在吗", f"q-{number}")
        for part in range(5):
            desk.write(f"第{part}句", f"q-{number}", request=f"r-{part}", lastSeenMessageId=mid)
    busy, wrong, sent, guard = set(), [], [], threading.Lock()

    def post(message):
        with guard:
            wrong.extend([message] if message.recipient in busy else [])
            busy.add(message.recipient)
            sent.append((message.recipient, message.text))
        time.sleep(0.002)
        with guard:
            busy.discard(message.recipient)
        return Accepted(f"id-{message.outbound_id}")

    services = workers(desk, 4)
    for service in services:
        service.channel.post = post
    threads = [threading.Thread(target=service.carry_all) for service in services for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for service in services:
        service.stop()
    desk.carry()  # what a worker passed over because another held its conversation
    assert wrong == []
    for number in range(20):
        told = [
            text
            for who, text in [*sent, *((m.recipient, m.text) for m in desk.channel.sent)]
            if who == f"wm_q-{number}"
        ]
        assert told == [f"第{part}句" for part in range(5)]


def test_another_process_is_woken(desk):
    """One stores the message, the other, which looks only every minute, carries it at once."""
    (other,) = workers(desk, 1, tick_seconds=60)
    listening = threading.Event()
    other.store.signals.on("listening", lambda _: listening.set())
    other.start()
    assert listening.wait(10)
    desk.says("小区人车分流吗")
    desk.post_good()
    end = time.monotonic() + 10
    while not other.channel.sent and time.monotonic() < end:
        time.sleep(0.02)
    other.stop()
    assert [m.text for m in other.channel.sent] == [GOOD]


def test_deciding_from_all_sides_at_once_ends_in_one_story(desk):
    """Customers, agents, operators, clocks and couriers on the same drafts: no deadlock comes out, nothing is sent twice."""
    names = [f"z-{n}" for n in range(6)]
    for name in names:
        desk.conversation(name)
        desk.says("我要投诉你们店", name)
    drafts = [desk.post(HANDOFF, name, requiresHuman=True)["draftId"] for name in names]
    wrong = []

    def tried(job):
        try:
            job()
        except GatewayError:
            pass
        except Exception as error:  # noqa: BLE001  # whatever comes out is wrong
            wrong.append(error)

    jobs = [
        lambda n, d: desk.approve(d),
        lambda n, d: desk.reject(d),
        lambda n, d: desk.run(lambda tx: approval.undo(tx, d, "op-2")),
        lambda n, d: desk.says("还在吗", n),
        lambda n, d: desk.run(expire),
        lambda n, d: desk.carry(),
        lambda n, d: desk.write("您好，我来处理。", n),
    ]

    def work(seed):
        order = random.Random(seed)
        for _ in range(12):
            place = order.randrange(len(names))
            tried(functools.partial(order.choice(jobs), names[place], drafts[place]))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    desk.carry()
    assert wrong == []
    ids = [m.outbound_id for m in desk.channel.sent]
    assert len(ids) == len(set(ids))
    assert {d["state"] for d in map(desk.draft, drafts)} <= {"sent", "rejected", "held", "superseded"}


def test_an_approval_and_a_deadline_in_the_same_moment(desk):
    """Whoever holds the conversation first decides; a draft that was approved does not expire."""
    for number in range(10):
        name = f"e-{number}"
        desk.conversation(name)
        desk.says("我要投诉你们店", name)
    drafts = [desk.post(HANDOFF, f"e-{n}", requiresHuman=True)["draftId"] for n in range(10)]
    orders = [functools.partial(desk.approve, d) for d in drafts]
    desk.clock.forward(minutes=31)
    outcomes = []

    def approve_all():
        for order in orders:
            try:
                outcomes.append(order()["state"])
            except GatewayError as error:
                outcomes.append(error.code)

    threads = [threading.Thread(target=approve_all), threading.Thread(target=lambda: desk.run(expire))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    desk.carry()
    states = [desk.draft(d)["state"] for d in drafts]
    assert [{"queued": "sent", "already_decided": "expired"}[o] for o in outcomes] == states
    assert len(desk.arrived) == states.count("sent")


def test_a_lost_database_connection_costs_the_lead_and_nothing_else(desk):
    """The server ends the leader's connection: another may lead, and the first asks again without falling over."""
    first, second = Leader(desk.service.store), Leader(Store(desk.service.settings.database_url))
    assert first.held()
    kill = "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND pid <> pg_backend_pid()"
    desk.service.store.write(lambda c: c.execute(text(kill)))
    assert second.held()
    assert not first.held()
    second.leave()


def test_after_the_database_was_away_everybody_connects_again(desk):
    """The server ends all connections, as at a failover: couriers, leader and listener go on by themselves."""
    (other,) = workers(desk, 1, tick_seconds=0.2)
    listening = threading.Semaphore(0)
    other.store.signals.on("listening", lambda _: listening.release())
    other.start()
    assert listening.acquire(timeout=10)
    others = "pid <> pg_backend_pid() AND datname = current_database()"
    away = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {others}"  # noqa: S608  # our own words
    desk.service.store.write(lambda c: c.execute(text(away)))
    assert listening.acquire(timeout=20)
    desk.says("小区人车分流吗")
    desk.post_good()
    end = time.monotonic() + 20
    while not other.channel.sent and time.monotonic() < end:
        time.sleep(0.02)
    other.stop()
    assert [m.text for m in other.channel.sent] == [GOOD]
