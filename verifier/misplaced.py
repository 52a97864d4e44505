"""Find a value that is printed, but elsewhere: for another thing, one end, a wider role, some of several, one row."""

import re
from collections.abc import Sequence
from decimal import Decimal

from verifier.amounts import same_dimension
from verifier.candidates import Found
from verifier.facets import CONFLICT, Facet, Witness
from verifier.rows import each_named
from verifier.statements import Amount, Statement
from verifier.tallies import one_of_many

_ONE = re.compile(r"一[把个条台套间扇部辆张位次只]")


def misplaced(amount: Amount, claim: Statement, pool: Sequence[Witness], same: Found, different: Found) -> Facet | None:
    """Find a value that is printed, but for something else, or in one row of the list that is summed."""
    said, where = amount.quantity.quote, (same[0][0].located,)
    if _better_elsewhere(claim, same, different):
        places = tuple(w.located for w, _ in different[:1])
        reason = f"{said} is printed for something else"
        return Facet(CONFLICT, "role", reason, places, (different[0][1].quantity.quote,))
    if _one_end(amount, pool, same):
        return Facet(CONFLICT, "value", f"only one end of {said} is printed", where)
    if _looser_role(amount, claim, same, different):
        printed = tuple(dict.fromkeys(a.quantity.quote for _, a in different))[:3]
        return Facet(CONFLICT, "role", f"{said} is printed for something wider, {printed[0]} for this", where, printed)
    if len(claim.amounts) == 1 and _missing_branch(claim, same):
        return Facet(CONFLICT, "role", f"{said} is printed for one of them only", where)
    if one_of_many(claim, [w for w, _ in same], pool):
        return Facet(CONFLICT, "role", f"{said} is one row of a list, not the sum of all", where)
    return None


def _missing_branch(claim: Statement, same: Found) -> bool:
    """Whether a claim says of several things at once what is printed for some of them only."""
    for witness, _ in same:
        for named in each_named(witness.source.families, claim):
            told = [any(branch.holds(w.unit.path) for w, _ in same) for branch in named]
            if any(told) and not all(told):
                return True
    return False


def _one_end(amount: Amount, pool: Sequence[Witness], same: Found) -> bool:
    """Whether a source prints one end of a claimed range and another value than its other end."""
    value = amount.quantity.value
    if not isinstance(value, tuple) or not isinstance(value[0], Decimal) or not isinstance(value[1], Decimal):
        return False
    rows = [(w.unit.group, w.unit.path.rpartition("/")[0]) for w, _ in same if w.unit.path]
    printed = {
        a.quantity.value
        for w in pool
        if (w.unit.group, w.unit.path.rpartition("/")[0]) in rows
        for a in w.unit.statement.amounts
        if same_dimension(amount.quantity, a.quantity)
    }
    points = {v for v in printed if isinstance(v, Decimal)}
    return len(points) > 1 and len(points & set(value)) == 1


def _looser_role(amount: Amount, claim: Statement, same: Found, different: Found) -> bool:
    """Whether a value stands under a wider role only, where its own role has another value in that source."""
    if not amount.role or any(a.role in ("", amount.role) for _, a in same):
        return False
    here = {w.source.id for w, _ in same}
    own = [a for w, a in different if a.role == amount.role and w.source.id in here]
    said = {a.quantity.value for a in claim.amounts}
    return bool(own) and not any(a.quantity.value in said for a in own)


def _better_elsewhere(claim: Statement, same: Found, different: Found) -> bool:
    """Whether another value in the same source stands with more of the claim's words (地面 150, 地下 300)."""
    here = {w.source.id for w, _ in same}
    said = {a.quantity.value for a in claim.amounts} | ({Decimal(1)} if _ONE.search(claim.text) else set())
    rivals = [w for w, a in different if w.source.id in here and a.quantity.value not in said]
    best = max(_words_shared(claim, w) for w, _ in same)
    return bool(rivals) and max(_words_shared(claim, w) for w in rivals) > best


def _words_shared(claim: Statement, witness: Witness) -> int:
    unit = witness.unit.statement
    shared = sum(g in unit.text or g in unit.grains for g in set(claim.grains))
    return shared + len({t.concept + t.option for t in claim.terms} & {t.concept + t.option for t in unit.terms})
