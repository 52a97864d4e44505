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

# A no with the limit that is its reason (不行，至少一年起租).
_LIMITS = frozenset({"only", "only_softly", "from", "at_most"})


def elaborated(judged: Sequence[tuple[Assertion, Opinion]], scope: Scope) -> list[tuple[Assertion, Opinion]]:
    """Support each unsupported short answer whose next clause spells it out with evidence."""
    found = list(judged)
    for index in range(len(found) - 1):
        (answer, opinion), (clause, carried) = found[index], found[index + 1]
        if (
            _open_to(answer, opinion, clause)
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


def _open_to(answer: Assertion, opinion: Opinion, clause: Assertion) -> bool:
    """Whether a clause may carry the answer before it: nothing contradicts it, or only the rule whose limit it names."""
    if opinion.status is Status.UNSUPPORTED:
        return True
    denied = answer.short is not None and answer.short.kind == "deny"
    limited = clause.statement.flags & _LIMITS and answer.sentence == clause.sentence
    return denied and bool(limited) and opinion.status is Status.CONTRADICTED


def _spells_out(answer: Assertion, clause: Assertion, carried: Opinion, scope: Scope) -> bool:
    if _other_value(answer, clause):
        return False
    if _echoes(answer, scope):
        return clause.deed is None and answer.sentence == clause.sentence and _on_topic(carried, scope)
    if answer.short is None or answer.short.everything or answer.short.echo or clause.deed is not None:
        return False
    if answer.short.kind == "deny" and answer.sentence == clause.sentence and clause.statement.flags & _LIMITS:
        return True
    asked = {t.concept for t in answer.statement.terms}
    if asked & {t.concept for t in clause.statement.terms}:
        return True
    passages = " ".join(place.quote.lower() for place in carried.located)
    return shares_word(answer.statement, passages) or any(shares_word(q.statement, passages) for q in scope.questions)


def _other_value(answer: Assertion, clause: Assertion) -> bool:
    """Whether the next clause names another value of what the answer says (是住宅，商业用途)."""
    said = {t.concept: t.option for t in answer.statement.terms if t.option and t.sign > 0}
    told = [t for t in clause.statement.terms if t.option and t.sign > 0]
    return any(said.get(t.concept, t.option) != t.option for t in told)


def _echoes(answer: Assertion, scope: Scope) -> bool:
    """Whether a clause only takes up the words of the question (不是送的 after 车位是送的吧)."""
    said = answer.statement
    if said.amounts or answer.deed is not None or "all" in said.flags or "都" in said.text:
        return False
    content = scope.lexicon.content(said.text)
    return bool(content) and any(content <= scope.lexicon.content(q.text) for q in scope.questions)


def _on_topic(carried: Opinion, scope: Scope) -> bool:
    """Whether what backs the next clause speaks, in any of its sentences, of something that was asked."""
    ids = {place.id for place in carried.located}
    told = "".join(s.scanned.norm for s in scope.sources if s.id in ids)
    return any(word in told for q in scope.questions for word in scope.lexicon.content(q.text))
