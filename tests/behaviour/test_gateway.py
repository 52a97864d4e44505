"""Behaviours of the gate between agent, people and customer."""

import threading
from datetime import timedelta

import pytest

from gateway import alert_targets
from gateway.settings import SettingsError, load_settings
from outbound.simulator.desk import ROBOT_KEY
from outbound.simulator.world import ACCOUNT, SERVICER
from outbound.wecom.sender import WeComSender
from tests.behaviour.shop import CUSTOMER, MOVE, SEND, SEND_ON_EVENT, refused
from tests.gateway.desk import BAD, GOOD, GOOD_CITATION, HANDOFF


def together(*jobs):
    """Run jobs at the same moment; gives their results in order."""
    gate, results = threading.Barrier(len(jobs)), [None] * len(jobs)

    def run(number, job):
        gate.wait()
        results[number] = job()

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    return results


def test_g_02_double_click_on_approve(case, review):
    """The same button twice, and a second look at a decided draft: one message, and a page that says so."""
    review.says()
    draft = review.post_good()
    lin = review.browser()
    form = lin.draft(draft).form("/approve")
    first = lin.submit(form)
    review.clock.shift += timedelta(milliseconds=120)
    second = lin.submit(form)
    assert first.text == second.text or "已通过" in second.text
    error = refused(review.approve(draft), 409, "already_decided")
    assert error["decidedBy"] == "lin"
    late = lin.draft(draft)
    told = lin.page(lin.client.get(lin.post(form.action, form.data(request="another")).headers["location"]).text)
    case.holds("second_response", "已经决定了这条草稿" in told.text and "已通过" in second.text and late.forms)
    review.carry()
    case.equals("wecom_calls", review.calls)
    case.equals("deliveries", review.deliveries()["count"])


def test_g_03_approve_against_reject_from_two_operators(case, review):
    """Two people at the same moment, many times: one decision stands and the other hears of it."""
    outcomes = []
    for number in range(6):
        customer = f"wm_race{number}"
        draft = review.post_good(review.says(customer=customer))
        order = review.order(draft)
        path = f"/v1/drafts/{draft['draftId']}"
        rejected, approved = together(
            lambda p=path: review.call("wang", "POST", f"{p}/reject", json={"version": 1, "reason": "no"}),
            lambda p=path, o=order: review.call("operator", "POST", f"{p}/approve", json=o),
        )
        review.carry()
        outcomes.append((rejected.status_code, approved.status_code, len(review.phone(customer))))
    case.holds("exactly_one_wins", all(sorted(o[:2]) == [200, 409] for o in outcomes))
    case.holds("loser_gets", all(case.wanted("loser_gets") in o[:2] for o in outcomes))
    case.holds("if_reject_won", all(sent == (0 if rejected == 200 else 1) for rejected, _, sent in outcomes))


def test_g_03_either_side_can_win(review):
    """Whoever was first wins, also without a race."""
    draft = review.post_good(review.says())
    order = review.order(draft)
    path = f"/v1/drafts/{draft['draftId']}"
    assert review.call("wang", "POST", f"{path}/reject", json={"version": 1, "reason": "no"}).status_code == 200
    refused(review.call("operator", "POST", f"{path}/approve", json=order), 409, "already_decided")
    review.carry()
    assert review.calls == 0


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


def test_g_08_the_gate_itself_never_writes_customer_text(case, shop):
    """Suggestions go back to the agent; every text of the draft is the agent's, and its rewrite is judged like the first."""
    shop.says()
    draft = shop.post_bad()
    assert draft["state"] == "awaiting_rewrite" and draft["fixActions"]
    shop.carry()
    assert shop.calls == 0
    rewritten = shop.rewrite(draft, BAD + "真的。", citations=())
    case.holds("rewrite_rechecked", "fact_evidence" in rewritten["hardFailureIds"])
    shop.clock.shift += timedelta(hours=2)
    shop.carry()
    texts = shop.draft(draft)["texts"]
    case.holds("rewrite_author", {text["author"] for text in texts} == {"ag-1"} and len(texts) == 2)
    case.equals("gate_composed_text_sent", bool(shop.phone()))
    assert rewritten["fallbackReason"] == "rewrite_limit_reached"


