"""What the quantities of one clause measure: the role that the words around give each, and the limits on it.

Words are looked up by their places, so that a clause of a thousand numbers costs a thousand times one number.
"""

import bisect
import functools
import re
from collections import Counter
from collections.abc import Sequence

from planner.quantities import Quantity
from verifier.lexicon import Hit, Lexicon
from verifier.statements import Amount, Term

# Kinds whose unit words (公里, 平) are no role of their own.
_MEASURES = frozenset({"money", "unit_price", "mileage", "area", "distance", "percent", "duration"})
_ROLE_BEHIND = 6
# So few words are looked through faster than they are looked up.
_FEW = 16
_NEAR_BEFORE, _NEAR_BEHIND = 8, 3
_STATED_LIMITS = {"at_least": "from", "at_most": "at_most", "under": "at_most"}
_LIMIT_FLAGS = frozenset({"from", "at_most", "expected", "only", "planned"})
_NO_LIMITS: frozenset[str] = frozenset()
_CALCULATION = re.compile(r"算|等于|就是|一共|合计|=|comes to|makes")
# A bound by its denial: 没跑过500公里, 不能过8年, not over 10 kg.
_NOT_BEYOND = re.compile(
    r"(?:没|不|未|别)(?:有|能|可|得|会|要)?(?:跑|开|骑|用|住|租)?(?:过|超|满|到|超出|高)了?$|(?:not|n't) (?:over|above|beyond|exceed(?:ing)?) $"
)


class _Words:
    """Words of one sort in order."""

    __slots__ = ("hits", "longest", "starts")

    def __init__(self, hits: Sequence[Hit]) -> None:
        self.hits = hits
        self.starts: list[int] | None = None
        if len(hits) > _FEW:
            self.starts = [h.start for h in hits]
            self.longest = max(h.end - h.start for h in hits)

    def meeting(self, start: int, end: int) -> list[Hit]:
        """Give the words that touch a span."""
        if self.starts is None:
            return [h for h in self.hits if h.start < end and start < h.end]
        first = bisect.bisect_left(self.starts, start - self.longest)
        last = bisect.bisect_left(self.starts, end)
        return [h for h in self.hits[first:last] if start < h.end]


class _Terms:
    """Terms in order with their starts."""

    __slots__ = ("concepts", "starts", "terms")

    def __init__(self, terms: Sequence[Term]) -> None:
        self.terms = terms
        self.starts = [t.start for t in terms]
        self.concepts = frozenset([t.concept for t in terms])

    def within(self, start: int, end: int) -> list[Term]:
        """Give the terms that lie inside a span."""
        first, last = bisect.bisect_left(self.starts, start), bisect.bisect_left(self.starts, end)
        return [t for t in self.terms[first:last] if t.end <= end]


