"""The example agents run as scripts against a live gateway."""

import hashlib
import hmac
import json
import os
import runpy
import socket
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from gateway import hooks
from planner.plan import plan
from tests.docs.conftest import ROOT
from tests.docs.test_checks import EXAMPLES, as_draft, judged
from tests.planner.turns import reading
from verifier.verify import verify

WEBHOOK = ROOT / "examples" / "webhook_agent.py"
PLAIN = ROOT / "examples" / "plain_agent.py"
OPENAI = ROOT / "examples" / "openai_agent.py"


def until(look):
    end = time.monotonic() + 15
    while not look():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_the_plain_agent_answers_from_a_passage(live):
    """What a passage says is sent; a bargain goes to a person after its rewrite."""
    live.says("小区人车分流吗", cid="c-1")
    live.says("还能再便宜两万吗", cid="c-2")
    printed = live.run(PLAIN, "--once").splitlines()
    assert [line.split()[1:] for line in printed] == [["queued"], ["held", "requires_human"]]
    until(lambda: live.arrived)
    assert live.arrived == ["松月里小区人车分流。"]


def test_the_plain_agent_leaves_open_what_no_passage_says(live):
    live.says("楼下有没有篮球场")
    assert live.run(PLAIN, "--once").split()[1] == "queued"
    until(lambda: live.arrived)
    assert live.arrived == ["这个我核实后回您。"]


def test_the_plain_agent_speaks_the_customers_language(live):
    live.says("Does it have a sunroof?", cid="c-1", account="cars-1")
    live.says("Can you lower the price?", cid="c-2", account="cars-1")
    printed = live.run(PLAIN, "--once").splitlines()
    assert [line.split()[1:] for line in printed] == [["queued"], ["held", "requires_human"]]
    until(lambda: live.arrived)
    assert live.arrived == ["It has a sunroof."]


@pytest.mark.parametrize("said", ["我再看看", "I'll think about it"])
def test_the_plain_agent_follows_up_politely(said):
    """A silent customer is written to in their language, with words that pass the gate."""
    answer = runpy.run_path(str(PLAIN))["answer"]
    talk = {"messages": [{"role": "customer", "text": said}], "asked": {"kind": "follow_up"}}
    turn = reading(f"c:{said}", "a:好的。", draft=answer(talk, [])["text"], stage="first_contact")
    verdict = verify(turn, plan(turn))
    assert verdict.passed, verdict
    assert verdict.status == "pass"


@pytest.mark.parametrize("example", EXAMPLES, ids=[example["check"] for example in EXAMPLES])
def test_fix_actions_can_be_carried_out_without_a_model(example):
    """Each check's failing draft passes once its fix actions are carried out word by word."""
    mend = runpy.run_path(str(PLAIN))["mend"]
    draft = as_draft(example["fails"])
    fixes = [{"type": f.type, "target": f.target, "detail": f.detail} for f in judged(example, draft).fix_actions]
    assert fixes
    assert judged(example, mend(draft, fixes)).passed


