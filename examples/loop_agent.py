"""A plain loop for an agent anywhere, on WeCom or not: write, evaluate, mend once, release or hand over.

    GATE_URL=http://127.0.0.1:8080 GATE_KEY=dg_… python examples/loop_agent.py "小区人车分流吗" "还能再便宜两万吗"

The gateway judges and stores nothing; who sends is you. `write` is where your model goes, and it may do `mend` as well:
`FIX_ACTIONS` of the client says in a sentence what each kind of fix action wants.
"""
# ruff: noqa: INP001  # a script, not a package

import sys
from collections.abc import Callable
from datetime import UTC, datetime

from mending import mend
from plain_agent import answer, load_passages

from gateway.client import Answer, Client, GateError, Json

Write = Callable[[str], Json]
Mend = Callable[[Json, list[Json]], Json]


def write(question: str) -> Json:
    """Draft an answer with the passages that it rests on. Your model goes here."""
    return answer({"messages": [{"role": "customer", "text": question}]}, load_passages())


def turn_of(question: str, draft: Json) -> Json:
    """Put question and draft together as the contract wants them; an agent with a history gives all of its messages."""
    asked = {"id": "m-1", "role": "customer", "text": question, "at": datetime.now(UTC).isoformat()}
    conversation: Json = {"id": "c-1", "chatType": "private", "messages": [asked]}
    if draft.get("citations"):
        conversation["subject"] = draft["citations"][0]["subject"]
    return {"id": "t-1", "conversation": conversation, "draft": draft}


def reply(gate: Client, question: str, write: Write, mend: Mend) -> tuple[str, Json, Answer]:
    """Give what to do (`send`, `no_reply` or `hold`), the draft as it stands, and the last evaluation."""
    draft = write(question)
    judged = gate.evaluate(turn_of(question, draft))
    if judged.action == "rewrite":  # once; what still fails is for people
        draft = mend(draft, judged.record["fixActions"])
        judged = gate.evaluate(turn_of(question, draft))
    return "hold" if judged.action == "rewrite" else judged.action, draft, judged


def main() -> None:
    """Answer the questions of the command line."""
    with Client.from_environment() as gate:
        for question in sys.argv[1:]:
            try:
                action, draft, judged = reply(gate, question, write, mend)
            except GateError as error:  # nobody judged it, so nobody sends it
                sys.stdout.write(f"hold: {error.code}\n")
                continue
            why = " ".join([judged.fallback_reason or "", *judged.failed_check_ids]).strip()
            sys.stdout.write(f"{action}: {draft['text']}{f' ({why})' if why else ''}\n")


if __name__ == "__main__":
    main()
