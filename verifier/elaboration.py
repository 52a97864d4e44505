"""A short answer and the clause that spells it out: 不是的，物业是恒润.

The answer alone often has no words that a source could have. Where the next clause is supported by a passage that
speaks of what was asked, it carries the answer. It never carries one that a source contradicts.
"""

from collections.abc import Sequence
from dataclasses import replace

from verifier.anchors import shares_word
from verifier.assertions import Assertion
from verifier.claims import Status
from verifier.opinions import Opinion
from verifier.scope import Scope


def elaborated(judged: Sequence[tuple[Assertion, Opinion]], scope: Scope) -> list[tuple[Assertion, Opinion]]:
    """Support each unsupported short answer whose next clause spells it out with evidence."""
    found = list(judged)
    for index in range(len(found) - 1):
        (answer, opinion), (clause, carried) = found[index], found[index + 1]
        if (
            opinion.status is Status.UNSUPPORTED
            and carried.status is Status.SUPPORTED
            and _spells_out(answer, clause, carried, scope)
        ):
            better = replace(
                opinion,
                status=Status.SUPPORTED,
                rule="elaborated",
                reason="the next clause says it with evidence",
                located=carried.located,
            )
            found[index] = (answer, better)
    return found


def _spells_out(answer: Assertion, clause: Assertion, carried: Opinion, scope: Scope) -> bool:
    if answer.short is None or answer.short.everything or answer.short.echo or clause.deed is not None:
        return False
    asked = {t.concept for t in answer.statement.terms}
    if asked & {t.concept for t in clause.statement.terms}:
        return True
    passages = " ".join(place.quote.lower() for place in carried.located)
    return shares_word(answer.statement, passages) or any(shares_word(q.statement, passages) for q in scope.questions)
