"""Signing in and out, figures, settings, sandbox: on a desk and on a phone, in both languages."""

import json

import pytest

from gateway.examples import TURN
from tests.browser.stage import GOOD, PASSWORD

EVERYWHERE = pytest.mark.parametrize("locale", ["zh-CN", "en-GB"])
DEVICES = pytest.mark.parametrize("device", ["desk", "phone"])


@EVERYWHERE
@DEVICES
def test_signing_in_and_out_everywhere(house, person, device, locale):
    other = person(house, "wang", device=device, locale=locale)
    wang = person(house, "wang", device=device, locale=locale, signed_in=False)
    wang.go("/conversations")
    assert wang.page.url.endswith("/sign-in?next=%2Fconversations")
    wang.page.get_by_label(wang.say("sign_in.name")).fill("wang")
    wang.page.get_by_label(wang.say("sign_in.password")).fill("not this one")
    wang.tap("form button.main")
    assert wang.say("sign_in.wrong") in wang.text()
    wang.shot("30-wrong-password")
    wang.page.get_by_label(wang.say("sign_in.name")).fill("wang")
    wang.page.get_by_label(wang.say("sign_in.password")).fill(PASSWORD)
    wang.tap("form button.main")
    assert wang.page.url == f"{house.url}/conversations"
    wang.touch(".menu summary")
    wang.shot("31-menu")
    wang.tap("button[name=everywhere]")
    other.go("/")
    assert "/sign-in" in other.page.url


@EVERYWHERE
@DEVICES
def test_a_bar_leads_to_its_drafts(house, person, device, locale):
    agent = f"bars-{device}-{locale}"
    draft = house.post(GOOD, house.customer(), agentId=agent)
    house.reject(draft["draftId"])
    lin = person(house, device=device, locale=locale)
    lin.go("/statistics")
    lin.shot("32-statistics")
    lin.tap(f"a[href*='agent={agent}'][href*='decision~rejected']")
    assert lin.page.locator(f"#row-{draft['draftId']}").count() == 1
    lin.shot("33-drafts-behind")
    with lin.page.expect_download() as download:
        lin.page.goto(f"{house.url}/statistics")
        lin.touch("a[href^='/statistics.csv']")
    assert agent in download.value.path().read_text("utf-8")


@EVERYWHERE
@DEVICES
def test_settings_are_changed_and_recorded(house, person, device, locale):
    zhao = person(house, "zhao", device=device, locale=locale)
    zhao.go("/settings")
    number = "1" if locale == "zh-CN" else "3"
    zhao.page.locator("input[name=touches]").fill(number)
    zhao.shot("34-settings")
    zhao.tap("form[action='/settings/limits'] button")
    assert zhao.say("done.limits_saved") in zhao.told
    zhao.go("/settings/history")
    assert f"→ {number}" in zhao.text(".history")
    zhao.shot("35-changes")
    zhao.go("/settings/packs")
    zhao.tap("form[action$='/property/check'] button")
    assert zhao.say("packs.sound") in zhao.text("#report")
    zhao.shot("36-packs")
    lin = person(house, "lin", device=device, locale=locale)
    lin.go("/settings")
    assert lin.say("refused.missing_scope") in lin.text()
    lin.shot("37-not-for-you")


@EVERYWHERE
@DEVICES
def test_a_turn_is_tried_without_sending(house, person, device, locale):
    lin = person(house, device=device, locale=locale)
    lin.go("/sandbox")
    turn = json.loads(json.dumps(TURN))
    turn["draft"] |= {"text": "小区人车分流。地下车位有 900 个。", "grounding": []}
    lin.page.locator("textarea.code").fill(json.dumps(turn, ensure_ascii=False, indent=1))
    before = len(house.channel.sent)
    lin.tap("form button.main")
    assert lin.page.locator(".clause.contradicted").count() == 1
    assert lin.say("check.fact_evidence") in lin.text()
    lin.shot("38-sandbox")
    assert len(house.channel.sent) == before
