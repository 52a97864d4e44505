"""Carry out the gate's fix actions without a model: ground, correct, leave open, take out, hand over.

Every step is mechanical, so that the same draft and the same fix actions give the same text. A clause whose passage
shares its words and all its numbers is declared; a wrong value gives way to the one that the fix names, a wrong
statement to the source's own words; what is left is taken out, and the customer hears that it is being checked.
"""
# ruff: noqa: INP001  # beside the scripts that use it

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

Json = dict[str, Any]
HANDOFF = (
    "这件事要由同事来定，我这就把您转给负责的同事。",
    "A colleague decides that; I'm handing you over to them now.",
)
PENDING = "这个我核实后回您。", "I'll check that and get back to you."
OPEN = frozenset({"ground_claim", "correct_value", "mark_pending", "answer_question"})
ENOUGH = 0.6

_STOPS = "，,。；;！!？?、\n"
_CLAUSE = re.compile(rf"[^{_STOPS}]+")
_NUMBER = re.compile(
    r"(?<![A-Za-z\d.])\d[\d,.]*(?:万|亿|千|k|w)?|[零一二两三四五六七八九十百千万亿半点]{2,}", re.IGNORECASE
)
_PRINTED = re.compile(r"printed: (?P<values>.+)$", re.DOTALL)
_SOURCE = re.compile(r"the source says [^:]{1,80}: (?P<quote>[^;]+)")


def mend(draft: Json, fix_actions: list[Json]) -> Json:
    """Give the draft as its fix actions ask for it; nothing else is changed."""
    kinds = {fix["type"] for fix in fix_actions}
    mended = _Mended(draft)
    for fix in fix_actions:
        mended.carry_out(fix)
    text = mended.text
    if "shorten" in kinds:
        text = sentences(text)[0] if sentences(text) else ""
    if mended.open:
        text = _joined(text, in_language_of(draft["text"], PENDING))
    if "add_handoff" in kinds:
        text = in_language_of(draft["text"], HANDOFF)
    changed: Json = {"text": text or in_language_of(draft["text"], PENDING)}
    changed["grounding"] = [g for g in mended.grounding if g["quote"] in changed["text"]]
    if kinds & {"add_handoff", "set_requires_human"}:
        changed["requiresHuman"] = True
    return draft | changed


class _Mended:
    """The text and its declarations while the steps are carried out."""

    def __init__(self, draft: Json) -> None:
        self.draft = draft
        self.text: str = draft["text"]
        self.grounding: list[Json] = list(draft.get("grounding", []))
        self.open = False

    def carry_out(self, fix: Json) -> None:
        """Do one step."""
        kind, target, detail = fix["type"], fix["target"], fix.get("detail", "")
        if kind == "ground_claim" and (passage := find_passage(target, self.draft)):
            self.grounding.append({"quote": target} | passage)
        elif kind == "correct_value" and (put := corrected(target, detail)):
            self.text = self.text.replace(target, put, 1)
        elif kind in OPEN:
            self._take_out(target)
            self.open = True
        elif kind in ("remove_claim", "drop_question", "remove_leak"):
            self._take_out(target)

    def _take_out(self, target: str) -> None:
        """Take the clauses that hold the target out, with the mark behind them."""
        at = self.text.find(target)
        if not target or at < 0:
            return
        start = max((self.text.rfind(stop, 0, at) for stop in _STOPS), default=-1) + 1
        behind = [i for stop in _STOPS if (i := self.text.find(stop, at + len(target) - 1)) >= 0]
        end = min(behind) + 1 if behind else len(self.text)
        kept = self.text[:start] + self.text[end:]
        self.text = kept if _CLAUSE.search(kept) else ""


def corrected(target: str, detail: str) -> str:
    """Put the printed value in place of the clause's number, or the source's words in place of the clause."""
    printed = _PRINTED.search(detail)
    first = printed.group("values").split(", ")[0].strip() if printed else ""
    numbers = list(_NUMBER.finditer(target))
    new = _NUMBER.search(first)
    if new is not None and new.group() == first[: len(new.group())] and len(first) <= len(target):
        same = [n for n in numbers if _unit(target, n.end()) == _unit(first, new.end())] or numbers
        if len(same) == 1:
            return target[: same[0].start()] + new.group() + target[same[0].end() :]
    source = _SOURCE.search(detail)
    return source.group("quote").strip() if source else ("" if new else first)


def _unit(words: str, at: int) -> str:
    return words[at : at + 1]


def find_passage(target: str, draft: Json) -> Json | None:
    """Find the passage that shares most of a clause's words and all its numbers; None when none shares enough."""
    said = grains(target)
    best: tuple[float, Json | None] = (0.0, None)
    for words, where in passages(draft):
        share = len(said & grains(words)) / max(len(said), 1)
        if share > best[0] and _numbers(target) <= _numbers(words):
            best = (share, where)
    return best[1] if best[0] >= ENOUGH else None


def passages(draft: Json) -> Iterator[tuple[str, Json]]:
    """List every clause of the citations and every field of the tool results, with how to declare it."""
    for citation in draft.get("citations", []):
        for clause in _CLAUSE.findall(citation.get("text", "")):
            yield clause, {"evidenceId": citation["id"], "evidenceQuote": clause}
    for result in draft.get("toolResults", []):
        for path, words in _leaves(result.get("data"), ""):
            yield words, {"evidenceId": result["id"], "path": path}


def _leaves(data: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(data, dict):
        for key, value in data.items():
            yield from _leaves(value, f"{path}/{key.replace('~', '~0').replace('/', '~1')}")
    elif isinstance(data, list):
        for number, value in enumerate(data):
            yield from _leaves(value, f"{path}/{number}")
    elif path:
        yield path, f"{path.rsplit('/', 1)[1]} {data}"


def grains(text: str) -> set[str]:
    """Give what two texts are compared by: pairs of characters, and words of three letters and more."""
    chars = re.sub(r"[^\w]", "", text.lower())
    pairs = {a + b for a, b in pairwise(chars) if not (a + b).isascii()}
    return pairs | set(re.findall(r"[a-z]{3,}", text.lower()))


def _numbers(text: str) -> set[str]:
    return {n.group().replace(",", "") for n in _NUMBER.finditer(text)}


def sentences(text: str) -> list[str]:
    """Cut a text into sentences, each with its mark."""
    return [s for s in re.split(r"(?<=[。！？!?])|(?<=\.)\s", text) if s.strip()]


def in_language_of(words: str, both: tuple[str, str]) -> str:
    """Choose the Chinese or the English text by the words it answers."""
    return both[0] if re.search(r"[\u4e00-\u9fff]", words) else both[1]


def _joined(text: str, last: str) -> str:
    kept = text.rstrip(" ，,；;、\n")
    if not kept:
        return last
    return kept + ("" if kept[-1] in "。！？!?." else in_language_of(kept, ("。", ". "))) + last
