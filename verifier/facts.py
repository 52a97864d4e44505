"""check_facts(reading) -> Facts: each asserting clause of the draft against what the sources say.

Three ways to be supported: the verifier's own reading finds the evidence; the agent's declared passage holds up; or
(elsewhere, where an account opts in) a judge confirms with a literal quote. Everything else that asserts is
unsupported.
"""

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from planner.reading import Reading
from verifier.acts import Act
from verifier.assertions import Assertion, assertions_of
from verifier.claims import Claim, Facts, Status, Via
from verifier.confirming import Confirmer
from verifier.counsel import Confirmation
from verifier.coverage import asked_aspects, asks_for_facts
from verifier.elaboration import elaborated
from verifier.evidence import sources_of
from verifier.facets import Witness
from verifier.firmness import firmness
from verifier.grounding import Declared, declared_of
from verifier.judge import Judge
from verifier.lexicon import lexicon_of
from verifier.opinions import Opinion
from verifier.pairing import PairJudge
from verifier.scope import Scope, scope_of
from verifier.statements import MAX_CLAUSES

_MARK = re.compile(r"\[([A-Za-z]{1,8}[-_]?\d{1,4})\]")


def check_facts(reading: Reading, confirmations: tuple[Confirmation, ...] = ()) -> Facts:
    """Judge every fact that the draft asserts against the evidence of its turn, and what a judge would confirm of it."""
    if reading.turn.draft is None:
        return Facts()
    lexicon = lexicon_of(reading.pack)
    sources = sources_of(reading, lexicon)
    labels = " ".join([reading.turn.conversation.subject or "", *(s.label for s in sources)])
    assertions, questions = assertions_of(reading, lexicon, labels)
    scope = scope_of(reading, lexicon, sources, questions)
    declared = declared_of(reading, sources, scope)
    judge = Judge(reading, lexicon, scope)
    pairs = PairJudge(judge, lexicon, scope)
    bench = _Bench(reading, scope, judge, pairs, declared, Confirmer(reading, lexicon, scope, pairs, confirmations))
    asked = asks_for_facts(questions)
    aspects = asked_aspects(questions, scope.sources)
    return Facts(bench.claims(assertions), declared.false, declared.notes, aspects, asked)


