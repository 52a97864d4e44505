"""docs/api.md: its endpoints are the app's, its walk can be walked, its error codes are the code's."""

import ast
import json
import re
import time

import httpx2
import pytest

from gateway.app import create_app
from tests.docs.conftest import ROOT
from tests.docs.markdown import blocks, cells, section

API = (ROOT / "docs" / "api.md").read_text("utf-8")
TABLE = [row for row in cells(API.partition("\n## ")[0])[1:] if len(row) == 6]


def test_every_endpoint_is_documented(live):
    """The table's methods and paths are those of the OpenAPI document."""
    paths = create_app(live.service, scheduler=False).openapi()["paths"]
    known = {(method.upper(), path) for path, methods in paths.items() for method in methods if path.startswith("/v1")}
    assert {(row[0], row[1].strip("`")) for row in TABLE} == known


def test_every_endpoint_wants_its_scope(live):
    """No key is 401, each other scope but admin is 403 and names the scope that it lacks."""
    for method, template, scope in ([cell.strip("`") for cell in row[:3]] for row in TABLE):
        path, body = re.sub(r"\{\w+\}", "nothing", template), BODIES.get(template)
        given = {"json": body, "headers": {"Idempotency-Key": "k"}} if body else {}
        assert httpx2.request(method, live.url + path, **given).json()["error"]["code"] == "no_key"
        for other in {"agent", "channel", "operator"} - {scope}:
            error = live.call(other, method, path, **given).json()["error"]
            assert (error["code"], error["scope"]) == ("missing_scope", scope), path
        assert live.call("admin", method, path, **given).status_code != 403


TURN = {"id": "t", "conversation": {"id": "nothing", "chatType": "private"}, "draft": {"text": "好的。"}}
BODIES = {
    "/v1/evaluate": TURN,
    "/v1/drafts": TURN,
    "/v1/conversations": {"id": "c", "account": "nothing", "recipient": "wm", "chatType": "private"},
    "/v1/conversations/{conversation_id}/messages": {
        "id": "m",
        "role": "customer",
        "text": "在吗",
        "at": "2026-11-30T10:00:00+08:00",
    },
    "/v1/drafts/{draft_id}/rewrite": {"text": "好的。"},
    "/v1/drafts/{draft_id}/approve": {"version": 1, "textSha256": "0" * 64},
    "/v1/drafts/{draft_id}/reject": {"version": 1},
    "/v1/group-turns": {
        "conversation": {"id": "nothing", "chatType": "private"},
        "members": ["a"],
        "replies": [{"replyId": "r", "agentId": "a", "draft": {"text": "好的。"}}],
    },
    "/v1/group-turns/{turn_id}/cross-replies": {
        "replies": [{"replyId": "r", "agentId": "a", "respondToAgentId": "b", "draft": {"text": "好的。"}}]
    },
    "/v1/conversations/{conversation_id}/manual-send": {"text": "在的。", "clientRequestId": "r"},
}


def fill(text, known):
    return re.sub(r"<(\w+)>", lambda match: known[match[1]], text)


def agrees(told, got, where="answer"):
    """Whether an answer shows what the document tells; `…` is anything."""
    if told == "…":
        return
    if isinstance(told, dict):
        assert isinstance(got, dict), where
        for name, value in told.items():
            assert name in got, f"{where}.{name}"
            agrees(value, got[name], f"{where}.{name}")
    elif isinstance(told, list):
        assert len(told) == len(got), (where, got)
        for number, value in enumerate(told):
            agrees(value, got[number], f"{where}[{number}]")
    else:
        assert told == got, where


def test_the_walk_can_be_walked(live):
    """Every call of the document, one after the other, answers as the document says."""
    known = {"now": live.service.clock().isoformat()}
    for block in blocks(API, "http"):
        request, _, answer = block.partition("\n→ ")
        head, _, body = request.partition("\n\n")
        first, *lines = head.splitlines()
        method, path = fill(first, known).split(" ")
        headers = dict(line.split(": ", 1) for line in lines)
        scope = re.fullmatch(r"Bearer <(\w+)>", headers.pop("Authorization"))[1]
        given = {"content": fill(body, known).encode(), "headers": headers} if body.strip() else {"headers": headers}
        if path.startswith("/v1/deliveries"):
            wait_for(lambda: "晚上八点半关门。" in live.arrived)
        response = live.call(scope, method, path, **given)
        status, _, told = answer.partition("\n")
        assert response.status_code == int(status), (first, response.text)
        got = response.json()
        agrees(json.loads(told), got, first)
        known |= {name: value for name, value in got.items() if isinstance(value, str)}
    wait_for(lambda: len(live.arrived) == 3)


def wait_for(look):
    end = time.monotonic() + 15
    while not look():
        assert time.monotonic() < end
        time.sleep(0.05)


RAISED = {"NotFound", "Forbidden", "Unauthorized", "Conflict", "Refused", "TooMany"}


def raised_codes():
    for path in sorted((ROOT / "gateway").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            named = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in RAISED
            if named and node.args and isinstance(node.args[0], ast.Constant):
                yield node.args[0].value, path.name


@pytest.mark.parametrize(("code", "file"), sorted(set(raised_codes())))
def test_every_error_code_is_described(code, file):
    assert f"`{code}`" in section(API, "错误 · Errors"), file
