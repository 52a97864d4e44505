"""docs/operations.md and docs/architecture.md name what the code can say."""

import re
import shlex
import socket
import sqlite3
import subprocess
import sys
import time
from datetime import timedelta

import httpx2
import pytest
import yaml

from gateway import people
from gateway.metrics import Stored
from gateway.tables import FALLBACKS
from gateway.whose_words import REASONS as REFUSALS
from outbound.outcome import REASONS
from tests.docs.conftest import ROOT
from tests.docs.markdown import blocks, cells, section

TEXT = (ROOT / "docs" / "operations.md").read_text("utf-8")
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
HELD = section(TEXT, "为什么留住了 · Why a draft is held")
GATE = (
    "human_owns",
    "being_edited",
    "stale",
    "already_answered",
    "rewrite_spent",
    "group_chat",
    "low_band",
    "judge_unavailable",
    "review_mode",
    "proactive",
)
LIMITS = ("not_allowed", "window_closed", "quota_used", "channel_unreachable")


@pytest.mark.parametrize("code", sorted({*GATE, *LIMITS, *REASONS.values(), *REFUSALS, *FALLBACKS} - {""}))
def test_every_reason_says_what_to_do(code):
    rows = [row for row in cells(HELD) if f"`{code}`" in row[0]]
    assert rows
    assert all(len(row) == 4 and all(row) for row in rows)


def test_every_reason_that_the_web_view_knows_is_told():
    """The pages and the document name the same codes."""
    words = yaml.safe_load((ROOT / "gateway" / "web" / "words" / "zh.yaml").read_text("utf-8"))
    told = {code for row in cells(HELD) for code in re.findall(r"`(\w+)`", row[0])}
    assert told == set(words["hold"]) | (set(words["fallback"]) & set(FALLBACKS) - {""})


def test_the_gates_reasons_are_all_known():
    """The list above is what the gate yields."""
    yielded = re.findall(r'yield "(\w+)"', (ROOT / "gateway" / "gate.py").read_text("utf-8"))
    assert sorted(yielded) == sorted(GATE)


def test_every_logged_event_is_described():
    sources = [path.read_text("utf-8") for path in (ROOT / "gateway").rglob("*.py")]
    events = {name for text in sources for name in re.findall(r'log\.(?:exception|error|warning)\(\s*"(\w+)"', text)}
    told = {row[0].strip("`") for row in cells(section(TEXT, "日志 · Logs"))[1:]}
    assert told == events


def test_every_metric_is_described(live):
    told = {row[0].strip("`") for row in cells(section(TEXT, "指标 · Metrics"))[1:]}
    assert told == {family.name for family in Stored(live.service).collect()}


def test_every_timed_job_is_described():
    source = (ROOT / "gateway" / "service.py").read_text("utf-8")
    jobs = set(re.findall(r'^ +"(\w+)": \(', source, re.MULTILINE))
    told = {row[0].strip("`") for row in cells(section(ARCHITECTURE, "定时的活 · Timed work, and who leads"))[1:]}
    assert told == jobs


def test_the_backup_can_be_read(live, tmp_path):
    """The command of the document, beside the running service."""
    live.says("在吗")
    [command] = [block for block in blocks(TEXT, "bash") if "backup" in block]
    _, *words = shlex.split(command.replace("draftgate.sqlite3", "gate.sqlite3"))
    subprocess.run([sys.executable, *words], cwd=tmp_path, check=True, timeout=30)
    with sqlite3.connect(tmp_path / "backup.sqlite3") as copy:
        assert copy.execute("SELECT text FROM message").fetchall() == [("在吗",)]
    copy.close()


def test_a_stop_does_not_wait_for_agents(live):
    """An agent that waits at the inbox holds a stop up for a few seconds at most."""
    host, _, port = live.url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port))) as waiting:
        key = live.secrets["agent"]
        waiting.sendall(f"GET /v1/inbox?wait=30 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n\r\n".encode())
        time.sleep(0.5)
        begun = time.monotonic()
        live.running.__exit__()
        assert time.monotonic() - begun < 10
    assert not live.running._thread.is_alive()


def test_the_addresses_answer_as_told(live):
    """Health, readiness and metrics need no key; a callback address exists only when it is set up."""
    told = {row[0].strip("`") for row in cells(section(TEXT, "启动 · Start"))[1:]}
    assert told == {"/healthz", "/readyz", "/metrics", "/wecom/callback"}
    live.says("在吗")
    assert httpx2.get(live.url + "/healthz").json() == {"status": "ok"}
    assert httpx2.get(live.url + "/readyz").json() == {"status": "ready", "channel": True}
    assert httpx2.get(live.url + "/wecom/callback").status_code == 404
    metrics = httpx2.get(live.url + "/metrics").text
    assert all(f"# TYPE {name} gauge" in metrics for name in ("draftgate_drafts", "draftgate_messages"))


def posted(live, cid):
    turn = {
        "id": "t",
        "conversation": {"id": cid, "chatType": "private"},
        "draft": {"text": "这个我核实后回您。", "agentId": "my-agent"},
    }
    answer = live.call("agent", "POST", "/v1/drafts", json=turn, headers={"Idempotency-Key": cid})
    return answer.json()


def settled(live, draft_id):
    end = time.monotonic() + 15
    while time.monotonic() < end:
        draft = live.call("agent", "GET", f"/v1/drafts/{draft_id}").json()
        if draft["state"] not in ("queued", "sending"):
            return draft
        time.sleep(0.05)
    return draft


def test_what_one_sees_at_the_start(live):
    """Unknown keys, missing scopes, unknown conversations, review mode, an empty allowlist: each as the table says."""
    live.secrets["stranger"] = "dg_somebody"
    assert live.call("stranger", "GET", "/v1/inbox").json()["error"]["code"] == "bad_key"
    assert live.call("channel", "GET", "/v1/inbox").json()["error"]["code"] == "missing_scope"
    assert posted(live, "c-9")["error"]["code"] == "unknown_conversation"
    for name, values in (("wary", {"mode": "review"}), ("closed", {"mode": "auto", "allowlist": []})):
        live.service.run(lambda tx, n=name, v=values: people.add_account(tx, account_id=n, name=n, actor="t", **v))
        live.says("在吗，这套几楼", cid=name, account=name)
    assert posted(live, "wary")["holdReasons"] == ["review_mode"]
    assert settled(live, posted(live, "closed")["draftId"])["holdReasons"] == ["not_allowed"]


def test_an_old_message_is_recorded_and_not_asked(live):
    """What was old when it came does not stand in the inbox."""
    live.says("在吗")
    old = (live.service.clock() - timedelta(minutes=30)).isoformat()
    told = {"id": "old", "role": "customer", "text": "这套几楼", "at": old}
    live.call("channel", "POST", "/v1/conversations/c-1/messages", json=told).raise_for_status()
    asked = [row["momentId"] for row in live.call("agent", "GET", "/v1/inbox").json()["items"]]
    assert "old" not in asked and len(asked) == 1, "the newer one is still asked about"
