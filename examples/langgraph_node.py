"""The gate as a node of a LangGraph graph: draft, gate, one rewrite, then send or hand over.

    pip install langgraph
    GATE_URL=http://127.0.0.1:8080 GATE_KEY=dg_… python examples/langgraph_node.py "小区人车分流吗" "还能再便宜两万吗"

    draft ─► gate ─┬─ send ─────► send
               ▲   ├─ rewrite ──► rewrite ─┐
               │   ├─ no_reply ─► end      │
               │   └─ hold ─────► hand_over│
               └───────────────────────────┘

`build` takes the client and your two functions, so the nodes stay the same whatever model drafts.
"""
# ruff: noqa: INP001  # a script, not a package

import sys
from collections.abc import Hashable
from typing import Any, TypedDict

from langgraph.graph import END, START, StateGraph
from loop_agent import Mend, Write, turn_of, write
from mending import mend

from gateway.client import Answer, Client, GateError, Json


class Moment(TypedDict, total=False):
    """What the nodes hand on; `judged` is None when the gateway gave no answer."""

    question: str
    draft: Json
    judged: Answer | None
    rewritten: bool
    outcome: str


def build(gate: Client, write: Write, mend: Mend) -> Any:
    """Compile the graph."""

    def draft(state: Moment) -> Moment:
        return {"draft": write(state["question"]), "rewritten": False}

    def judge(state: Moment) -> Moment:
        try:
            return {"judged": gate.evaluate(turn_of(state["question"], state["draft"]))}
        except GateError:
            return {"judged": None}

    def rewrite(state: Moment) -> Moment:
        judged = state["judged"]
        return {"draft": mend(state["draft"], judged.record["fixActions"] if judged else []), "rewritten": True}

    def route(state: Moment) -> str:
        action = state["judged"].action if state["judged"] else "hold"
        return "hold" if action == "rewrite" and state["rewritten"] else action

    graph = StateGraph(Moment)
    graph.add_node("draft", draft)
    graph.add_node("gate", judge)
    graph.add_node("rewrite", rewrite)
    graph.add_node("send", lambda _: {"outcome": "sent"})  # your channel
    graph.add_node("hand_over", lambda _: {"outcome": "handed over"})  # your people
    graph.add_edge(START, "draft")
    graph.add_edge("draft", "gate")
    ways: dict[Hashable, str] = {"send": "send", "rewrite": "rewrite", "hold": "hand_over", "no_reply": END}
    graph.add_conditional_edges("gate", route, ways)
    graph.add_edge("rewrite", "gate")
    graph.add_edge("send", END)
    graph.add_edge("hand_over", END)
    return graph.compile()


def main() -> None:
    """Run the graph for each question of the command line."""
    with Client.from_environment() as gate:
        graph = build(gate, write, mend)
        for question in sys.argv[1:]:
            end = graph.invoke({"question": question})
            sys.stdout.write(f"{end.get('outcome', 'no reply')}: {end['draft']['text']}\n")


if __name__ == "__main__":
    main()
