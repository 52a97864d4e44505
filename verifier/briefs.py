"""What the judge is told about one turn: little, and bounded.

The unanswered question, the draft's clauses by number, the passages that speak of the same things, and which checks
failed. Never the whole talk, no names of checks' insides, no long numbers that reach a person.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from planner.reading import Reading
from planner.text import normalize
from verifier.assertions import Assertion, assertions_of
from verifier.claims import Claim, Status, Via
from verifier.contacts import read_contacts
from verifier.counsel import Counsel
from verifier.evidence import Source, sources_of
from verifier.judge_pack import fenced, judge_rules
from verifier.lexicon import Lexicon, lexicon_of
from verifier.questions import Question
from verifier.scope import Scope, scope_of
from verifier.units import Unit
from verifier.unnamed import is_plain
from verifier.verdict import Judged

MOST_QUESTION, MOST_DRAFT, MOST_EVIDENCE, MOST_PASSAGE = 800, 3000, 4000, 400  # characters


@dataclass(frozen=True)
class Brief:
    """What is told, and where its numbered clauses stand in the original draft."""

    told: str
    clauses: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Scene:
    """A turn's draft as the fact check reads it."""

    reading: Reading
    lexicon: Lexicon
    scope: Scope
    assertions: tuple[Assertion, ...]
    questions: tuple[Question, ...]

    @classmethod
    def of(cls, reading: Reading) -> "Scene":
        """Read it."""
        lexicon = lexicon_of(reading.pack)
        sources = sources_of(reading, lexicon)
        labels = " ".join([reading.turn.conversation.subject or "", *(s.label for s in sources)])
        assertions, questions = assertions_of(reading, lexicon, labels)
        return cls(reading, lexicon, scope_of(reading, lexicon, sources, questions), assertions, questions)

    def span(self, assertion: Assertion) -> tuple[int, int]:
        """Give where a clause stands in the original draft."""
        return self.reading.draft.text.span(assertion.start, assertion.end)


def is_wanted(scene: Scene, counsel: Counsel) -> bool:
    """Whether the turn is long or has several steps, by the numbers of the pack or of the settings."""
    rules = judge_rules(scene.reading.pack)
    messages = scene.reading.turn.conversation.messages
    counted = (
        (len(scene.assertions), counsel.from_clauses if counsel.from_clauses is not None else rules.from_clauses),
        (sum(q.asks for q in scene.questions), rules.from_questions),
        (sum(m.role == "customer" for m in messages), rules.from_messages),
    )
    return bool(rules.instructions) and any(least and count >= least for count, least in counted)


def brief_of(scene: Scene, judged: Judged, counsel: Counsel) -> Brief | None:
    """Write what the judge is told about a turn; None when its draft is too long to be told."""
    text = scene.reading.draft.text
    spans = tuple(scene.span(a) for a in scene.assertions)
    if len(text.original) > MOST_DRAFT:
        return None
    told: dict[str, Any] = {
        "question": list(_asked(scene.reading)),
        "clauses": [{"clause": n, "text": _shown(text.original[a:b])} for n, (a, b) in enumerate(spans, 1)],
        "passages": [{"source": i, "text": words} for i, words in _passages(scene, judged)],
        "failed": sorted({*judged.failed, *counsel.earlier}),
        "open": open_clauses(scene, judged) if counsel.may_confirm else [],
    }
    return Brief(fenced(told), spans)


def open_clauses(scene: Scene, judged: Judged) -> list[int]:
    """Number the clauses that a judge could confirm: unsupported by reading, and plain."""
    return [
        number
        for number, assertion in enumerate(scene.assertions, 1)
        if any(_is_open(c) and (c.start, c.end) == scene.span(assertion) for c in judged.claims)
        and is_plain(assertion, scene.reading, scene.lexicon, scene.scope)
    ]


def _is_open(claim: Claim) -> bool:
    return claim.status is Status.UNSUPPORTED and claim.via is Via.READ


def _asked(reading: Reading) -> Iterator[str]:
    """Give the customer's open words, the newest whole, older ones as far as they fit."""
    left = MOST_QUESTION
    kept = []
    for text in reversed(reading.unanswered):
        if left <= 0:
            break
        kept.append(_shown(text.text.original[:left]))
        left -= len(text.text.original)
    yield from reversed(kept)


def _passages(scene: Scene, judged: Judged) -> list[tuple[str, str]]:
    """Choose the sentences of living sources of the right subject that share most with draft and question."""
    lexicon = scene.lexicon
    wanted = lexicon.content(scene.reading.draft.norm[:MOST_DRAFT]).union(
        *(lexicon.content(q.text) for q in scene.questions)
    )
    located = {(place.id, place.quote) for claim in judged.claims for place in claim.evidence}
    found: list[tuple[int, int, str, str]] = []
    for source in _in_scope(scene):
        for words, quotes in sentences(source):
            rested = any((source.id, quote) in located for quote in quotes)
            shared = len(lexicon.content(normalize(words).norm) & wanted)
            if rested or shared:
                found.append((-len(wanted) if rested else -shared, len(found), source.id, words[:MOST_PASSAGE]))
    return _fitting(found)


def _fitting(found: list[tuple[int, int, str, str]]) -> list[tuple[str, str]]:
    """Keep the best that fit, in the order in which they stand."""
    left = MOST_EVIDENCE
    kept = []
    for _, place, source, words in sorted(found):
        if len(words) <= left:
            kept.append((place, source, words))
            left -= len(words)
    return [(source, _shown(words)) for _, source, words in sorted(kept)]


def _in_scope(scene: Scene) -> list[Source]:
    """Give the living sources that may back any clause of the draft."""
    about: frozenset[str] = frozenset()
    wanted: set[str] = set()
    for assertion in scene.assertions:
        about = scene.scope.labels(assertion, about)
        wanted |= {s.id for s in scene.scope.about(about)}
    return [s for s in scene.scope.sources if s.id in wanted and not s.dead]


def sentences(source: Source) -> Iterator[tuple[str, list[str]]]:
    """Give a citation's sentences and a tool's lines, literally, each with the quotes of its units."""
    joined: dict[int, list[Unit]] = {}
    for number, unit in enumerate(source.units):
        joined.setdefault(unit.segment if source.kind == "citation" else number, []).append(unit)
    for units in joined.values():
        start, end = units[0].statement.start, units[-1].statement.end
        whole = source.scanned.read.text.quote(start, end) if len(units) > 1 else units[0].quote
        yield whole.strip(), [unit.quote for unit in units]


def _shown(words: str) -> str:
    """Blank out what reaches or identifies a person: phone and identity numbers, cards, accounts, addresses of mail."""
    text = normalize(words)
    while found := sorted(read_contacts(text.norm), key=lambda contact: -contact.start):  # each value is read once
        for contact in found:
            start, end = text.span(contact.start, contact.end)
            words = words[:start] + "…" + words[end:]
        text = normalize(words)
    return words
