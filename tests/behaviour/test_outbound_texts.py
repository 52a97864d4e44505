"""Behaviours of what leaves: bytes, parts, signs, recipients, over real HTTP to a simulated WeCom."""

from datetime import timedelta

import pytest
import regex

from gateway.tables import Account
from outbound.alerts import Alert
from outbound.simulator.desk import ROBOT_KEY
from outbound.wecom.notifiers import RobotNotifier, RobotSettings
from tests.behaviour.shop import refused
from tests.gateway.desk import GOOD

WIDE = {"account": {"pack": "wide"}}


def long_reply(words):
    """A text that the channel takes as one message per word: each part is filled with its word."""
    return "".join(word * ((2040 - 3) // len(word.encode())) + "。" for word in words)


def approved_in_parts(shop, words):
    """A person approves a reply of their own that needs several messages; gives the draft and the parts."""
    shop.says()
    draft = shop.post_good()
    text = long_reply(words)
    assert shop.approve(draft, text=text).status_code == 200
    parts = [message["text"] for message in shop.draft(draft)["messages"]]
    assert "".join(parts) == text and [part[0] for part in parts] == [word[0] for word in words]
    return draft, parts


def states(shop, draft):
    return [message["state"] for message in shop.draft(draft)["messages"]]


def test_o_06_second_of_three_parts_fails(case, open_shop):
    """45009 is a pause: the rest waits and goes on where it stopped, and the first part is never sent again."""
    shop = open_shop("review", **WIDE)
    draft, parts = approved_in_parts(shop, case.given["parts"])
    shop.world.faults.plan("errcode", 45009, skip=1)
    shop.carry()
    case.holds("sent_parts", shop.phone() == parts[:1])
    assert states(shop, draft) == ["accepted", "queued", "queued"]
    case.differs("state", shop.draft(draft)["state"], "queued")
    case.equals("operator_told", "45009" in shop.browser().draft(draft).text)
    stopped = shop.service.look(lambda tx: tx.one(Account, id="shop")).stopped_reason
    assert stopped is None, "a pause is no stop"
    shop.clock.shift += timedelta(minutes=2)
    shop.carry()
    case.equals("resend_of_part_1", shop.phone().count(parts[0]) > 1)


@pytest.mark.parametrize("fault", [("errcode", 40058), ("http", 503), ("timeout_before", 0)])
def test_o_06_a_part_that_fails_for_good_ends_the_reply(open_shop, fault):
    """Refused or unknown: the third part is held, and reopening brings back what was not sent."""
    shop = open_shop("review", **WIDE)
    draft, parts = approved_in_parts(shop, ["甲", "乙", "丙"])
    shop.world.faults.plan(*fault, skip=1)
    for _ in range(3):
        shop.carry()
        shop.clock.shift += timedelta(minutes=2)
    assert shop.phone() == parts[:1]
    if fault[0] == "errcode":
        assert (states(shop, draft), shop.draft(draft)["state"]) == (
            ["accepted", "channel_rejected", "held"],
            "sent_partial",
        )
        shop.browser().press(f"/drafts/{draft['draftId']}", "/reopen")
        assert shop.draft(draft)["text"] == parts[1] + parts[2]
    else:
        assert (states(shop, draft), shop.draft(draft)["state"]) == (["accepted", "unknown", "held"], "send_unknown")


def test_o_07_retry_layer_above_a_partial_send(case, open_shop):
    """503 for the second part is an unknown end: the timed work comes by again and again and repeats nothing."""
    shop = open_shop("review", **WIDE)
    taken = []
    original = shop.channel.client.send_text
    shop.channel.client.send_text = lambda *given: taken.append(given[2]) or original(*given)
    _, parts = approved_in_parts(shop, ["甲", "乙"])
    shop.world.faults.plan("http", 503, skip=1)
    for _ in range(5):
        shop.carry()
        shop.clock.shift += timedelta(minutes=10)
    case.equals("call_sequence", [f"part{parts.index(text) + 1}" for text in taken])
    case.holds("never", taken.count(parts[0]) == 1)


@pytest.mark.parametrize("long_text", ["refuse", "cut"])
def test_o_08_limit_counts_bytes_not_characters(case, open_shop, long_text):
    """700 characters are 2,100 bytes: refused as one message, sent whole as two where the pack allows two."""
    text = case.given["text"]
    case.equals("bytes", len(text.encode()))
    narrow = open_shop("review")
    narrow.world.turn(long_text=long_text)
    narrow.says()
    refused(narrow.write(text), 422, "too_long")
    assert narrow.post(text)["hardFailureIds"][-1] == "channel_format"
    narrow.carry()
    assert narrow.calls == 0
    wide = open_shop("review", **WIDE)
    wide.says()
    assert wide.write(text).status_code == 200
    wide.carry()
    case.holds("outcome", [len(part.encode()) <= case.given["limit_bytes"] for part in wide.phone()] == [True, True])
    case.equals("sent_text_equals_draft", "".join(wide.phone()) == text)


def test_o_11_family_emoji_and_flags_stay_whole(case, open_shop):
    """A family of three is one character, and no part ends inside of one."""
    shop = open_shop("review", **WIDE)
    shop.says()
    text = case.given["text"] * (3500 // len(case.given["text"].encode()) + 1) + "🇨🇳" * 20
    assert shop.write(text).status_code == 200
    shop.carry()
    parts = shop.phone()
    assert "".join(parts) == text and len(parts) > 1
    case.holds("each_part_bytes", all(len(part.encode()) <= 2048 for part in parts))
    whole = regex.findall(r"\X", text)
    case.holds("no_split_inside_zwj_sequence", [c for part in parts for c in regex.findall(r"\X", part)] == whole)


def test_o_12_order_of_parts(case, open_shop):
    """The next part is handed over when the one before has its id."""
    shop = open_shop("review", **WIDE)
    before = []
    original = shop.channel.client.send_text

    def watched(*given):
        before.append([m["channelMessageId"] for m in shop.draft(draft)["messages"]])
        return original(*given)

    shop.channel.client.send_text = watched
    draft, _ = approved_in_parts(shop, case.given["parts"])
    shop.carry()
    case.equals("arrival", [part[0] for part in shop.phone()])
    case.holds("how", [[bool(i) for i in ids].count(True) for ids in before] == [0, 1, 2])


def test_o_14_allowlist_entries_are_literal(case, open_shop):
    """No entry is a pattern, and blanks count."""
    shop = open_shop(account={"allowlist": case.given["allowlist"]})
    for customer in (case.given["to"], "wm_c01", "wm_c0."):
        shop.says(customer=customer)
    lawful, others = "wm_c0.", (case.given["to"], "wm_c01")
    for customer in others:
        draft = shop.post_good(shop.conversation(customer))
        shop.carry()
        assert shop.draft(draft)["holdReasons"] == ["not_allowed"]
        refused(shop.write("您好。", shop.conversation(customer)), 422, "not_allowed")
    case.equals("wecom_calls", shop.calls)
    shop.post_good(shop.conversation(lawful))
    shop.carry()
    assert shop.phone(lawful) == [GOOD]


def test_o_31_angle_brackets_and_ampersand_arrive_as_written(case, shop):
    """Nothing on the way escapes a text."""
    shop.says()
    assert shop.write(case.given["text"]).status_code == 200
    shop.carry()
    (arrived,) = shop.phone()
    case.equals("received_text", arrived)
    case.holds("not", "&lt;" not in arrived and "\\u003c" not in arrived)


def test_o_32_mention_all_inside_text(case, shop, platform):
    """A customers' group is not answered at all; in the operators' own group an alert calls nobody."""
    known = {"id": "g-1", "account": "shop", "recipient": "wr_1", "chatType": case.given["chat_type"]}
    shop.ok("channel", "POST", "/v1/conversations", json=known)
    told = {"id": "m-1", "role": "customer", "text": "有新房源吗", "at": shop.clock().isoformat()}
    shop.ok("channel", "POST", "/v1/conversations/g-1/messages", json=told)
    refused(shop.write(case.given["text"], "g-1"), 422, "group_chat")
    assert shop.post(case.given["text"], "g-1", chat_type="group")["state"] != "queued"
    shop.carry()
    assert shop.calls == 0
    robot = RobotNotifier(RobotSettings(ROBOT_KEY, platform.api_base))
    robot.notify(Alert("新消息", quote=case.given["text"]))
    robot.close()
    ((_, words),) = shop.world.platform.desk.read
    case.holds("mention_all_triggered", "新房源" in words and not [w for w in ("@all", "@所有人") if w in words])


def test_o_33_invisible_only_text(case, shop):
    """Characters that nobody sees are no message, from the agent or from a person."""
    shop.says()
    error = refused(shop.write(case.given["text"]), 422, "empty_text")
    assert "channel_format" in shop.post(case.given["text"])["hardFailureIds"]
    case.holds("error", error["code"].startswith("empty"))
    shop.carry()
    case.equals("wecom_calls", shop.calls)
