"""`draftgate mcp`: a real client session over standard input and output, against a running gateway."""

import asyncio
import json
import os
import subprocess
import sys

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from typer.testing import CliRunner

from gateway.cli import app
from gateway.client import AsyncClient
from gateway.gate import Action
from gateway.mcp_server import ACTING, CHECKED, INSTRUCTIONS, READING, SUBMITTED, McpMissingError, build_server
from tests.docs.conftest import ROOT, live, standing
from verifier.fixes import TYPES

__all__ = ["live", "standing"]

RECORD = {"id": "record-1", "subject": "松月里 5-1602", "text": "建筑面积89平，朝南。"}
SUBJECT = {"subject": "松月里 5-1602"}


class Session:
    """A model's session with the server: in this process, or over stdio with one of its own."""

    def __init__(self, live, url=None):
        self.url, self.key = url or live.url, live.secrets["agent"]
        self.command = ["-c", "from gateway.cli import main; main()", "mcp", "--agent", "tool-agent"]
        self.environment = {"GATE_URL": self.url, "GATE_KEY": self.key}

    def run(self, script, stdio=False):
        """Run `script(client, call)`; `call` gives a tool's structured answer, or the words of its error."""

        async def main():
            async with Client(self._over_stdio() if stdio else self._here()) as client:

                async def call(tool, **given):
                    result = await client.call_tool(tool, given)
                    return result.content[0].text if result.is_error else result.structured_content

                return await script(client, call)

        return asyncio.run(main())

    def _here(self):
        return build_server(AsyncClient(self.url, self.key, tries=1), "tool-agent")

    def _over_stdio(self):
        given = {"command": sys.executable, "args": self.command, "env": self.environment, "cwd": ROOT}
        return stdio_client(StdioServerParameters(**given))


@pytest.fixture
def session(live):
    return Session(live)


@pytest.fixture
def trying(standing):
    """A session for what leaves nothing behind."""
    return Session(standing)


def words(text, **more):
    return {"text": text, "citations": [RECORD]} | more


def test_a_model_finds_tools_that_explain_themselves(trying):
    """Names, words and hints; the kinds of fix actions are told before the first call."""

    async def script(client, _):
        return client.instructions, (await client.list_tools()).tools

    instructions, tools = trying.run(script)
    assert instructions == INSTRUCTIONS
    assert all(f"{kind}: " in instructions for kind in TYPES)
    assert {tool.name for tool in tools} == set(READING + ACTING)
    for tool in tools:
        assert "Use it" in tool.description, tool.name
        assert tool.annotations.read_only_hint is (tool.name in READING)
    schema = next(tool for tool in tools if tool.name == "submit_draft").input_schema
    assert set(schema["required"]) == {"conversation_id", "last_message_id", "draft"}
    assert {"text", "requiresHuman", "citations", "toolResults", "grounding"} == set(
        schema["$defs"]["Words"]["properties"]
    )


def test_a_draft_is_submitted_revised_and_sent(session, live):
    """Inbox, conversation, a wrong draft, the one rewrite by its fix actions, and where it stands at the end."""
    live.says("这套建筑面积多大")

    async def script(_, call):
        [row] = (await call("read_inbox", wait_seconds=5))["items"]
        talk = await call("read_conversation", conversation_id=row["conversationId"])
        given = {"conversation_id": talk["id"], "last_message_id": talk["newestMessageId"], "inbox_id": row["id"]}
        wrong = await call("submit_draft", draft=words("这套建筑面积98平。"), **SUBJECT, **given)
        again = await call("submit_draft", draft=words("这套建筑面积98平。"), **SUBJECT, **given)
        assert again == wrong
        right = await call("revise_draft", draft_id=wrong["draftId"], draft=words("这套建筑面积89平。"))
        late = await call("revise_draft", draft_id=wrong["draftId"], draft=words("这套建筑面积89平。"))
        shown = await call("read_draft", draft_id=wrong["draftId"])
        return wrong, right, late, shown

    wrong, right, late, shown = session.run(script, stdio=True)
    assert (wrong["action"], wrong["state"], wrong["passed"]) == ("rewrite", "awaiting_rewrite", False)
    assert "revise_draft" in wrong["whatNext"] and wrong["deadlineAt"]
    [fix] = wrong["fixActions"]
    assert (fix["type"], fix["target"]) == ("correct_value", "这套建筑面积98平")
    assert fix["do"].startswith("use the printed value")
    assert (right["action"], right["passed"], right["whatNext"]) == ("send", True, SUBMITTED["send"])
    assert "rewrite_not_awaited" in late
    assert (shown["text"], shown["agentId"]) == ("这套建筑面积89平。", "tool-agent")


