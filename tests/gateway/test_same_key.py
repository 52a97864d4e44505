"""One key, five posts at the same moment, on PostgreSQL where they really run side by side: one effect, one answer."""

import json
import threading

import pytest
from sqlalchemy import text

from gateway import flow
from gateway.api import once
from gateway.contract import parse
from gateway.migrate import upgrade
from gateway.service import Service
from gateway.settings import Settings
from gateway.store import Store
from gateway.tables import DraftRow, OutboundRow
from gateway.wire import TurnIn
from tests.gateway.desk import GOOD, GOOD_CITATION, Desk, MemoryChannel

POSTS = 5


@pytest.fixture
def desk(postgres, clock):
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


def at_once(job):
    gate, answers = threading.Barrier(POSTS), []

    def run():
        gate.wait()
        try:
            answers.append(job())
        except Exception as error:  # noqa: BLE001  # the test looks at what came
            answers.append(repr(error))

    threads = [threading.Thread(target=run) for _ in range(POSTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return answers


def rows(desk, model):
    return desk.service.look(lambda tx: tx.conn.execute(model.__table__.select()).all())


def test_a_persons_words_with_one_request_id(desk):
    """Five posts of one clientRequestId: one message, and five times the same answer."""
    desk.says("小区人车分流吗")
    answers = at_once(lambda: desk.write("您好，我是小林。", request="r-1"))
    assert len(rows(desk, OutboundRow)) == 1
    assert answers == [answers[0]] * POSTS
    desk.carry()
    assert desk.arrived == ["您好，我是小林。"]


def test_a_draft_with_one_idempotency_key(desk):
    """Five posts of one key: one draft, and five times the same answer."""
    desk.says("小区人车分流吗")
    raw = json.dumps(desk.turn(GOOD, citations=[GOOD_CITATION])).encode()
    wire = parse(TurnIn, raw)

    def post():
        job = desk.service.run
        return job(lambda tx: once(tx, "drafts:a", "k", "digest", lambda: flow.post_draft(tx, wire, wire.draft)))

    answers = at_once(post)
    assert len(rows(desk, DraftRow)) == 1
    assert answers == [answers[0]] * POSTS
    desk.carry()
    assert desk.arrived == [GOOD]
