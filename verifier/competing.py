"""Competing evidence: a passage backs a clause less than another one that is about what the clause names besides.

套内118平 with the passage 建面118平 leaves 套内 to the sentence that prints 套内92平; the coverage until September that
商业险 needs is in a field of its own, which is empty. Whoever is closest to the words decides.
"""

from collections.abc import Sequence

from verifier.facets import CONFLICT, Facet, Witness, parts_meet, witnesses
from verifier.likeness import Likeness, says_contrary
from verifier.statements import Statement

_WORD = 2


def competing(claim: Statement, content: frozenset[str], pool: Sequence[Witness]) -> Facet | None:
    """Find a unit beside the pool, in the pool's sources, that says what the pool leaves open, and says it differently.

    `content` are the characters and Latin words that carry the clause's content, those of its question included.
    """
    backed = [Likeness(claim, w.unit.statement) for w in pool]
    left = frozenset(c for c in content if not any(b.says(c) for b in backed))
    if not left:
        return None
    quotes = {(w.source.id, w.unit.quote) for w in pool}
    beside = witnesses(dict.fromkeys(w.source for w in pool))
    rivals = [w for w in beside if (w.source.id, w.unit.quote) not in quotes and not w.source.dead]
    best = max(rivals, key=lambda w: _named(left, claim, w), default=None)
    if best is None or _named(left, claim, best) < _WORD or not parts_meet(claim, best.unit.statement):
        return None
    if _differs(claim, best):
        reason = "another sentence of the evidence is about this, and says it differently"
        return Facet(CONFLICT, "competing", reason, (best.located,), (best.unit.quote,))
    return None


def reworded(claim: Statement, pool: Sequence[Witness]) -> Facet | None:
    """Find that every passage behind a clause says the contrary in other words (住着人 beside 空置)."""
    if not pool or not all(says_contrary(claim, w.unit.statement) for w in pool):
        return None
    quotes = tuple(w.unit.quote for w in pool[:3])
    return Facet(CONFLICT, "polarity", "the source says the contrary in other words", (pool[0].located,), quotes)


def _named(left: frozenset[str], claim: Statement, witness: Witness) -> int:
    """Count the open words that a unit has: one in the other language or in other words is a whole word."""
    likeness = Likeness(claim, witness.unit.statement)
    text = witness.unit.statement.text
    return sum((1 if c in text and not c.isascii() else _WORD) for c in left if likeness.says(c))


def _differs(claim: Statement, witness: Witness) -> bool:
    unit = witness.unit.statement
    if "unknown" in unit.flags and "unknown" not in claim.flags:
        return True
    kinds = {a.quantity.kind: a.quantity.value for a in unit.amounts}
    said = [a.quantity for a in claim.amounts if a.quantity.kind in kinds]
    if said:
        return all(kinds[q.kind] != q.value for q in said)
    if unit.amounts:
        return False
    likeness = Likeness(claim, unit)
    return likeness.unit_denies() and not likeness.claim_denies()
