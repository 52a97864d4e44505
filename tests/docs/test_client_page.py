"""docs/client.md: its code runs and prints what it says, its tables are the client's and the server's."""

import json
import re
import shlex
from pathlib import Path

from gateway.client import Client, calls
from gateway.mcp_server import ACTING, READING
from tests.docs.conftest import ROOT
from tests.docs.markdown import blocks, cells, section
from tests.docs.test_readme import command_of

TEXT = (ROOT / "docs" / "client.md").read_text("utf-8")
CODE = blocks(TEXT, "python")


def test_the_code_runs_and_prints_what_it_says(live, monkeypatch, capsys):
    """All pieces, one after the other, as one program."""
    live.says("这套建筑面积多大")
    monkeypatch.setenv("GATE_URL", live.url)
    monkeypatch.setenv("GATE_KEY", live.secrets["agent"])
    program = {"__name__": "page"}
    for code in CODE:
        exec(compile(code, "docs/client.md", "exec"), program)  # noqa: S102  # the page's own words
        told = re.findall(r"# → (.+)$", code, re.MULTILINE)
        assert capsys.readouterr().out.splitlines() == told, code


def test_every_call_is_told_with_what_is_repeated():
    """The table's methods are the client's; a tick stands where a call may be repeated."""
    rows = cells(section(TEXT, "收件、交稿、改写 · Inbox, draft, rewrite"))[1:]
    told = {name: row[2].startswith("✓") for row in rows for name in re.findall(r"`(\w+)`", row[0])}
    own = {name for name in vars(Client) if not name.startswith("_")} - {"close", "from_environment"}
    assert set(told) == own
    made = {
        "evaluate": calls.evaluate({}, None),
        "evaluate_many": next(calls.evaluate_many([{}], None)),
        "evaluation_schema": calls.evaluation_schema(),
        "inbox": calls.inbox(0, 1),
        "get_conversation": calls.get_conversation("c"),
        "get_draft": calls.get_draft("d"),
        "deliveries": calls.deliveries(None, None, 1, None),
        "post_draft": calls.post_draft({}, None),
        "rewrite": calls.rewrite("d", {}, None),
        "create_conversation": calls.create_conversation("c", "a", "r", "private", None),
        "post_message": calls.post_message("c", {}),
        "group_turn": calls.group_turn({}),
        "cross_replies": calls.cross_replies("g", []),
    }
    assert told == {name: call.repeatable for name, call in made.items()}


def test_the_tools_are_told():
    rows = cells(section(TEXT, "给会用工具的模型 · For models that use tools"))[1:]
    assert {row[0].strip("`") for row in rows} == set(READING + ACTING)


def test_the_hosts_settings_start_the_command():
    [block] = blocks(TEXT, "json")
    [server] = json.loads(block)["mcpServers"].values()
    assert Path(server["command"]).name == "draftgate"
    command_of(shlex.split(" ".join(server["args"])))
    assert set(server["env"]) == {"GATE_URL", "GATE_KEY"}
