"""How much of a claim's words one unit of evidence says: literally, in the other language, or in other words.

A negation inside a word (没住人 for 空置) belongs to the word; what counts as yes or no is what is left outside.
"""

import functools
import re
from dataclasses import dataclass

from verifier.facets import EXCEPTED
from verifier.senses import Meeting, met
from verifier.statements import Statement

_IN_IT = re.compile(r"有|含|包括|列|\bincludes?\b|\bcontains?\b|\bhas\b")


@dataclass(frozen=True)
class Likeness:
    """A claim beside one unit."""

    claim: Statement
    unit: Statement

    @functools.cached_property
    def met(self) -> Meeting:
        """The words that mean the same, or the contrary, though they differ."""
        return met(self.claim.spots, self.unit.spots)

    @functools.cached_property
    def _reworded(self) -> frozenset[str]:
        return frozenset(c for start, end in self.met.claim for c in self.claim.text[start:end])

    def says(self, grain: str) -> bool:
        """Whether the unit has a content word of the claim.

        A Latin word must begin there (facelift is not in pre-facelift).
        """
        unit = self.unit
        if grain in unit.grains or grain in self._reworded:
            return True
        if not grain.isascii():
            return grain in unit.text or any(grain in word for _, words in unit.gloss for word in words)
        if grain in unit.text and re.search(rf"(?<![a-z-]){re.escape(grain)}", unit.text) is not None:
            return True
        return any(word in unit.text for latin, words in self.claim.gloss if latin.startswith(grain) for word in words)

    def share(self, grains: tuple[str, ...]) -> float:
        """Give the share of content words that the unit says."""
        return sum(map(self.says, grains)) / len(grains)

    def claim_denies(self) -> bool:
        """Whether the claim says no, beside the words that were found in other words."""
        return _odd(self.claim.negs, self.met.claim)

    def unit_denies(self) -> bool:
        """Whether the unit says no to what the claim says, by a negation, an exception or a contrary word."""
        excepted = EXCEPTED.search(self.unit.text) is not None and not self.met.unit
        return (len(self.unit_negs()) % 2 == 1 or excepted) != self.met.contrary

    def unit_negs(self) -> tuple[int, ...]:
        """Give the unit's negations outside the words that were found."""
        return tuple(n for n in self.unit.negs if not _inside(n, self.met.unit))


def lacks(claim: Statement, unit: Statement) -> bool:
    """Whether a unit denies all its concepts (名单不含这里), and a claim without one says what is in it (名单里有这里)."""
    beside = not claim.terms and _IN_IT.search(claim.text) is not None
    return beside and bool(unit.terms) and all(term.sign < 0 for term in unit.terms)


def says_contrary(claim: Statement, unit: Statement) -> bool:
    """Whether a unit says the contrary in other words (住着人 beside 空置), neither of them turned around by a no."""
    likeness = Likeness(claim, unit)
    return likeness.met.contrary and not claim.negated and not likeness.claim_denies() and not likeness.unit_negs()


def _odd(negs: tuple[int, ...], spans: tuple[tuple[int, int], ...]) -> bool:
    return sum(not _inside(n, spans) for n in negs) % 2 == 1


def _inside(at: int, spans: tuple[tuple[int, int], ...]) -> bool:
    return any(start <= at < end for start, end in spans)
