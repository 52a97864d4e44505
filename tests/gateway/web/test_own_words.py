"""People's own words, their conversations, and what of them reaches the customer."""

import pytest

from gateway.tables import Account
from tests.gateway.desk import BAD, GOOD, HANDOFF


def test_edit_and_approve_sends_the_persons_words(desk, lin, held):
    draft = held(text=BAD)
    page = lin.draft(draft)
    assert dict(page.form("/edit").fields)["text"] == BAD
    told = lin.submit(page.form("/edit"), text="价格我请同事\r\n马上回您。")
    assert "您改过的文字已通过" in told.text
    desk.carry()
    assert desk.arrived == ["价格我请同事\n马上回您。"], "browsers send CRLF, customers get what was typed"


def test_edit_that_keeps_a_failing_clause_warns_and_names_it(desk, lin, held):
    draft = held(text=BAD)
    told = lin.press(f"/drafts/{draft['draftId']}", "/edit", text="您好，" + BAD + "欢迎来看。")
    assert "您保留了它" in told.text and "289万" in told.text


def test_refused_words_are_not_lost(desk, lin, held):
    draft = held()
    desk.run(lambda tx: tx.change(Account, {"id": "shop"}, allowlist=[]))
    page = lin.press(f"/drafts/{draft['draftId']}", "/edit", text="我自己写的一段话。")
    assert "不在这个账号的白名单里" in page.text
    assert dict(page.form("/edit").fields)["text"] == "我自己写的一段话。"


def test_manual_send_is_sent_once_and_supersedes_the_draft(desk, lin, held):
    draft = held()
    form = lin.draft(draft).form("/send")
    page = lin.submit(form, text="您好，我是门店的小林。")
    assert "您的文字已排队" in page.text
    lin.submit(form, text="您好，我是门店的小林。")
    desk.carry()
    assert desk.arrived == ["您好，我是门店的小林。"]
    assert desk.draft(draft["draftId"])["state"] == "superseded"


def test_manual_send_of_the_agents_words_is_refused(desk, lin, held):
    draft = held()
    page = lin.press(f"/drafts/{draft['draftId']}", "/send", text=GOOD)
    assert "这就是智能体的原话" in page.text and GOOD in dict(page.form("/send").fields)["text"]
    desk.carry()
    assert desk.arrived == []


@pytest.mark.parametrize(("text", "words"), [("长" * 700, "文字太长"), ("\u200b\u200b", "看不见的字符")])
def test_manual_send_keeps_the_channels_limits(desk, lin, held, text, words):
    draft = held()
    assert words in lin.press(f"/drafts/{draft['draftId']}", "/send", text=text).text
    desk.carry()
    assert desk.arrived == []


def test_same_form_with_other_words_sends_nothing_more(desk, lin, held):
    form = lin.draft(held()).form("/send")
    lin.submit(form, text="第一段话。")
    page = lin.submit(form, text="第二段话。")
    assert "已经提交过" in page.text and "第二段话。" in page.html
    desk.carry()
    assert desk.arrived == ["第一段话。"]


def test_take_hand_over_and_give_back(desk, lin, browser_of, held):
    draft = held()
    browser_of("wang", "operator", "王建")
    assert "您已接手这个会话" in lin.press(f"/drafts/{draft['draftId']}", "/take").text
    page = lin.press("/conversations/c-1", "/hand-over", to="wang")
    assert "已转给王建" in page.text and "由 王建 接手" in page.text
    assert "会话已交还智能体" in lin.submit(page.form("/give-back")).text


def test_hand_over_goes_to_people_who_may_decide_only(desk, lin, browser_of, held):
    draft = held()
    browser_of("wang", "operator", "王建")
    browser_of("zhao", "viewer", "赵看看")
    form = lin.draft(draft).form("/hand-over")
    assert "请选择一位可以做决定的同事" in lin.submit(form, to="zhao").text


def test_handoff_is_shown_before_confirming_and_moves_the_session(desk, lin):
    desk.says("等了三天没人理我")
    draft = desk.post(HANDOFF, requiresHuman=True)
    assert draft["state"] == "held", draft
    page = lin.draft(draft)
    form = page.form("/approve")
    assert ("handoff", "on") in form.fields and "先把会话转给人工" in page.text
    lin.submit(form)
    desk.carry()
    assert desk.channel.moves and desk.arrived == [HANDOFF]


def test_group_drafts_can_only_be_rejected(desk, lin):
    desk.conversation("g-1", chat_type="group")
    desk.says("小区有没有人车分流", "g-1")
    page = lin.draft(desk.post_good("g-1", chat_type="group"))
    assert "群聊不自动回复" in page.text
    assert not page.has_form("/edit") and not page.has_form("/send") and page.has_form("/reject")
    assert "群聊不自动回复" in lin.submit(page.form("/approve")).text
    assert desk.arrived == []


def test_the_preview_is_what_the_customer_gets(desk, lin, held):
    """Invisible characters are marked; every byte of the preview is a byte of the message."""
    from gateway.web.draft_card import load_card

    draft = held(text="是的  小区人车分流。\n\n\n欢迎来看。")
    card = desk.service.look(lambda tx: load_card(tx, draft["draftId"]))
    shown = "".join(part.text for part in card.preview.parts)
    page = lin.draft(draft)
    assert page.html.count(">⏎<") == 3 and page.html.count(">·<") == 2
    lin.submit(page.form("/edit"), text=shown + "\u200b末尾")
    desk.carry()
    assert desk.arrived == [shown + "\u200b末尾"]
    assert "U+200B" in lin.draft(draft).html


def test_typed_text_is_kept_to_the_byte(desk, lin, held):
    """A box that starts with a line end keeps it: browsers drop the first one after the tag."""
    page = lin.press(f"/drafts/{held()['draftId']}", "/send", text="\n  两个空格开头\n\n末尾空行\n")
    assert "已排队" in page.text
    desk.carry()
    assert desk.arrived == ["\n  两个空格开头\n\n末尾空行\n"]


def test_a_contradicted_clause_shows_the_value_of_the_source(desk, lin, held):
    citation = {"id": "doc-1", "text": "松月里 5-1602 挂牌价 298 万元。", "subject": "松月里 5-1602"}
    page = lin.draft(held(text="这套挂牌价 289 万。", citations=[citation]))
    assert "与来源矛盾" in page.text and "298" in page.text
    marked = [a for tag, a in page.tags if tag == "em"]
    assert {"class": "bad"} in marked
