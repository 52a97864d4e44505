"""Judge a number that the draft holds against a printed bound: two tenths will not do where at least three are asked."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from planner.quantities import Quantity
from verifier.amounts import printed, same_dimension, scaled
from verifier.days import minutes
from verifier.facets import OK, Facet, Witness, parts_meet
from verifier.lexicon import Lexicon
from verifier.statements import Amount, Statement

_DENIED = re.compile(
    r"不(?:了|成|行|够|能|可以|得|到|给|批|算|符合|接受|让|可)|办不|没法|没戏|免谈|无法|\bcan't\b|\bcannot\b|\bwon't\b|\bisn't\b|"
    r"\baren't\b|\bdoesn't\b|\bnot (?:enough|allowed|possible|accepted)\b|\btoo (?:short|few|low|little|many|much|long)\b"
)
_ENOUGH = re.compile(r"够|达标|没问题|满足|符合|可以|也行|\benough\b|\bqualif|\bmeets?\b|\bfine\b")
_YOURS = re.compile(r"[您你]|\byou")


def against_bound(amount: Amount, claim: Statement, pool: Sequence[Witness], lexicon: Lexicon) -> Facet | None:
    """Judge a number that lies beyond a bound and is denied, or the customer's number that meets it."""
    if amount.quantity.quote.lower() not in claim.text:
        return _asked_bound(amount, claim, pool, lexicon)
    behind = claim.text[max(amount.quantity.end - claim.start, 0) :]
    refused = _DENIED.search(behind) is not None
    enough = not refused and _ENOUGH.search(behind) is not None and _YOURS.search(claim.text) is not None
    if not (refused or enough):
        return None
    for witness, other in _bounds(amount, claim, pool, lexicon):
        inside = _inside(amount.quantity, other)
        if inside is not None and inside != refused:
            return Facet(OK, "derived", f"{other.quantity.quote} settles {amount.quantity.quote}", (witness.located,))
    return None


def _asked_bound(amount: Amount, claim: Statement, pool: Sequence[Witness], lexicon: Lexicon) -> Facet | None:
    """Let a yes hold when the printed value keeps the bound of the question (under 100k? 86,400)."""
    limit, highest, lowest = (
        _value(amount.quantity),
        amount.quantity.approx in _AT_MOST,
        amount.quantity.approx in _FROM,
    )
    if claim.negated or limit is None or highest == lowest:
        return None
    for witness, other in _bounds(amount, claim, pool, lexicon):
        value = _value(other.quantity)
        if value is not None and not other.limits and (value <= limit if highest else value >= limit):
            return Facet(OK, "derived", f"{other.quantity.quote} keeps {amount.quantity.quote}", (witness.located,))
    return None


_AT_MOST, _FROM = frozenset({"at_most", "under"}), frozenset({"at_least", "over"})


def _bounds(
    amount: Amount, claim: Statement, pool: Sequence[Witness], lexicon: Lexicon
) -> Iterator[tuple[Witness, Amount]]:
    for witness in pool:
        unit = witness.unit.statement
        if not parts_meet(claim, unit):
            continue
        for other in unit.amounts:
            related = not amount.role or not other.role or lexicon.related(amount.role, other.role)
            if related and same_dimension(amount.quantity, other.quantity):
                yield witness, other


def _inside(said: Quantity, bound: Amount) -> bool | None:
    """Whether a value keeps a bound; None when the two do not compare or nothing is bounded."""
    mine, limit = _value(said), _value(bound.quantity)
    lowest = "from" in bound.limits or bound.quantity.approx == "at_least"
    highest = "at_most" in bound.limits or bound.quantity.approx == "at_most"
    if mine is None or limit is None or lowest == highest:
        return None
    return mine >= limit if lowest else mine <= limit


def _value(quantity: Quantity) -> Decimal | None:
    if quantity.kind == "datetime":
        text = quantity.value[0] if isinstance(quantity.value, tuple) else quantity.value
        return Decimal(minutes(str(text)))
    found = printed(quantity) or scaled(quantity)
    return found.low if found is not None and found.low.is_finite() else None
