"""A plain agent: takes what the inbox asks, drafts from passages, carries out the one rewrite from the fix actions.

It knows no language model: it picks the passage that shares most words with the question. Put your own model into
`answer`; `Gate`, `mend` and `work` stay as they are. Standard library and httpx2 only.

    GATE_URL=http://127.0.0.1:8080 GATE_KEY=dg_… python examples/plain_agent.py [--once]
"""
# ruff: noqa: INP001  # a script, not a package

import argparse
import json
import os
import re
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx2

Json = dict[str, Any]
Write = Callable[[Json, list[Json]], Json]
KNOWLEDGE = Path(__file__).with_name("knowledge.json")
HANDOFF = (
    "这件事要由同事来定，我这就把您转给负责的同事。",
    "A colleague decides that; I'm handing you over to them now.",
)
NUDGE = "您慢慢看，有想了解的随时问我。", "No rush. I'm here whenever you have a question."
PENDING = "这个我核实后回您。", "I'll check that and get back to you."
DROPPED = ("remove_claim", "drop_question", "remove_leak")
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0  # seconds after trouble
UNSURE = ("ground_claim", "correct_value", "mark_pending", "answer_question")


class Refused(RuntimeError):
    """The gateway said no, or could not be reached: the row stays in its inbox, so nothing is lost."""


class Gate:
    """The four calls that an agent needs."""

    def __init__(self, url: str, key: str) -> None:
        headers = {"Authorization": f"Bearer {key}"}
        self._http = httpx2.Client(base_url=url, headers=headers, timeout=60)

    def inbox(self, wait: float = 25) -> list[Json]:
        """List what is to be answered, oldest first; waits up to `wait` seconds for the first row."""
        items: list[Json] = self._call("GET", "/v1/inbox", params={"wait": wait})["items"]
        return items

    def talk(self, conversation_id: str) -> Json:
        """Read a conversation with its messages."""
        return self._call("GET", f"/v1/conversations/{conversation_id}")

    def post(self, row: Json, talk: Json, draft: Json, subject: str | None) -> Json:
        """Post a draft for an inbox row. The key makes a repeat after a lost answer harmless."""
        conversation = {"id": talk["id"], "chatType": talk["chatType"], "messages": talk["messages"]}
        turn = {
            "id": row["id"],
            "conversation": conversation | ({"subject": subject} if subject else {}),
            "draft": draft | {"inboxId": row["id"]},
        }
        return self._call("POST", "/v1/drafts", json=turn, headers={"Idempotency-Key": row["id"]})

    def rewrite(self, draft_id: str, body: Json) -> Json:
        """Answer the one rewrite with a new draft, or with `{error}` when none can be made."""
        return self._call("POST", f"/v1/drafts/{draft_id}/rewrite", json=body)

    def _call(self, method: str, path: str, **given: Any) -> Json:
        try:
            response = self._http.request(method, path, **given)
        except httpx2.HTTPError as error:
            raise Refused(f"{method} {path}: {type(error).__name__}") from error
        if response.is_error:
            raise Refused(f"{method} {path}: {response.status_code} {response.text}")
        return dict(response.json())


def load_passages(file: Path = KNOWLEDGE) -> list[Json]:
    """Load passages `{id, subject, text}`."""
    passages: list[Json] = json.loads(file.read_text("utf-8"))
    return passages


def question_of(talk: Json) -> str:
    """Give the customer's newest words."""
    return next((m["text"] for m in reversed(talk["messages"]) if m["role"] == "customer"), "")


def best_passage(question: str, passages: list[Json]) -> Json | None:
    """Pick the passage that shares most pairs of characters (or words) with the question."""
    asked = _grains(question)
    shared = [(len(asked & _grains(p["text"])), p) for p in passages]
    count, best = max(shared, key=lambda pair: pair[0], default=(0, None))
    return best if count else None


def answer(talk: Json, passages: list[Json]) -> Json:
    """Draft an answer: the passage's clause that fits best, cited; without one, say that it is being checked.

    A follow-up has nothing to answer: a model would write what the row's `instruction` says, this agent stays polite.
    """
    question = question_of(talk)
    if talk.get("asked", {}).get("kind") == "follow_up":
        return {"text": in_language_of(question, NUDGE), "agentId": "plain-agent"}
    passage = best_passage(question, passages)
    if passage is None:
        return {"text": in_language_of(question, PENDING), "agentId": "plain-agent"}
    clauses = [c.strip(" .") for c in re.split(r"[，：。]|[,:] ", passage["text"]) if c.strip(" .")]
    clause = max(clauses, key=lambda c: len(_grains(question) & _grains(c)))
    text = f"{clause[0].upper()}{clause[1:]}" + in_language_of(clause, ("。", "."))
    return {"text": text, "agentId": "plain-agent", "citations": [passage]}


