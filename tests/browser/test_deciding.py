"""Deciding on a draft: by keyboard at a desk, by touch on a phone, in both languages."""

import pytest

from tests.browser.stage import GOOD, SIZE, WRONG

EVERYWHERE = pytest.mark.parametrize("locale", ["zh-CN", "en-GB"])
DEVICES = pytest.mark.parametrize("device", ["desk", "phone"])


def choose(person, key, selector):
    """Open a panel or press a button: by key at a desk, by touch on a phone."""
    if person.device == "desk":
        person.page.keyboard.press(key)
    else:
        person.touch(selector)


@EVERYWHERE
@DEVICES
def test_approving_a_good_draft(house, person, device, locale):
    cid = house.customer()
    draft = house.good(cid)
    lin = person(house, device=device, locale=locale)
    lin.go("/")
    lin.page.locator(f"a[href='/drafts/{draft['draftId']}']").wait_for()
    lin.shot("01-queue")
    lin.open(draft)
    lin.shot("02-draft-good")
    if device == "desk":
        lin.page.keyboard.press("a")
        lin.press("Enter")
    else:
        lin.tap("form.approve button")
    assert lin.say("done.approved") in lin.told
    assert house.arrives(cid) == [GOOD]
    lin.page.locator("#standing .tag", has_text=lin.say("state.sent")).wait_for()
    lin.shot("03-draft-sent")


@EVERYWHERE
@DEVICES
def test_mending_a_wrong_draft(house, person, device, locale):
    """The clause shows its source; the edit is advised upon; what leaves is the person's wording."""
    cid = house.customer(SIZE)
    lin = person(house, device=device, locale=locale)
    lin.open(house.wrong(cid))
    clause = lin.page.locator(".clause.contradicted, .clause.unsupported").first
    number = clause.get_attribute("data-claim")
    if device == "desk":
        lin.page.keyboard.press("]")
    else:
        clause.tap()
    shown = lin.page.locator(f"#claim-{number}")
    assert "89.6" in shown.inner_text()
    lin.shot("04-draft-wrong")
    choose(lin, "e", "[data-key=e]")
    area = lin.page.locator("#panel-edit textarea")
    area.fill(WRONG.replace("62", "90"))
    lin.page.locator("#edit-advice .note.warn").wait_for()
    assert lin.say("check.fact_evidence") in lin.text("#edit-advice")
    lin.shot("05-editing")
    mended = WRONG.replace("98.6", "89.6")
    area.fill(mended)
    lin.page.locator("#edit-advice .note.ok").wait_for()
    assert lin.text("#edit-count").startswith(str(len(mended.encode())))
    if device == "desk":
        lin.press("Control+Enter")
    else:
        lin.tap("#panel-edit button.main")
    assert lin.say("done.edited") in lin.told
    assert house.arrives(cid) == [mended]


@EVERYWHERE
@DEVICES
def test_rejecting_with_a_reason(house, person, device, locale):
    cid = house.customer()
    draft = house.good(cid)
    lin = person(house, device=device, locale=locale)
    lin.open(draft)
    choose(lin, "r", "[data-key=r]")
    lin.page.locator("#panel-reject").get_by_label(lin.say("act.reason.off_point")).check()
    lin.shot("06-rejecting")
    lin.tap("#panel-reject button")
    assert lin.say("done.rejected") in lin.told
    row = house.draft(draft["draftId"])
    assert row["state"] == "rejected" and house.got(cid) == []


def test_keyboard_and_mouse_at_once_send_one_message(house, person):
    cid = house.customer()
    lin = person(house)
    lin.open(house.good(cid))
    lin.page.keyboard.press("a")
    lin.page.evaluate("""() => {
        const button = document.querySelector('[data-key=a]');
        const form = new FormData(button.form);
        const again = () => fetch(button.form.action, {method: 'POST', body: new URLSearchParams(form)});
        window.both = Promise.all([again(), again(), again()]);
        button.click();
    }""")
    lin.page.wait_for_selector("#outcome")
    lin.page.locator("#standing .tag", has_text=lin.say("state.sent")).wait_for()
    lin.page.wait_for_timeout(500)
    assert house.got(cid) == [GOOD]
