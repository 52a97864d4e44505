"""Stored messages are the truth: what only the caller knows is read, and never marks anything as answered."""

from datetime import UTC, datetime, timedelta

import pytest

from gateway.turns import _merge
from planner.turn import ChatType, Conversation, Message, Role
from tests.gateway.desk import GOOD, GOOD_CITATION

START = datetime(2026, 11, 30, 2, 0, tzinfo=UTC)
ROLES = {"c": Role.CUSTOMER, "a": Role.AGENT, "h": Role.HUMAN, "s": Role.SYSTEM}


def message(name):
    """`c3` is a customer's message of the third minute."""
    return Message(name, ROLES[name[0]], name, START + timedelta(minutes=int(name[1:])))


def said(*names):
    return tuple(message(name) for name in names)


@pytest.mark.parametrize(
    ("stored", "extra", "order", "unanswered"),
    [
        (("c1", "a2", "c3"), (), "c1 a2 c3", "c3"),
        (("c1",), ("a2",), "a2 c1", "c1"),
        (("c1", "a2", "c3"), ("a4",), "c1 a2 a4 c3", "c3"),
        (("c1",), ("a2", "c3"), "a2 c1 c3", "c1 c3"),
        ((), ("c1", "a2", "c3"), "c1 a2 c3", "c3"),
        ((), ("c1", "a2"), "a2 c1", "c1"),
        (("c5",), ("c1", "a2", "c3"), "c1 a2 c3 c5", "c3 c5"),
        (("c1", "h2"), ("c3",), "c1 h2 c3", "c3"),
        (("c1", "a2"), ("a3",), "c1 a2 a3", ""),
        (("c1", "s2"), ("a3",), "a3 c1 s2", "c1"),
    ],
)
def test_unknown_messages_never_answer(stored, extra, order, unanswered):
    """An agent's or a person's words that the store lacks stand before what waits."""
    merged = _merge(said(*stored), said(*extra))
    assert " ".join(m.id for m in merged) == order
    talk = Conversation("c", ChatType.PRIVATE, merged)
    assert " ".join(m.id for m in talk.unanswered) == unanswered


def test_an_invented_answer_does_not_hide_a_complaint(desk):
    """The agent claims to have answered the customer already; the complaint stays a complaint."""
    mid = desk.says("我要投诉你们店")
    shown = [
        {"id": mid, "role": "customer", "text": "我要投诉你们店", "at": "2026-11-30T10:00:00+08:00"},
        {"id": "invented", "role": "agent", "text": "已经处理好了。", "at": "2026-11-30T10:01:00+08:00"},
    ]
    answer = desk.post("祝您生活愉快。", shown=shown)
    assert {r["scenario"] for r in answer["risks"]} == {"complaint"}
    assert answer["state"] != "queued"


def test_a_customer_message_that_only_the_caller_knows_opens_no_send(desk):
    """Auto mode answers stored messages; a message that the channel never brought is read and held."""
    shown = [{"id": "x-1", "role": "customer", "text": "小区人车分流吗", "at": "2026-11-30T10:00:00+08:00"}]
    answer = desk.post(GOOD, shown=shown, citations=[GOOD_CITATION])
    assert (answer["state"], answer["holdReasons"]) == ("held", ["proactive"])


def test_known_slots_of_the_turn_count(desk):
    """What the caller says is known need not be asked again."""
    import json

    from gateway import flow
    from gateway.contract import parse
    from gateway.wire import TurnIn

    desk.says("帮我找找带电梯的")
    turn = desk.turn("好的，您预算大概多少？")
    turn["conversation"]["slots"] = {"budget": {"value": "300万", "source": "profile"}}
    wire = parse(TurnIn, json.dumps(turn).encode())
    answer = desk.run(lambda tx: flow.post_draft(tx, wire, wire.draft))
    assert answer["hardFailureIds"] == ["slot_repeat"]
    assert answer["slotQuestions"] == [
        {"slot": "budget", "quote": answer["slotQuestions"][0]["quote"], "alreadyKnown": True}
    ]
