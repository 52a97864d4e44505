"""Rules as data: a pack's rows applied to the clauses, sentences or the whole of one read text."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from planner.lexicon import Lexicon
from planner.pack import Pack, Row
from planner.reading import ReadText
from planner.text import Clause


class Rule(Row):
    """A row with the stretch of text that it reads at once, and in English what it means when it matches."""

    scope: Literal["clause", "sentence", "text"] = "clause"
    says: str = ""


R = TypeVar("R", bound=Rule)


@dataclass(frozen=True, slots=True)
class Found(Generic[R]):
    """A rule that matched; `start` and `end` are offsets in the text's `norm`, `clause` is where it begins."""

    rule: R
    start: int
    end: int
    clause: Clause


def find(rules: Lexicon[R], read: ReadText) -> Iterator[Found[R]]:
    """Find every rule that matches a text, rule by rule, each at its first place."""
    if not read.clauses:
        return
    for rule in rules.candidates(read.norm):
        found = _first(rule, read)
        if found is not None:
            yield found


def _first(rule: R, read: ReadText) -> Found[R] | None:
    for start, end in _stretches(rule.scope, read):
        match = rule.search(read.norm[start:end])
        if match is not None:
            at = start + match.start()
            return Found(rule, at, start + match.end(), clause_at(read, at))
    return None


def _stretches(scope: str, read: ReadText) -> Iterator[tuple[int, int]]:
    if scope == "text":
        yield 0, len(read.norm)
    elif scope == "clause":
        for clause in read.clauses:
            yield clause.start, clause.end
    else:
        yield from sentence_spans(read)


def sentence_spans(read: ReadText) -> Iterator[tuple[int, int]]:
    """Give the span of each sentence in `norm`, in order."""
    first: Clause | None = None
    last: Clause | None = None
    for clause in read.clauses:
        if first is not None and last is not None and clause.sentence != first.sentence:
            yield first.start, last.end
            first = None
        first = first or clause
        last = clause
    if first is not None and last is not None:
        yield first.start, last.end


def clause_at(read: ReadText, at: int) -> Clause:
    """Give the clause that holds an offset of `norm`, or the nearest one before it."""
    held = read.clauses[0]
    for clause in read.clauses:
        if clause.start > at:
            break
        held = clause
    return held


def sentence_before(read: ReadText, clause: Clause) -> str:
    """Give the words of the clause's sentence that stand before the clause."""
    starts = [c.start for c in read.clauses if c.sentence == clause.sentence]
    return read.norm[min(starts, default=clause.start) : clause.start]


def lexicon(pack: Pack, section: str, model: type[R]) -> Lexicon[R]:
    """Compile a pack's section of rules."""
    return Lexicon(pack.rows(section, model))
