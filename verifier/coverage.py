"""What the customer asks about, and whether the turn's live sources speak to it at all."""

from collections.abc import Iterator, Sequence

from verifier.claims import Aspect
from verifier.evidence import Source
from verifier.questions import Question, about_us


def asked_aspects(questions: Sequence[Question], sources: Sequence[Source]) -> tuple[Aspect, ...]:
    """Give each thing that is asked, in the customer's words; small talk without a concept asks for nothing."""
    live = [source for source in sources if not source.dead]
    concepts = frozenset(_concepts(live))
    asked = [q for q in questions if q.asks and q.statement.terms]
    return tuple(Aspect(q.text.strip(), any(t.concept in concepts for t in q.statement.terms)) for q in asked)


def asks_for_facts(questions: Sequence[Question]) -> bool:
    """Whether something is asked that has content, known to the pack or not, and is not about who answers."""
    return any(q.asks and not q.statement.empty and not about_us(q) for q in questions)


def _concepts(sources: Sequence[Source]) -> Iterator[str]:
    for source in sources:
        for unit in source.units:
            yield from (term.concept for term in unit.statement.terms)
            yield from (amount.role for amount in unit.statement.amounts if amount.role)
