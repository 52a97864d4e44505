"""Staleness, undo, own words, taking over, bulk rejection: by keyboard at a desk, by touch on a phone."""

import pytest

from outbound.outcome import Unknown
from tests.browser.stage import ASKED, GOOD

EVERYWHERE = pytest.mark.parametrize("locale", ["zh-CN", "en-GB"])
DEVICES = pytest.mark.parametrize("device", ["desk", "phone"])


@pytest.fixture(scope="module")
def slow_house(tmp_path_factory):
    """A gateway whose approvals can be undone for a while."""
    from gateway.server import Running
    from tests.browser.stage import Stage

    stage = Stage(tmp_path_factory.mktemp("slow"), undo_seconds=60)
    with Running(stage.service) as running:
        stage.url = running.url
        yield stage


@EVERYWHERE
@DEVICES
def test_a_customer_writes_while_somebody_reads(house, person, device, locale):
    cid = house.customer()
    lin = person(house, device=device, locale=locale)
    lin.open(house.good(cid))
    house.says("算了，先说说有没有车位", cid)
    lin.page.wait_for_selector("#standing .outcome")
    assert lin.say("standing.newer") in lin.text("#standing")
    lin.shot("10-customer-wrote")
    lin.tap("#standing .outcome a")
    assert lin.say("act.stale") in lin.text(".draft-card")
    lin.page.locator("form.approve").get_by_label(lin.say("act.confirm_stale")).check()
    lin.shot("11-stale-confirmed")
    lin.tap("form.approve button")
    assert lin.say("done.approved") in lin.told
    assert house.arrives(cid) == [GOOD]


@EVERYWHERE
@DEVICES
def test_undo_before_the_message_leaves(slow_house, person, device, locale):
    cid = slow_house.customer()
    lin = person(slow_house, device=device, locale=locale)
    draft = slow_house.good(cid)
    lin.open(draft)
    lin.tap("form.approve button")
    assert lin.say("done.approved_undo") in lin.told
    assert lin.page.locator("#standing time[data-until]").count() == 1
    lin.shot("12-undo-window")
    if device == "desk":
        lin.press("u")
    else:
        lin.tap("#standing form button.danger")
    assert lin.say("done.undone") in lin.told
    assert slow_house.draft(draft["draftId"])["state"] == "held" and slow_house.got(cid) == []


@EVERYWHERE
@DEVICES
def test_own_words_taking_over_handing_over_and_giving_back(house, person, device, locale):
    cid = house.customer()
    lin = person(house, device=device, locale=locale)
    lin.open(house.good(cid))
    if device == "desk":
        lin.press("t")
    else:
        lin.tap("form[action$='/take'] button")
    assert lin.say("done.taken") in lin.told
    lin.page.keyboard.press("m") if device == "desk" else lin.touch("[data-key=m]")
    lin.page.locator("#panel-write textarea").fill("您好，我是门店的小林，这就帮您问。")
    lin.shot("13-own-words")
    if device == "desk":
        lin.press("Control+Enter")
    else:
        lin.tap("#panel-write button.main")
    lin.hears(lin.say("done.written"))
    assert house.arrives(cid) == ["您好，我是门店的小林，这就帮您问。"]
    lin.go(f"/conversations/{cid}")
    lin.page.keyboard.press("h") if device == "desk" else lin.touch(".pop summary")
    lin.page.locator(".pop select").select_option("wang")
    lin.shot("14-hand-over")
    lin.tap(".pop button.main")
    assert lin.say("done.handed_over", to="王建") in lin.told
    lin.shot("15-conversation")
    lin.tap("form[action$='/give-back'] button")
    assert lin.say("done.given_back") in lin.told


@EVERYWHERE
@DEVICES
def test_filtering_and_rejecting_several(house, person, device, locale):
    cids = [house.customer(), house.customer()]
    drafts = [house.post(GOOD, cid, agentId=f"several-{device}-{locale}") for cid in cids]
    for draft in drafts:
        house.rewrite(draft["draftId"], GOOD)
    lin = person(house, device=device, locale=locale)
    lin.go("/")
    lin.touch(".filters summary")
    lin.page.locator("select[name=agent]").select_option(f"several-{device}-{locale}")
    lin.page.locator("select[name=check]").select_option("fact_evidence")
    lin.shot("16-filters")
    lin.tap(".filter-end button")
    assert lin.page.locator("[data-item]").count() == 2
    for box in lin.page.locator("[data-tick]").all():
        box.check()
    lin.touch(".bulk summary")
    lin.page.locator(".bulk input").fill(lin.say("act.reason.not_needed"))
    lin.shot("17-bulk")
    lin.tap(".bulk button")
    assert lin.say("done.rejected_many", count="2", left="0") in lin.told
    assert {house.draft(d["draftId"])["state"] for d in drafts} == {"rejected"}


@EVERYWHERE
@DEVICES
def test_an_unknown_outcome_is_settled_by_looking(house, person, device, locale):
    cid = house.customer(ASKED)
    draft = house.good(cid)
    lin = person(house, device=device, locale=locale)
    lin.open(draft)
    house.channel.plan(Unknown("read timeout"))
    lin.tap("form.approve button")
    lin.page.locator("#standing .tag", has_text=lin.say("state.send_unknown")).first.wait_for()
    lin.go("/deliveries?tab=unknown")
    lin.shot("18-unknown")
    lin.tap(".settle button[value=yes]")
    assert lin.say("done.arrived") in lin.told
    assert house.draft(draft["draftId"])["state"] == "sent"
