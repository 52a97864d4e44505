"""Deciding in the browser: what was shown is what leaves, once, and each outcome has its own words."""

import pytest

from gateway.tables import Account, ConversationRow, DraftRow
from outbound.outcome import Unknown
from tests.gateway.desk import BAD, GOOD, GOOD_CITATION


def state(desk, draft):
    return desk.draft(draft["draftId"])["state"]


def test_approve_sends_exactly_what_was_shown(desk, lin, held):
    draft = held()
    page = lin.press(f"/drafts/{draft['draftId']}", "/approve")
    assert "已通过，正在发送" in page.text
    desk.carry()
    assert desk.arrived == [GOOD]
    assert "渠道已接收" in lin.draft(draft).text
    assert "林小月 决定" in lin.draft(draft).text


def test_double_click_sends_one_message(desk, lin, held):
    draft = held()
    form = lin.draft(draft).form("/approve")
    first, second = lin.submit(form), lin.submit(form)
    assert "已通过，正在发送" in first.text and "已通过，正在发送" in second.text
    desk.carry()
    assert desk.arrived == [GOOD]


def test_form_carries_version_text_last_message_and_request_id(lin, held):
    draft = held()
    fields = dict(lin.draft(draft).form("/approve").fields)
    assert fields["version"] == "1" and len(fields["textSha256"]) == 64
    assert fields["lastSeenMessageId"] == "m-1" and len(fields["request"]) >= 12
    assert fields["request"] != dict(lin.draft(draft).form("/approve").fields)["request"]


def test_two_people_send_one_message_and_the_second_sees_who_decided(desk, lin, browser_of, held):
    draft = held()
    wang = browser_of("wang", "operator", "王建")
    hers, his = lin.draft(draft).form("/approve"), wang.draft(draft).form("/approve")
    lin.submit(hers)
    page = wang.submit(his)
    assert "林小月已经决定了这条草稿" in page.text
    desk.carry()
    assert desk.arrived == [GOOD]


def test_customer_wrote_meanwhile_needs_an_informed_second_decision(desk, lin, held):
    draft = held()
    form = lin.draft(draft).form("/approve")
    desk.says("算了，先说说有没有车位")
    page = lin.submit(form)
    assert "在您看的时候，会话里又有了新消息" in page.text
    assert desk.arrived == [] and state(desk, draft) == "held"
    assert "草稿之后" in page.text and "算了，先说说有没有车位" in page.text
    again = page.form("/approve")
    assert ("confirmStale", "on") not in again.fields, "the box is never ticked for the person"
    refused = lin.submit(again)
    assert "确认仍然合适" in refused.text and desk.arrived == []
    lin.submit(refused.form("/approve"), confirmStale="on")
    desk.carry()
    assert desk.arrived == [GOOD]


def test_failing_text_cannot_leave_unchanged(desk, lin, held):
    draft = held(text=BAD)
    desk.rewrite(draft["draftId"], BAD)
    page = lin.draft(draft)
    buttons = page.form("/approve").buttons
    assert "disabled" in buttons[0]
    told = lin.submit(page.form("/approve"))  # somebody enables the button
    assert "没有通过质检" in told.text or "仍未通过质检" in told.text
    desk.carry()
    assert desk.arrived == []


@pytest.mark.parametrize(
    ("prepare", "words"),
    [
        ({"allowlist": []}, "不在这个账号的白名单里"),
        ({"stopped_reason": "40001: bad secret"}, "渠道已停"),
    ],
)
def test_refusals_of_the_account_have_their_own_words(desk, lin, held, prepare, words):
    draft = held()
    desk.run(lambda tx: tx.change(Account, {"id": "shop"}, **prepare))
    assert words in lin.press(f"/drafts/{draft['draftId']}", "/approve").text
    assert desk.arrived == [] and state(desk, draft) == "held"


@pytest.mark.parametrize(
    ("prepare", "words"),
    [
        ({"session_state": 3}, "请在企业微信客户端里回复"),
        ({"quota_used": 5}, "可发的条数已用完"),
    ],
)
def test_refusals_of_the_channel_have_their_own_words(desk, lin, held, prepare, words):
    draft = held()
    desk.run(lambda tx: tx.change(ConversationRow, {"id": "c-1"}, **prepare))
    assert words in lin.press(f"/drafts/{draft['draftId']}", "/approve").text
    assert desk.arrived == []


def test_closed_window_is_said_before_and_after_the_click(desk, lin, held):
    draft = held()
    form = lin.draft(draft).form("/approve")
    desk.clock.forward(hours=7)
    desk.run(lambda tx: tx.change(ConversationRow, {"id": "c-1"}, last_customer_at=tx.now.replace(year=2025)))
    assert "48 小时回复窗口已关闭" in lin.draft(draft).text
    assert "48 小时回复窗口已关闭" in lin.submit(form).text


