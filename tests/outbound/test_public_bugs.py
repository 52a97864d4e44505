"""What went wrong in public WeCom integrations, as behaviour that must not come back here."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from outbound.errors import Action
from outbound.log import pages
from outbound.outcome import Accepted, Rejected, Unknown
from outbound.segments import is_msgid, msgid_for, split
from outbound.session import EventKind, Page
from outbound.simulator.world import ACCOUNT, SERVICER
from outbound.steps import MessageState, step_after
from outbound.wecom.events import SendFailed, event_of
from outbound.wecom.sender import WeComSender
from tests.outbound.kit import CUSTOMER, NOW, message, permit_for

SEND, SYNC = "kf/send_msg", "kf/sync_msg"


@pytest.fixture(autouse=True)
def _customer(sim):
    sim.people.says(CUSTOMER, "你好")


def send(sender: WeComSender, number: int = 1, text: str = "您好，请讲。", **changes: object):
    sent = message(text, f"out-{number}", **changes)
    return sender.send(sent, permit_for(sent), NOW)


def pulled(sender: WeComSender, cursor: str = ""):
    return [item for page in pages(sender, ACCOUNT, cursor) if isinstance(page, Page) for item in page.items]


def test_02_a_repeated_item_keeps_its_id_over_pulls_and_restarts(sender, client):
    first = [item.msgid for item in pulled(sender)]
    assert [item.msgid for item in pulled(WeComSender(client))] == first


def test_03_session_refusal_tells_that_people_own_it_without_a_retry(sim, sender):
    sim.people.takes(SERVICER, CUSTOMER)
    outcome = send(sender)
    assert isinstance(outcome, Rejected)
    assert (outcome.errcode, outcome.reason) == (95018, "human_owns")
    assert "answer in the WeCom client" in outcome.detail
    assert step_after(outcome, tries=1).state is MessageState.HELD
    assert sim.world.calls[SEND] == 1


def test_04_parts_of_one_reply_have_their_own_ids_and_arrive_in_order(sim, sender):
    parts = split("看房时间可以再约。" * 180, 3)
    ids = [msgid_for("out-1", number) for number in range(1, len(parts) + 1)]
    assert len(set(ids)) == len(parts) == 3
    for number, part in enumerate(parts, 1):
        outcome = send(sender, 1, part, segment=number)
        assert isinstance(outcome, Accepted)
        assert outcome.channel_message_id == ids[number - 1]
    assert sim.world.arrived(CUSTOMER) == list(parts)


def test_05_an_inbound_id_is_never_sent_back(sim, sender):
    inbound = pulled(sender)[0].msgid
    assert len(inbound) == 44
    assert not is_msgid(inbound)
    assert send(sender, msgid=inbound).reason == "bad_msgid"
    assert sim.world.calls[SEND] == 0


def test_06_proactive_ids_fit_too(sim, sender):
    long_id = "proactive-follow-up-" + "f" * 200
    sent = message("最近有新房源。", long_id)
    assert len(sent.msgid.encode()) <= 32
    assert isinstance(sender.send(sent, permit_for(sent), NOW), Accepted)


def test_07_a_page_of_several_an_empty_page_and_a_long_backlog_all_arrive(sim, sender):
    for number in range(1202):
        sim.people.says(CUSTOMER, f"第{number}句")
    sim.people.enters(CUSTOMER)
    sim.empty_pages(1)
    items = pulled(sender)
    assert len(items) == 1204
    assert items[-1].event is EventKind.ENTER
    assert (items[-1].account, items[-1].customer) == (ACCOUNT, CUSTOMER)


def test_07_reading_and_moving_a_session_are_two_calls(sim, client):
    client.session(ACCOUNT, CUSTOMER)
    assert sim.world.calls["kf/service_state/get"] == 1
    assert sim.world.calls["kf/service_state/trans"] == 0


def test_08a_a_page_lost_in_a_crash_is_pulled_again(sim, sender):
    first = next(pages(sender, ACCOUNT, ""))
    assert isinstance(first, Page)
    # the process died before it stored the page: the old cursor gives the same page
    assert pulled(sender) == list(first.items)


def test_08b_the_message_that_triggered_the_first_callback_is_not_drained(sim, sender):
    assert [item.text for item in pulled(sender)] == ["你好"]


def test_08c_a_servicers_words_are_not_the_customers(sim, sender):
    sim.people.servicer_says(SERVICER, CUSTOMER, "我是小林")
    assert [item.text for item in pulled(sender) if item.from_customer] == ["你好"]


@pytest.mark.parametrize("fail_type", [0, 4, 5, 6, 10, 13, 99])
def test_08d_a_later_failure_names_the_accepted_message(sim, sender, fail_type):
    sim.faults.plan("fail_type", fail_type)
    outcome = send(sender)
    assert isinstance(outcome, Accepted)
    failures = [told for told in map(event_of, pulled(sender)) if isinstance(told, SendFailed)]
    assert [(told.msgid, told.fail_type) for told in failures] == [(outcome.channel_message_id, fail_type)]
    assert sim.world.arrived(CUSTOMER) == []


def test_08e_a_failed_call_is_a_value_that_must_be_handled(sim, sender):
    sim.faults.plan("http", 500, call=SYNC)
    assert isinstance(sender.sync(ACCOUNT, ""), Unknown)


def test_08f_a_token_that_ends_in_the_middle_is_renewed(sim, sender):
    assert isinstance(send(sender, 1), Accepted)
    sim.world.advance(7201)
    sim.people.says(CUSTOMER, "还在吗")
    assert isinstance(send(sender, 2), Accepted)


def test_09_a_pull_always_names_its_account(sim, sender):
    sim.people.open_account("wk_second")
    sim.people.says(CUSTOMER, "另一个入口", "wk_second")
    assert [item.text for item in pulled(sender)] == ["你好"]
    page = sender.sync("wk_second", "")
    assert isinstance(page, Page)
    assert [item.text for item in page.items] == ["另一个入口"]


def test_10_an_empty_id_is_never_sent(sim, sender):
    assert send(sender, msgid="").reason == "bad_msgid"
    assert sim.world.calls[SEND] == 0


def test_11_two_events_of_one_second_are_both_kept(sim, sender):
    sim.people.enters(CUSTOMER)
    sim.people.enters(CUSTOMER)
    events = [item for item in pulled(sender) if item.event is EventKind.ENTER]
    assert len({item.msgid for item in events}) == 2


def test_12_fifty_parallel_sends_with_an_expired_token_fetch_one(sim, sender):
    for number in range(50):
        sim.people.says(f"wm_{number}", "在吗")
    send(sender, 999)
    sim.expire_tokens()
    gate = threading.Barrier(25)

    def one(number: int):
        if number < 25:
            gate.wait()
        return send(sender, number, recipient=f"wm_{number}")

    with ThreadPoolExecutor(25) as pool:
        outcomes = list(pool.map(one, range(50)))
    assert all(isinstance(outcome, Accepted) for outcome in outcomes)
    assert sim.world.calls["gettoken"] == 2


@pytest.mark.parametrize("errcode", [40014, 42001])
def test_13_both_words_for_an_expired_token_renew_it(sim, sender, errcode):
    sim.turn(expired_token_errcode=errcode)
    send(sender, 1)
    sim.expire_tokens()
    assert isinstance(send(sender, 2), Accepted)


def test_14_a_server_that_always_refuses_the_token_is_called_twice_then_alarmed(sim, sender):
    sim.faults.plan("errcode", 40014, times=100)
    outcome = send(sender)
    assert isinstance(outcome, Rejected)
    assert (outcome.action, outcome.reason) == (Action.CONFIG, "channel_stopped")
    step = step_after(outcome, tries=1)
    assert (step.stop_channel, step.alert) == (True, True)
    for number in range(2, 6):
        assert send(sender, number).action is Action.CONFIG
    assert sim.world.calls == {"gettoken": 2, SEND: 2}


def test_15_a_timeout_is_unknown_and_has_no_fallback(sim, sender):
    sim.faults.plan("timeout_after")
    outcome = send(sender)
    assert isinstance(outcome, Unknown)
    assert step_after(outcome, tries=1).again_after is None
    assert len(sim.world.arrived(CUSTOMER)) == 1
    again = send(sender)  # an operator sends again with the same id
    assert step_after(again, tries=2, doubtful=True).state is MessageState.UNKNOWN
    assert len(sim.world.arrived(CUSTOMER)) == 1


def test_16_a_text_one_character_over_becomes_two_parts():
    parts = split("好" * 683, 2)
    assert [len(part) for part in parts] == [682, 1]


def test_16_a_cut_never_breaks_a_character():
    text = "🏠好" * 600
    assert "".join(split(text, 3)) == text
    assert all("\ufffd" not in part for part in split(text, 3))


def test_17_one_customers_messages_are_strictly_serial(sim, sender):
    running: list[int] = []
    overlaps: list[int] = []
    original = sender.client.send_text

    def slow(*args: object):
        running.append(1)
        overlaps.append(len(running))
        time.sleep(0.01)
        answer = original(*args)
        running.pop()
        return answer

    sender.client.send_text = slow
    with ThreadPoolExecutor(3) as pool:
        outcomes = list(pool.map(lambda number: send(sender, number), range(3)))
    assert all(isinstance(outcome, Accepted) for outcome in outcomes)
    assert overlaps == [1, 1, 1]


def test_17_two_customers_do_not_wait_for_each_other(sim, sender):
    sim.people.says("wm_other", "在吗")
    met = threading.Barrier(2, timeout=5)
    original = sender.client.send_text

    def together(*args: object):
        met.wait()
        return original(*args)

    sender.client.send_text = together
    with ThreadPoolExecutor(2) as pool:
        outcomes = list(
            pool.map(lambda to: send(sender, 1, recipient=to[0], msgid=to[1]), [(CUSTOMER, "a"), ("wm_other", "b")])
        )
    assert all(isinstance(outcome, Accepted) for outcome in outcomes)


def test_18_a_stored_cursor_replays_nothing(sim, sender):
    last = list(pages(sender, ACCOUNT, ""))[-1]
    assert isinstance(last, Page)
    assert pulled(sender, last.next_cursor) == []


def test_20_an_untrusted_address_is_a_configuration_fault_with_no_retry(sim, sender):
    sim.faults.plan("errcode", 60020, times=10)
    for number in range(3):
        outcome = send(sender, number)
        assert isinstance(outcome, Rejected)
        assert outcome.action is Action.CONFIG
        assert "60020" in outcome.detail
    assert sim.world.calls[SEND] == 1


@pytest.mark.parametrize("customer", ["wm_ABC", "wmÅ中文", "  wm  ", "0123", "wm-_=+/"])
def test_21_customer_ids_are_opaque(sim, sender, customer):
    sim.people.says(customer, "在吗")
    assert pulled(sender)[-1].customer == customer
    assert isinstance(send(sender, recipient=customer), Accepted)
    assert len(sim.world.arrived(customer)) == 1


def test_21_a_foreign_customer_id_is_given_up(sim, sender):
    outcome = send(sender, recipient="wm_of_another_corp")
    assert isinstance(outcome, Rejected)
    assert (outcome.errcode, outcome.action) == (40096, Action.PAYLOAD)


def test_22_sending_the_same_id_again_makes_no_second_message(sim, sender):
    for _ in range(4):
        send(sender)
    assert len(sim.world.arrived(CUSTOMER)) == 1


def test_23_a_yes_without_an_id_is_no_delivery(sim, sender):
    sim.faults.plan("no_msgid")
    assert isinstance(send(sender), Unknown)
