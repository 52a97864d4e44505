"""The page of agents and alerts: webhooks are set there, dead letters repeated, and no secret stands twice."""

import httpx2
import pytest

from gateway import alert_targets, hooks
from gateway.bell import Bell
from gateway.caller import Caller
from tests.gateway.test_alarm import Group
from tests.gateway.test_caller import Agent

PAGE = "/settings/agents"


@pytest.fixture
def admin(browser_of):
    return browser_of("lin", "admin", "林小月")


def fill(admin, **given):
    form = admin.get(PAGE).form("/hooks")
    return admin.post(form.action, form.data(account="shop", **given))


def test_a_webhook_is_set_shown_once_and_removed(desk, admin):
    """The secret is on the page that follows and on no other; the address without its query."""
    shown = fill(admin, url="https://agent.example/hook?x=unseen")
    assert shown.status_code == 200 and "whs_" in shown.text
    listed = admin.get(PAGE)
    assert "https://agent.example/hook" in listed.text
    assert "whs_" not in listed.html and "unseen" not in listed.html
    done = admin.submit(listed.form("/hooks/shop/remove"))
    assert "agent.example" not in done.text
    refused = fill(admin, url="http://agent.example/")
    assert refused.status_code == 422 and "https" in refused.text and "whs_" not in refused.text


def test_dead_letters_are_shown_and_repeated(desk, admin, clock):
    agent = Agent()
    agent.answers = [410]
    desk.run(lambda tx: hooks.set_hook(tx, "shop", "https://agent.example/", "t"))
    desk.says("小区人车分流吗")
    caller = Caller(desk.run, desk.service.settings, clock, httpx2.MockTransport(agent))
    caller.call_due()
    caller.finish()
    page = admin.get(PAGE)
    assert "HTTP 410" in page.text
    again = admin.submit(page.form("/retry"))
    assert "再叫一次" in again.text
    assert "HTTP 410" not in admin.get(PAGE).text
    caller.call_due()
    caller.finish()
    caller.close()
    assert len(agent.got) == 2


def test_what_operators_were_not_told_is_shown(desk, admin, clock):
    """With its error, and the way to the draft; never the robot's key."""
    group = Group()
    group.answers = [{"errcode": 93000, "errmsg": "invalid webhook url"}]
    desk.run(lambda tx: alert_targets.add_robot(tx, "shop", "a-robot-key-of-the-tests", [], "t"))
    desk.says("我要投诉你们店")
    draft = desk.post("我这就把您转给负责的同事处理。", requiresHuman=True)["draftId"]
    bell = Bell(desk.run, desk.service.settings, clock, transport=httpx2.MockTransport(group))
    bell.ring()
    bell.close()
    page = admin.get(PAGE)
    assert "没告诉成" in page.text and "93000" in page.text
    assert f"/drafts/{draft}" in page.links
    assert "a-robot-key" not in page.html


def test_only_admins_see_it(browser_of):
    assert browser_of("wu", "operator").client.get(PAGE).status_code == 403
