"""Counts of a draft: sentences, questions, pieces of advice, characters, bytes."""

from collections.abc import Sequence

from planner.lexicon import Lexicon
from planner.pack import Pack
from planner.reading import ReadText
from planner.slots import SlotQuestion
from verifier.rules import Rule
from verifier.verdict import Metrics


def _advice(pack: Pack) -> Lexicon[Rule]:
    return Lexicon(pack.rows("advice", Rule))


def _questions(pack: Pack) -> Lexicon[Rule]:
    return Lexicon(pack.rows("question_words", Rule))


def measure(read: ReadText, pack: Pack, slots: Sequence[SlotQuestion]) -> Metrics:
    """Count a draft.

    Every line is a sentence, with or without a full stop. A sentence asks once for its question mark, and once more for
    each further slot that it asks for; without a mark a question word at the end of a clause or a slot question counts.
    """
    return Metrics(
        sentences=len({clause.sentence for clause in read.clauses}),
        questions=_count_questions(read, pack, slots),
        advice=_count_advice(read, pack),
        chars=len(read.text.original),
        bytes=len(read.text.original.encode("utf-8", "surrogatepass")),
    )


def _count_questions(read: ReadText, pack: Pack, slots: Sequence[SlotQuestion]) -> int:
    rows = list(pack.derive(_questions).candidates(read.norm))
    asked: dict[int, int] = {}
    for clause in read.clauses:
        if clause.asked or any(row.search(clause.text) for row in rows):
            asked[clause.sentence] = 1
    for sentence in asked.keys() | {c.sentence for c in read.clauses}:
        spans = [(c.start, c.end) for c in read.clauses if c.sentence == sentence]
        wanted = {s.slot for s in slots if spans[0][0] <= s.start < spans[-1][1]}
        asked[sentence] = max(asked.get(sentence, 0), len(wanted))
    return sum(asked.values())


def _count_advice(read: ReadText, pack: Pack) -> int:
    rows = list(pack.derive(_advice).candidates(read.norm))
    return sum(1 for clause in read.clauses if any(row.search(clause.text) for row in rows))
