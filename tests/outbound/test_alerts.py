"""Alerts to operators: every notifier passes the same cases, and none makes a Delivery."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outbound.alerts import Alert, MemoryNotifier, Notified, defuse_mentions, render
from outbound.errors import Action
from outbound.outcome import Rejected, Unknown, Unreachable
from outbound.simulator.desk import ROBOT_KEY
from outbound.wecom.notifiers import AppNotifier, RobotNotifier, RobotSettings

HELD = Alert("有一条草稿等待审核", "首付三成可以吗", "https://gate.example/drafts/7")


@dataclass
class Bench:
    notifier: MemoryNotifier | RobotNotifier | AppNotifier
    read: Callable[[], list[str]]


@pytest.fixture(params=["memory", "robot", "app"])
def bench(request, running, sim, client):
    if request.param == "memory":
        memory = MemoryNotifier()
        yield Bench(memory, lambda: memory.told)
        return
    made = (
        RobotNotifier(RobotSettings(ROBOT_KEY, running.api_base))
        if request.param == "robot"
        else AppNotifier(client, 7, ("lin",))
    )
    yield Bench(made, lambda: [text for _, text in sim.platform.desk.read])
    if isinstance(made, RobotNotifier):
        made.close()


def test_an_alert_arrives_once(bench):
    assert isinstance(bench.notifier.notify(HELD), Notified)
    assert bench.read() == ["有一条草稿等待审核\n「首付三成可以吗」\nhttps://gate.example/drafts/7"]


def test_nobody_is_called_out(bench):
    bench.notifier.notify(Alert("@all 注意", "<@all> 有新消息，@所有人 <@lin>"))
    assert "@" not in bench.read()[0]


def test_only_a_short_quote_leaves(bench):
    bench.notifier.notify(Alert("标题", "很长的一段客户原话，" * 30))
    assert len(bench.read()[0]) < 60


@pytest.fixture
def robot(running, sim):
    made = RobotNotifier(RobotSettings(ROBOT_KEY, running.api_base, read_timeout=1.0))
    yield made
    made.close()


def test_a_robot_keeps_to_twenty_a_minute(sim, robot):
    outcomes = [robot.notify(HELD) for _ in range(21)]
    assert all(isinstance(outcome, Notified) for outcome in outcomes[:20])
    assert isinstance(outcomes[20], Rejected)
    assert outcomes[20].action is Action.RATE
    assert sim.world.calls["webhook/send"] == 20


def test_an_app_keeps_to_thirty_a_minute(sim, client):
    notifier = AppNotifier(client, 7, ("lin", "chen"))
    outcomes = [notifier.notify(HELD) for _ in range(31)]
    assert [isinstance(outcome, Notified) for outcome in outcomes].count(True) == 30
    assert sim.world.calls["message/send"] == 30


def test_a_wrong_key_rests(running, sim):
    robot = RobotNotifier(RobotSettings("wrong", running.api_base))
    outcomes = [robot.notify(HELD) for _ in range(3)]
    assert [outcome.errcode for outcome in outcomes] == [93000] * 3
    assert sim.world.calls["webhook/send"] == 1
    robot.close()


def test_a_lost_answer_is_unknown_and_a_closed_port_unreachable(sim, robot):
    sim.faults.plan("timeout_after", call="webhook/send")
    assert isinstance(robot.notify(HELD), Unknown)
    closed = RobotNotifier(RobotSettings(ROBOT_KEY, "http://127.0.0.1:9/cgi-bin"))
    assert isinstance(closed.notify(HELD), Unreachable)
    closed.close()


@pytest.mark.parametrize(
    ("members", "reached"), [(("lin", "Gone"), True), (("Gone",), False), (("GONE", "Away"), False)]
)
def test_an_app_message_counts_only_when_somebody_is_reached(sim, client, members, reached):
    outcome = AppNotifier(client, 7, members).notify(HELD)
    assert isinstance(outcome, Notified) is reached
    if not reached:
        assert outcome.errcode == 81013


def test_a_yes_that_lists_everybody_as_invalid_reached_nobody(client, monkeypatch):
    monkeypatch.setattr(client, "call", lambda *_, **__: {"errcode": 0, "invaliduser": "lin", "unlicenseduser": "chen"})
    outcome = AppNotifier(client, 7, ("Lin", "Chen")).notify(HELD)
    assert isinstance(outcome, Rejected)


def test_a_key_is_not_shown():
    assert "secret-key" not in repr(RobotSettings("secret-key"))


@pytest.mark.parametrize(
    ("text", "harmless"),
    [
        ("<@all> 有新消息，@所有人", "<＠all> 有新消息，＠所有人"),
        ("@ALL @Everyone @ 所有人", "＠ALL ＠Everyone ＠ 所有人"),
        ("@所有人看房啦 @all看房", "＠所有人看房啦 ＠all看房"),
        ("<@zhangsan>", "<＠zhangsan>"),
        ("写信到 sales@example.com，面积@89㎡", "写信到 sales@example.com，面积@89㎡"),
        ("@alliance", "@alliance"),
    ],
)
def test_mentions_are_defused(text, harmless):
    assert defuse_mentions(text) == harmless


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=400), st.text(max_size=400), st.text(max_size=600))
def test_an_alert_always_fits(title, quote, link):
    assert len(render(Alert(title, quote, link)).encode("utf-8", "replace")) <= 2048


def test_hostile_quotes_are_cut():
    text = render(Alert("标题", "e" + "\u0301" * 50_000))
    assert len(text.encode()) <= 2048