def test_unknown_outcome_is_told_and_settled_by_a_person(desk, lin, held):
    draft = held()
    desk.channel.plan(Unknown("read timeout"))
    lin.press(f"/drafts/{draft['draftId']}", "/approve")
    desk.carry()
    page = lin.draft(draft)
    assert "不知道有没有送到" in page.text
    assert "已记下：送到了" in lin.submit(page.form("/settle"), arrived="yes").text
    assert desk.deliveries()["count"] == 0, "no id came from the channel, so nothing counts as delivered"


def test_unknown_can_be_sent_again_once_with_the_same_id(desk, lin, held):
    draft = held()
    desk.channel.plan(Unknown("read timeout"), Unknown("read timeout"))
    lin.press(f"/drafts/{draft['draftId']}", "/approve")
    desk.carry()
    assert "同一编号再发一次" in lin.press("/deliveries?tab=unknown", "/again").text
    desk.carry()
    page = lin.get("/deliveries?tab=unknown")
    assert not page.has_form("/again") and "已经再发过一次" in page.text


def test_reject_keeps_the_reason_in_the_history(desk, lin, held):
    draft = held()
    page = lin.press(f"/drafts/{draft['draftId']}", "/reject", reason="价格要先问业主")
    assert "已驳回，不会发送" in page.text and "价格要先问业主" in page.text
    assert state(desk, draft) == "rejected"


def test_reject_of_an_older_version_is_refused(desk, lin, held):
    draft = held(text=BAD)
    form = lin.draft(draft).form("/reject")
    desk.rewrite(draft["draftId"], GOOD, citations=[GOOD_CITATION])
    assert "草稿已有新的一稿" in lin.submit(form).text
    assert state(desk, draft) == "held"


def test_undo_takes_an_approval_back(make_desk, password_hash):
    from starlette.testclient import TestClient

    from gateway import people
    from gateway.app import create_app
    from tests.gateway.web.browser import Browser

    desk = make_desk(undo_seconds=20)
    desk.account(mode="review")
    desk.conversation()
    desk.says("小区有没有人车分流")
    draft = desk.post_good()
    desk.run(
        lambda tx: people.add_operator(
            tx, operator_id="lin", name="Lin", password_hash=password_hash, role="operator", actor="test"
        )
    )
    secret = desk.run(lambda tx: people.open_session(tx, "lin"))
    app = create_app(desk.service, scheduler=False)
    browser = Browser(TestClient(app, follow_redirects=False, cookies={"draftgate": secret}))
    page = browser.press(f"/drafts/{draft['draftId']}", "/approve")
    assert "现在还可以撤回" in page.text
    assert "草稿回到待决定" in browser.submit(page.form("/undo")).text
    desk.clock.forward(seconds=30)
    desk.carry()
    assert desk.arrived == []


def test_reopen_brings_back_what_was_not_sent(desk, lin, held):
    from outbound.errors import Action
    from outbound.outcome import Rejected

    draft = held()
    desk.channel.plan(Rejected(40008, Action.PAYLOAD, "channel_rejected", "bad text"))
    lin.press(f"/drafts/{draft['draftId']}", "/approve")
    desk.carry()
    page = lin.draft(draft)
    assert "没有发出去" in page.text
    assert "只剩没发出的部分" in lin.submit(page.form("/reopen")).text
    assert state(desk, draft) == "held"


def test_many_are_rejected_only_if_they_are_as_shown(desk, lin, held):
    first, second = held(), held("c-2")
    page = lin.get("/")
    form = page.form("/reject-many")
    desk.reject(second["draftId"])
    ticked = [f"{d['draftId']}~1" for d in (first, second)]
    told = lin.submit(form, draft=ticked, reason="重复的问题")
    assert "已驳回 1 条；另有 1 条" in told.text


def test_page_says_when_somebody_else_decided_while_it_was_open(desk, lin, held):
    draft = held()
    where = f"/drafts/{draft['draftId']}/standing"
    shown = {"seen": "m-1", "version": "1", "state": "held"}
    assert "请刷新" not in lin.get(where, params=shown).text
    desk.says("在吗")
    assert "客户又来消息了" in lin.get(where, params=shown).text
    desk.reject(draft["draftId"])
    assert "这条草稿有变化（现在是已驳回）" in lin.get(where, params=shown).text


def test_next_draft_is_one_key_away(lin, held):
    first, second = held(), held("c-2")
    page = lin.press(f"/drafts/{first['draftId']}", "/approve")
    following = [a["href"] for tag, a in page.tags if tag == "a" and "data-next" in a]
    assert following == [f"/drafts/{second['draftId']}"]


def test_older_record_without_evaluation_infers_nothing(desk, lin, held):
    draft = held()
    nothing = dict.fromkeys(("quality_score", "quality_checks", "quality_passed", "rewrite_count", "fallback_reason"))
    desk.run(lambda tx: tx.change(DraftRow, {"id": draft["draftId"]}, text_seq=None, **nothing))
    page = lin.draft(draft)
    assert "早期记录，没有评估" in page.text and "质检 0 分" not in page.text
    lin.get("/")