def test_g_10_fail_closed_setting_must_survive_to_the_decision(case, open_shop, tmp_path, monkeypatch):
    """There is no setting that opens the gate: a file that names one stops the start. The others reach the decision."""
    file = tmp_path / "settings.env"
    file.write_text("DRAFTGATE_FAILURE_MODE=open\n", "utf-8")
    with pytest.raises(SettingsError, match="FAILURE_MODE"):
        load_settings(file)
    file.write_text("DRAFTGATE_MIN_BAND_TO_SEND=high\nDRAFTGATE_APPROVAL_MINUTES=45\n", "utf-8")
    loaded = load_settings(file)
    shop = open_shop("autopilot", **loaded.model_dump(include={"min_band_to_send", "approval_minutes"}))
    shop.says()

    def out_of_order(*_args, **_given):
        raise ConnectionError("503")

    with monkeypatch.context() as patch:
        patch.setattr("verifier.verify.check_facts", out_of_order)
        answer = shop.post_good()
        shop.carry()
    assert (answer["state"], answer["fallbackReason"], answer["qualityPassed"]) == ("held", "quality_unavailable", None)
    # the same at the last look: what was decided while all was well does not leave unchecked
    shop.says("再问一下，" + "小区人车分流吗")
    assert shop.post_good()["state"] == "queued"
    with monkeypatch.context() as patch:
        patch.setattr("verifier.verify.check_facts", out_of_order)
        shop.carry()
    case.equals("sent", shop.calls)
    case.holds("test", loaded.min_band_to_send == shop.settings.min_band_to_send == "high")


def test_g_10_a_band_from_the_settings_file_holds_drafts(open_shop, tmp_path):
    """The least band that the file names is the one the gate goes by."""
    file = tmp_path / "settings.env"
    file.write_text("DRAFTGATE_MIN_BAND_TO_SEND=high\n", "utf-8")
    shop = open_shop("autopilot", min_band_to_send=load_settings(file).min_band_to_send)
    shop.says("这套几楼")
    answer = shop.post("楼层我核实后马上告诉您。")
    assert (answer["qualityPassed"], answer["band"] == "high") == (True, answer["state"] == "queued")
    assert answer["state"] == "held" and answer["holdReasons"] == ["low_band"]


def test_g_13_a_failing_draft_reaches_a_person(case, open_shop, platform):
    """In autopilot too: nothing is said to the customer, open pages and the operators' own group are told."""
    told = {"secret_key": "a secret of this test, long enough", "public_url": "http://testserver"}
    shop = open_shop("autopilot", wecom_api_base=platform.api_base, **told)
    shop.service.run(lambda tx: alert_targets.add_robot(tx, "shop", ROBOT_KEY, [], "t"))
    lin = shop.browser()
    shop.says()
    draft = shop.post_bad()
    marked = shop.client.portal.call(shop.app.state.pulse.mark)
    shop.rewrite(draft, BAD, citations=())
    shop.app.state.pulse._read_at = float("-inf")  # open pages look once a second
    shop.carry()
    case.equals("sent", shop.calls)
    case.equals("canned_refusal_sent", bool(shop.phone()))
    queue = lin.get("/")
    case.equals("queue_item_created", f"/drafts/{draft['draftId']}" in queue.links)
    moved = shop.client.portal.call(shop.app.state.pulse.mark) != marked
    shop.service.bell.ring()
    ((_, alert),) = shop.world.platform.desk.read
    assert f"http://testserver/drafts/{draft['draftId']}" in alert and BAD not in alert
    case.equals("operator_notified", moved and "质检" in queue.text)


def test_g_14_text_sent_by_the_handoff_path_is_checked_as_well(case, shop):
    """A handoff's closing words pass the same gate, also when a person approves them with the move ticked."""
    shop.says("帮我找个人")
    text = case.given["handoff_customer_text"]
    claim = {"requiresHuman": True, "actions": [{"type": "handoff", "status": "done"}]}
    draft = shop.post(text, **claim)
    assert "promise_limits" in draft["hardFailureIds"]
    shop.spent(draft)
    error = refused(shop.approve(draft, handoff=True), 422, "rewrite_limit_reached")
    case.fails("fail", error["hardFailureIds"])
    refused(shop.write(text), 422, "agent_text")
    shop.carry()
    case.equals("sent", len(shop.phone()))
    made = shop.world.world.calls
    case.holds("rule", (made[SEND], made[SEND_ON_EVENT], made[MOVE]) == (0, 0, 0))


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


def test_g_25_operator_is_typing_while_auto_mode_wants_to_send(case, shop):
    """While somebody writes in the draft's editor nothing of the agent's leaves by itself."""
    shop.says()
    draft = shop.post_bad()
    lin = shop.browser()
    page = lin.draft(draft)
    typing = page.form("/edit")
    assert lin.post(f"/drafts/{draft['draftId']}/advice", typing.data(text="您好，我看一下")).status_code == 200
    rewritten = shop.rewrite(draft)
    assert rewritten["qualityPassed"]
    shop.carry()
    case.equals("sent", shop.calls)
    shown = shop.draft(draft)
    case.holds("reason", shown["state"] == "held" and "being_edited" in shown["holdReasons"])


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


