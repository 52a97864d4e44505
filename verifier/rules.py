"""Rules as data: a pack's rows applied to the clauses, sentences or the whole of one read text."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from planner.lexicon import Lexicon
from planner.pack import Row
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


# A clause behind one of these is a sentence of its own; behind a connective (因为, 只是) the thought goes on.
_CLOSING = frozenset("吗呢吧哦噢呀啦哟嘛哒嘞喔咯哈")


def phrases(read: ReadText) -> tuple[Clause, ...]:
    """Give the clauses of a text, those joined that only a connective parts: a promise and its refusal stay together."""
    return read.keep(_phrases)


def _phrases(read: ReadText) -> tuple[Clause, ...]:
    joined: list[Clause] = []
    for clause in read.clauses:
        last = joined[-1] if joined else None
        if last and last.sentence == clause.sentence and not last.mark and last.text[-1] not in _CLOSING:
            words = read.norm[last.start : clause.end]
            joined[-1] = Clause(last.start, clause.end, words, clause.sentence, clause.mark)
        else:
            joined.append(clause)
    return tuple(joined)


def find(rules: Lexicon[R], read: ReadText) -> Iterator[Found[R]]:
    """Find every rule that matches a text, rule by rule, each at its first place."""
    candidates = list(rules.candidates(read.norm))
    if not candidates or not read.clauses:
        return
    held = phrases(read)
    spans: dict[str, tuple[tuple[int, int], ...]] = {}
    for rule in candidates:
        if rule.scope not in spans:
            spans[rule.scope] = _spans(rule.scope, read, held)
        for start, end in spans[rule.scope]:
            match = rule.search(read.norm[start:end])
            if match is not None:
                at = start + match.start()
                yield Found(rule, at, start + match.end(), clause_at(held, at))
                break


def _spans(scope: str, read: ReadText, held: tuple[Clause, ...]) -> tuple[tuple[int, int], ...]:
    if scope == "clause":
        return tuple((clause.start, clause.end) for clause in held)
    return tuple(sentence_spans(read)) if scope == "sentence" else ((0, len(read.norm)),)


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


def clause_at(clauses: tuple[Clause, ...], at: int) -> Clause:
    """Give the clause that holds an offset of `norm`, or the nearest one before it."""
    held = clauses[0]
    for clause in clauses:
        if clause.start > at:
            break
        held = clause
    return held