def test_a_rewrite_may_be_given_up(session, live):
    live.says("这套建筑面积多大")

    async def script(_, call):
        given = {"conversation_id": "c-1", "last_message_id": "m-1"}
        wrong = await call("submit_draft", draft=words("这套建筑面积98平。"), **SUBJECT, **given)
        return await call("give_up_rewrite", draft_id=wrong["draftId"], reason="no better passage")

    told = session.run(script)
    assert (told["action"], told["fallbackReason"], told["whatNext"]) == (
        "hold",
        "rewrite_limit_reached",
        SUBMITTED["hold"],
    )


def test_what_came_since_the_model_read_makes_its_draft_stale(session, live):
    """The model says what it has read; words that it has not seen are never answered by themselves."""
    live.says("这套建筑面积多大")

    async def script(_, call):
        live.says("算了，我问的是朝向")
        given = {"conversation_id": "c-1", "draft": words("这套建筑面积89平。")}
        return [await call("submit_draft", last_message_id=read, **SUBJECT, **given) for read in ("m-9", "m-1", "m-2")]

    unknown, stale, _ = session.run(script)
    assert "read_conversation again" in unknown
    assert (stale["action"], stale["holdReasons"]) == ("hold", ["stale"])


def test_a_draft_is_tried_without_being_stored(session, live):
    """For a stored conversation, or for a question from anywhere."""
    live.says("这套建筑面积多大")

    async def script(_, call):
        stored = await call("evaluate_draft", draft=words("这套建筑面积98平。"), conversation_id="c-1", **SUBJECT)
        question = {"question": "这套建筑面积多大"} | SUBJECT
        good = await call("evaluate_draft", draft=words("这套建筑面积89平。"), **question)
        human = await call(
            "evaluate_draft", draft={"text": "我这就把您转给同事。", "requiresHuman": True}, question="能便宜点吗"
        )
        neither = await call("evaluate_draft", draft=words("好的。"))
        return stored, good, human, neither, await call("read_inbox")

    stored, good, human, neither, inbox = session.run(script)
    assert (stored["action"], stored["draftId"], stored["whatNext"]) == ("rewrite", None, CHECKED["rewrite"])
    assert (good["action"], good["band"], good["passed"]) == ("send", "high", True)
    assert (human["action"], human["requiresHuman"], human["fallbackReason"]) == ("hold", True, "requires_human")
    assert "give conversation_id" in neither
    assert len(inbox["items"]) == 1


def test_every_kind_of_evidence_arrives(trying):
    """Tool results by path, declarations, and expiry reach the check as they were given."""
    data = {"id": "t-1", "tool": "lookup", "status": "ok", "subject": "松月里 5-1602", "data": {"建筑面积": "89平"}}
    declared = {"quote": "这套建筑面积89平", "evidenceId": "t-1", "path": "/建筑面积"}
    old = RECORD | {"validUntil": "2026-01-01T00:00:00+08:00"}
    asked = {"question": "这套建筑面积多大"} | SUBJECT

    async def script(_, call):
        text = "这套建筑面积89平。"
        return [
            await call("evaluate_draft", draft={"text": text, "toolResults": [data], "grounding": [declared]}, **asked),
            await call("evaluate_draft", draft={"text": text, "citations": [old]}, **asked),
            await call("evaluate_draft", draft={"text": text, "citations": [RECORD | {"validUntil": "soon"}]}, **asked),
        ]

    tool, expired, bad = trying.run(script)
    assert tool["passed"] is True
    assert expired["failedCheckIds"] == ["evidence_freshness"]
    assert "draft.citations[0].validUntil" in bad


def test_errors_are_words_that_a_model_can_act_on(standing):
    async def script(_, call):
        return [
            await call("read_conversation", conversation_id="nothing"),
            await call("read_conversation", conversation_id="../drafts"),
            await call("submit_draft", conversation_id="c-1", draft={"text": "好的。"}),
            await call("evaluate_draft", draft={"txt": "好的。"}, question="在吗"),
        ]

    unknown, climbing, lacking, misspelt = Session(standing).run(script)
    assert "unknown_conversation" in unknown
    assert "cannot stand in an address" in climbing
    assert "last_message_id" in lacking
    assert "txt" in misspelt
    assert all(standing.secrets["agent"] not in told for told in (unknown, climbing, lacking, misspelt))


