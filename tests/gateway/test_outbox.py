"""What became of a message: states kept apart, nothing repeated that may have arrived, Deliveries counted honestly."""

import pytest

from gateway import aftermath, approval
from gateway.outbox import send_state
from gateway.tables import Account, OutboundRow
from outbound.errors import Action
from outbound.outcome import Rejected, Unknown, Unreachable
from tests.gateway.desk import GOOD, refused


@pytest.fixture
def asked(desk):
    """A good answer in the queue."""
    desk.says("小区人车分流吗")
    desk.id = desk.post_good()["draftId"]
    desk.out = desk.service.look(lambda tx: tx.one(OutboundRow, draft_id=desk.id)).outbound_id
    return desk


def message(desk):
    return desk.service.look(lambda tx: tx.one(OutboundRow, outbound_id=desk.out))


def test_an_unknown_outcome_is_never_repeated(asked):
    """A lost answer: one call, not counted, a person decides."""
    asked.channel.plan(Unknown("timeout"))
    asked.carry()
    asked.clock.forward(hours=1)
    asked.carry()
    assert (message(asked).state, asked.draft(asked.id)["state"], asked.arrived) == ("unknown", "send_unknown", [])
    assert asked.deliveries()["count"] == 0


def test_send_again_once_with_the_same_id(asked):
    """An operator may repeat an unknown one, under the same channel id, once."""
    asked.channel.plan(Unknown("timeout"), Unknown("timeout"))
    asked.carry()
    before = message(asked).msgid
    asked.run(lambda tx: aftermath.send_again(tx, asked.out, "op-1"))
    asked.carry()
    assert (message(asked).state, message(asked).msgid) == ("unknown", before)
    refused(lambda: asked.run(lambda tx: aftermath.send_again(tx, asked.out, "op-1")), "sent_again_before")


@pytest.mark.parametrize(("arrived", "state"), [(True, "sent"), (False, "held")])
def test_a_person_says_what_the_chat_shows(asked, arrived, state):
    """It arrived: the talk shows it and no Delivery is counted. It did not: the draft is back."""
    asked.channel.plan(Unknown("timeout"))
    asked.carry()
    asked.run(lambda tx: aftermath.settle_unknown(tx, asked.out, arrived=arrived, actor="op-1"))
    assert asked.draft(asked.id)["state"] == state
    assert asked.deliveries()["count"] == 0
    assert asked.talk().unanswered is not arrived


def test_an_unreachable_channel_is_tried_again(asked):
    """Nothing was written: the same message goes later, three tries at most."""
    asked.channel.plan(Unreachable("refused"))
    asked.carry()
    assert message(asked).state == "queued"
    asked.clock.forward(seconds=5)
    asked.carry()
    assert asked.arrived == [GOOD]


def test_an_unreachable_channel_gets_three_tries(asked):
    """Nothing was ever written: the message goes back to a person."""
    asked.channel.plan(*[Unreachable("refused")] * 5)
    for _ in range(6):
        asked.carry()
        asked.clock.forward(seconds=60)
    assert (message(asked).attempts, message(asked).state) == (3, "held")
    assert "channel_unreachable" in asked.draft(asked.id)["holdReasons"]


def test_three_tries_and_then_a_person(asked):
    """A platform that stays busy does not get a fourth call."""
    busy = Rejected(-1, Action.RETRY, "channel_busy", "busy")
    asked.channel.plan(*[busy] * 5)
    for _ in range(6):
        asked.carry()
        asked.clock.forward(seconds=40)
    # busy is no proof that nothing arrived: a person looks into the chat
    assert (message(asked).attempts, message(asked).state) == (3, "unknown")


@pytest.mark.parametrize(
    ("action", "state", "draft_state"),
    [
        (Action.PAYLOAD, "channel_rejected", "send_failed"),
        (Action.HUMAN, "held", "held"),
        (Action.REOPEN, "held", "held"),
    ],
)
def test_a_refusal_keeps_its_code(asked, action, state, draft_state):
    """Refused messages are no Deliveries and show the channel's code."""
    asked.channel.plan(Rejected(40096, action, "channel_rejected", "invalid external userid"))
    asked.carry()
    assert (message(asked).state, message(asked).errcode, asked.draft(asked.id)["state"]) == (state, 40096, draft_state)
    assert "40096" in message(asked).hint
    assert asked.deliveries()["count"] == 0


