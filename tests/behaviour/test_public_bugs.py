"""What went wrong in public WeCom integrations and only a whole gateway can show: it must not come back here.

The others are in tests/outbound/test_public_bugs.py; docs/behaviour.md lists all of them by number.
"""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from gateway.tables import Account
from outbound.simulator.callbacks import AES_KEY, TOKEN
from outbound.simulator.lookup import Refused
from outbound.simulator.world import ACCOUNT, CORP_ID
from outbound.wecom.crypto import callback_keys
from outbound.wecom.sender import WeComSender
from tests.behaviour.shop import ASKED, CUSTOMER, SEND
from tests.gateway.desk import GOOD, GOOD_CITATION

CALLBACK = {"wecom_callback_token": TOKEN, "wecom_callback_aes_key": AES_KEY, "wecom_corp_id": CORP_ID}


def knock(shop, times=1):
    """The platform calls the gateway; gives the seconds that each answer took."""
    sent = shop.world.callbacks._sealed(ACCOUNT, callback_keys(TOKEN, AES_KEY, CORP_ID))
    took = []
    for _ in range(times):
        begun = time.monotonic()
        response = shop.client.post("/wecom/callback", params=sent.query, content=sent.body)
        took.append(time.monotonic() - begun)
        assert (response.status_code, response.text) == (200, "success")
    return took


def until(look):
    end = time.monotonic() + 10
    while not (found := look()):
        assert time.monotonic() < end
        time.sleep(0.02)
    return found


def from_the_beginning(shop):
    """The cursor is lost: the log will be read from its first entry again."""
    shop.service.run(lambda tx: tx.change(Account, {"id": "shop"}, cursor=""))


def asked(shop, customer=CUSTOMER):
    return [m["text"] for m in shop.talk(shop.conversation(customer))["messages"] if m["role"] == "customer"]


class Waits(WeComSender):
    """A platform that shows its log when the test lets it."""

    def sync(self, *given):
        assert self.gate.wait(20)
        return super().sync(*given)


def test_01_a_callback_is_answered_at_once_and_repeated_ones_make_one_reply(open_shop):
    """The agent and the platform may be slow; the answer to the callback does not wait for them."""
    shop = open_shop(channel=Waits, **CALLBACK)
    shop.channel.gate = threading.Event()
    shop.world.people.says(CUSTOMER, ASKED)
    assert max(knock(shop, 4)) < 1, "answered while nothing of the work is done"
    assert shop.inbox() == []
    shop.channel.gate.set()
    rows = until(shop.inbox)
    until(lambda: not shop.app.state.pulls)
    for row in shop.inbox():
        assert shop.posted(GOOD, citations=[GOOD_CITATION], key=row["id"], inboxId=row["id"]).status_code == 200
    shop.carry()
    assert (len(rows), shop.phone()) == (1, [GOOD])


def test_02_a_repeated_item_is_processed_once_over_restarts(shop, platform):
    shop.says()
    shop.post_good()
    shop.carry()
    for _ in range(2):
        shop.restart(platform)
        from_the_beginning(shop)
        shop.service.pull_all()
        shop.carry()
    assert (asked(shop), shop.inbox(), shop.phone()) == ([ASKED], [], [GOOD])


def test_08a_a_crash_between_fetch_and_process_loses_nothing(shop, monkeypatch):
    """Page and cursor are one transaction: what was not stored is pulled again."""
    for text in ("在吗", "这套几楼", ASKED):
        shop.world.people.says(CUSTOMER, text)
    from gateway import conversations

    stored = []
    record = conversations.record

    def dies(tx, talk, **given):
        stored.append(given["text"])
        if len(stored) == 2:
            raise RuntimeError("killed")
        return record(tx, talk, **given)

    with monkeypatch.context() as patch:
        patch.setattr(conversations, "record", dies)
        with pytest.raises(RuntimeError, match="killed"):
            shop.service.pull_all()
    assert shop.service.look(lambda tx: tx.one(Account, id="shop")).cursor in (None, "")
    shop.service.pull_all()
    assert asked(shop) == ["在吗", "这套几楼", ASKED]
    assert shop.inbox()[-1]["conversationId"] == shop.conversation()


def test_08b_the_first_message_ever_is_answered(open_shop):
    """The callback that came with it does not swallow it."""
    shop = open_shop(**CALLBACK)
    shop.world.people.says(CUSTOMER, ASKED)
    knock(shop)
    (row,) = until(shop.inbox)
    assert row["conversationId"] == shop.conversation()


def test_08c_a_servicers_words_never_reach_the_agent(shop):
    shop.says()
    shop.post_good()
    shop.carry()
    shop.colleague_says("我是小林，我来跟您说")
    shop.service.pull_all()
    assert shop.inbox() == []
    assert shop.talk()["messages"][-1] | {"at": "", "id": ""} == {
        "id": "",
        "role": "human",
        "text": "我是小林，我来跟您说",
        "at": "",
    }


def test_08d_a_later_failure_takes_the_delivery_out_of_the_count(shop):
    shop.says()
    draft = shop.post_good()
    shop.world.faults.plan("fail_type", 5)
    shop.carry()
    assert shop.deliveries()["count"] == 1
    shop.service.pull_all()
    listed = shop.deliveries()
    assert (listed["count"], listed["items"][0]["failType"]) == (0, 5)
    assert shop.draft(draft)["state"] == "send_failed"
    assert f"/drafts/{draft['draftId']}" in shop.browser().get("/deliveries?tab=failed_later").links