def test_a_gateway_that_is_away_is_told(standing):
    async def script(_, call):
        return await call("read_inbox")

    told = Session(standing, "http://127.0.0.1:1").run(script)
    assert "gave no answer (unreachable)" in told and "try again later" in told


LOST = [
    ("revise_draft", {"draft_id": "d-1", "draft": {"text": "好的。"}}, "look with read_draft"),
    (
        "submit_draft",
        {"conversation_id": "c-1", "last_message_id": "m-1", "draft": {"text": "好的。"}},
        "the same call again is harmless",
    ),
]


@pytest.mark.parametrize(("tool", "given", "told"), LOST, ids=[row[0] for row in LOST])
def test_a_lost_answer_is_told_with_what_to_do(tool, given, told):
    """A rewrite whose answer is lost may have arrived: the model looks. A posted draft may simply be posted again."""

    def losing(request):
        if request.method == "POST":
            raise httpx2.ReadTimeout("late")
        asked = {"id": "m-1", "role": "customer", "text": "在吗", "at": "2026-11-30T10:00:00+08:00"}
        return httpx2.Response(200, json={"id": "c-1", "chatType": "private", "messages": [asked]})

    async def main():
        gate = AsyncClient("http://gate.example", "dg_key", tries=1, transport=httpx2.MockTransport(losing))
        async with Client(build_server(gate)) as client:
            return await client.call_tool(tool, given)

    result = asyncio.run(main())
    assert result.is_error and told in result.content[0].text


def test_a_very_long_conversation_is_shown_in_part():
    """A turn takes two thousand messages; the newest that the model has read are always among those shown."""
    shown = []

    def answering(request):
        if request.method == "POST":
            shown.append([m["id"] for m in json.loads(request.content)["conversation"]["messages"]])
            return httpx2.Response(200, json={"id": "t", "qualityPassed": True, "requiresHuman": False})
        said = [
            {"id": f"m-{n}", "role": "customer", "text": "嗯", "at": "2026-11-30T10:00:00+08:00"} for n in range(3000)
        ]
        return httpx2.Response(200, json={"id": "c", "chatType": "private", "pack": "property", "messages": said})

    async def main():
        gate = AsyncClient("http://gate.example", "dg_key", transport=httpx2.MockTransport(answering))
        async with Client(build_server(gate)) as client:
            given = {"conversation_id": "c", "draft": {"text": "好的。"}}
            await client.call_tool("submit_draft", given | {"last_message_id": "m-2000"})
            await client.call_tool("evaluate_draft", given)

    asyncio.run(main())
    assert [(len(ids), ids[-1]) for ids in shown] == [(200, "m-2000"), (200, "m-2999")]


def test_every_action_says_what_to_do_next():
    assert set(SUBMITTED) == set(CHECKED) == {str(action) for action in Action}


def test_without_key_or_extra_the_command_says_what_to_do(monkeypatch):
    monkeypatch.delenv("GATE_KEY", raising=False)
    told = CliRunner().invoke(app, ["mcp"])
    assert told.exit_code == 2 and "GATE_KEY" in told.output
    monkeypatch.setenv("GATE_KEY", "dg_key")
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    told = CliRunner().invoke(app, ["mcp"])
    assert told.exit_code == 2 and "draftgate[mcp]" in told.output
    with pytest.raises(McpMissingError):
        build_server(AsyncClient("http://gate.example", "dg_key"))


def test_nothing_but_the_protocol_is_written(trying):
    """Every line on standard output is JSON-RPC; the log stays empty while all is well."""
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "read_inbox", "arguments": {}}}
    lines = [hello, {"jsonrpc": "2.0", "method": "notifications/initialized"}, call]
    given = os.environ | trying.environment
    with subprocess.Popen(
        [sys.executable, *trying.command],
        env=given,
        cwd=ROOT,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        for line in lines:
            process.stdin.write(json.dumps(line) + "\n")
            process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in range(2)]
        out, errors = process.communicate(timeout=20)
    assert [a["id"] for a in answers] == [1, 2]
    assert answers[1]["result"]["structuredContent"] == {"items": []}
    assert (out, errors, process.returncode) == ("", "", 0)