class StandIn(BaseHTTPRequestHandler):
    """A chat endpoint with scripted answers; keeps what it was asked."""

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(asked)
        content = self.server.answers.pop(0)
        body = json.dumps({"choices": [{"message": {"role": "assistant", "content": content}}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Stay quiet."""


@pytest.fixture
def model():
    server = ThreadingHTTPServer(("127.0.0.1", 0), StandIn)
    server.asked, server.answers = [], []
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join(5)


def said(text, quote=None, evidence="", human=False):
    grounding = [{"quote": quote, "evidenceId": "record-1", "evidenceQuote": evidence}] if quote else []
    return json.dumps({"text": text, "requiresHuman": human, "grounding": grounding}, ensure_ascii=False)


def test_what_a_model_only_claims_to_quote_is_not_declared(live, model):
    """An invented quote would fail the draft by itself; the clause is read as if undeclared, and its passage says it."""
    live.says("这套建筑面积多大")
    answer = json.loads(said("这套建筑面积89平方米。"))
    answer["grounding"] = [
        {"quote": "这套建筑面积89平方米", "evidenceId": "record-1", "evidenceQuote": "面积为89"},
        {"quote": "不在话里", "evidenceId": "record-1", "evidenceQuote": "建筑面积 89 平方米"},
        {"quote": "这套建筑面积89平方米", "evidenceId": ["record-1"], "evidenceQuote": "建筑面积 89 平方米"},
        "anything",
    ]
    model.answers += ["```json\n" + json.dumps(answer, ensure_ascii=False) + "\n```"]
    assert run_model_agent(live, model).split()[1] == "queued"
    until(lambda: live.arrived)
    assert live.arrived == ["这套建筑面积89平方米。"]


class Called:
    """The webhook agent as a process of its own, set up for one account."""

    def __init__(self, live, **more):
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/"
        self.secret = live.service.run(lambda tx: hooks.set_hook(tx, "shop-1", self.url, "test"))
        given = {"GATE_URL": live.url, "GATE_KEY": live.secrets["agent"], "HOOK_SECRET": f"old,{self.secret}"}
        command = [sys.executable, "-u", str(WEBHOOK), "--port", str(self.port)]
        self.process = subprocess.Popen(
            command, env=os.environ | given | more, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        until(self.listens)

    def listens(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.printed = self.process.communicate(timeout=10)


def test_the_webhook_agent_is_called_and_answers(live):
    """A row that waited before it started, one that it is called for, and the one rewrite of a third."""
    live.says("小区人车分流吗", cid="c-1")
    with Called(live) as agent:
        until(lambda: len(live.arrived) == 1)
        live.says("楼下有没有篮球场", cid="c-2")
        until(lambda: len(live.arrived) == 2)
        live.says("还能再便宜两万吗", cid="c-3")
        until(lambda: live.call("agent", "GET", "/v1/inbox").json()["items"] == [])
        time.sleep(0.3)
    assert live.arrived == ["松月里小区人车分流。", "这个我核实后回您。"]
    told = [line.split()[1:] for line in agent.printed[0].splitlines()]
    assert told == [["queued"], ["queued"], ["held", "requires_human"]]
    assert agent.printed[1] == ""


def test_the_webhook_agent_may_draft_with_a_model(live, model):
    with Called(live, MODEL_URL=f"http://127.0.0.1:{model.server_port}/v1", MODEL="stand-in"):
        model.answers += [said("这套建筑面积89平方米。", "这套建筑面积89平方米", "建筑面积 89 平方米")]
        live.says("这套建筑面积多大")
        until(lambda: live.arrived)
    assert live.arrived == ["这套建筑面积89平方米。"]


CALLS = [
    ("genuine", {}, True),
    ("old secret", {"secret": "old"}, True),
    ("other secret", {"secret": "another"}, False),
    ("too old", {"stamp": "99600"}, False),
    ("from the future", {"stamp": "100400"}, False),
    ("no time", {"stamp": "soon"}, False),
    ("another body", {"sent": b"{}"}, False),
    ("two signatures", {"secret": "old", "before": "v1=0,"}, True),
    ("no signature", {"signature": ""}, False),
    ("not ASCII", {"signature": "v1=é"}, False),
]


@pytest.mark.parametrize(("given", "taken"), [c[1:] for c in CALLS], ids=[c[0] for c in CALLS])
def test_the_webhook_agent_takes_only_what_is_the_gateways(given, taken, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    genuine = runpy.run_path(str(WEBHOOK))["genuine"]
    stamp, body = given.get("stamp", "100000"), b'{"item": {}}'
    secret = given.get("secret", "whs_new")
    made = hmac.new(secret.encode(), stamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    signature = given.get("signature", given.get("before", "") + f"v1={made}")
    assert signature.removeprefix(given.get("before", "")) in (
        hooks.signature(secret, stamp, body),
        given.get("signature"),
    )
    assert genuine(["whs_new", "old"], stamp, given.get("sent", body), signature, 100_000.0) is taken


def test_an_agent_outlives_a_gateway_that_is_away(live, tmp_path):
    """Trouble costs a pause, never the agent: it goes on when the gateway answers again."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    given = {"GATE_URL": f"http://127.0.0.1:{port}", "GATE_KEY": live.secrets["agent"]}
    command = [sys.executable, "-u", str(PLAIN)]
    live.says("小区人车分流吗")
    with subprocess.Popen(command, env=os.environ | given, cwd=ROOT, stderr=subprocess.PIPE, text=True) as agent:
        assert "ConnectError" in agent.stderr.readline()
        bridge = _bridge(port, live.url)
        until(lambda: live.arrived)
        agent.terminate()
        bridge.close()
        agent.stderr.read()


def _bridge(port, url):
    """Let the gateway answer at another port, as after a restart."""
    host, _, there = url.removeprefix("http://").partition(":")
    listener = socket.create_server(("127.0.0.1", port))

    def carry(source, sink):
        try:
            while chunk := source.recv(65536):
                sink.sendall(chunk)
        except OSError:
            pass
        finally:
            sink.close()

    def serve():
        while True:
            try:
                near, _ = listener.accept()
            except OSError:
                return
            far = socket.create_connection((host, int(there)))
            for pair in ((near, far), (far, near)):
                threading.Thread(target=carry, args=pair, daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    return listener


def run_model_agent(live, model):
    url = f"http://127.0.0.1:{model.server_port}/v1"
    return live.run(OPENAI, "--once", MODEL_URL=url, MODEL="stand-in", MODEL_KEY="k")


def test_the_model_agent_carries_out_the_rewrite(live, model):
    """The second question holds the refused text and the gate's fix actions; the mended text is sent."""
    live.says("这套建筑面积多大")
    model.answers += [
        said("这套建筑面积98平方米。"),
        said("这套建筑面积89平方米。", "这套建筑面积89平方米", "建筑面积 89 平方米"),
    ]
    assert run_model_agent(live, model).split()[1] == "queued"
    first, second = (json.loads(asked["messages"][1]["content"]) for asked in model.asked)
    assert [p["id"] for p in first["passages"]] == ["estate-1", "record-1"]
    assert first["playbook"]["stage"] == "first_contact"
    assert "instruction" not in first
    assert second["yourText"] == "这套建筑面积98平方米。"
    assert "correct_value" in {fix["type"] for fix in second["fixActions"]}
    until(lambda: live.arrived)
    assert live.arrived == ["这套建筑面积89平方米。"]


def test_the_model_agent_is_told_what_a_follow_up_is_for():
    """The row's instruction and the playbook's goal reach the model."""
    sys.path.insert(0, str(OPENAI.parent))
    try:
        agent_of = runpy.run_path(str(OPENAI))["ModelAgent"]
    finally:
        sys.path.remove(str(OPENAI.parent))
    told = []

    class Model:
        def ask(self, given):
            told.append(given)
            return {"text": "您还在看房吗？", "requiresHuman": False, "grounding": []}

    row = {"kind": "follow_up", "instruction": "简短问一句。", "playbook": {"stage": "matching", "goal": "…"}}
    talk = {"messages": [{"role": "customer", "text": "我再看看"}], "asked": row}
    agent_of(Model(), "m").draft(talk, [])
    assert (told[0]["instruction"], told[0]["playbook"]["stage"]) == ("简短问一句。", "matching")


def test_a_model_that_fails_leaves_the_customer_to_a_person(live, model):
    """No usable first answer: a handoff is drafted and held. No usable second one: the rewrite is reported as failed."""
    live.says("这套朝哪边", cid="c-1")
    model.answers += ["I cannot answer that."]
    assert run_model_agent(live, model).split()[1:] == ["held", "requires_human"]
    live.says("这套朝哪边", cid="c-2")
    model.answers += [said("这套朝北。"), "{}"]
    assert run_model_agent(live, model).split()[1:3] == ["held", "rewrite_limit_reached"]
    assert live.arrived == []
