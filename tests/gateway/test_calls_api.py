"""Dead letters and alerts over HTTP and on the command line: who may see them, and what never stands there."""

import re
from types import SimpleNamespace

import httpx2
import pytest
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from gateway import agent_calls, alert_targets, hooks, people
from gateway.app import create_app
from gateway.bell import Bell
from gateway.caller import Caller
from gateway.cli import app
from gateway.settings import load_settings
from tests.gateway.test_alarm import Group
from tests.gateway.test_caller import Agent

KEY = "a-robot-key-of-the-tests"


@pytest.fixture
def calls(make_desk, clock):
    """Two accounts, each with a dead letter and an alert, and a key for the operators of one of them."""
    desk = make_desk()
    agent, group = Agent(), Group()
    agent.answers = [410, 410]
    for name in ("shop", "other"):
        desk.account(name, mode="review")
        desk.conversation(f"c-{name}", account=name)
        desk.run(lambda tx, name=name: hooks.set_hook(tx, name, "https://agent.example/", "t"))
        desk.run(lambda tx, name=name: alert_targets.add_robot(tx, name, KEY, ["held"], "t"))
        desk.says("小区人车分流吗", f"c-{name}")
    caller = Caller(desk.run, desk.service.settings, clock, httpx2.MockTransport(agent))
    caller.call_due()
    caller.close()
    for name in ("shop", "other"):
        desk.post_good(f"c-{name}", shown=[])
    bell = Bell(desk.run, desk.service.settings, clock, transport=httpx2.MockTransport(group))
    bell.ring()
    bell.close()
    made = desk.run(
        lambda tx: (
            people.add_key(tx, name="op", scopes=["operator"], actor="t", accounts=["shop"])[1],
            people.add_key(tx, name="ag", scopes=["agent"], actor="t")[1],
        )
    )
    headers = [{"Authorization": f"Bearer {secret}"} for secret in made]
    with TestClient(create_app(desk.service, scheduler=False)) as client:
        yield SimpleNamespace(desk=desk, client=client, operator=headers[0], agent=headers[1], caller=caller)


def test_operators_see_their_accounts_dead_letters(calls):
    """One account's key does not see, or repeat, the other's."""
    [letter] = calls.client.get("/v1/dead-letters", headers=calls.operator).json()["items"]
    assert (letter["account"], letter["conversationId"], letter["error"]) == ("shop", "c-shop", "HTTP 410")
    again = calls.client.post(f"/v1/dead-letters/{letter['id']}/retry", headers=calls.operator)
    assert again.json() == {"id": letter["id"], "state": "waiting"}
    assert calls.client.get("/v1/dead-letters", headers=calls.operator).json()["items"] == []
    others = calls.desk.service.look(lambda tx: agent_calls.dead_letters(tx, (), 9))
    refused = calls.client.post(f"/v1/dead-letters/{others[0]['id']}/retry", headers=calls.operator)
    assert (refused.status_code, refused.json()["error"]["code"]) == (404, "unknown_dead_letter")


def test_operators_see_their_accounts_alerts(calls):
    """What became of each, no key, no customer's word."""
    answer = calls.client.get("/v1/alerts", headers=calls.operator)
    [alert] = answer.json()["items"]
    assert (alert["account"], alert["kind"], alert["state"], alert["standsFor"]) == ("shop", "held", "told", 1)
    assert KEY not in answer.text
    assert "人车分流" not in answer.text


@pytest.mark.parametrize("path", ["/v1/dead-letters", "/v1/alerts"])
def test_an_agent_does_not(calls, path):
    assert calls.client.get(path, headers=calls.agent).json()["error"]["code"] == "missing_scope"
    assert calls.client.get(path, headers=calls.operator, params={"limit": 0}).status_code == 422


def test_metrics_count_both(calls):
    text = calls.client.get("/metrics").text
    assert 'draftgate_agent_calls{state="dead"} 2.0' in text
    assert 'draftgate_alerts{state="told"} 2.0' in text


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runner = CliRunner()

    def command(*args, **given):
        return runner.invoke(app, [*args, "--settings", "draftgate.env"], **given)

    assert runner.invoke(app, ["init", "--password", "a-long-password"]).exit_code == 0
    assert command("add-account", "shop").exit_code == 0
    return command


def test_webhooks_and_alerts_are_set_up_on_the_command_line(run, tmp_path):
    """`init` made the key that seals them; secrets are shown once or never."""
    secret = run("webhook", "set", "shop", "https://agent.example/hook?x=hidden").stdout.strip()
    assert re.fullmatch(r"whs_[\w-]{43}", secret)
    listed = run("webhook", "list").stdout
    assert "agent.example" in listed
    assert "hidden" not in listed
    target = run("alerts", "add-robot", "shop", input=f"{KEY}\n").stdout.split()[-1]
    assert target.startswith("al_")
    members = run("alerts", "add-members", "shop", "--agent-id", "7", "--member", "lin", "--kind", "stopped")
    assert members.exit_code == 0
    listed = run("alerts", "targets").stdout
    assert "lin" in listed and "robot" in listed
    assert KEY not in listed
    assert run("alerts", "remove", target).exit_code == 0
    assert run("alerts", "remove", target).exit_code == 1
    assert run("alerts", "list").exit_code == 0
    assert run("webhook", "dead-letters").exit_code == 0
    assert run("webhook", "retry", "--all").stdout == "0 will be called again\n"
    assert run("webhook", "retry", "in_nothing").exit_code == 1
    assert run("webhook", "remove", "shop").exit_code == 0
    assert run("webhook", "set", "shop", "http://agent.example/").exit_code == 1
    assert len(load_settings(tmp_path / "draftgate.env").secret_key.get_secret_value()) >= 32


def test_a_short_secret_key_stops_the_start(monkeypatch, tmp_path):
    result = CliRunner(env={"DRAFTGATE_SECRET_KEY": "short"}).invoke(app, ["webhook", "list"])
    assert result.exit_code == 2
    assert "DRAFTGATE_SECRET_KEY" in result.output