def test_a_configuration_fault_stops_the_channel_and_keeps_the_queue(asked):
    """No retries; after an operator restarts the channel the message is decided anew and sent."""
    asked.channel.plan(Rejected(60020, Action.CONFIG, "channel_stopped", "not a trusted IP"))
    asked.carry()
    assert message(asked).state == "queued"
    assert "60020" in asked.service.look(lambda tx: tx.one(Account, id="shop")).stopped_reason
    asked.carry()
    assert asked.arrived == []
    asked.run(lambda tx: aftermath.restart_channel(tx, "shop", "op-1"))
    asked.carry()
    assert asked.arrived == [GOOD]


def test_a_later_failure_leaves_the_count(asked):
    """msg_send_fail takes the Delivery out, whatever comes after."""
    asked.carry()
    msgid = message(asked).channel_message_id
    assert asked.deliveries()["count"] == 1
    assert asked.run(lambda tx: aftermath.channel_failed(tx, msgid, 10, "the customer refuses"))
    listed = asked.deliveries()
    assert (listed["count"], listed["items"][0]["state"], listed["items"][0]["failType"]) == (0, "failed_later", 10)
    assert asked.draft(asked.id)["state"] == "send_failed"
    answer = asked.run(lambda tx: approval.reopen(tx, asked.id, "op-1"))
    assert (answer["state"], answer["version"]) == ("held", 2)


def test_a_process_that_dies_in_the_call_leaves_unknown(asked):
    """Sending and never settled: after a while a person is asked, nothing is repeated."""
    from gateway import send_entry

    asked.run(lambda tx: send_entry.admit(tx, asked.out))
    asked.clock.forward(minutes=2)
    assert asked.service.courier.recover() == 1
    assert asked.draft(asked.id)["state"] == "send_unknown"
    asked.carry()
    assert asked.arrived == []


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        (["accepted", "unknown"], "send_unknown"),
        (["accepted", "sending"], "sending"),
        (["queued", "held"], "queued"),
        (["accepted", "accepted"], "sent"),
        (["accepted", "held"], "sent_partial"),
        (["held", "held"], "held"),
        (["channel_rejected", "held"], "send_failed"),
        (["failed_later"], "send_failed"),
    ],
)
def test_a_drafts_state_from_its_messages(states, expected):
    """First match of the contract's list."""
    assert send_state(states) == expected


def test_a_refusal_after_a_doubtful_call_proves_nothing(asked):
    """Busy, then `this id was used before`: the first copy may have arrived, so a person decides."""
    asked.channel.plan(
        Rejected(-1, Action.RETRY, "channel_busy", "busy"),
        Rejected(40058, Action.PAYLOAD, "channel_rejected", "id used"),
    )
    asked.carry()
    asked.clock.forward(seconds=10)
    asked.carry()
    assert (message(asked).state, asked.draft(asked.id)["state"]) == ("unknown", "send_unknown")
    assert asked.conversation_row().quota_used == 1


def test_a_message_that_did_not_leave_gives_its_quota_back(asked):
    """Refused for good: the customer's five messages are still five."""
    asked.channel.plan(Rejected(40096, Action.PAYLOAD, "channel_rejected", "no such user"))
    asked.carry()
    assert asked.conversation_row().quota_used == 0


def test_a_passing_text_that_no_clean_cut_fits_is_held(desk, monkeypatch):
    """The draft is stored and waits; nothing is lost, nothing is cut."""
    from gateway import flow
    from gateway.errors import Refused

    def no_cut(_text, _most):
        raise Refused("too_long", "no clean cut fits")

    monkeypatch.setattr(flow, "cut", no_cut)
    desk.says("小区人车分流吗")
    answer = desk.post_good()
    assert (answer["state"], answer["fallbackReason"], answer["holdReasons"]) == ("held", "", ["too_long"])