@dataclass(frozen=True)
class _Bench:
    """Judges the clauses one after the other, so that each may go on about the subject of the one before."""

    reading: Reading
    scope: Scope
    judge: Judge
    pairs: PairJudge
    declared: Declared
    confirmer: Confirmer

    def claims(self, assertions: tuple[Assertion, ...]) -> tuple[Claim, ...]:
        found: list[Claim] = list(self._unknown_citations())
        about: frozenset[str] = frozenset()
        judged: list[tuple[Assertion, Opinion]] = []
        for assertion in assertions:
            about = self.scope.labels(assertion, about)
            opinion = self._opinion(assertion, about)
            if opinion is not None:
                judged.append((assertion, opinion))
        found.extend(self._claim(*pair) for pair in elaborated(judged, self.scope))
        return (*found, *self._unjudged(assertions))

    def _unjudged(self, assertions: tuple[Assertion, ...]) -> Iterator[Claim]:
        """A draft with more clauses than are judged is not backed behind the last one."""
        text = self.reading.draft.text
        if len(assertions) < MAX_CLAUSES or not text.norm[assertions[-1].end :].strip():
            return
        start, end = text.span(assertions[-1].end, len(text.norm))
        reason = f"only the first {MAX_CLAUSES} clauses are judged; shorten the draft"
        yield Claim(text.original[start:end], start, end, "statement", Status.UNSUPPORTED, reason, Via.READ, "too_long")

    def _unknown_citations(self) -> Iterator[Claim]:
        """A mark in the text that points at a citation must point at one that exists."""
        draft = self.reading.turn.draft
        known = {c.id for c in draft.citations} | {t.id for t in draft.tool_results} if draft else set()
        for match in _MARK.finditer(draft.text if draft else ""):
            if match.group(1) not in known:
                reason = f"there is no source {match.group(1)!r} in this turn"
                yield Claim(
                    match.group(), match.start(), match.end(), "citation", Status.UNSUPPORTED, reason, Via.READ,
                    "unknown_citation",
                )  # fmt: skip

    def _opinion(self, assertion: Assertion, about: frozenset[str]) -> Opinion | None:
        found = self._by_evidence(assertion, about)
        if found is None or found.status is not Status.UNSUPPORTED:
            return found
        return self.confirmer.opinion(assertion, about) or found

    def _by_evidence(self, assertion: Assertion, about: frozenset[str]) -> Opinion | None:
        read = self.judge.judge(assertion, about)
        if read is None or read.status in (Status.SUPPORTED, Status.PENDING):
            return read
        backing = self.declared.backing(assertion)
        if not backing:
            return None if read.status is Status.UNSUPPORTED and self.judge.only_talk(assertion) else read
        if read.status is Status.CONTRADICTED:
            return (self._backed_elsewhere(assertion, about, read, backing)) or read
        return self.pairs.judge(assertion, about, backing) or read

    def _backed_elsewhere(
        self, assertion: Assertion, about: frozenset[str], read: Opinion, backing: tuple[Witness, ...]
    ) -> Opinion | None:
        """Let a declared passage decide where reading met another sentence of the same source about another part.

        It must then say every concept of the clause itself; another source that differs still contradicts.
        """
        if assertion.short is not None or not _as_narrow(assertion, backing):
            return None
        if read.rule == "sources_disagree" and not self._tells_apart(assertion):
            return None
        other = {place.id for place in read.located} - {w.source.id for w in backing}
        passage = {w.unit.quote for w in backing}
        if other or (read.rule not in _REREAD and any(place.quote in passage for place in read.located)):
            return None
        return self.pairs.judge(assertion, about, backing, firmly=True)

    def _tells_apart(self, assertion: Assertion) -> bool:
        """Whether a clause says, beside the compared value, of which of several things it speaks (前挡是原装)."""
        said = assertion.statement
        words = list(said.text)
        for term in said.terms:
            words[term.start - said.start : term.end - said.start] = " " * (term.end - term.start)
        return assertion.own_parts or bool(self.judge.lexicon.content("".join(words)))

    def _claim(self, assertion: Assertion, opinion: Opinion) -> Claim:
        text = self.reading.draft.text
        start, end = text.span(*(opinion.span or (assertion.start, assertion.end)))
        return Claim(
            quote=text.original[start:end],
            start=start,
            end=end,
            kind=_KINDS.get(assertion.act, "statement"),
            status=opinion.status,
            reason=opinion.reason,
            via=opinion.via,
            rule_id=opinion.rule,
            evidence=opinion.located,
            nearest=opinion.nearest,
            firmness=self._firmness(text.original[start:end], opinion),
        )

    def _firmness(self, clause: str, opinion: Opinion) -> float:
        if opinion.status is not Status.SUPPORTED:
            return 1.0
        rule = "declared" if opinion.via is Via.GROUNDING else opinion.rule
        return firmness(rule, clause, opinion.located, self._around, self.judge.lexicon)

    @functools.cached_property
    def _around(self) -> str:
        """The draft and what was asked."""
        asked = (text.text.original for text in self.reading.unanswered)
        return "\n".join((self.reading.draft.text.original, *asked))


def _as_narrow(assertion: Assertion, backing: tuple[Witness, ...]) -> bool:
    """Whether a clause speaks of no more than its passage: of the same parts, not of all."""
    claim = assertion.statement
    return (
        "all" not in claim.flags
        and "都" not in claim.text
        and any(not w.unit.statement.parts or claim.parts for w in backing)
    )


# What a passage of several sentences settles by itself: both say no, or one part each.
_REREAD = frozenset({"sources_disagree", "polarity"})
_KINDS = {Act.ACTION: "action", Act.ANSWER: "answer", Act.QUESTIONED: "quantity", Act.PENDING: "pending"}
