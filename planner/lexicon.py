"""Many rows against one text, quickly: only rows whose pieces the text has are tried.

Every pattern has pieces without which it cannot match (`planner.factors`). `Lexicon` files each row under them, so that
a chat message of ten characters tries two or three rows, not five hundred.
"""

import functools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from planner.factors import pieces_of, required

# The pieces of a short text are remembered while its readers look it up one after the other.
_SHORT = 400
_remembered = functools.lru_cache(maxsize=128)(pieces_of)


class Findable(Protocol):
    """What a lexicon holds: something that finds itself in a text and knows its own pattern."""

    @property
    def source(self) -> str:
        """The regular expression that must match for the row to match."""

    def search(self, norm: str) -> re.Match[str] | None:
        """Find the row in a text, or None."""


T = TypeVar("T", bound=Findable)


@dataclass(frozen=True, slots=True)
class Hit(Generic[T]):
    """A row found in a text; the span is in that text."""

    row: T
    start: int
    end: int


class Lexicon(Generic[T]):
    """Rows filed under the pieces that they cannot do without; built once per pack."""

    def __init__(self, rows: Iterable[T]) -> None:
        """File the rows; their order is kept in every answer."""
        self.rows = tuple(rows)
        # Sets of row numbers as bits of one integer: the union over a text is a handful of or-operations.
        self._filed: dict[str, int] = {}
        self._always = 0
        for number, row in enumerate(self.rows):
            keys = required(row.source)
            if keys is None:
                self._always |= 1 << number
            for key in keys or ():
                self._filed[key] = self._filed.get(key, 0) | 1 << number
        self._keys = frozenset(self._filed)

    def candidates(self, norm: str) -> list[T]:
        """Give the rows that could match a text, in order."""
        numbers = self._always
        pieces = _remembered(norm) if len(norm) <= _SHORT else pieces_of(norm)
        for key in self._keys & pieces:
            numbers |= self._filed[key]
        found = []
        while numbers:
            lowest = numbers & -numbers
            numbers ^= lowest
            found.append(self.rows[lowest.bit_length() - 1])
        return found

    def find(self, norm: str) -> Iterator[Hit[T]]:
        """Find the rows that match a text, in order, each at its first place."""
        for row in self.candidates(norm):
            match = row.search(norm)
            if match is not None:
                yield Hit(row, match.start(), match.end())

    def first(self, norm: str) -> Hit[T] | None:
        """Find the first row that matches, or None."""
        return next(self.find(norm), None)
