"""Steps over lists and series: the length of a list, the sum of a field over all rows, an average."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from decimal import Decimal

from planner.quantities import Quantity
from verifier.amounts import scaled, step
from verifier.rows import words_of
from verifier.statements import Amount, Statement
from verifier.steps import Hints, Operand, Step

_AVERAGE = re.compile(
    r"平均|均|一年|每年|年均|摊|每户|一家|一户|\b(?:average|on average|averages|a year|per year|yearly|per|each)\b"
)
_COUNTS = frozenset({"count", "number", "rooms", "baths", "ordinal", "halls", "transfers", "owners"})
_HALF = Decimal("0.5")


def listed_steps(
    claim: Amount, statement: Statement, lists: Sequence[Operand], pool: Sequence[Operand], hints: Hints
) -> Iterator[Step]:
    """Give what lists and series tell: how many rows there are, what they come to, what falls to each."""
    if claim.quantity.kind in _COUNTS:
        yield from _lengths(claim, statement, lists, hints)
    yield from _row_sums(claim, [o for o in pool if o.group])
    if _AVERAGE.search(statement.text):
        yield from _shared_out(claim, [o for o in pool if not o.listed])


def _lengths(claim: Amount, statement: Statement, lists: Sequence[Operand], hints: Hints) -> Iterator[Step]:
    said = words_of(statement.text)
    for one in lists:
        spoken = bool(said & words_of(one.words)) or not statement.grains
        asked = bool(hints.asked & set(one.concepts)) or bool({t.concept for t in statement.terms} & set(one.concepts))
        if (spoken or asked) and _counts_rows(claim.quantity, one):
            yield Step(one.value, claim.quantity.unit or "", f"{one.value} rows", (one,), listed=True, counted=True)


def _counts_rows(said: Quantity, rows: Operand) -> bool:
    """Whether rooms or baths are what a list lists: its own name says so."""
    if said.kind in ("count", "number"):
        return True
    name = rows.path.rpartition("/")[2].lower()
    named = (said.unit or "?")[-4:] in name or said.kind.removesuffix("s") in name
    return named or any(char >= "\u4e00" and char in name for char in said.quote[1:])


def _row_sums(claim: Amount, pool: Sequence[Operand]) -> Iterator[Step]:
    """Add up one field over all rows of a list (fines, fees)."""
    fields: dict[tuple[str, str, str], list[Operand]] = defaultdict(list)
    for one in pool:
        fields[(one.source_id, one.group.rpartition("/")[0], one.path.removeprefix(one.group))].append(one)
    for rows in fields.values():
        if len({o.unit for o in rows}) == 1 and len({o.group for o in rows}) == len(rows) > 1:
            yield _sum(claim.quantity, rows)


def _sum(said: Quantity, rows: Sequence[Operand]) -> Step:
    value = sum((o.value for o in rows), Decimal(0))
    unit = rows[0].unit or said.unit or ""
    return Step(value, unit, " + ".join(str(o.value) for o in rows), tuple(rows), listed=True)


def _shared_out(claim: Amount, pool: Sequence[Operand]) -> Iterator[Step]:
    """Divide one count by another (三户一部): whole or half shares only, so that no chance quotient is met."""
    counts = [o for o in pool if o.amount.quantity.kind in _COUNTS or o.unit in ("户", "household")]
    for many in counts:
        for few in counts:
            if many is few or few.value <= 1 or many.value <= few.value:
                continue
            share = many.value / few.value
            if share % _HALF == 0:
                yield Step(share, claim.quantity.unit or "", f"{many.value} ÷ {few.value}", (many, few), listed=True)


def rounded(value: Decimal, said: Quantity) -> Decimal:
    """Round a computed value to the digits that a claim states."""
    mine = scaled(said)
    place = step(mine.low) if mine is not None and mine.low.is_finite() else Decimal(1)
    return (value / place).to_integral_value() * place
