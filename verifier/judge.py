"""Judge one assertion: gather its facets from the sources in scope and sum them up in one opinion."""

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from planner.reading import Reading
from planner.talk import asks
from verifier.actions import deed_facet
from verifier.acts import Act
from verifier.anchors import ANCHORED, anchored
from verifier.assertions import Assertion
from verifier.claiming import claims_hardly, claims_surely
from verifier.claims import Located, Status
from verifier.comparisons import comparison
from verifier.competing import competing, reworded
from verifier.denials import agreed
from verifier.derive import Hints, derive
from verifier.evidence import Source
from verifier.facets import (
    CONFLICT,
    MISSING,
    OK,
    Facet,
    Witness,
    parts_meet,
    qualified,
    same_rows,
    witnesses,
)
from verifier.lexicon import Lexicon
from verifier.likeness import Likeness
from verifier.operands import operands
from verifier.opinions import Opinion, summary
from verifier.paraphrase import is_wider, paraphrased
from verifier.polarity import contrary
from verifier.scope import Scope, about_customer, is_item_claim
from verifier.shaping import by_part, covered_by_rest, denied, denied_numbers, narrowed, uncounted, without_labels
from verifier.statements import Amount, Statement, Term
from verifier.terms import term_facet
from verifier.unread import alone
from verifier.values import amount_facet
from verifier.widening import of_more_parts, widened
from verifier.words import name_facet, part_facet, rest_facet

_NO_CLAIM = frozenset({Act.ASK, Act.CONDITION, Act.GREET, Act.CORRECT, Act.HANDOFF, Act.REFUSE, Act.OPINION})
_ONLY_AMOUNTS = frozenset({Act.QUESTIONED, Act.ACK, Act.NEXT_STEP, Act.ADVICE})


