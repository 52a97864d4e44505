"""Messages typed in quick succession are one turn; what waits stands in the store and is never dropped."""

from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gateway import conversations, inbox
from gateway.service import Service
from gateway.store import Store
from gateway.tables import InboxRow
from planner.turn import Role
from tests.gateway.desk import GOOD_CITATION, Desk


@pytest.fixture
def desk(make_desk):
    made = make_desk(debounce_seconds=3)
    made.account()
    made.conversation()
    return made


def asked(desk):
    return [r["momentId"] for r in desk.service.look(lambda tx: inbox.records(tx, (), 10))]


def test_three_messages_in_a_row_are_one_turn(desk, clock):
    """One row, for the newest, when the customer has been quiet for three seconds."""
    for text in ("你好", "想问下", "小区人车分流吗"):
        last = desk.says(text)
        assert asked(desk) == []
        clock.forward(seconds=2)
    assert asked(desk) == []
    clock.forward(seconds=1)
    assert asked(desk) == [last]
    answer = desk.post_good()
    assert answer["state"] == "queued"
    assert asked(desk) == []


def test_who_never_stops_typing_is_answered_all_the_same(desk, clock):
    """At most five times as long after the first message."""
    waited = 0
    while not asked(desk):
        if waited % 2 == 0:
            last = desk.says(f"第{waited}秒")
        clock.forward(seconds=1)
        waited += 1
    assert waited == 15
    assert asked(desk) == [last]


def test_a_message_after_a_pause_waits_anew(desk, clock):
    """An agent that was asked already is not hurried by the next burst."""
    desk.says("小区人车分流吗")
    clock.forward(seconds=10)
    assert len(asked(desk)) == 1
    second = desk.says("还有，几楼")
    assert asked(desk) == []
    clock.forward(seconds=3)
    assert asked(desk) == [second]


def test_a_message_that_came_late_does_not_wait_longer(desk, clock):
    """The quiet time counts from when the customer wrote, not from when it was pulled."""
    at = clock() - timedelta(seconds=30)

    def job(tx):
        talk = conversations.load(tx, "c-1")
        conversations.record(
            tx, talk, message_id="m-late", role=Role.CUSTOMER, text="小区人车分流吗", at=at, author="test"
        )

    desk.run(job)
    assert asked(desk) == ["m-late"]


def test_a_restart_forgets_nothing(desk, clock, settings_of, channel):
    """The waiting row stands in the store: another process finds it in time."""
    moment = desk.says("小区人车分流吗")
    desk.service.stop()
    given = settings_of(debounce_seconds=3)
    service = Service(given, Store(given.database_url), channel, clock)
    again = Desk(service, clock, channel)
    assert asked(again) == []
    clock.forward(seconds=3)
    assert asked(again) == [moment]
    service.stop()


def test_an_answer_in_the_middle_of_a_burst_is_for_what_was_there(desk, clock):
    """The agent answers the first message; the second, a second later, is a turn of its own and makes it stale."""
    desk.says("小区人车分流吗")
    clock.forward(seconds=4)
    shown = [desk.turn("x")["conversation"]["messages"][0]]
    second = desk.says("还是算了")
    late = desk.post("是的，小区人车分流。", shown=shown, citations=[GOOD_CITATION])
    assert late["holdReasons"] == ["stale"]
    clock.forward(seconds=3)
    assert asked(desk) == [second]


def test_zero_seconds_ask_at_once(make_desk):
    desk = make_desk(debounce_seconds=0)
    desk.account()
    desk.conversation()
    assert asked(desk) == [] and [desk.says("在吗")] == asked(desk)


@given(st.lists(st.floats(0, 20), min_size=1, max_size=12))
@settings(max_examples=25, deadline=None, suppress_health_check=[*HealthCheck])
def test_every_burst_is_asked_once_and_in_time(desk, clock, gaps):
    """Whatever the rhythm: one open row, for the newest message, visible at most fifteen seconds after its burst began."""
    for number, gap in enumerate(gaps):
        clock.forward(seconds=gap)
        last = desk.says(f"第{number}句")
    rows = desk.service.look(
        lambda tx: tx.conn.execute(InboxRow.__table__.select().where(InboxRow.state == "open")).all()
    )
    assert [r.moment_id for r in rows] == [last]
    wait = (rows[0].ready_at - clock()).total_seconds()
    assert 0 <= wait <= 3
    assert (rows[0].ready_at - rows[0].burst_at).total_seconds() <= 15
    clock.forward(seconds=3)
    assert asked(desk) == [last]


def test_a_question_that_can_no_longer_be_answered_is_closed(desk, clock):
    """After the channel's window nothing could be sent: no row stays open for ever."""
    desk.says("小区人车分流吗")
    clock.forward(hours=47)
    assert desk.run(inbox.tidy) == 0
    assert len(asked(desk)) == 1
    clock.forward(hours=2)
    assert desk.run(inbox.tidy) == 1
    assert asked(desk) == []
