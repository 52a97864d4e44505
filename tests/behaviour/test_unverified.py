"""What nobody could verify about the platform: kinds, facts turned either way, messages out of order."""

import threading
from datetime import timedelta

import pytest

from outbound.simulator.world import ACCOUNT, SERVICER
from tests.behaviour.shop import ASKED, CUSTOMER
from tests.gateway.desk import GOOD, HANDOFF
from tests.outbound.test_knobs import KNOBS


@pytest.mark.parametrize("kind", ["channels_shop_order", "chatrecord", "some_later_kind"])
def test_a_kind_that_nobody_knows_is_kept_and_needs_a_person(shop, kind):
    """The wire names of newer kinds are not verified: whatever comes is stored, shown, and never answered by itself."""
    shop.world.people.sends(CUSTOMER, kind, {"anything": {"deep": [1]}})
    shop.service.pull_all()
    (message,) = shop.talk()["messages"]
    assert message["role"] == "customer" and message["text"].strip("[]")
    draft = shop.post("好的，我看一下您发的内容。")
    shop.carry()
    assert draft["requiresHuman"] and draft["state"] != "queued"
    assert shop.calls == 0
    assert message["text"] in shop.browser().draft(draft).text


TURNED = [(knob, value) for knob, values in KNOBS.items() for value in values[1:]]


@pytest.mark.parametrize(("knob", "value"), TURNED)
def test_what_nobody_verified_may_be_the_other_way(shop, knob, value):
    """One customer's story with an unverified fact of the platform turned: the same messages, the same Deliveries."""
    shop.world.turn(**{knob: value})
    shop.says()
    shop.post_good()
    shop.carry()
    shop.world.expire_tokens()
    shop.says("有几部电梯呢")
    shop.post("有几部电梯我核实后回您。")
    shop.carry()
    shop.world.world.advance(49 * 3600)
    shop.clock.shift += timedelta(hours=49)
    assert shop.write("还在看房吗？").status_code == 422
    shop.colleague_says("在的，您说")
    shop.world.people.ends(CUSTOMER)
    shop.service.pull_all()
    shop.says("我要投诉你们店")
    line = shop.post(HANDOFF, requiresHuman=True)
    assert shop.approve(line).status_code == 200
    shop.carry()
    assert shop.phone() == [GOOD, "有几部电梯我核实后回您。", HANDOFF]
    assert shop.deliveries()["count"] == 3
    assert shop.talk()["sessionState"] == 3
    assert shop.world.world.talk(ACCOUNT, CUSTOMER).servicer == SERVICER
    assert threading.active_count() < 100


def told_at(shop, message_id, at, text=ASKED):
    body = {"id": message_id, "role": "customer", "text": text, "at": at.isoformat()}
    shop.ok("channel", "POST", "/v1/conversations/c-1/messages", json=body)


def test_an_older_message_that_comes_late_takes_nothing_back(shop):
    """The newer one is still asked about, its window and its quota stand."""
    known = {"id": "c-1", "account": "shop", "recipient": CUSTOMER, "chatType": "private"}
    shop.ok("channel", "POST", "/v1/conversations", json=known)
    now = shop.clock()
    told_at(shop, "m-2", now)
    before = shop.talk("c-1")
    told_at(shop, "m-1", now - timedelta(hours=30), "昨天的话")
    after = shop.talk("c-1")
    assert after["windowClosesAt"] == before["windowClosesAt"]
    assert [row["momentId"] for row in shop.inbox()] == ["m-2"]


def test_a_clock_that_is_ahead_opens_no_longer_window(shop):
    """Forty-eight hours count from when the message was heard at the latest."""
    known = {"id": "c-1", "account": "shop", "recipient": CUSTOMER, "chatType": "private"}
    shop.ok("channel", "POST", "/v1/conversations", json=known)
    told_at(shop, "m-1", shop.clock() + timedelta(days=10))
    closes = shop.talk("c-1")["windowClosesAt"]
    assert closes <= (shop.clock() + timedelta(hours=48)).isoformat()
    shop.clock.shift += timedelta(hours=49)
    assert shop.write("还在看房吗？", "c-1").status_code == 422


@pytest.mark.parametrize("way", ["accepted", "seen in the chat"])
def test_what_the_customer_writes_while_a_reply_is_on_its_way_is_still_to_be_answered(shop, way):
    """The reply answers what it had seen; the next question is asked about and may be answered by itself."""
    shop.says("您好，" + ASKED)
    draft = shop.post_good()
    send = shop.channel.client.send_text

    def meanwhile(*given):
        shop.says("物业是哪家公司")
        return send(*given)

    shop.channel.client.send_text = meanwhile
    if way != "accepted":
        shop.world.faults.plan("timeout_after")
    shop.carry()
    shop.channel.client.send_text = send
    if way != "accepted":
        lin = shop.browser()
        lin.submit(lin.draft(draft).form("/settle"), arrived="yes")
    assert shop.draft(draft)["state"] == "sent"
    assert [m["role"] for m in shop.talk()["messages"]] == ["customer", "agent", "customer"]
    assert len(shop.inbox()) == 1
    answer = shop.post("物业公司我核实后回您。")
    shop.carry()
    assert answer["state"] == "queued"
    assert shop.phone() == [GOOD, "物业公司我核实后回您。"]
