"""The example agents run as scripts against a live gateway."""

import json
import runpy
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.docs.conftest import ROOT
from tests.docs.test_checks import EXAMPLES, as_draft, judged

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
    assert second["yourText"] == "这套建筑面积98平方米。"
    assert "correct_value" in {fix["type"] for fix in second["fixActions"]}
    until(lambda: live.arrived)
    assert live.arrived == ["这套建筑面积89平方米。"]


def test_a_model_that_fails_leaves_the_customer_to_a_person(live, model):
    """No usable first answer: a handoff is drafted and held. No usable second one: the rewrite is reported as failed."""
    live.says("这套朝哪边", cid="c-1")
    model.answers += ["I cannot answer that."]
    assert run_model_agent(live, model).split()[1:] == ["held", "requires_human"]
    live.says("这套朝哪边", cid="c-2")
    model.answers += [said("这套朝北。"), "{}"]
    assert run_model_agent(live, model).split()[1:3] == ["held", "rewrite_limit_reached"]
    assert live.arrived == []
