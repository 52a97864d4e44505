import pytest

from outbound.handoff import HandedOver, NotHandedOver, hand_over
from outbound.outcome import Accepted, Rejected
from outbound.session import SessionState
from outbound.simulator.world import ACCOUNT, SERVICER
from tests.outbound.kit import CUSTOMER, NOW, message, permit_for

TRANS = "kf/service_state/trans"
GET = "kf/service_state/get"


@pytest.fixture(autouse=True)
def _customer(sim):
    sim.people.says(CUSTOMER, "我要投诉")


def test_the_pool_takes_a_session_and_one_text_follows(sim, sender):
    handed = hand_over(sender, ACCOUNT, CUSTOMER)
    assert isinstance(handed, HandedOver)
    assert handed.state is SessionState.POOL
    sent = message("已为您转接人工，请稍等。", event_code=handed.event_code)
    assert isinstance(sender.send(sent, permit_for(sent), NOW), Accepted)
    plain = message("再补一句。", "out-2")
    refused = sender.send(plain, permit_for(plain), NOW)
    assert isinstance(refused, Rejected)
    assert refused.reason == "human_owns"


def test_a_named_servicer_takes_it(sender):
    handed = hand_over(sender, ACCOUNT, CUSTOMER, SERVICER)
    assert isinstance(handed, HandedOver)
    assert (handed.state, handed.servicer) == (SessionState.HUMAN, SERVICER)


def test_a_stopped_servicer_gives_way_to_another_then_to_the_pool(sim, sender):
    sim.world.accounts[ACCOUNT].servicers = {"away": False, "here": True}
    handed = hand_over(sender, ACCOUNT, CUSTOMER, "away")
    assert isinstance(handed, HandedOver)
    assert handed.servicer == "here"

    sim.people.says("wm_second", "找人")
    sim.world.accounts[ACCOUNT].servicers = {"away": False}
    handed = hand_over(sender, ACCOUNT, "wm_second", "away")
    assert isinstance(handed, HandedOver)
    assert handed.state is SessionState.POOL


def test_a_refused_move_promises_nothing(sim, sender):
    sim.world.talk(ACCOUNT, CUSTOMER).state = SessionState.ENDED
    handed = hand_over(sender, ACCOUNT, CUSTOMER)
    assert isinstance(handed, NotHandedOver)
    assert (handed.reason, handed.maybe) == ("channel_handoff_failed", False)
    assert sim.world.calls[TRANS] == 1
    assert sim.world.arrived(CUSTOMER) == []


def test_a_session_that_people_took_meanwhile_is_handed_over_without_a_text(sim, sender):
    sim.people.takes(SERVICER, CUSTOMER)
    handed = hand_over(sender, ACCOUNT, CUSTOMER)
    assert handed == HandedOver(SessionState.HUMAN, None, SERVICER)


def test_a_move_whose_answer_was_lost_is_looked_up(sim, sender):
    sim.faults.plan("timeout_after", call=TRANS)
    handed = hand_over(sender, ACCOUNT, CUSTOMER)
    assert handed == HandedOver(SessionState.POOL, None)


def test_a_move_that_never_arrived_is_looked_up(sim, sender):
    sim.faults.plan("timeout_before", call=TRANS)
    handed = hand_over(sender, ACCOUNT, CUSTOMER)
    assert isinstance(handed, NotHandedOver)
    assert not handed.maybe


def test_a_move_of_unknown_end_that_cannot_be_looked_up_may_have_happened(sim, sender):
    sim.faults.plan("timeout_after", call=TRANS)
    sim.faults.plan("http", 500, call=GET)
    handed = hand_over(sender, ACCOUNT, CUSTOMER)
    assert isinstance(handed, NotHandedOver)
    assert handed.maybe


def test_a_second_move_gives_no_second_code(sim, sender):
    first = hand_over(sender, ACCOUNT, CUSTOMER)
    second = hand_over(sender, ACCOUNT, CUSTOMER)
    assert isinstance(first, HandedOver)
    assert isinstance(second, HandedOver)
    assert first.event_code
    assert second.event_code is None


def test_a_stopped_channel_does_not_look_up(sim, sender):
    sim.faults.plan("errcode", 95017, call=TRANS)
    assert isinstance(hand_over(sender, ACCOUNT, CUSTOMER), NotHandedOver)
    assert sim.world.calls[GET] == 0


def test_when_every_target_is_refused_nothing_is_promised(sim, sender):
    sim.faults.plan("errcode", 95019, call=TRANS, times=9)
    handed = hand_over(sender, ACCOUNT, CUSTOMER, SERVICER)
    assert isinstance(handed, NotHandedOver)
    assert sim.world.calls[TRANS] == 2
