"""The README says what is so: its agent runs, its commands exist, its tables are the code's."""

import re
import shlex
import subprocess
import sys
import time

import httpx2
import pytest
import typer.main
from typer.testing import CliRunner

from gateway.cli import app
from gateway.demo.scenes import load_scenes
from gateway.gate import Mode, Situation, decide
from gateway.people import SCOPES
from gateway.settings import Settings
from gateway.tables import ROLES
from planner.turn import ChatType
from tests.docs.conftest import ROOT
from tests.docs.markdown import blocks, cells, commands, section
from tests.gateway.test_gate import VERDICTS, a_plan

README = (ROOT / "README.md").read_text("utf-8")


def test_the_agent_of_the_readme_works(live, tmp_path):
    """Its twenty lines answer a customer over HTTP, with the one rewrite."""
    [code] = blocks(README, "python")
    assert len([line for line in code.splitlines() if line.strip()]) <= 20
    script = tmp_path / "agent.py"
    script.write_text(code, "utf-8")
    live.says("这套建筑面积多大")
    command = [sys.executable, "-u", str(script)]
    given = {"GATE_URL": live.url, "GATE_KEY": live.secrets["agent"], "PYTHONIOENCODING": "utf-8"}
    with subprocess.Popen(command, env=given, stdout=subprocess.PIPE, text=True) as agent:
        end = time.monotonic() + 20
        while not live.arrived and time.monotonic() < end:
            time.sleep(0.05)
        agent.terminate()
        printed = agent.communicate(timeout=10)[0]
    assert live.arrived == ["这套建筑面积89平。"], printed
    assert printed.startswith("queued")


def test_the_settings_table_is_complete():
    """Every setting, its default and its meaning, in order."""
    told = [row for row in cells(section(README, "设置 · Settings")) if row[0].startswith("`DRAFTGATE_")]
    known = []
    for name, field in Settings.model_fields.items():
        default = field.default.get_secret_value() if hasattr(field.default, "get_secret_value") else field.default
        shown = "" if default in (None, "") else f"`{default}`"
        known.append([f"`DRAFTGATE_{name.upper()}`", shown, field.description])
    assert [[row[0], row[1], row[3]] for row in told] == known
    assert all(re.search("[一-鿿]", row[2]) for row in told)


SITUATIONS = {
    "it could not be evaluated": ("unavailable", {}, {}),
    "the customer only thanked, confirmed or closed": ("passed, high", {"no_reply": True}, {}),
    "people hold the talk, the draft is stale, the moment was answered": ("passed, high", {}, {"human_owns": True}),
    "it failed, no rewrite yet": ("failed", {}, {}),
    "it failed, the rewrite is used": ("failed", {}, {"rewrite_used": True}),
    "it passed, but a person must decide": ("passed, high", {"human": True, "risk": True}, {}),
    "it passed, in a group chat": ("passed, high", {}, {"chat_type": ChatType.GROUP}),
    "it passed, in answer to a customer": ("passed, high", {}, {}),
    "it passed, no customer waits (a follow-up)": ("passed, high", {}, {"unanswered": False}),
}


def test_the_modes_table_is_what_decide_says():
    """Who is sent, straight from the gate."""
    head, *rows = cells(section(README, "三种模式 · Three modes"))
    assert head[2:] == [str(mode) for mode in Mode]
    told = {row[1]: [cell.strip("`") for cell in row[2:]] for row in rows}
    assert list(told) == list(SITUATIONS)
    for name, (verdict, plan, known) in SITUATIONS.items():
        given = [Situation(**({"mode": mode, "chat_type": ChatType.PRIVATE} | known)) for mode in Mode]
        actions = [decide(a_plan(**plan), VERDICTS[verdict], s, draft_requires_human=False).action for s in given]
        assert [str(action) for action in actions] == told[name], name


def test_the_scopes_and_roles_are_named():
    told = [row[0].strip("`") for row in cells(section(README, "密钥和权限 · API keys and scopes"))[1:]]
    assert told == list(SCOPES)
    assert all(f"`{role}`" in section(README, "密钥和权限 · API keys and scopes") for role in ROLES)


def command_of(words):
    """Follow a command line into the program's commands; the option names that it uses must exist."""
    command = typer.main.get_command(app)
    for word in list(words):
        children = getattr(command, "commands", None)
        if not children:
            break
        assert word in children, words
        command = children[word]
    known = {name for option in command.params for name in option.opts}
    used = {word.partition("=")[0] for word in words if word.startswith("--")}
    assert used <= known, (words, used - known)


