"""One clause as a statement: terms with sign, amounts with role, names, parts, flags, and the rest of its content.

Draft, question and evidence go through the same reader (`verifier.scanning`), so that what is compared was read alike.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from planner.quantities import Quantity
from verifier.senses import Spot

# A clause is read whole up to here; what is longer has no punctuation that a person would leave out, and is cut.
MAX_CLAUSE = 240
# Clauses and questions that are looked at; a chat message has a handful, the rest is reported as not judged.
MAX_CLAUSES = 60


def pieces(start: int, end: int) -> Iterator[tuple[int, int]]:
    """Cut a span into pieces that are not too long to be read as one clause."""
    for at in range(start, end, MAX_CLAUSE):
        yield at, min(at + MAX_CLAUSE, end)


IDENTIFIERS = frozenset({"phone", "plate", "line", "room_no", "id", "email", "url", "vin", "identifier"})


@dataclass(frozen=True, slots=True)
class Term:
    """A concept asserted (`sign` 1) or denied (-1), with its option in an exclusive group, "" for plain presence."""

    concept: str
    option: str
    sign: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Amount:
    """A quantity with the role that the words around it give it ("" when they give none) and the limits on it.

    `worded`: it is part of a word with its own meaning (一手车, 满五), which says it all. `lent`: only the question gives
    the role.
    """

    quantity: Quantity
    role: str
    limits: frozenset[str] = frozenset()
    worded: bool = False
    lent: bool = False


@dataclass(frozen=True, slots=True)
class Statement:
    """One clause, read. `grains` are the content words left over; `parts` name where it holds (a room, a door).

    `gloss` gives its Latin words with what they are called in Chinese; `spots` its words that have other words.
    """

    text: str
    start: int
    end: int
    terms: tuple[Term, ...] = ()
    amounts: tuple[Amount, ...] = ()
    names: tuple[str, ...] = ()
    parts: frozenset[str] = frozenset()
    places: tuple[frozenset[str], ...] = ()
    flags: frozenset[str] = frozenset()
    flagged: tuple[tuple[str, int, int], ...] = ()
    grains: tuple[str, ...] = ()
    negated: bool = False
    negs: tuple[int, ...] = ()
    open: bool = False
    domain: bool = False
    gloss: tuple[tuple[str, tuple[str, ...]], ...] = ()
    spots: tuple[Spot, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether nothing in it could be compared."""
        return not (self.terms or self.amounts or self.names or self.grains)
