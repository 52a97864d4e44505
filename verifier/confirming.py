"""Check what a judge would confirm: a quote that is there, of the right subject, that says yes where the clause says yes.

Nothing here trusts the judge. A plain clause that reading left unsupported is supported when the named quote stands
literally in a living source that may speak of the clause's subject, when both deny or neither does, when no limit of
the source is lost, when they share an anchor, and when the pair holds up as a declared one would have to.
"""

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from planner.reading import Reading
from planner.text import normalize
from verifier.anchors import ANCHORED, heard, shares_word
from verifier.assertions import Assertion
from verifier.claims import Status, Via
from verifier.counsel import Confirmation
from verifier.evidence import Source
from verifier.facets import Witness, parts_meet, qualified
from verifier.judge import REQUIRES
from verifier.lexicon import Lexicon
from verifier.likeness import Likeness
from verifier.opinions import Opinion
from verifier.pairing import PairJudge
from verifier.scope import Scope, is_item_claim
from verifier.units import Unit
from verifier.unnamed import is_plain

_OFTEN = 8
LEAST, MOST = 4, 300  # characters of a quote: a shorter one stands everywhere, a longer one says everything
# Closed class: words that take back or narrow what their sentence says.
_TAKES_BACK = re.compile(
    r"但|不过|只是|然而|却|偶|有时|一般|略|稍|微|部分|个别|可能|或许|也许|大概|据|拟|曾|以前|之前|过去|计划|预计|除|仅|限|若|如果|如有|如需|原先|"
    r"\b(?:but|however|though|although|sometimes|partly|part|mostly|may|might|perhaps|if|used to|formerly|planned|"
    r"except|only|slight(?:ly)?|some)\b"
)
# Closed class: words that tell one side of a thing from the other.
_SIDES = re.compile(
    r"[前后左右东南西北主次内外]|\b(?:front|rear|back|left|right|upper|lower|inner|outer|inside|outside|upstairs|downstairs|"
    r"north|south|east|west|main|driver|passenger)\b"
)


@dataclass(frozen=True)
class Confirmer:
    """Holds what a judge would confirm about one draft, and weighs it clause by clause."""

    reading: Reading
    lexicon: Lexicon
    scope: Scope
    pairs: PairJudge
    confirmations: tuple[Confirmation, ...] = ()

    def opinion(self, assertion: Assertion, about: frozenset[str]) -> Opinion | None:
        """Support an unsupported clause by a confirmation that holds up, or give None."""
        meant = [c for c in self.confirmations if self._means(c, assertion)]
        if not meant or not is_plain(assertion, self.reading, self.lexicon, self.scope):
            return None
        return next((o for c in meant if (o := self._weighed(c, assertion, about)) is not None), None)

    def _means(self, confirmation: Confirmation, assertion: Assertion) -> bool:
        span = self.reading.draft.text.span(assertion.start, assertion.end)
        return span == (confirmation.start, confirmation.end)

    def _weighed(self, confirmation: Confirmation, assertion: Assertion, about: frozenset[str]) -> Opinion | None:
        source = next((s for s in self.scope.about(about) if s.id == confirmation.source), None)
        if source is None or source.dead or (source.general and not self._of_all(assertion)):
            return None
        quote = normalize(confirmation.quote).norm.strip()
        pool = [Witness(source, unit) for unit in quoted_units(source, quote)] if LEAST <= len(quote) <= MOST else []
        if not pool or not self._agree(assertion, pool):
            return None
        found = self.pairs.judge(assertion, about, pool)
        if found is None or found.status is not Status.SUPPORTED:
            return None
        located = tuple(dict.fromkeys(w.located for w in pool))
        reason = "the judge finds it in this passage"
        return replace(found, rule="confirmed", reason=reason, via=Via.JUDGE, located=located)

    def _of_all(self, assertion: Assertion) -> bool:
        """Whether a clause is a rule for all items, which a general source may back."""
        ruled = REQUIRES.search(assertion.statement.text) is not None
        return ruled and not is_item_claim(assertion, self.scope.questions)

    def _agree(self, assertion: Assertion, pool: Sequence[Witness]) -> bool:
        """Whether every unit of a quote says yes or no as the clause does, of its part, and nothing is lost or new."""
        claim = assertion.statement
        for witness in pool:
            unit = witness.unit.statement
            likeness = Likeness(claim, unit)
            if unit.open or likeness.claim_denies() != likeness.unit_denies() or not parts_meet(claim, unit):
                return False
        if any(qualified(claim, u.statement) or _takes_back(u.quote, claim.text) for u in _sentences(pool)):
            return False
        told = {(t.concept, t.option, t.sign) for w in pool for t in w.unit.statement.terms}
        if any(t.option and (t.concept, t.option, t.sign) not in told for t in claim.terms):
            return False
        if not all(any(Likeness(claim, w.unit.statement).says(s) for w in pool) for s in _SIDES.findall(claim.text)):
            return False
        return any(self._shares(assertion, w) for w in pool)

    def _shares(self, assertion: Assertion, witness: Witness) -> bool:
        """Whether clause and unit name one concept with one sign, or share a content word."""
        claim, unit = assertion.statement, witness.unit.statement
        plain = self.lexicon.role_only | self.lexicon.predicates
        mine = {(t.concept, t.option, t.sign) for t in claim.terms if t.concept not in plain}
        theirs = {(t.concept, t.option, t.sign) for t in unit.terms}
        alike = self.lexicon.content(claim.text) & self.lexicon.content(unit.text)
        return bool(mine & theirs) or len(alike) >= ANCHORED or shares_word(claim, heard(unit), strictly=True)


def quoted_units(source: Source, quote: str) -> tuple[Unit, ...]:
    """Give the units that a normalised quote touches, whole, so that no 不 can be cut off.

    None where it is not there, or stands in so many places that it says nothing.
    """
    if source.kind != "citation":
        return tuple(dict.fromkeys(unit for unit in source.units if quote in normalize(unit.quote).norm))
    places = list(itertools.islice(_places(source.scanned.norm, quote), _OFTEN + 1))
    if len(places) > _OFTEN:
        return ()
    spans = [(at, at + len(quote)) for at in places]
    return tuple(u for u in source.units if any(u.statement.start < end and at < u.statement.end for at, end in spans))


def _places(words: str, quote: str) -> Iterator[int]:
    at = words.find(quote)
    while at >= 0:
        yield at
        at = words.find(quote, at + len(quote))


def _sentences(pool: Sequence[Witness]) -> Iterator[Unit]:
    """Give the units of the sentences from which the quote was taken: a limit may stand beside it."""
    for witness in pool:
        segment = witness.unit.segment
        yield from (u for u in witness.source.units if u is witness.unit or (u.segment == segment and not u.path))


def _takes_back(quote: str, claim: str) -> bool:
    words = normalize(quote).norm
    return any(match.group() not in claim for match in _TAKES_BACK.finditer(words))
