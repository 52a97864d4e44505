"""Behaviours of what becomes of a message, over real HTTP to a simulated WeCom, which counts what arrived."""

import socket
import threading
from datetime import datetime, timedelta

import pytest
from sqlalchemy import inspect

from gateway.tables import Account
from outbound.simulator.app import Simulator
from outbound.simulator.run import serve
from outbound.simulator.world import CORP_ID, SECRET
from outbound.wecom.sender import WeComSender
from outbound.wecom.settings import WeComSettings
from tests.behaviour.shop import CUSTOMER, SEND, refused
from tests.gateway.desk import GOOD


def states(shop, draft):
    return [message["state"] for message in shop.draft(draft)["messages"]]


def test_o_01_http_200_with_an_error_code(case, shop):
    """The body decides, not the status: no Delivery, and people see the code."""
    shop.says()
    draft = shop.post_good()
    shop.world.faults.plan("errcode", case.given["wecom_response"]["errcode"])
    shop.carry()
    case.equals("Delivery_count", shop.deliveries()["count"])
    assert states(shop, draft) == ["channel_rejected"]
    case.differs("state", shop.draft(draft)["state"], "send_failed")
    assert shop.draft(draft)["messages"][0]["errcode"] == 40096
    case.holds("error_shown", "40096" in shop.browser().draft(draft).text)


def test_o_04_timeout_after_the_server_may_have_accepted(case, shop):
    """One call, whatever time passes: a person looks into the chat."""
    shop.says()
    draft = shop.post_good()
    shop.world.faults.plan("timeout_after")
    for _ in range(4):
        shop.carry()
        shop.clock.shift += timedelta(minutes=30)
    assert shop.phone() == [GOOD]
    (message,) = shop.draft(draft)["messages"]
    case.equals("state", message["state"])
    case.equals("wecom_calls", shop.calls)
    case.equals("automatic_retry", message["attempts"] > 1)
    assert shop.deliveries()["count"] == 0


def test_o_05_connection_refused_before_anything_was_written(case, open_shop):
    """Nobody listens, then somebody does: the provable failure is tried again, and one message is made."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    base = f"http://127.0.0.1:{port}/cgi-bin"
    shop = open_shop(reached=WeComSettings(CORP_ID, SECRET, base))
    known = {"id": "c-1", "account": "shop", "recipient": CUSTOMER, "chatType": "private"}
    shop.ok("channel", "POST", "/v1/conversations", json=known)
    told = {"id": "m-1", "role": "customer", "text": "小区人车分流吗", "at": shop.clock().isoformat()}
    shop.ok("channel", "POST", "/v1/conversations/c-1/messages", json=told)
    draft = shop.post_good("c-1")
    shop.carry()
    assert states(shop, draft) == ["queued"]
    simulator = Simulator()
    simulator.people.says(CUSTOMER, "小区人车分流吗")
    with serve(port, simulator=simulator) as late:
        shop.clock.shift += timedelta(minutes=2)
        shop.carry()
        case.equals("wecom_accepted", len(late.simulator.world.arrived(CUSTOMER)))
        case.equals("Delivery_count", shop.deliveries()["count"])
        case.holds("retries", shop.draft(draft)["messages"][0]["attempts"] == 2)


@pytest.mark.parametrize("ended", [True, False], ids=["the session is over", "the platform only says so"])
def test_o_19_window_or_session_closed(case, shop, ended):
    """Refused for the session's sake: kept, not repeated, and people are told where to answer."""
    shop.says()
    draft = shop.post_good()
    if ended:
        shop.world.people.takes("servicer_lin", CUSTOMER)
        shop.world.people.ends(CUSTOMER)
    else:
        shop.world.faults.plan("errcode", 95018)
    for _ in range(3):
        shop.carry()
        shop.clock.shift += timedelta(minutes=5)
    shown = shop.draft(draft)
    case.differs("state", shown["state"], "held")
    case.equals("retry", shop.world.world.calls[SEND] > 1)
    case.equals("draft_kept", shown["text"] == GOOD)
    assert shown["holdReasons"] == ["window_closed"] and shown["messages"][0]["errcode"] == 95018
    page = shop.browser().draft(draft).text
    case.holds("operator_told", "95018" in page and "窗口" in page)


def test_o_19_a_session_with_people_is_answered_in_their_client(shop):
    """95018 because a colleague took the session: the page says where to answer."""
    shop.says()
    draft = shop.post_good()
    shop.world.people.takes("servicer_lin", CUSTOMER)
    shop.carry()
    assert shop.draft(draft)["holdReasons"] == ["human_owns"]
    assert shop.talk()["withPeople"], "what the platform said is known from now on"
    assert "请在企业微信客户端里回复" in shop.browser().draft(draft).text