def test_08e_a_failing_pull_is_told_and_tried_again(capfd, open_shop):
    shop = open_shop()
    shop.world.people.says(CUSTOMER, ASKED)
    shop.world.faults.plan("http", 500, call="kf/sync_msg")
    assert shop.service.pull_all() == 0
    assert "sync_failed" in capfd.readouterr().err
    assert shop.service.pull_all() == 1


def test_08f_a_token_that_ends_in_the_middle_is_renewed(shop):
    shop.says()
    shop.post_good()
    shop.world.expire_tokens()
    shop.carry()
    assert shop.phone() == [GOOD]


def test_11_two_events_of_one_second_are_both_kept(shop):
    shop.says()
    shop.world.people.enters(CUSTOMER)
    shop.world.people.enters(CUSTOMER)
    shop.service.pull_all()
    assert len([m for m in shop.talk()["messages"] if m["role"] == "system"]) == 2


class Watched(WeComSender):
    """Counts how many messages to one customer are on their way at once."""

    def post(self, message):
        self.running.append(message.text)
        self.most = max(self.most, len(self.running))
        time.sleep(0.05)
        outcome = super().post(message)
        self.running.remove(message.text)
        return outcome

    running, most = [], 0


def test_17_three_quick_messages_are_answered_once_and_strictly_in_order(open_shop):
    """Each newer message makes the draft before it stale; several workers never write to one customer at once."""
    shop = open_shop(channel=Watched)
    drafts = []
    for text in ("在吗", "有车位吗", ASKED):
        shop.says(text)
        drafts.append(shop.post_good())
    shop.carry()
    assert [shop.draft(d)["state"] for d in drafts[:2]] != ["sent", "sent"]
    assert (shop.phone(), shop.draft(drafts[2])["state"]) == ([GOOD], "sent")
    for number in range(3):
        assert shop.write(f"第{number}条。").status_code == 200
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda _: shop.service.carry_all(), range(3)))
    shop.carry()
    assert shop.phone()[1:] == ["第0条。", "第1条。", "第2条。"]
    assert shop.channel.most == 1


def test_18_a_restart_replays_nothing_and_old_messages_are_not_answered(shop, platform):
    """The cursor is in the store; even without it nothing is sent again, and what is old is only recorded."""
    shop.says()
    shop.post_good()
    shop.carry()
    shop.world.people.says("wm_old", "昨天问的")
    shop.clock.shift += timedelta(hours=3)
    shop.restart(platform)
    shop.service.pull_all()
    from_the_beginning(shop)
    shop.service.pull_all()
    shop.carry()
    assert asked(shop, "wm_old") == ["昨天问的"]
    assert shop.inbox() == []
    assert (shop.calls, shop.phone()) == (1, [GOOD])


def test_19_a_callback_that_falls_silent_is_made_up_for(open_shop):
    """No connection is kept that could only look alive: the log is pulled by the clock as well."""
    shop = open_shop(**CALLBACK)
    shop.world.people.says(CUSTOMER, ASKED)  # and nobody knocks
    assert shop.inbox() == []
    assert 0 < shop.settings.poll_seconds <= 300
    shop.service.pull_all()
    assert len(shop.inbox()) == 1


def test_20_an_untrusted_address_stops_the_channel_and_the_page_names_it(shop):
    """No retries; the settings page shows the address that WeCom saw."""
    shop.says()
    draft = shop.post_good()
    taken = shop.world.platform.calls[SEND]

    def refuses(_body):
        raise Refused(60020, "not allow to access from your ip, from ip: 203.0.113.7")

    shop.world.platform.calls[SEND] = refuses
    try:
        for _ in range(3):
            shop.carry()
            shop.clock.shift += timedelta(seconds=20)
        assert shop.calls == 1
    finally:
        shop.world.platform.calls[SEND] = taken
    admin = shop.browser("boss", "admin")
    assert "203.0.113.7" in admin.get("/settings").text
    admin.press("/settings", "/restart")
    shop.carry()
    assert shop.draft(draft)["state"] == "sent"


def test_22_repeats_after_a_day_and_a_chatty_yes_change_nothing(shop, platform):
    """Repeats are known for good, and words of a customer are no receipt."""
    shop.says()
    draft = shop.post_good()
    shop.world.faults.plan("timeout_after")
    shop.carry()
    shop.says("收到，好的")
    assert shop.draft(draft)["messages"][0]["state"] == "unknown"
    shop.clock.shift += timedelta(hours=20)
    shop.restart(platform)
    from_the_beginning(shop)
    shop.service.pull_all()
    shop.carry()
    assert asked(shop) == [ASKED, "收到，好的"]
    assert len(shop.phone()) == 1 and shop.deliveries()["count"] == 0


def test_23_a_yes_without_an_id_is_no_delivery(shop):
    shop.says()
    draft = shop.post_good()
    shop.world.faults.plan("no_msgid")
    shop.carry()
    assert shop.deliveries() == {"count": 0, "items": []}
    assert shop.draft(draft)["state"] == "send_unknown"