def test_g_28_approved_is_not_delivered(case, review):
    """The allowlist is looked at before and after an approval; the page says what became of it."""
    from gateway.tables import Account

    review.says()
    draft = review.post_good()
    lin = review.browser()
    page = lin.press(f"/drafts/{draft['draftId']}", "/approve")
    assert "已通过，正在发送" in page.text and "渠道已接收" not in page.text
    review.service.run(lambda tx: tx.change(Account, {"id": "shop"}, allowlist=["wm_else"]))
    review.carry()
    shown = review.draft(draft)
    case.differs("state", (shown["state"], shown["holdReasons"]), ("held", ["not_allowed"]))
    case.equals("Delivery_count", review.deliveries()["count"])
    case.equals("operator_told", "白名单" in lin.draft(draft).text)
    refused(review.approve(draft), 422, "not_allowed")
    assert review.calls == 0


def test_g_30_cross_replies_never_to_itself_max_two_one_round(case, shop):
    """Whatever is proposed or posted: two answers to the primary reply, one round, nobody to itself."""
    known = {"id": "g-1", "account": "shop", "recipient": "wr_1", "chatType": case.given["chat_type"]}
    shop.ok("channel", "POST", "/v1/conversations", json=known)
    message = {"id": case.given["customer_message"], "role": "customer", "text": "这栋楼有电梯吗"}
    message |= {"at": shop.clock().isoformat()}
    shop.ok("channel", "POST", "/v1/conversations/g-1/messages", json=message)
    wanted = [("B", "A"), ("C", "A"), ("D", "A"), ("A", "B"), ("B", "B")]
    plans = [{"agentId": who, "respondToAgentId": whom, "angle": "more"} for who, whom in wanted]
    turn = {
        "conversation": {"id": "g-1", "chatType": "group", "messages": [message]},
        "members": ["A", "B", "C", "D"],
        "replies": [{"replyId": "r-A", "agentId": "A", "draft": {"text": "有没有电梯我核实后回您。"}}],
        "crossReplyPlan": {"enabled": True, "plans": plans, "reason": "all of them want to"},
    }
    planned = shop.ok("agent", "POST", "/v1/group-turns", json=turn)
    (primary,) = planned["replies"]
    assert (primary["state"], primary["holdReasons"], primary["replyKind"]) == ("held", ["group_chat"], "primary")
    posted = [
        {
            "replyId": f"x-{number}",
            "agentId": who,
            "respondToAgentId": whom,
            "draft": {"text": f"我补充一句，第{number}。"},
        }
        for number, (who, whom) in enumerate(wanted)
    ]
    path = f"/v1/group-turns/{planned['id']}/cross-replies"
    answer = shop.ok("agent", "POST", path, json={"replies": posted})
    case.equals("accepted", [f"{r['agentId']}->{r['respondToAgentId']}" for r in answer["replies"]])
    why = {"limit": "limit 2", "second_round": "second round", "answers_itself": "self"}
    told = [(d["plan"], why[d["why"]]) for d in planned["crossReplyPlan"]["dropped"]]
    case.equals("refused", [f"{p['agentId']}->{p['respondToAgentId']} ({reason})" for p, reason in told])
    assert {d["why"] for d in answer["dropped"]} == {"not_planned"} and len(answer["dropped"]) == 3
    again = shop.ok("agent", "POST", path, json={"replies": [posted[0] | {"replyId": "x-9"}]})
    assert [d["why"] for d in again["dropped"]] == ["already_given"]
    assert {r["replyKind"] for r in answer["replies"]} == {"cross_agent"}
    refused(shop.approve(primary), 422, "group_chat")
    shop.carry()
    assert shop.calls == 0


def test_g_32_unedited_approval_of_a_draft_that_failed_the_gate(case, shop):
    """A click does not make a text true. A person's own words may leave, within the other limits."""
    shop.says()
    draft = shop.post_bad()
    assert draft["hardFailureIds"] == ["fact_evidence"]
    shop.spent(draft)
    error = refused(shop.approve(draft), 422, "rewrite_limit_reached")
    case.equals("send_entry_recheck", error["hardFailureIds"] == ["fact_evidence"])
    shop.carry()
    case.equals("sent", shop.calls)
    refused(shop.approve(draft, text="好" * 700), 422, "too_long")
    refused(shop.write("好" * 700), 422, "too_long")
    assert shop.approve(draft, text="价格我请同事马上回您。").status_code == 200
    shop.carry()
    assert shop.write("这套289万，我是店长，您放心。").status_code == 200
    shop.carry()
    case.holds("next", shop.phone() == ["价格我请同事马上回您。", "这套289万，我是店长，您放心。"])