def test_o_20_reply_window_over_or_count_used_up(case, open_shop):
    """Known before any call: nothing is tried, and people see why."""
    shop = open_shop("autopilot")
    shop.clock.stand_at(datetime.fromisoformat(case.given["now"]))
    known = {"id": "c-1", "account": "shop", "recipient": CUSTOMER, "chatType": "private"}
    shop.ok("channel", "POST", "/v1/conversations", json=known)
    told = {"id": "m-1", "role": "customer", "text": "小区人车分流吗", "at": case.given["last_inbound"]}
    shop.ok("channel", "POST", "/v1/conversations/c-1/messages", json=told)
    draft = shop.post_good("c-1")
    shop.carry()
    shown = shop.draft(draft)
    refused(shop.write("您好，还在看房吗？", "c-1"), 422, "window_closed")
    case.equals("wecom_calls", shop.calls)
    case.holds("state", (shown["state"], shown["holdReasons"]) == ("held", ["window_closed"]))
    case.equals("operator_told", "48 小时回复窗口已关闭" in shop.browser().draft(draft).text)


def test_o_20_the_count_of_five(shop):
    """Five messages for one of the customer's; the sixth is not tried, and one is kept back from the agent."""
    shop.says()
    for number in range(4):
        assert shop.write(f"第{number}条，您看一下。").status_code == 200
        shop.carry()
    assert shop.post("我再帮您问一下。")["state"] == "held"
    shop.carry()
    assert shop.calls == 4
    assert shop.write("第五条，您看一下。").status_code == 200
    shop.carry()
    refused(shop.write("第六条，您看一下。"), 422, "quota_used")
    assert "可发的条数已用完" in shop.browser().draft(shop.post("我再帮您问一下。")).text
    assert shop.calls == 5


class FailsMeanwhile(WeComSender):
    """The platform's word that the message failed is heard before the answer to the call itself."""

    def post(self, message):
        outcome = super().post(message)
        self.meanwhile()
        return outcome


@pytest.mark.parametrize("early", [True, False], ids=["failure heard first", "failure heard later"])
def test_o_23_receipts_out_of_order(case, open_shop, early):
    """Failed is final, in whichever order the two words come."""
    shop = open_shop(channel=FailsMeanwhile)
    shop.channel.meanwhile = shop.service.pull_all if early else lambda: None
    shop.says()
    draft = shop.post_good()
    shop.world.faults.plan("fail_type", 10)
    shop.carry()
    shop.service.pull_all()
    shop.service.run(lambda tx: tx.change(Account, {"id": "shop"}, cursor=""))
    shop.service.pull_all()
    assert states(shop, draft) == ["failed_later"]
    listed = shop.deliveries()
    case.holds("final", [d["state"] for d in listed["items"]] == ["failed_later"] and listed["count"] == 0)
    assert shop.draft(draft)["state"] == "send_failed"


def test_o_27_manual_send_repeated_by_the_browser(case, shop):
    """The same request twelve seconds later gets the first answer."""
    cid = shop.says()
    body = {
        "text": "您好，我是小林。",
        "clientRequestId": case.given["client_request_id"],
        "lastSeenMessageId": shop.talk()["newestMessageId"],
    }
    answers = []
    for _ in range(case.given["posts"]):
        answers.append(shop.call("operator", "POST", f"/v1/conversations/{cid}/manual-send", json=body))
        shop.carry()
        shop.clock.shift += timedelta(seconds=case.given["gap_s"])
    case.holds("second_response", answers[0].json() == answers[1].json() and answers[1].status_code == 200)
    case.equals("wecom_calls", shop.calls)


def test_o_28_idempotency_key_enforced_by_the_database(case, shop):
    """Five at once with one key: one message, and all five hear the same."""
    cid = shop.says()
    body = {"text": "您好，我是小林。", "clientRequestId": "r-1", "lastSeenMessageId": shop.talk()["newestMessageId"]}
    gate, answers = threading.Barrier(case.given["parallel_posts"]), []

    def post():
        gate.wait()
        answers.append(shop.call("operator", "POST", f"/v1/conversations/{cid}/manual-send", json=body))

    threads = [threading.Thread(target=post) for _ in range(case.given["parallel_posts"])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert {(a.status_code, a.text) for a in answers} == {(200, answers[0].text)} and len(answers) == 5
    shop.carry()
    case.equals("wecom_calls", shop.calls)
    keys = inspect(shop.service.store.engine).get_pk_constraint("idempotency")["constrained_columns"]
    case.holds("enforced_by", set(keys) == {"scope", "key"})


def test_o_35_job_queue_retry_is_a_send_retry(case, shop):
    """The timed work that runs again after a time-out asks a person; once they send again, the id is the same."""
    shop.says()
    draft = shop.post_good()
    shop.world.faults.plan("timeout_after")
    shop.carry()
    shop.clock.shift += timedelta(seconds=31)
    shop.service.courier.recover()
    shop.carry()
    assert shop.draft(draft)["state"] == "send_unknown"
    lin = shop.browser()
    assert lin.draft(draft).has_form("/again")
    lin.press(f"/drafts/{draft['draftId']}", "/again")
    shop.carry()
    case.holds("state_on_second_run", states(shop, draft) == ["unknown"])
    case.equals("wecom_accepted", len(shop.phone()))