class Roles:
    """Gives the quantities of one clause their roles and limits; all words and quantities are in order."""

    def __init__(
        self, norm: str, lexicon: Lexicon, terms: Sequence[Term], quantities: Sequence[Quantity], hits: Sequence[Hit]
    ) -> None:
        self.norm = norm
        self.lexicon = lexicon
        self.terms = terms
        self.quantities = quantities
        self.concepts = _Words([h for h in hits if h.entry.kind == "concept"])
        self.bounds = _Words([h for h in hits if h.entry.kind == "flag" and h.entry.id in _LIMIT_FLAGS])
        self.hits = hits
        self._fitting: dict[tuple[str, frozenset[str] | None], _Terms] = {}

    def amounts(self) -> tuple[Amount, ...]:
        """Read each quantity as an amount."""
        return tuple(Amount(q, self._role(q), self._limits(q), self._worded(q)) for q in self.quantities)

    @functools.cached_property
    def _denied(self) -> frozenset[int]:
        return frozenset(h.end for h in self.hits if h.entry.kind == "neg")

    @functools.cached_property
    def _by_kind(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for quantity in self.quantities:
            found.setdefault(quantity.kind, []).append(quantity.start)
        return found

    def _worded(self, quantity: Quantity) -> bool:
        meeting = self.concepts.meeting(quantity.start, quantity.end)
        if quantity.kind == "holding_years":
            return bool(meeting)
        for hit in meeting:
            if hit.start <= quantity.start and quantity.end <= hit.end:
                entry = hit.entry
                if entry.sign < 0 or entry.option or entry.id not in self.lexicon.role_only:
                    return True
        return False

    def _limits(self, quantity: Quantity) -> frozenset[str]:
        """Give the limits on a quantity: those it states itself, and limiting words beside it."""
        stated = _STATED_LIMITS.get(quantity.approx or "")
        if quantity.quote[:2] in ("低于", "少于") and quantity.start in self._denied:
            stated = "from"
        if _NOT_BEYOND.search(self.norm, max(quantity.start - 14, 0), quantity.start):
            stated = "at_most"
        # A word that only touches the span from outside counts too.
        near = self.bounds.hits and self.bounds.meeting(
            quantity.start - _NEAR_BEFORE - 1, quantity.end + _NEAR_BEHIND + 1
        )
        if not near:
            return frozenset((stated,)) if stated else _NO_LIMITS
        told = frozenset("expected" if h.entry.id == "planned" else h.entry.id for h in near)
        return told | {stated} if stated else told

    def _terms(self, kind: str, concepts: frozenset[str] | None = None) -> _Terms:
        """Give the terms that can play a role for a kind, of some concepts only or of all (None)."""
        key = (kind, concepts)
        if key not in self._fitting:
            rows = self.lexicon.concepts
            among = self.terms if concepts is None else [t for t in self._terms(kind).terms if t.concept in concepts]
            self._fitting[key] = _Terms([t for t in among if kind in rows[t.concept].kinds])
        return self._fitting[key]

    def _role(self, quantity: Quantity) -> str:
        """Give the nearest concept that can play a role for this kind; one before it beats one behind it."""
        fitting = self._terms(quantity.kind)
        if not fitting.terms:
            return ""
        inside = fitting.within(quantity.start, quantity.end)
        if len(inside) == len(fitting.terms):
            if quantity.kind in _MEASURES:
                return ""
            inside = []
        kept = self._narrowest(fitting, inside)
        found = fitting if kept == fitting.concepts else self._terms(quantity.kind, kept)
        before, behind = self._beside(quantity, found, inside)
        if before is None:
            return behind.concept if behind and not self._between(quantity, quantity.end, behind.start) else ""
        taken = self._between(quantity, before.end, quantity.start)
        if taken and behind and behind.start - quantity.end <= 1:
            return behind.concept
        summed = taken and quantity.kind == "money"
        return "" if summed and _CALCULATION.search(self.norm, before.end, quantity.end) else before.concept

    def _narrowest(self, fitting: _Terms, inside: Sequence[Term]) -> frozenset[str]:
        """Give the concepts around a quantity, without those that only name a wider role of another one."""
        around = fitting.concepts
        if inside:
            gone, held = Counter(t.concept for t in inside), Counter(t.concept for t in fitting.terms)
            around = frozenset(concept for concept in around if held[concept] > gone[concept])
        wide = {name for concept in around for name in self.lexicon.concepts[concept].broader}
        return around - wide or around

    def _beside(self, quantity: Quantity, found: _Terms, inside: Sequence[Term]) -> tuple[Term | None, Term | None]:
        """Give the last term before the end of a quantity, and the first one right behind it."""
        at = bisect.bisect_left(found.starts, quantity.end)
        behind = found.terms[at] if at < len(found.terms) else None
        at -= 1
        while inside and at >= 0 and found.terms[at].start >= quantity.start and found.terms[at].end <= quantity.end:
            at -= 1
        close = behind is not None and behind.start <= quantity.end + _ROLE_BEHIND
        return found.terms[at] if at >= 0 else None, behind if close else None

    def _between(self, quantity: Quantity, start: int, end: int) -> bool:
        """Whether another quantity of the same kind begins in a span."""
        starts = self._by_kind[quantity.kind]
        return bisect.bisect_left(starts, start) < bisect.bisect_left(starts, end)