@pytest.mark.parametrize(
    "document",
    sorted(
        p.relative_to(ROOT).as_posix() for p in ROOT.glob("**/*.md") if not {".venv", "node_modules"} & set(p.parts)
    ),
)
def test_every_command_exists(document):
    """Each `draftgate …` and `make …` that a document names can be typed."""
    text = (ROOT / document).read_text("utf-8")
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    for line in commands(text):
        program, *words = shlex.split(line, comments=True)
        if program == "draftgate":
            command_of(words)
        elif program == "make":
            assert {word for word in words if "=" not in word} <= targets, line


def test_the_newcomers_commands_run(tmp_path, monkeypatch):
    """init, add-account and add-key, as the README writes them, one after the other."""
    monkeypatch.chdir(tmp_path)
    shell = next(b for b in blocks(README, "bash") if "draftgate init" in b)
    printed = []
    for line in shell.splitlines():
        _, *words = shlex.split(line, comments=True)
        if words[0] != "serve":
            result = CliRunner().invoke(app, words)
            assert result.exit_code == 0, result.output
            printed.append(result.output)
    assert "shown this once" in printed[0]
    assert "0 allowlist entries" in printed[1]
    assert printed[2].startswith("dg_")
    assert (tmp_path / "draftgate.env").stat().st_mode & 0o077 == 0
    assert CliRunner().invoke(app, shlex.split("init --operator admin")).exit_code == 1


PRICES = {"picture": "[图片]", "bargain": "还能再便宜点吗", "complaint": "等了三天没人管，我要投诉"}


@pytest.mark.parametrize("words", PRICES.values(), ids=list(PRICES))
def test_what_is_for_people_goes_to_people(live, words):
    """Pictures, bargains and complaints are never answered without a person, even by a draft that hands over."""
    shown = live.says(words)
    turn = {
        "id": "t-1",
        "conversation": {"id": "c-1", "chatType": "private", "messages": [shown]},
        "draft": {"text": "我这就把您转给负责的同事。", "requiresHuman": True},
    }
    answer = live.call("agent", "POST", "/v1/drafts", json=turn, headers={"Idempotency-Key": "k"}).json()
    assert (answer["state"], answer["fallbackReason"], live.arrived) == ("held", "requires_human", [])


def test_a_key_of_one_account_does_not_see_the_others(live):
    """`--account` limits a key: other accounts' conversations do not exist for it."""
    from gateway import people

    live.says("在吗")
    narrow = live.service.run(
        lambda tx: people.add_key(tx, name="narrow", scopes=["agent"], accounts=["shop-9"], actor="test")
    )[1]
    live.secrets["narrow"] = narrow
    assert live.call("narrow", "GET", "/v1/conversations/c-1").status_code == 404
    assert live.call("narrow", "GET", "/v1/inbox").json() == {"items": []}
    assert len(live.call("agent", "GET", "/v1/inbox").json()["items"]) == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DRAFTGATE_PORT", "abc"),
        ("DRAFTGATE_TIMEZONE", "Mars"),
        ("DRAFTGATE_DATABASE_URL", "mysql://shop"),
        ("DRAFTGATE_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none?connect_timeout=2"),
    ],
)
@pytest.mark.parametrize("command", ["serve", "add-account shop"])
def test_a_bad_setting_stops_the_start_with_one_line(name, value, command, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(name, value)
    result = CliRunner().invoke(app, shlex.split(command))
    assert result.exit_code == 2
    [line] = result.output.strip().splitlines()
    assert line.startswith(f"draftgate: {name}: ")


def test_the_demos_turns_end_as_told():
    """The rows shown are scenes of the demo, which checks their ends itself."""
    scenes = {scene.customer: scene for scene in load_scenes()}
    rows = cells(section(README, "两条命令 · Two commands"))[1:]
    assert len(rows) == 5
    for customer, draft, outcome in rows:
        scene = scenes[customer]
        assert scene.draft["text"] == draft
        expected = [scene.expect.state, *([scene.expect.fallback] if scene.expect.fallback else [])]
        assert re.findall(r"`(\w+)`", outcome) == expected
        assert ("改写成" in outcome) == (scene.rewrite is not None and scene.expect.state == "sent")


def test_the_web_view_is_where_it_says(live):
    """A newcomer who opens the address is asked to sign in."""
    page = httpx2.get(live.url + "/", follow_redirects=True)
    assert page.status_code == 200
    assert "/sign-in" in str(page.url)
    assert "script-src 'self'" in page.headers["content-security-policy"]
