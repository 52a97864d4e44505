"""Calls, alerts and the log on PostgreSQL: several processes share the work, and none of it is done twice."""

import threading
import time

import httpx2
import pytest
from sqlalchemy import select, text

from gateway import agent_calls, alert_targets, hooks
from gateway.bell import Bell
from gateway.caller import Caller
from gateway.migrate import upgrade
from gateway.service import Service
from gateway.settings import Settings
from gateway.store import Store
from gateway.tables import Account, ConversationRow, MessageRow
from gateway.tables_calls import AgentCall, AlertPost, ChannelItem
from gateway.tx import table_of
from outbound.wecom.notifiers import ROBOT_PER_MINUTE
from tests.gateway.conftest import SECRET_KEY
from tests.gateway.desk import Desk, MemoryChannel
from tests.gateway.test_alarm import Group
from tests.gateway.test_caller import Agent
from tests.gateway.test_channel_log import Log, event, said

KEY = "a-robot-key-of-the-tests"


@pytest.fixture
def desks(postgres, clock):
    """Three processes' worth of desks on one empty PostgreSQL."""
    settings = Settings(database_url=postgres, secret_key=SECRET_KEY, debounce_seconds=0)
    store = Store(postgres)
    store.write(lambda c: c.execute(text("DROP SCHEMA public CASCADE; CREATE SCHEMA public")))
    upgrade(store.engine)
    store.close()
    channel = MemoryChannel()
    services = [Service(settings, Store(postgres), channel, clock) for _ in range(3)]
    made = [Desk(service, clock, channel) for service in services]
    made[0].account(mode="review")
    yield made
    for service in services:
        service.stop()


def together(jobs):
    failures = []

    def run(job):
        try:
            job()
        except Exception as error:  # noqa: BLE001  # told below
            failures.append(error)

    threads = [threading.Thread(target=run, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failures == []


def all_of(desk, model):
    return desk.service.look(lambda tx: tx.conn.execute(select(table_of(model))).all())


def test_three_processes_call_each_row_once(desks, clock):
    """Claims skip what another process holds; a busy row is not waited for."""
    agent = Agent()
    desks[0].run(lambda tx: hooks.set_hook(tx, "shop", "https://agent.example/", "t"))
    for number in range(40):
        desks[0].conversation(f"c-{number}")
        desks[0].says("在吗", f"c-{number}")
    callers = [Caller(d.run, d.service.settings, clock, httpx2.MockTransport(agent)) for d in desks]

    def work(caller):
        end = time.monotonic() + 30
        while len(agent.got) < 40 and time.monotonic() < end:
            caller.call_due()
            caller.finish()

    together([lambda c=c: work(c) for c in callers * 2])
    for caller in callers:
        caller.close()
    ids = [r.headers[hooks.CALL_ID] for r in agent.got]
    assert len(ids) == len(set(ids)) == 40
    assert {c.state for c in all_of(desks[0], AgentCall)} == {"done"}


def test_three_processes_share_a_robots_minute(desks, clock):
    """Twenty a minute together, the rest in one summary, nothing told twice."""
    group = Group()
    desks[0].run(lambda tx: alert_targets.add_robot(tx, "shop", KEY, ["held"], "t"))
    for number in range(30):
        cid = desks[0].conversation(f"c-{number}")
        desks[0].says("小区人车分流吗", cid)
        desks[0].post_good(cid)
    bells = [Bell(d.run, d.service.settings, clock, transport=httpx2.MockTransport(group)) for d in desks]
    together([bell.ring for bell in bells * 3])
    for bell in bells:
        bell.close()
    assert len(group.texts) == ROBOT_PER_MINUTE
    states = [p.state for p in all_of(desks[0], AlertPost)]
    assert (states.count("told"), states.count("collapsed")) == (ROBOT_PER_MINUTE, 10)


def test_three_processes_read_one_log_and_what_is_odd_in_it(desks):
    """Each entry once and in order; NUL, half a character, another text under a known id stop nothing."""
    log = Log(desks[0].channel)
    desk = desks[0]
    log.add(
        said(desk, "a", "第一句"), said(desk, "a", "改过的"), said(desk, "n", "有\x00和\ud83d的字", customer="wm_2")
    )
    for number in range(20):
        log.add(said(desk, f"m{number}", f"第{number}句", customer=f"wm_{number % 4}"), page=number % 4 == 0)
    log.add(event(desk, "r", "user_recall_msg", "wm_1", recall_msgid="m1"))
    log.add(said(desk, "p", kind="image") | {"image": {"media_id": "x\x00\ud83d"}}, page=True)
    together([d.service.pull_all for d in desks * 2])
    desk.service.pull_all()
    ids = [m.id for m in all_of(desk, MessageRow)]
    assert sorted(ids) == sorted(["a", "n", "r", "p", *(f"m{n}" for n in range(20))])
    assert {i.msgid for i in all_of(desk, ChannelItem)} == {"a", "r", "p"}
    assert all_of(desk, Account)[0].cursor == str(len(log.pages))
    recalled = [m.id for m in all_of(desk, MessageRow) if m.recalled_at is not None]
    assert recalled == ["m1"]
    assert len(all_of(desk, ConversationRow)) == 4


def test_a_dead_letter_on_postgresql(desks, clock):
    agent = Agent()
    agent.answers = [410]
    desks[0].run(lambda tx: hooks.set_hook(tx, "shop", "https://agent.example/", "t"))
    desks[0].conversation("c-1")
    desks[0].says("在吗", "c-1")
    caller = Caller(desks[1].run, desks[1].service.settings, clock, httpx2.MockTransport(agent))
    caller.call_due()
    caller.close()
    [letter] = desks[2].service.look(lambda tx: agent_calls.dead_letters(tx, ["shop"], 10))
    assert (letter["status"], letter["open"]) == (410, True)
