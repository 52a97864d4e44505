"""The located amounts of living sources, as operands of a derivation."""

from collections.abc import Sequence
from decimal import Decimal

from verifier.amounts import dimension, printed
from verifier.derive import Operand
from verifier.evidence import Source
from verifier.statements import Amount

# A step rests on figures near each other; a whole document is no list of operands.
MAX_UNITS = 120


def operands(sources: Sequence[Source]) -> tuple[Operand, ...]:
    """Give the located amounts of living sources as operands."""
    found: list[Operand] = []
    for source in sources:
        for unit in source.units[:MAX_UNITS]:
            for amount in unit.statement.amounts:
                interval = printed(amount.quantity)
                if interval is not None and interval.point:
                    found.append(_operand(amount, interval.low, source, unit.quote, unit.statement.text))
                elif dimension(amount.quantity) == "date" and str(amount.quantity.value)[:4].isdigit():
                    year = Decimal(str(amount.quantity.value)[:4])
                    found.append(Operand(amount, year, "date", source.id, unit.quote, unit.statement.text))
    return tuple(found)


def _operand(amount: Amount, value: Decimal, source: Source, quote: str, words: str) -> Operand:
    unit = amount.quantity.unit or ""
    words = f"{source.label} {words}"
    return Operand(amount, value, "%" if unit == "bp" else unit, source.id, quote, words, source.scanned.norm)
