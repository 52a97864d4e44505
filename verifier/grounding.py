"""Check the agent's declarations which passage a clause rests on: false, unfit, or a fitting pair.

A declaration is never trusted: it only says where to look. What it names must exist in this turn; what it names must
be about the same thing; and where the pair fits, a difference in value, sign or limits contradicts the clause.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from planner.reading import Reading
from planner.text import normalize
from planner.turn import Citation, Draft, Grounding, Role, ToolResult
from verifier.assertions import Assertion
from verifier.evidence import Source
from verifier.facets import Witness
from verifier.scope import Scope
from verifier.units import Unit


@dataclass(frozen=True, slots=True)
class Pair:
    """A declaration whose two ends exist: a span of the draft's norm and the units that it names."""

    start: int
    end: int
    witnesses: tuple[Witness, ...]


@dataclass(frozen=True, slots=True)
class Declared:
    """All declarations of a draft: pairs that exist, false ones and notes about unfit ones, in words."""

    pairs: tuple[Pair, ...]
    false: tuple[str, ...]
    notes: tuple[str, ...]

    def backing(self, assertion: Assertion) -> tuple[Witness, ...]:
        """Give the units that are declared for a clause."""
        touching = (p for p in self.pairs if p.start < assertion.end and assertion.start < p.end)
        return tuple(dict.fromkeys(w for p in touching for w in p.witnesses))


def declared_of(reading: Reading, sources: Sequence[Source], scope: Scope) -> Declared:
    """Sort a draft's declarations."""
    draft = reading.turn.draft
    pairs: list[Pair] = []
    false: list[str] = []
    notes: list[str] = []
    for grounding in draft.grounding if draft else ():
        assert draft is not None  # noqa: S101  # only a draft has declarations
        wrong = _wrong(grounding, reading, draft)
        if wrong:
            false.append(wrong)
            continue
        found = _witnesses(grounding, sources, scope)
        if not found:
            notes.append(f"{grounding.quote!r}: {grounding.evidence_id or grounding.message_id} cannot back it")
            continue
        quote = normalize(grounding.quote).norm.strip()
        at = reading.draft.norm.find(quote)
        pairs.append(Pair(at, at + len(quote), found))
    return Declared(tuple(pairs), tuple(false), tuple(notes))


def _wrong(grounding: Grounding, reading: Reading, draft: Draft) -> str:
    """Say which end of a declaration does not exist in this turn, "" when both do."""
    quote = normalize(grounding.quote).norm.strip()
    if not quote or quote not in reading.draft.norm:
        return f"the draft does not contain {grounding.quote!r}"
    if grounding.message_id is None:
        return _wrong_evidence(grounding, draft)
    known = any(m.id == grounding.message_id and m.role is Role.CUSTOMER for m, _ in reading.messages)
    return "" if known else f"there is no customer message {grounding.message_id!r}"


def _wrong_evidence(grounding: Grounding, draft: Draft) -> str:
    citation = next((c for c in draft.citations if c.id == grounding.evidence_id), None)
    result = next((t for t in draft.tool_results if t.id == grounding.evidence_id), None)
    if citation is None and result is None:
        return f"there is no evidence {grounding.evidence_id!r}"
    if grounding.path is not None:
        found = result is not None and _exists(result.data, grounding.path)
        return "" if found else f"{grounding.evidence_id} has no path {grounding.path!r}"
    passage = normalize(grounding.evidence_quote or "").norm.strip()
    found = bool(passage) and passage in normalize(_all_words(citation, result)).norm
    return "" if found else f"{grounding.evidence_id} does not contain {grounding.evidence_quote!r}"


def _all_words(citation: Citation | None, result: ToolResult | None) -> str:
    if citation is not None:
        return citation.text
    if result is None:
        return ""
    return f"{result.text or ''}\n{json.dumps(result.data, ensure_ascii=False) if result.data is not None else ''}"


def _exists(data: object, pointer: str) -> bool:
    if data is None:
        return False
    here = data
    for step in pointer.split("/")[1:] if pointer else ():
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(here, dict) and key in here:
            here = here[key]
        elif isinstance(here, list) and key.isdigit() and int(key) < len(here):
            here = here[int(key)]
        else:
            return False
    return not pointer or pointer.startswith("/")


def _witnesses(grounding: Grounding, sources: Sequence[Source], scope: Scope) -> tuple[Witness, ...]:
    if grounding.message_id is not None:
        return tuple(Witness(s, u) for s in scope.customer if s.id == grounding.message_id for u in s.units)
    source = next((s for s in sources if s.id == grounding.evidence_id and not s.dead), None)
    if source is None:
        return ()
    return tuple(Witness(source, u) for u in source.units if _names(grounding, u))


def _names(grounding: Grounding, unit: Unit) -> bool:
    """Whether a declaration points at a unit: whole clauses count, so that no 不 can be cut off."""
    if grounding.path is not None:
        return unit.path == grounding.path or unit.path.startswith(grounding.path + "/") or not grounding.path
    passage = normalize(grounding.evidence_quote or "").norm.strip()
    words = unit.statement.text
    return not unit.path and (passage in words or words in passage or _overlap(passage, words))


def _overlap(passage: str, words: str) -> bool:
    """Whether a passage ends inside a unit or begins inside it."""
    size = min(len(passage), len(words))
    return any(passage[-n:] == words[:n] or passage[:n] == words[-n:] for n in range(size, 1, -1))
