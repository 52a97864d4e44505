"""What became of a message: states kept apart, nothing repeated that may have arrived, Deliveries counted honestly."""

import time

import pytest
from sqlalchemy.exc import DBAPIError

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


RESTS = Rejected(45009, Action.RATE, "rate_limited", "the platform's limit", retry_after=60.0)


def test_pauses_do_not_use_up_the_tries(asked):
    """Three times paused and then busy once: it is tried again, not given to a person."""
    asked.channel.plan(RESTS, RESTS, RESTS, Rejected(-1, Action.RETRY, "channel_busy", "busy"))
    for _ in range(4):
        asked.carry()
        asked.clock.forward(seconds=61)
    assert (message(asked).attempts, message(asked).rests, message(asked).state) == (4, 3, "queued")
    asked.carry()
    assert asked.arrived == [GOOD]


def test_a_process_that_still_rests_does_not_stop_the_channel_again(asked):
    """An operator restarted it; a worker that had not heard yet makes no call, and that is no news."""
    asked.channel.plan(Rejected(60020, Action.CONFIG, "channel_stopped", "not a trusted IP", retry_after=40.0))
    asked.carry()
    account = asked.service.look(lambda tx: tx.one(Account, id="shop"))
    assert (account.stopped_reason, message(asked).state) == (None, "queued")
    asked.clock.forward(seconds=41)
    asked.carry()
    assert asked.arrived == [GOOD]


def test_a_restart_is_heard_by_the_channel(asked):
    """The channel's own rest ends with the operator's word."""
    asked.run(lambda tx: aftermath.restart_channel(tx, "shop", "op-1"))
    assert asked.channel.resumed == "shop"


def test_a_late_yes_is_the_truth_and_a_late_no_proves_nothing(asked):
    """The lease was over, the message unknown; then the worker that was thought lost tells what became of it."""
    from gateway import send_entry, settling
    from outbound.outcome import Accepted

    admitted = asked.run(lambda tx: send_entry.admit(tx, asked.out))
    asked.clock.forward(minutes=2)
    asked.service.courier.recover()
    asked.run(lambda tx: settling.settle(tx, asked.out, Unreachable("refused"), admitted.attempt))
    assert message(asked).state == "unknown"
    asked.run(lambda tx: settling.settle(tx, asked.out, Accepted("late-1"), admitted.attempt))
    assert (message(asked).state, asked.draft(asked.id)["state"], asked.deliveries()["count"]) == (
        "accepted",
        "sent",
        1,
    )


def test_an_outcome_of_an_earlier_attempt_says_nothing_about_this_one(asked):
    """Sent again by a person: what the first worker hears late belongs to the first call."""
    from gateway import send_entry, settling

    first = asked.run(lambda tx: send_entry.admit(tx, asked.out))
    asked.clock.forward(minutes=2)
    asked.service.courier.recover()
    asked.run(lambda tx: aftermath.send_again(tx, asked.out, "op-1"))
    asked.run(lambda tx: send_entry.admit(tx, asked.out))
    asked.run(lambda tx: settling.settle(tx, asked.out, Unreachable("refused"), first.attempt))
    assert message(asked).state == "sending"


def test_a_permit_that_ended_before_the_call_holds_the_message(asked, monkeypatch):
    """Nothing was written, so nothing is unknown; a person looks at it again."""
    from gateway import send_entry

    real = send_entry.admit_held

    def slow(tx, row):
        admitted = real(tx, row)
        asked.clock.forward(minutes=1)
        return admitted

    monkeypatch.setattr(send_entry, "admit_held", slow)
    asked.carry()
    assert (message(asked).state, asked.draft(asked.id)["state"], asked.arrived) == ("held", "held", [])
    assert asked.conversation_row().quota_used == 0


def test_couriers_are_woken_and_outlive_one_messages_trouble(make_desk, monkeypatch):
    """A queued message leaves at once, not at the next look; an error in the channel or the store ends no courier."""
    from gateway.couriers import Couriers

    desk = make_desk()
    desk.account()
    desk.conversation()
    failures = iter([RuntimeError("no"), DBAPIError("x", {}, Exception("gone"))])
    real = desk.service.courier.next

    def sometimes():
        error = next(failures, None)
        if error is not None:
            raise error
        return real()

    monkeypatch.setattr(desk.service.courier, "next", sometimes)
    couriers = Couriers(desk.service.courier, 2, seconds=30)
    desk.service.store.signals.on("outbox", couriers.wake)
    couriers.start()
    for cid in ("c-1", "c-2"):
        if cid == "c-2":
            desk.conversation(cid)
        desk.says("小区人车分流吗", cid)
        desk.post_good(cid)
    end = time.monotonic() + 10
    while len(desk.arrived) < 2 and time.monotonic() < end:
        time.sleep(0.01)
    couriers.stop()
    assert desk.arrived == [GOOD, GOOD]


def test_what_cannot_even_be_held_lets_the_others_go_first(desk, monkeypatch):
    """The oldest message of all is broken: it waits a minute and blocks nobody."""
    from gateway import courier, send_entry

    desk.conversation("c-2")
    for cid in ("c-1", "c-2"):
        desk.says("小区人车分流吗", cid)
        desk.post_good(cid)
        desk.clock.forward(seconds=1)
    real = send_entry.admit_held

    def broken(tx, row):
        if row.conversation_id == "c-1":
            raise RuntimeError("no")
        return real(tx, row)

    def not_held(tx, outbound_id):
        raise RuntimeError("not even that")

    monkeypatch.setattr(send_entry, "admit_held", broken)
    monkeypatch.setattr(courier, "_not_judged", not_held)
    desk.carry()
    assert [m.recipient for m in desk.channel.sent] == ["wm_c-2"]
