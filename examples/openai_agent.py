"""An agent on any OpenAI-compatible chat endpoint; it grounds each clause and lets the model carry out the rewrite.

    GATE_URL=http://127.0.0.1:8080 GATE_KEY=dg_… \
    MODEL_URL=http://127.0.0.1:11434/v1 MODEL_KEY=… MODEL=… python examples/openai_agent.py [--once]

What matters is in `RULES`: the model writes only what a passage says, names for each clause the passage and the words
in it, hands over what is not its to decide, and changes nothing but what the fix actions name.
"""
# ruff: noqa: INP001  # a script, not a package

import argparse
import json
import os
import sys
from typing import Any

import httpx2
from plain_agent import Json, best_passage, gate_from_environment, question_of, work

RULES = """\
You answer customers of a shop in their own language, in at most two short sentences.
Answer with one JSON object and nothing else:
{"text": "...", "requiresHuman": false, "grounding": [{"quote": "...", "evidenceId": "...", "evidenceQuote": "..."}]}
- State only what a passage says. For every clause that states a fact add one entry to grounding: `quote` is that clause
  literally as in your text, `evidenceId` the passage's id, `evidenceQuote` the words of the passage, literally.
- No passage says it: write in the same clause that you will check, and state nothing.
- Bargaining, complaints, bookings, contracts, loans and schools are for people: say that you hand the customer to a
  colleague now, and set requiresHuman to true.
- Do not ask for what the customer has told before. Promise nothing that is not in a passage.
- `playbook` says what the shop wants at this stage and which slots you may ask for: one of them at a time, at most.
- If there is an `instruction`, the customer has been silent: write what it says, in one or two sentences.
- If `fixActions` are given, your last text was refused: do exactly what each of them says, and change nothing else."""

DECLARED = ("quote", "evidenceId", "evidenceQuote")


class Model:
    """One chat endpoint."""

    def __init__(self, url: str, key: str, name: str) -> None:
        self._http = httpx2.Client(headers={"Authorization": f"Bearer {key}"} if key else {}, timeout=45)
        self._url = url.rstrip("/") + "/chat/completions"
        self._name = name

    def ask(self, told: Json) -> Json:
        """Ask for one JSON object. Raises ValueError when the endpoint gives none."""
        messages = [
            {"role": "system", "content": RULES},
            {"role": "user", "content": json.dumps(told, ensure_ascii=False)},
        ]
        body = {"model": self._name, "messages": messages, "temperature": 0, "response_format": {"type": "json_object"}}
        try:
            response = self._http.post(self._url, json=body).raise_for_status()
            found: Any = json.loads(_object_in(response.json()["choices"][0]["message"]["content"]))
            return {"text": str(found["text"]), "requiresHuman": found["requiresHuman"] is True, **_listed(found)}
        except (httpx2.HTTPError, LookupError, TypeError, ValueError) as error:
            raise ValueError(f"the model gave no usable answer: {type(error).__name__}") from error


class ModelAgent:
    """Drafts with a model from the passages about what the customer asks."""

    def __init__(self, model: Model, name: str) -> None:
        self._model = model
        self._name = name
        self._told: Json = {}

    def draft(self, talk: Json, passages: list[Json]) -> Json:
        """Draft an answer that rests on the passages of one subject."""
        best = best_passage(question_of(talk), passages)
        about = [p for p in passages if best is not None and p["subject"] == best["subject"]]
        said = [{"role": m["role"], "text": m["text"]} for m in talk["messages"][-20:]]
        asked = talk["asked"]
        self._told = {"conversation": said, "passages": about, "playbook": asked["playbook"]}
        if asked["instruction"]:
            self._told["instruction"] = asked["instruction"]
        answer = self._model.ask(self._told)
        return literal(answer | {"agentId": "openai-agent", "model": self._name, "citations": about})

    def mend(self, draft: Json, fix_actions: list[Json]) -> Json:
        """Let the model carry out the fix actions."""
        told = self._told | {"yourText": draft["text"], "fixActions": fix_actions}
        return literal(draft | self._model.ask(told))


def literal(draft: Json) -> Json:
    """Keep only declarations that are literally so: an invented one fails the draft by itself, none is read as usual."""
    texts = {p["id"]: p["text"] for p in draft["citations"]}
    declared = [g for g in draft["grounding"] if isinstance(g, dict) and set(g) == set(DECLARED)]
    kept = [
        g
        for g in declared
        if all(isinstance(g[name], str) and g[name] for name in DECLARED)
        and g["quote"] in draft["text"]
        and g["evidenceQuote"] in texts.get(g["evidenceId"], "")
    ]
    return draft | {"grounding": kept}


def _listed(found: Json) -> Json:
    declared = found.get("grounding")
    return {"grounding": declared if isinstance(declared, list) else []}


def _object_in(content: str) -> str:
    """Take the JSON object out of what some models put around it."""
    return content[content.index("{") : content.rindex("}") + 1]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Answer the gateway's inbox with a chat model.")
    parser.add_argument("--once", action="store_true", help="answer what waits now and end")
    arguments = parser.parse_args()
    if missing := [name for name in ("MODEL_URL", "MODEL") if not os.environ.get(name)]:
        sys.exit(f"set {' and '.join(missing)}: the base address of a chat endpoint (…/v1), and a model's name")
    name = os.environ["MODEL"]
    agent = ModelAgent(Model(os.environ["MODEL_URL"], os.environ.get("MODEL_KEY", ""), name), name)
    work(gate_from_environment(), agent.draft, agent.mend, once=arguments.once)
