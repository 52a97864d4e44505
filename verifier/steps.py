"""What a derivation is made of: located operands, hints about what is asked, and the step that was found."""

from dataclasses import dataclass
from decimal import Decimal

from verifier.statements import Amount


@dataclass(frozen=True, slots=True)
class Operand:
    """A located amount with its base value and the words of the source it stands in.

    `path` and `group` tell where it stands in tool data; `listed` marks the length of a list, whose words are all its own.
    """

    amount: Amount
    value: Decimal
    unit: str
    source_id: str
    quote: str
    words: str = ""
    around: str = ""
    path: str = ""
    group: str = ""
    listed: bool = False
    concepts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hints:
    """What a number may be about: concepts that the customer asked for, and rates and sums that the draft states anywhere."""

    asked: frozenset[str] = frozenset()
    rates: frozenset[str] = frozenset()
    told: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Step:
    """A computed value: `formula` shows it, `operands` are what it rests on.

    `listed`: it takes in all rows of a list; `counted`: it is how many there are.
    """

    value: Decimal
    unit: str
    formula: str
    operands: tuple[Operand, ...]
    listed: bool = False
    counted: bool = False
