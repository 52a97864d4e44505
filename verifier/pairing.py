"""Judge a clause against the passage that the agent declared for it.

A pair fits when both share an anchor and nothing differs: number, sign, exclusive value, limit or attribution. An
unknown word is no difference; a declaration never outweighs one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from verifier.anchors import ANCHORED, heard, shares_word
from verifier.assertions import Assertion
from verifier.claims import Status, Via
from verifier.competing import competing
from verifier.denials import agreed
from verifier.evidence import Source
from verifier.facets import CONFLICT, MISSING, OK, Facet, Witness, denies, dropped_by, meant_rows, parts_meet
from verifier.judge import Judge
from verifier.lexicon import Lexicon
from verifier.opinions import Opinion, summary
from verifier.rows import half_told
from verifier.scope import Scope, is_item_claim
from verifier.shaping import by_part, covered_by_rest
from verifier.statements import Statement
from verifier.terms import term_facet
from verifier.unread import alone
from verifier.values import amount_facet
from verifier.widening import widened
from verifier.words import name_facet, rest_facet


@dataclass(frozen=True)
class PairJudge:
    """Judges declared pairs; the `reader` judges what a pair rests on besides."""

    reader: Judge
    lexicon: Lexicon
    scope: Scope

    def judge(
        self, assertion: Assertion, about: frozenset[str], backing: Sequence[Witness], *, firmly: bool = False
    ) -> Opinion | None:
        """Judge a clause against its passage; None when the pair does not fit.

        `firmly`: every concept of the clause must stand in the passage.
        """
        pool = self._fitting(assertion, about, backing)
        if not pool:
            return None
        if any(w.source.kind == "customer" for w in pool):
            live = tuple(dict.fromkeys(w.source for w in pool))
            whole = summary(self.reader.facets(assertion, live, live))
            return replace(whole, via=Via.GROUNDING) if whole.status is Status.SUPPORTED else None
        return self._weigh(assertion, pool, firmly=firmly)

    def _fitting(self, assertion: Assertion, about: frozenset[str], backing: Sequence[Witness]) -> list[Witness]:
        """Keep the declared units that may back a clause: live, of its subject and its part."""
        statement = assertion.statement
        sources = {s.id for s in (*self.scope.about(about), *self.scope.customer)}
        asked = tuple(q.statement for q in self.scope.questions)
        kept = meant_rows(covered_by_rest(backing, statement), statement, asked)
        pool = [w for w in kept if w.source.id in sources and not w.source.dead]
        if any(
            half_told((*s.families, *s.fields), statement, _paths(pool, s))
            for s in {w.source.id: w.source for w in pool}.values()
        ):
            return []
        if assertion.own_parts:
            pool = [w for w in pool if parts_meet(statement, w.unit.statement)]
        # What holds of one part backs nothing said of the whole; a rule alone backs nothing about one item.
        whole = statement.terms and not statement.parts
        partial = all(w.unit.statement.parts or "rest" in w.unit.statement.flags for w in pool)
        general = all(w.source.general for w in pool) and is_item_claim(assertion, self.scope.questions)
        return [] if (whole and partial) or general else pool

    def _weigh(self, assertion: Assertion, pool: list[Witness], *, firmly: bool) -> Opinion | None:
        statement = assertion.statement
        own = tuple(replace(a, role="") if a.lent else a for a in statement.amounts)
        facets = self._facets(replace(statement, amounts=own), pool)
        if statement.negated and any(denies(w.unit.statement) for w in pool):
            # Both say no, each in its own words (软装不带; 软装为展示用，不在交付范围).
            facets = [f for f in facets if f.rule != "polarity"]
        facets = agreed(facets, statement, pool, self.lexicon)
        worst = next((f for f in facets if f.state == CONFLICT), None) or dropped_by(statement, pool)
        worst = worst or widened(statement, pool) or self._competing(assertion, pool)
        if worst is not None:
            return Opinion(Status.CONTRADICTED, worst.rule, worst.reason, Via.GROUNDING, worst.located, worst.nearest)
        named = [f for f in facets if f.rule != "open"]
        fits = any(f.state == OK for f in named) or self._shares(assertion, pool)
        if not any(f.state == OK for f in named) and all(_contrary_leaf(statement, w) for w in pool):
            return None
        if self._spoken_elsewhere(statement, facets, pool) or self._of_another_thing(statement, facets, pool):
            return None
        if not fits or any(f.state == MISSING and (firmly or f.rule == "firm") for f in named):
            return None
        return Opinion(Status.SUPPORTED, "declared", "the declared passage says so", Via.GROUNDING, (pool[0].located,))

    def _competing(self, assertion: Assertion, pool: Sequence[Witness]) -> Facet | None:
        statement = assertion.statement
        content = self.lexicon.content(statement.text)
        if assertion.short is not None:
            content = content.union(*(self.lexicon.content(q.text) for q in self.scope.questions))
        return competing(statement, content, pool)

    def _of_another_thing(self, claim: Statement, facets: Sequence[Facet], pool: Sequence[Witness]) -> bool:
        """Whether clause and passage each name one thing of the trade, and not the same (360影像 beside 倒车影像)."""
        if any(f.state == OK and f.rule != "open" for f in facets):
            return False
        plain = self.lexicon.role_only | self.lexicon.predicates
        mine = {t.concept for t in claim.terms if not t.option} - plain
        theirs = [{t.concept for t in w.unit.statement.terms if not t.option} - plain for w in pool]
        return bool(mine) and all(their and not mine & their for their in theirs)

    def _spoken_elsewhere(self, claim: Statement, facets: Sequence[Facet], pool: Sequence[Witness]) -> bool:
        """Whether a concept that the passage lacks is what another sentence of its source is about."""
        if not any(f.state == MISSING and f.rule == "no_evidence" for f in facets):
            return False
        here = {t.concept for w in pool for t in w.unit.statement.terms}
        lacking = {t.concept for t in claim.terms} - here - self.lexicon.role_only - self.lexicon.predicates
        sources = {w.source.id: w.source for w in pool}.values()
        there = {
            t.concept for s in sources for u in s.units for t in u.statement.terms if parts_meet(claim, u.statement)
        }
        return bool(lacking & there)

    def _facets(self, statement: Statement, pool: Sequence[Witness]) -> list[Facet]:
        """Judge each part of a clause against its declared passage; numbers and names must be there, words may differ."""
        live = tuple(dict.fromkeys(w.source for w in pool))
        facets = [term_facet(t, c, pool, self.lexicon) for c in by_part(statement) for t in c.terms]
        facets += [
            _firm(amount_facet(a, statement, pool, self.lexicon, lambda a: self.reader.derived(a, statement, live)))
            for a in statement.amounts
            if not a.worded
        ]
        facets += [_firm(name_facet(n, statement, pool, self.scope.known, self.lexicon)) for n in statement.names]
        facets += [_firm(f) for f in alone(statement, pool)]
        words = rest_facet(statement, pool, False, "")
        return [*facets, words if words.state == CONFLICT else replace(words, rule="open")]

    def _shares(self, assertion: Assertion, pool: Sequence[Witness]) -> bool:
        """Whether clause and passage share content words; a short answer brings the question that it answers."""
        if assertion.short is not None and any(
            shares_word(q.statement, heard(w.unit.statement), strictly=True) for q in self.scope.questions for w in pool
        ):
            return True
        topics = {g for g in assertion.statement.grains if g.startswith("=")}
        return any(
            shares_word(assertion.statement, heard(w.unit.statement))
            or self._alike(assertion.statement, w.unit.statement)
            or topics & set(w.unit.statement.grains)
            or (assertion.own_parts and assertion.statement.parts & w.unit.statement.parts)
            for w in pool
        )

    def _alike(self, claim: Statement, unit: Statement) -> bool:
        """Whether a clause and its passage share content of any kind, and both say yes or both say no."""
        shared = self.lexicon.content(claim.text) & self.lexicon.content(unit.text)
        return len(shared) >= ANCHORED and claim.negated == denies(unit)


def _paths(pool: Sequence[Witness], source: Source) -> tuple[str, ...]:
    return tuple(w.unit.path for w in pool if w.source.id == source.id and w.unit.path)


def _contrary_leaf(claim: Statement, witness: Witness) -> bool:
    """Whether a field of tool data says no (storage: false) where the clause says yes, or the other way round."""
    unit = witness.unit
    return bool(unit.path) and not unit.statement.amounts and unit.statement.negated != claim.negated


def _firm(facet: Facet) -> Facet:
    """Mark a number or a name that the passage lacks: no declaration makes up for it."""
    return replace(facet, rule="firm") if facet.state == MISSING else facet
