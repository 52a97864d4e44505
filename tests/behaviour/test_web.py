"""Behaviours of the operators' pages."""

from gateway.tables import Account
from tests.behaviour.shop import CUSTOMER
from tests.gateway.desk import GOOD


def outcome(page):
    """What the page says about the click before it."""
    at = page.html.index('id="outcome"')
    return page.html[at : page.html.index("</p>", at)]


def test_w_03_link_in_a_draft(case, review):
    """A link is words, whatever it is a link to."""
    review.says()
    page = review.browser().draft(review.post(case.given["draft"]))
    assert case.given["draft"] in page.text
    links = [
        attrs for tag, attrs in page.tags if "javascript" in str(attrs.get("href", "")) + str(attrs.get("src", ""))
    ]
    case.holds("rendered_as", not links)


def test_w_04_button_while_a_decision_is_on_its_way(case, review):
    """The form says what was shown and which click it is; the second click does nothing more."""
    review.says()
    draft = review.post_good()
    lin = review.browser()
    form = lin.draft(draft).form("/approve")
    fields = dict(form.fields)
    case.holds("form_carries", fields["version"] == "1" and len(fields["request"]) > 10 and fields["textSha256"])
    first, second = lin.post(form.action, form.data()), lin.post(form.action, form.data())
    assert first.headers["location"] == second.headers["location"]
    review.carry()
    case.holds("second_click", review.phone() == [GOOD])


def test_w_05_page_says_what_happened_after_approve(case, review):
    """Each end has words of its own."""
    lin = review.browser()
    wang = review.browser("wang")
    told = {}
    review.says()
    draft = review.post_good()
    form, his = lin.draft(draft).form("/approve"), wang.draft(draft).form("/approve")
    review.service.run(lambda tx: tx.change(Account, {"id": "shop"}, allowlist=[]))
    told["refused: allowlist"] = outcome(lin.submit(form))
    review.service.run(lambda tx: tx.change(Account, {"id": "shop"}, allowlist=["*"]))
    review.says("还有吗")
    told["stale"] = outcome(lin.press(f"/drafts/{draft['draftId']}", "/approve"))
    lin.press(f"/drafts/{draft['draftId']}", "/approve", confirmStale="on")
    told["already decided"] = outcome(wang.submit(his))
    review.carry()
    told["sent"] = lin.draft(draft).text.partition("渠道已接收")[1]
    review.says()
    unsure = review.post_good()
    review.world.faults.plan("timeout_after")
    lin.press(f"/drafts/{unsure['draftId']}", "/approve")
    review.carry()
    told["unknown"] = lin.draft(unsure).text.partition("不知道有没有送到")[1]
    assert set(told) == set(case.given["outcomes"]) and all(told.values())
    case.equals("each_has_its_own_message", len(set(told.values())) == len(told))


def test_w_06_customer_wrote_while_the_operator_was_reading(case, review):
    """First refused with a banner and the new words; then it takes a tick."""
    review.says()
    draft = review.post_good()
    lin = review.browser()
    form = lin.draft(draft).form("/approve")
    review.says("算了，先问下车位")
    page = lin.submit(form)
    standing = lin.get(f"/drafts/{draft['draftId']}/standing?seen=before&version=1&state=held")
    case.holds("banner", "新消息" in outcome(page) and "客户又来消息了" in standing.text)
    review.carry()
    assert review.calls == 0 and "先问下车位" in page.text
    lin.submit(page.form("/approve"))
    review.carry()
    assert review.calls == 0, "without the tick nothing leaves"
    lin.press(f"/drafts/{draft['draftId']}", "/approve", confirmStale="on")
    review.carry()
    case.holds("approve", review.phone() == [GOOD])


def test_w_07_operator_sees_exactly_what_the_customer_will_get(case, review):
    """The preview's characters are the message's; what nobody could see has a mark."""
    review.says()
    draft = review.post_good()
    lin = review.browser()
    lin.press(f"/drafts/{draft['draftId']}", "/edit", text=case.given["draft"])
    page = lin.draft(draft)
    review.carry()
    preview = page.html[page.html.index('id="preview-title"') : page.html.index('id="history-title"')]
    case.equals("invisible_characters_marked", preview.count("U+200B") >= 1 and preview.count("⏎") >= 3)
    case.equals("preview_equals_sent_bytes", review.phone() == [case.given["draft"]])
    assert review.world.world.arrived(CUSTOMER)[0].encode() == case.given["draft"].encode()


def test_w_10_keyboard_shortcut_and_mouse_together(case, review):
    """Both press the same button of the same page: one form, one request id, one message."""
    review.says()
    draft = review.post_good()
    lin = review.browser()
    page = lin.draft(draft)
    (button,) = [attrs for tag, attrs in page.tags if tag == "button" and attrs.get("data-key") == "a"]
    assert "formaction" not in button
    form = page.form("/edit")
    keyboard = lin.post(form.action, form.data(text="我来回您。"))
    mouse = lin.post(page.form("/approve").action, page.form("/approve").data())
    assert (keyboard.status_code, mouse.status_code) == (303, 303)
    review.carry()
    case.equals("sends", review.calls)
