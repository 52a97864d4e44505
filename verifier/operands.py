"""The located amounts of living sources, as operands of a derivation; a list counts by its length."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal

from planner.quantities import Quantity
from verifier.amounts import dimension, printed
from verifier.evidence import Source
from verifier.statements import Amount
from verifier.steps import Operand
from verifier.units import Unit

# A step rests on figures near each other; a whole document is no list of operands.
MAX_UNITS = 120
_YEARS = range(1950, 2050)


def operands(sources: Sequence[Source]) -> tuple[Operand, ...]:
    """Give the located amounts of living sources as operands."""
    found: list[Operand] = []
    for source in sources:
        for unit in source.units[:MAX_UNITS]:
            found.extend(year for a in unit.statement.amounts for year in _as_year(a, source, unit))
            found.extend(operand for a in unit.statement.amounts if (operand := _operand(a, source, unit)) is not None)
    for source in sources:
        found.extend(_lengths(source))
    return tuple(found)


def _operand(amount: Amount, source: Source, unit: Unit) -> Operand | None:
    interval = printed(amount.quantity)
    words = f"{source.label} {unit.statement.text}"
    if interval is not None and interval.point and amount.quantity.kind != "year":
        own = amount.quantity.unit or ""
        kind = "%" if own == "bp" else own
        around = source.scanned.norm
        return Operand(amount, interval.low, kind, source.id, unit.quote, words, around, unit.path, unit.group)
    text = str(amount.quantity.value)
    if (dimension(amount.quantity) == "date" or amount.quantity.kind == "year") and text[:4].isdigit():
        return Operand(amount, Decimal(text[:4]), "date", source.id, unit.quote, words, path=unit.path)
    return None


def _as_year(amount: Amount, source: Source, unit: Unit) -> Iterator[Operand]:
    """Let a bare number of tool data that can only be a year be one (completed: 2009)."""
    value = amount.quantity.value
    if unit.path and amount.quantity.kind == "number" and isinstance(value, Decimal) and value in _YEARS:
        dated = replace(amount, quantity=replace(amount.quantity, kind="year", unit="year"))
        yield Operand(dated, value, "date", source.id, unit.quote, unit.statement.text, path=unit.path)


def _lengths(source: Source) -> Iterator[Operand]:
    """Count the items of each list of tool data."""
    lists: dict[str, dict[str, list[Unit]]] = defaultdict(lambda: defaultdict(list))
    for unit in source.units[:MAX_UNITS]:
        steps = unit.path.split("/")
        for depth in range(1, len(steps)):
            if steps[depth].isdigit():
                lists["/".join(steps[:depth])]["/".join(steps[: depth + 1])].append(unit)
    for pointer, items in lists.items():
        if len(items) > 1 and set(items) == {f"{pointer}/{n}" for n in range(len(items))}:
            yield _length(pointer, items, source)


def _length(pointer: str, items: dict[str, list[Unit]], source: Source) -> Operand:
    units = [unit for held in items.values() for unit in held]
    quote, size = units[0].quote, Decimal(len(items))
    counted = Amount(Quantity("count", size, "个", quote, 0, 0), "")
    words = " ".join([pointer.replace("/", " "), *(u.statement.text for u in units)])
    concepts = tuple({t.concept for u in units for t in u.statement.terms})
    return Operand(counted, size, "个", source.id, quote, words, path=pointer, listed=True, concepts=concepts)
