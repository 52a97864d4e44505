"""The channel's log over real HTTP: each customer message once, colleagues' words, events, handoffs, and the demo."""

import pytest

from gateway import conversations, inbox
from gateway.app import create_app
from gateway.demo.play import Demo
from gateway.demo.scenes import load_scenes
from gateway.server import wecom_channel
from gateway.service import Service
from gateway.store import Store
from gateway.tables import Account, AuditRow, InboxRow, MessageRow
from outbound.simulator.run import serve
from outbound.simulator.world import ACCOUNT, CORP_ID, SECRET
from tests.gateway.desk import GOOD, HANDOFF, Desk


@pytest.fixture(scope="module")
def platform():
    """One simulated WeCom for this module."""
    with serve() as running:
        yield running


@pytest.fixture
def wired(platform, settings_of):
    """A desk whose channel is the WeCom client against the simulator; the clock is the real one."""
    platform.simulator.reset()
    settings = settings_of(wecom_api_base=platform.api_base, wecom_corp_id=CORP_ID, wecom_secret=SECRET)
    store = Store(settings.database_url)
    service = Service(settings, store, wecom_channel(settings, store))
    desk = Desk(service, service.clock, None)
    desk.account(channel_account=ACCOUNT)
    desk.world = platform.simulator
    yield desk
    service.stop()


def rows(desk, model):
    return desk.service.look(lambda tx: tx.conn.execute(model.__table__.select()).all())


def only_talk(desk):
    return rows(desk, MessageRow)[0].conversation_id


def test_a_customers_message_arrives_once(wired):
    """Pulled again, after a restart or from an older cursor, it is still one message and one inbox row."""
    wired.world.people.says("wm_1", "小区人车分流吗")
    assert wired.service.pull_all() == 1
    assert wired.service.pull_all() == 0
    wired.run(lambda tx: tx.change(Account, {"id": "shop"}, cursor=""))
    assert wired.service.pull_all() == 0
    assert (len(rows(wired, MessageRow)), len(rows(wired, InboxRow))) == (1, 1)


def test_three_messages_in_one_page_and_an_empty_page(wired):
    """Every item is handled; an empty page with more behind it does not end the pull."""
    for number in range(3):
        wired.world.people.says("wm_1", f"第{number}句")
    wired.world.empty_pages(2)
    assert wired.service.pull_all() == 3
    assert [m.text for m in rows(wired, MessageRow)] == ["第0句", "第1句", "第2句"]


def test_old_messages_are_recorded_and_not_answered(wired, monkeypatch):
    """After a long pause nobody gets an answer to yesterday's question."""
    wired.world.people.says("wm_1", "小区人车分流吗")
    from datetime import timedelta

    real = wired.service.clock
    monkeypatch.setattr(wired.service, "clock", lambda: real() + timedelta(hours=1))
    assert wired.service.pull_all() == 1
    assert rows(wired, InboxRow) == []


def test_a_good_answer_reaches_the_phone(wired):
    """Gateway, outbox, HTTP, platform, Delivery."""
    wired.world.people.says("wm_1", "小区人车分流吗")
    wired.service.pull_all()
    wired.post_good(only_talk(wired))
    wired.carry()
    assert wired.world.world.arrived("wm_1") == [GOOD]
    assert wired.deliveries()["count"] == 1


def test_an_approved_handoff_moves_the_session_and_then_speaks(wired):
    """The session is with people before the text is on the phone."""
    wired.world.people.says("wm_1", "我要投诉你们店")
    wired.service.pull_all()
    draft = wired.post(HANDOFF, only_talk(wired), requiresHuman=True)["draftId"]
    wired.carry()
    assert wired.world.world.arrived("wm_1") == []
    wired.approve(draft)
    wired.carry()
    assert wired.world.world.arrived("wm_1") == [HANDOFF]
    assert wired.world.world.talk(ACCOUNT, "wm_1").state == 3


def test_a_colleagues_words_silence_the_agent(wired):
    """Origin 5 is a person: it never reaches the agent, retires its draft and takes the talk."""
    wired.world.people.says("wm_1", "这套多大")
    wired.service.pull_all()
    talk = only_talk(wired)
    draft = wired.post("这套120平。", talk)["draftId"]
    wired.world.people.servicer_says("servicer_lin", "wm_1", "89平")
    wired.service.pull_all()
    assert wired.draft(draft)["state"] == "superseded"
    assert wired.talk(talk).with_people
    assert [r.state for r in rows(wired, InboxRow)] == ["answered"]
    wired.world.people.says("wm_1", "谢谢")
    wired.service.pull_all()
    assert wired.service.look(lambda tx: inbox.records(tx, (), 10)) == []


def test_a_later_failure_is_seen(wired):
    """The customer refuses our messages: the Delivery leaves the count."""
    wired.world.people.says("wm_1", "小区人车分流吗")
    wired.service.pull_all()
    wired.world.people.refuses("wm_1")
    wired.post_good(only_talk(wired))
    wired.carry()
    wired.service.pull_all()
    listed = wired.deliveries()
    assert (listed["count"], listed["items"][0]["state"], listed["items"][0]["failType"]) == (0, "failed_later", 10)


def test_a_picture_needs_a_person(wired):
    """What cannot be read is stored and named, and never guessed at."""
    wired.world.people.sends("wm_1", "image", {"media_id": "x"})
    wired.service.pull_all()
    talk = only_talk(wired)
    assert [m.text for m in wired.talk(talk).messages] == ["[图片]"]
    answer = wired.post("好的，收到您的图片了。", talk)
    assert answer["requiresHuman"]
    assert answer["state"] != "queued"


def test_a_session_that_ended_starts_anew_with_the_customer(wired):
    """State 4 blocks us until the customer writes again."""
    wired.world.people.says("wm_1", "在吗")
    wired.world.people.takes("servicer_lin", "wm_1")
    wired.service.pull_all()
    talk = only_talk(wired)
    assert wired.conversation_row(talk).session_state == 3
    wired.world.people.ends("wm_1")
    wired.service.pull_all()
    assert wired.conversation_row(talk).session_state == 4
    wired.world.people.says("wm_1", "又来了")
    wired.service.pull_all()
    assert wired.conversation_row(talk).session_state == 0
    assert rows(wired, AuditRow)


def test_the_demo_ends_as_expected(tmp_path, platform):
    """The twelve turns of `make demo`, over HTTP, each as its scene says."""
    platform.simulator.reset()
    demo = Demo(tmp_path, platform)
    with demo.running:
        played = demo.play(load_scenes())
    assert [(p.scene.id, p.as_expected) for p in played] == [(s.id, True) for s in load_scenes()]
    assert len(played) == 12


def test_the_app_starts_and_stops_with_its_scheduler(wired):
    """The lifespan starts the timed work and ends it."""
    from fastapi.testclient import TestClient

    with TestClient(create_app(wired.service)) as client:
        assert client.get("/readyz").json() == {"status": "ready", "channel": True}


def test_conversations_of_one_recipient_are_one(wired):
    """A second conversation for the same customer and account is refused."""
    from tests.gateway.desk import refused

    wired.conversation("c-a", recipient="wm_a")
    refused(lambda: wired.conversation("c-b", recipient="wm_a"), "recipient_known")
    assert wired.service.look(lambda tx: conversations.load(tx, "c-a")).row.recipient == "wm_a"