@dataclass(frozen=True)
class Judge:
    """Judges assertions against one turn's sources."""

    reading: Reading
    lexicon: Lexicon
    scope: Scope

    def judge(self, assertion: Assertion, about: frozenset[str]) -> Opinion | None:
        """Judge a clause by reading; None when it claims nothing."""
        if assertion.act in _NO_CLAIM:
            return None
        if assertion.act in _ONLY_AMOUNTS:
            return self._amounts_only(assertion, about)
        if assertion.act is Act.PENDING:
            return self._pending(assertion)
        if not self._claims(assertion) or self._takes_up_wish(assertion):
            return None
        compared = len(assertion.statement.amounts) > 1 and _COMPARED.search(assertion.statement.text)
        sources = self.scope.sources if compared else self.scope.about(about)
        ranked = comparison(assertion.statement, about, [s for s in self.scope.sources if not s.dead])
        if ranked is not None:
            return summary([ranked])
        return self._best(without_labels(assertion, about), sources)

    def _claims(self, assertion: Assertion) -> bool:
        """Whether a clause claims something: by a word that anchors it, or by its manner."""
        if anchored(assertion, self.scope, self.lexicon):
            return True
        return bool(assertion.statement.grains) and claims_surely(
            assertion.statement.text, self.reading.pack, self.lexicon
        )

    def only_talk(self, assertion: Assertion) -> bool:
        """Whether a clause without evidence reads like talk, and holds nothing that could be a fact."""
        said = assertion.statement
        held = said.amounts or said.names or assertion.short or assertion.deed or is_wider(said.text)
        chatting = not self.scope.sources and not any(q.asks for q in self.scope.questions)
        return not held and claims_hardly(said.text, self.reading.pack, self.lexicon, chatting=chatting)

    def _takes_up_wish(self, assertion: Assertion) -> bool:
        """Whether a clause repeats what the customer told, where they asked nothing (跟家人一起住，那我找大点的)."""
        said = assertion.statement
        bare = assertion.ack and not (said.terms or said.amounts or said.names or assertion.deed)
        return (
            bare
            and not any(asks(t, self.reading.pack) for t in self.reading.unanswered)
            and any(g in self.scope.known for g in said.grains)
        )

    def _pending(self, assertion: Assertion) -> Opinion | None:
        if assertion.statement.empty:
            return None
        return Opinion(Status.PENDING, "pending", "the clause itself says that this is not settled")

    def _amounts_only(self, assertion: Assertion, about: frozenset[str]) -> Opinion | None:
        """Numbers in an offer, an echo or a proposal still have to come from somewhere."""
        kept = assertion.statement.amounts
        if assertion.act in (Act.ADVICE, Act.NEXT_STEP):
            kept = tuple(a for a in kept if a.quantity.kind in _FIRM)
        if not kept:
            return None
        bare = replace(assertion.statement, amounts=kept, terms=(), names=(), grains=(), parts=frozenset())
        return self._best(replace(assertion, statement=bare, ack=True), self.scope.about(about))

    def _best(self, assertion: Assertion, sources: Sequence[Source]) -> Opinion:
        """Judge by the living sources, then by the customer's own words, then say what only dead ones back."""
        live = [s for s in sources if not s.dead]
        read = self._against(assertion, live)
        if read.status is Status.SUPPORTED:
            return self._unwidened(assertion, read, live)
        if read.status is Status.UNSUPPORTED:
            read = self._in_other_words(assertion, live) or read
        if about_customer(assertion):
            own = self._against(assertion, self.scope.customer, item=False)
            if own.status is Status.SUPPORTED or (
                own.status is Status.CONTRADICTED and read.status is not Status.CONTRADICTED
            ):
                return own
        if read.status is Status.CONTRADICTED:
            return read
        dead = [s for s in sources if s.dead]
        if dead:
            old = self._against(assertion, [*live, *dead])
            if old.status is Status.SUPPORTED and _ENDED.search(assertion.statement.text):
                return old
            if old.status is not Status.UNSUPPORTED:
                why = f"only {dead[0].id} backs this, and it is {dead[0].dead}"
                return Opinion(Status.STALE, "stale", why, located=old.located)
        return read

    def _in_other_words(self, assertion: Assertion, live: Sequence[Source]) -> Opinion | None:
        """Support a clause whose content stands in one passage about the item, though not in its concepts."""
        if assertion.short is not None or assertion.deed is not None:
            return None
        content = self.lexicon.content(assertion.statement.text)
        asked = frozenset[str]().union(*(self.lexicon.content(q.text) for q in self.scope.questions))
        found = paraphrased(assertion.statement, content, asked, witnesses(s for s in live if not s.general))
        if found is None:
            return None
        return Opinion(Status.SUPPORTED, "paraphrase", "one passage says it in other words", located=(found.located,))

    def _unwidened(self, assertion: Assertion, read: Opinion, live: Sequence[Source]) -> Opinion:
        """Contradict a clause that says more than the sentences that support it."""
        answer = assertion.short
        if read.rule == "derived" or (answer is not None and (not answer.echo or assertion.statement.negated)):
            return read
        places = {(p.id, p.quote) for p in read.located}
        pool = [w for w in witnesses(live) if (w.source.id, w.unit.quote) in places]
        claim = assertion.statement
        more = contrary(claim, pool, self.lexicon)
        if answer is None or answer.echo:
            loosely = read.rule not in _FIRMLY
            more = more or of_more_parts(claim, witnesses(live)) or widened(claim, pool)
            more = more or (reworded(claim, pool) if loosely else None)
            more = more or competing(claim, self.lexicon.content(claim.text), pool)
        return Opinion(Status.CONTRADICTED, more.rule, more.reason, located=more.located) if more else read

    def _against(self, assertion: Assertion, sources: Sequence[Source], *, item: bool = True) -> Opinion:
        specific = [s for s in sources if not s.general]
        rules = [s for s in sources if s.general]
        facets = self.facets(assertion, specific, specific)
        found = summary(facets)
        ruling = rules and REQUIRES.search(assertion.statement.text) and found.status is not Status.CONTRADICTED
        if ruling and not is_item_claim(assertion, self.scope.questions):
            ruled = summary(self.facets(assertion, rules, rules))
            if ruled.status is Status.SUPPORTED:
                return ruled
        about_item = item and is_item_claim(assertion, self.scope.questions)
        if found.status is Status.UNSUPPORTED and rules and not about_item:
            ruled = summary(self.facets(assertion, [*rules, *specific], rules))
            return ruled if ruled.status is not Status.UNSUPPORTED else found
        return found

    def facets(self, assertion: Assertion, sources: Sequence[Source], rest_from: Sequence[Source]) -> list[Facet]:
        """Judge each part of a clause against some sources."""
        statement = assertion.statement
        pool = covered_by_rest(same_rows(witnesses(sources), statement, self._asked), statement)
        facets: list[Facet] = []
        if assertion.deed is not None and self.reading.turn.draft is not None:
            facets.append(deed_facet(assertion.deed, statement, self.reading.turn.draft, sources))
            statement = replace(statement, terms=(), grains=(), names=())
        for claim in by_part(statement):
            facets.extend(term_facet(t, claim, pool, self.lexicon) for t in claim.terms if self._matters(t, claim))
        facets = agreed(self._said_whole(facets, statement, pool), statement, pool, self.lexicon)
        if any(f.rule == "topic" for f in facets):
            facets = [f for f in facets if f.rule != "topic_polarity"]
        if _says_no(assertion):
            facets = denied(facets, statement, pool, self.scope.questions)
        numbers = [
            narrowed(
                amount_facet(a, claim, pool, self.lexicon, lambda a: self.derived(a, statement, sources)), a, statement
            )
            for claim in (by_part(statement) if "都" in statement.text else [statement])
            for a in statement.amounts
            if not a.worded
        ]
        facets.extend(denied_numbers(numbers) if _says_no(assertion) else numbers)
        facets.extend(alone(statement, pool))
        facets.extend(name_facet(n, statement, pool, self.scope.known, self.lexicon) for n in statement.names)
        if assertion.own_parts and not facets and not statement.grains:
            return [part_facet(statement, pool)]
        backed = any(f.state == OK and f.rule != "topic" for f in facets)
        if any(f.rule == "derived" for f in facets):
            return uncounted(facets)
        if not any(f.state in (MISSING, CONFLICT) for f in facets):
            asked = "".join(q.text for q in self.scope.questions if not q.choice)
            if any(f.rule == "other_value" for f in facets):
                return facets
            if facets and (not statement.grains or (backed and all(w.source.kind == "customer" for w in pool))):
                return facets
            rest = rest_facet(statement, witnesses(rest_from) or pool, backed, asked)
            facets.extend(agreed([rest], statement, pool, self.lexicon))
        return facets

    def _said_whole(self, facets: list[Facet], claim: Statement, pool: Sequence[Witness]) -> list[Facet]:
        """Find a concept that no unit has by name where one unit says all words of the clause, with the same sign."""
        if not any(f.state == MISSING and f.rule == "no_evidence" for f in facets):
            return facets
        said = self.lexicon.content(claim.text)
        best = next((w for w in pool if len(said) >= ANCHORED and self._says_all(said, claim, w.unit.statement)), None)
        if best is None:
            return facets
        whole = Facet(OK, "words", "the words stand in the source", (best.located,))
        return [whole if f.state == MISSING and f.rule == "no_evidence" else f for f in facets]

    def _says_all(self, said: frozenset[str], claim: Statement, unit: Statement) -> bool:
        likeness = Likeness(claim, unit)
        if likeness.claim_denies() != likeness.unit_denies() or qualified(claim, unit) or not parts_meet(claim, unit):
            return False
        return all(map(likeness.says, said))

    def _matters(self, term: Term, claim: Statement) -> bool:
        """A role beside its number is judged with the number; a role that a question lent says nothing itself."""
        lent = term.start == claim.start and term.end == claim.end
        return not (term.concept in self.lexicon.role_only and (claim.amounts or lent))

    @functools.cached_property
    def _told(self) -> frozenset[str]:
        return frozenset(f"{v:f}" for q in self.reading.draft.quantities if isinstance(v := q.value, Decimal))

    @functools.cached_property
    def _asked(self) -> tuple[Statement, ...]:
        return tuple(q.statement for q in self.scope.questions)

    @functools.cached_property
    def _rates(self) -> frozenset[str]:
        return frozenset(str(q.value) for q in self.reading.draft.quantities if q.unit == "%")

    def derived(self, amount: Amount, statement: Statement, sources: Sequence[Source]) -> Facet | None:
        """Compute a number from located ones."""
        pool = operands([*sources, *(s for s in self.scope.sources if s.general and not s.dead)])
        if any(word in self.reading.draft.norm for word in ("比", "那套", "那台", "than")):
            pool = operands([s for s in self.scope.sources if not s.dead])
        asked = frozenset(t.concept for q in self.scope.questions for t in q.statement.terms)
        step = derive(
            amount, statement, pool, self.reading.turn.now, self.lexicon, Hints(asked, self._rates, self._told)
        )
        if step is None or not {o.source_id for o in step.operands} & {s.id for s in sources}:
            return None
        located = tuple(Located(o.source_id, o.quote) for o in step.operands)
        how = "counted" if step.counted else "computed"
        return Facet(OK, "derived", f"{how}: {step.formula}", located)


# What says yes to a clause by its concepts or values, not merely by its words.
_FIRMLY = frozenset({"term", "value", "name", "other_value"})


def _says_no(assertion: Assertion) -> bool:
    return assertion.short is not None and assertion.short.kind == "deny"


# Numbers that are facts even in an offer; how many homes one will look at is none.
_FIRM = frozenset({"money", "unit_price", "percent", "area", "mileage"})
_ENDED = re.compile(
    r"(?:到期|过期|结束|失效|截止)了|已经?(?:到期|过期|结束|失效|截止)|expired|has ended|is over|ran out"
)
_COMPARED = re.compile(r"比|than")

# Words of a rule: what must be, what is usual; such a clause is about all items.
REQUIRES = re.compile(
    r"要|须|需|得|规定|一般|通常|标准|政策|规则|\bmust\b|requires?\b|at least|usually|generally|policy"
)
