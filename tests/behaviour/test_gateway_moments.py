"""Behaviours around a moment: answered once, by the agent or by people, whatever comes twice or late."""

from datetime import timedelta

import pytest

from outbound.simulator.world import ACCOUNT, SERVICER
from outbound.wecom.sender import WeComSender
from tests.behaviour.shop import CUSTOMER
from tests.gateway.desk import GOOD, GOOD_CITATION, HANDOFF


@pytest.mark.parametrize("seen", [True, False], ids=["pulled before the send", "not pulled yet"])
def test_g_05_human_replied_on_the_phone_while_a_draft_is_pending(case, shop, seen):
    """A colleague's words retire the draft; when they were not heard of yet, the platform's session keeps it back."""
    cid = shop.says()
    draft = shop.post_good()
    assert draft["state"] == "queued"
    shop.colleague_says("分流的，我带您看过")
    if seen:
        shop.service.pull_all()
    shop.carry()
    shop.service.pull_all()
    case.equals("sent", len(shop.phone()))
    assert shop.deliveries()["count"] == 0
    case.differs("draft_state", shop.draft(draft)["state"], "superseded")
    assert "a person answered" in shop.draft(draft)["history"][-1]["why"]
    # the bot is silent while the colleague holds the talk, and speaks again when it is given back
    shop.says("那车位呢")
    quiet = shop.post_good()
    shop.carry()
    assert (quiet["state"], quiet["holdReasons"], shop.inbox()) == ("held", ["human_owns"], [])
    shop.world.people.ends(CUSTOMER)
    lin = shop.browser()
    lin.press(f"/conversations/{cid}", "/give-back")
    shop.says()
    again = shop.post_good()
    shop.carry()
    case.holds("bot_silent_until", again["state"] == "queued" and shop.phone() == [GOOD])


def test_g_15_handoff_line_already_sent_in_this_turn(case, shop):
    """The line left once, with the session's move; the agent's second one for the same moment stays, however late the event."""
    shop.says("帮我找个人")
    early = shop.post("已为您转接顾问", requiresHuman=True)
    assert "human_handoff" in early["hardFailureIds"], "nobody holds the session yet"
    shop.spent(early)
    line = shop.post(HANDOFF, requiresHuman=True)
    assert shop.approve(line).status_code == 200
    shop.carry()
    assert shop.phone() == [HANDOFF]
    final = shop.post("已为您转接顾问！", requiresHuman=True)
    shop.carry()
    assert {"already_answered", "human_owns"} <= set(final["holdReasons"])
    shop.world.people.takes(SERVICER, CUSTOMER)  # the event comes late
    shop.service.pull_all()
    shop.carry()
    assert shop.approve(final).status_code == 422
    shop.carry()
    case.equals("messages_to_customer", len(shop.phone()))


def test_g_17_same_inbound_message_three_times(case, shop):
    """Told of three times, and pulled again from the beginning: one message, one row for the agent, one draft."""
    shop.world.people.says(CUSTOMER, "小区人车分流吗")
    runs = 0
    for _ in range(3):
        from gateway.tables import Account

        shop.service.pull(ACCOUNT)
        for row in shop.inbox():
            runs += 1
            assert shop.posted(GOOD, citations=[GOOD_CITATION], key=row["id"], inboxId=row["id"]).status_code == 200
        shop.service.run(lambda tx: tx.change(Account, {"id": "shop"}, cursor=""))
        shop.clock.shift += timedelta(seconds=5)
    shop.carry()
    case.equals("agent_runs", runs)
    assert len([m for m in shop.talk()["messages"] if m["role"] == "customer"]) == 1
    case.equals("drafts", shop.client.get("/metrics").text.count('draftgate_drafts{state="sent"} 1.0'))
    assert shop.phone() == [GOOD]


class Killed(BaseException):
    """The process ends here."""


class DiesAfterTheCall(WeComSender):
    """The platform takes the message; the process never hears of it."""

    def post(self, message):
        super().post(message)
        raise Killed


def test_g_21_crash_between_send_and_commit(case, open_shop, platform):
    """After a restart nothing is sent again by itself, and a person is asked to look."""
    shop = open_shop(channel=DiesAfterTheCall)
    shop.says()
    draft = shop.post_good()
    with pytest.raises(Killed):
        shop.carry()
    shop.restart(platform)
    assert shop.draft(draft)["state"] == "sending"
    shop.clock.shift += timedelta(minutes=2)
    shop.service.courier.recover()
    for _ in range(3):
        shop.carry()
        shop.clock.shift += timedelta(minutes=10)
    case.equals("automatic_resend", shop.calls > 1)
    case.differs("draft_state", shop.draft(draft)["state"], "send_unknown")
    page = shop.browser().draft(draft)
    case.holds("operator_sees", "不知道有没有送到" in page.text and page.has_form("/settle"))
    assert shop.deliveries()["count"] == 0


def test_g_22_resume_after_approval_must_not_repeat_earlier_sends(case, shop):
    """A workflow that runs again from the top gets its first answers; one without keys is told that all was answered."""
    shop.says()
    greet = shop.turn(GOOD, citations=[GOOD_CITATION])
    reply = shop.turn("我帮您问一下同事，稍后回您。")

    def run():
        keyed = ((greet, "run-7/greeting"), (reply, "run-7/reply"))
        answers = [shop.call("agent", "POST", "/v1/drafts", json=b, headers={"Idempotency-Key": k}) for b, k in keyed]
        shop.carry()
        return [answer.json() for answer in answers]

    first = run()
    assert [answer["state"] for answer in first] == ["queued", "held"]
    assert shop.approve(first[1]).status_code == 200
    assert run() == first
    careless = [shop.post_good(), shop.post(reply["draft"]["text"])]
    shop.carry()
    assert all("already_answered" in answer["holdReasons"] for answer in careless)
    case.equals("greeting_sent", shop.phone().count(GOOD))
    case.equals("D-1_sent", shop.phone().count(reply["draft"]["text"]))


def test_g_23_agent_returns_the_previous_reply_verbatim(case, shop):
    """What was said last is no answer to a new question."""
    cited = {"citations": [{"id": "doc-1", "text": "松月里 5-1602 总价298万。", "subject": "松月里 5-1602"}]}
    shop.says("这套什么情况，介绍一下")
    assert shop.post(case.given["last_sent"], **cited)["state"] == "queued"
    shop.carry()
    assert shop.phone() == [case.given["last_sent"]]
    shop.says(case.given["new_customer_message"])
    draft = shop.post(case.given["draft"], **cited)
    shop.carry()
    case.equals("sent", len(shop.phone()) - 1)
    case.fails("fail", draft["hardFailureIds"])


def test_g_27_second_draft_in_the_same_conversation(case, open_shop):
    """A draft that comes while another one leaves stands in the queue like any other."""
    posted = []

    class Meanwhile(WeComSender):
        def post(self, message):
            posted.append(shop.post_good(key="second"))
            return super().post(message)

    shop = open_shop("review", channel=Meanwhile)
    shop.says()
    first = shop.post_good()
    assert shop.approve(first).status_code == 200
    shop.carry()
    (second,) = posted
    assert second["draftId"] != first["draftId"]
    lin = shop.browser()
    case.equals("D-2_visible", f"/drafts/{second['draftId']}" in lin.get("/").links)
    assert (shop.draft(first)["state"], shop.draft(second)["state"]) == ("sent", "held")
