"""Numbers that count or sum what the sources list: rows of a list, both tyres of an axle."""

import re
from collections.abc import Sequence

from verifier.amounts import dimension, equal, same_dimension
from verifier.facets import CONFLICT, OK, Facet, Witness, parts_meet
from verifier.statements import Amount, Statement

# Closed class: words that say that a number is a sum.
TOTAL = re.compile(
    r"一共|合计|总共|加起来|加一块|加在一起|合起来|拢共|总计|全部|全下来|共|总价|总的|都算上|都加上|全包|落地|"
    r"\b(?:in total|altogether|all in|in all|all told|total|sum|makes|comes to|adds up|add up|combined|overall|works out)\b"
)
_WHOLE = re.compile(r"一共|合计|总共|加起来|加一块|拢共|总计|\b(?:in total|altogether|all in|combined)\b")
_SIDE_PAIR = re.compile(r"([前后左右])(?:面|头|边|排|轴|轮|胎)?的?(?:两|俩|2)[条个只座根]?")
_TWO = 2
_HALVES = {"前": "左右", "后": "左右", "左": "前后", "右": "前后"}


def one_of_many(claim: Statement, found: Sequence[Witness], pool: Sequence[Witness]) -> bool:
    """Whether a number that is said to be a sum stands in single rows of a list only."""
    if not _WHOLE.search(claim.text) or not all(w.unit.group for w in found):
        return False
    here = {(w.source.id, *_place(w)) for w in found}
    groups = {w.unit.group for w in found}
    return any(
        w.unit.group and w.unit.group not in groups and w.unit.statement.amounts and (w.source.id, *_place(w)) in here
        for w in pool
    )


def _place(witness: Witness) -> tuple[str, str]:
    """Give the list in which a row stands, and the field in it."""
    group, path = witness.unit.group, witness.unit.path
    return group.rpartition("/")[0], path.removeprefix(group)


def torn_apart(claim: Statement, pool: Sequence[Witness]) -> Facet | None:
    """Find two numbers of one clause that stand in two rows of a list (36 months of the one, 3200 of the other)."""
    told = [a for a in claim.amounts if not a.worded]
    if len(told) != _TWO:
        return None
    first, last = ([w for w in pool if _prints(amount, w, claim)] for amount in told)
    if first and last and all(not w.unit.path for w in (*first, *last)):
        return _torn_clauses(told[0], told[1], first, last)
    if not first or not last or not all(w.unit.group for w in (*first, *last)):
        return None
    if any(_row(a) == _row(b) or _place(a) == _place(b) for a in first for b in last):
        return None
    reason = f"{told[0].quantity.quote} and {told[1].quantity.quote} stand in different rows"
    return Facet(CONFLICT, "role", reason, (first[0].located, last[0].located))


def _torn_clauses(one: Amount, other: Amount, first: Sequence[Witness], last: Sequence[Witness]) -> Facet | None:
    """Find two numbers out of two clauses that each print such a pair (90平以下1%，90平以上1.5%)."""
    if dimension(one.quantity) == dimension(other.quantity) or any(a == b for a in first for b in last):
        return None
    paired = all(_measures(other, w) for w in first) and all(_measures(one, w) for w in last)
    if not paired:
        return None
    reason = f"{one.quantity.quote} and {other.quantity.quote} stand in different clauses"
    return Facet(CONFLICT, "role", reason, (first[0].located, last[0].located))


def _measures(amount: Amount, witness: Witness) -> bool:
    return any(dimension(amount.quantity) == dimension(a.quantity) for a in witness.unit.statement.amounts)


def _prints(amount: Amount, witness: Witness, claim: Statement) -> bool:
    return any(
        same_dimension(amount.quantity, other.quantity) and equal(amount.quantity, other.quantity, claim.text)
        for other in witness.unit.statement.amounts
    )


def _row(witness: Witness) -> tuple[str, str]:
    return witness.source.id, witness.unit.group


def side_pair(amount: Amount, claim: Statement, pool: Sequence[Witness]) -> Facet | None:
    """Judge 前面两条: an axle has two of what it has, where its source names that side and no half of it."""
    if amount.quantity.value != 2 or amount.quantity.kind not in ("count", "seats", "number"):
        return None
    start, end = amount.quantity.start - claim.start, amount.quantity.end - claim.start
    match = next((m for m in _SIDE_PAIR.finditer(claim.text) if m.start() <= start and end <= m.end()), None)
    if match is None:
        return None
    for witness in pool:
        unit = witness.unit.statement
        here = match[1] in unit.text or bool(claim.parts & unit.parts)
        if here and parts_meet(claim, unit) and not _halved(match[1], unit):
            return Facet(OK, "value", "the source speaks of this side", (witness.located,))
    return None


def _halved(side: str, unit: Statement) -> bool:
    counted = any(a.quantity.kind == "count" for a in unit.amounts)
    return counted or any(half in unit.text for half in _HALVES[side])
