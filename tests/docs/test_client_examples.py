"""The examples that use the client run against a live gateway: the plain loop, and the LangGraph node."""

import importlib.util

import pytest

from gateway.client import Client
from tests.docs.conftest import ROOT

LOOP, GRAPH = (ROOT / "examples" / name for name in ("loop_agent.py", "langgraph_node.py"))
RECORD = {"id": "record-1", "subject": "松月里 5-1602", "text": "建筑面积89平，朝南。"}
QUESTIONS = ["小区人车分流吗", "还能再便宜两万吗", "楼下有没有篮球场"]


def load(path, monkeypatch):
    """Import an example with its neighbours in reach, as a script has them."""
    monkeypatch.syspath_prepend(str(path.parent))
    spec = importlib.util.spec_from_file_location(f"example_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def gate(standing):
    with Client(standing.url, standing.secrets["agent"]) as client:
        yield client


def careless(text, **more):
    """A model that says what it remembers, whatever its passage says."""
    return lambda _: {"text": text, "citations": [RECORD]} | more


ENDS = [
    ("right at once", "这套建筑面积多大", careless("这套建筑面积89平。"), "send", "这套建筑面积89平。"),
    ("mended once", "这套建筑面积多大", careless("这套建筑面积98平。"), "send", "这套建筑面积89平。"),
    (
        "a person decides",
        "还能便宜点吗",
        careless("我再帮您问问。"),
        "hold",
        "这件事要由同事来定，我这就把您转给负责的同事。",
    ),
    ("a thank you", "好的，谢谢啦", careless("不客气。"), "no_reply", "不客气。"),
]


@pytest.mark.parametrize(("question", "write", "action", "text"), [e[1:] for e in ENDS], ids=[e[0] for e in ENDS])
def test_the_loop_releases_or_hands_over(gate, monkeypatch, question, write, action, text):
    loop = load(LOOP, monkeypatch)
    done, draft, _ = loop.reply(gate, question, write, loop.mend)
    assert (done, draft["text"]) == (action, text)


def test_the_loop_mends_only_once(gate, monkeypatch):
    """What fails again goes to people, with what was wrong with it."""
    loop = load(LOOP, monkeypatch)
    asked = []

    def useless(draft, fixes):
        asked.append(fixes)
        return draft

    action, _, judged = loop.reply(gate, "这套建筑面积多大", careless("这套建筑面积98平。"), useless)
    assert (action, len(asked), judged.failed_check_ids) == ("hold", 1, ("fact_evidence",))


def test_the_loop_runs_as_a_script(standing):
    told = standing.run(LOOP, *QUESTIONS).splitlines()
    assert told == [
        "send: 松月里小区人车分流。",
        "hold: 这件事要由同事来定，我这就把您转给负责的同事。 (requires_human)",
        "send: 这个我核实后回您。",
    ]


def test_without_a_gateway_nothing_is_released(standing, monkeypatch):
    assert standing.run(LOOP, QUESTIONS[0], GATE_URL="http://127.0.0.1:1").strip() == "hold: unreachable"
    node = load(GRAPH, monkeypatch)
    with Client("http://127.0.0.1:1", "dg_key", tries=1) as away:
        end = node.build(away, careless("这套建筑面积89平。"), node.mend).invoke({"question": "多大"})
    assert (end["outcome"], end["judged"]) == ("handed over", None)


@pytest.mark.parametrize(("question", "write", "action", "text"), [e[1:] for e in ENDS], ids=[e[0] for e in ENDS])
def test_the_graph_ends_where_the_loop_does(gate, monkeypatch, question, write, action, text):
    node = load(GRAPH, monkeypatch)
    end = node.build(gate, write, node.mend).invoke({"question": question})
    outcome = {"send": "sent", "hold": "handed over", "no_reply": None}[action]
    assert (end.get("outcome"), end["draft"]["text"]) == (outcome, text)


def test_the_graph_mends_only_once(gate, monkeypatch):
    node = load(GRAPH, monkeypatch)
    steps = []

    def useless(draft, fixes):
        steps.append({fix["type"] for fix in fixes})
        return draft

    graph = node.build(gate, careless("这套建筑面积98平。"), useless)
    walked = [next(iter(step)) for step in graph.stream({"question": "这套建筑面积多大"})]
    assert walked == ["draft", "gate", "rewrite", "gate", "hand_over"]
    assert steps == [{"correct_value"}]


def test_the_graph_runs_as_a_script(standing):
    told = standing.run(GRAPH, *QUESTIONS).splitlines()
    assert [line.partition(": ")[0] for line in told] == ["sent", "handed over", "sent"]