def in_language_of(words: str, both: tuple[str, str]) -> str:
    """Choose the Chinese or the English text by the words it answers."""
    return both[0] if re.search(r"[\u4e00-\u9fff]", words) else both[1]


def mend(draft: Json, fix_actions: list[Json]) -> Json:
    """Carry out the gate's fix actions without a model: take out, leave open, hand over."""
    mended = dict(draft)
    kinds = {fix["type"] for fix in fix_actions}
    sentences, pending = _sentences(draft["text"]), in_language_of(draft["text"], PENDING)
    for fix in fix_actions:
        if fix["type"] in DROPPED + UNSURE:
            sentences = [s for s in sentences if not _overlap(s, fix["target"])]
    if "shorten" in kinds:
        sentences = sentences[:1]
    if kinds & set(UNSURE):
        sentences.append(pending)
    if "add_handoff" in kinds:
        sentences = [in_language_of(draft["text"], HANDOFF)]
    if kinds & {"add_handoff", "set_requires_human"}:
        mended["requiresHuman"] = True
    return mended | {"text": "".join(sentences) or pending}


def work(gate: Gate, draft_for: Write, mend_with: Write = mend, *, once: bool = False) -> None:
    """Answer inbox rows for ever, or once what waits now. Trouble on the way costs a pause, never a row."""
    pause = FIRST_PAUSE
    while True:
        try:
            for row in gate.inbox(wait=0 if once else 25):
                say(answer_row(gate, row, draft_for, mend_with))
            pause = FIRST_PAUSE
        except Refused as refused:
            if once:
                raise
            sys.stderr.write(f"{refused}\n")
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)
        if once:
            return


def answer_row(gate: Gate, row: Json, draft_for: Write, mend_with: Write = mend) -> Json:
    """Answer one inbox row: draft, post, carry out the one rewrite if the gate asks for it.

    Both functions may raise ValueError: then a person takes over, and the rewrite is reported as failed.
    """
    passages = load_passages()
    talk = gate.talk(row["conversationId"]) | {"asked": row}
    told = best_passage(question_of(talk), passages)
    try:
        draft = draft_for(talk, passages)
    except ValueError:  # no draft could be made: a person takes over
        draft = {"text": in_language_of(question_of(talk), HANDOFF), "requiresHuman": True}
    result = gate.post(row, talk, draft, talk["subject"] or (told["subject"] if told else None))
    if result["action"] != "rewrite":
        return result
    try:
        return gate.rewrite(result["draftId"], mend_with(draft, result["fixActions"]))
    except ValueError as error:  # the one chance is used; the draft waits for a person
        return gate.rewrite(result["draftId"], {"error": str(error)[:500]})


def say(result: Json) -> None:
    """Write one line about what the gate decided."""
    why = [result["state"], result["fallbackReason"] or "", *result["holdReasons"], *result["failedCheckIds"]]
    sys.stdout.write(f"{result['draftId']} {' '.join(w for w in why if w)}\n")
    sys.stdout.flush()


def gate_from_environment() -> Gate:
    """Connect to the gateway that `GATE_URL` and `GATE_KEY` name."""
    try:
        return Gate(os.environ.get("GATE_URL", "http://127.0.0.1:8080"), os.environ["GATE_KEY"])
    except KeyError:
        sys.exit("set GATE_KEY to a key with the scope agent: draftgate add-key my-agent --scope agent")


def _grains(text: str) -> set[str]:
    chars = re.sub(r"[^\w]", "", text.lower())
    pairs = {a + b for a, b in pairwise(chars) if not (a + b).isascii()}
    return pairs | set(re.findall(r"[a-z]{3,}", text.lower()))


def _sentences(text: str) -> list[str]:
    return [s for s in re.split(r"(?<=[。！？!?])|(?<=\.)\s", text) if s.strip()]


def _overlap(sentence: str, target: str) -> bool:
    return target in sentence or sentence.strip("。！？!?. ") in target


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Answer the gateway's inbox from a few passages.")
    parser.add_argument("--once", action="store_true", help="answer what waits now and end")
    work(gate_from_environment(), answer, once=parser.parse_args().once)
