"""Many rows against one text, quickly: only rows whose characters the text has are tried.

Every pattern has characters without which it cannot match. `required` reads them off the pattern; `Lexicon` files each
row under them, so that a chat message of ten characters tries a dozen rows, not five hundred.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

# Characters that nearly every message has: a poor key when a pattern offers another.
_COMMON = frozenset("的了是不有我你您这那个在一啊吗呢吧能可以么没看上来们就都要好到大多 aeionrst")
_COMMON_COST = 40
_ASSERTIONS = ("?=", "?!", "?<=", "?<!")
_WIDEST_RANGE = 30
# Normalised text has no others.
_DIGITS = frozenset("0123456789")


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
    """Rows filed under the characters that they cannot do without; built once per pack."""

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

    def candidates(self, norm: str) -> list[T]:
        """Give the rows that could match a text, in order."""
        numbers = self._always
        filed = self._filed
        for char in set(norm):
            if char in filed:
                numbers |= filed[char]
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


def required(pattern: str) -> frozenset[str] | None:
    """Read off a set of characters of which every match has at least one; None when the pattern gives none."""
    keys, at = _alternatives(pattern, 0)
    return keys if at == len(pattern) else None


def _cost(keys: frozenset[str]) -> int:
    return sum(_COMMON_COST if key in _COMMON else 1 for key in keys)


def _alternatives(pattern: str, at: int) -> tuple[frozenset[str] | None, int]:
    union: frozenset[str] | None = frozenset()
    while True:
        keys, at = _sequence(pattern, at)
        union = None if union is None or keys is None else union | keys
        if at >= len(pattern) or pattern[at] != "|":
            return union, at
        at += 1


def _sequence(pattern: str, at: int) -> tuple[frozenset[str] | None, int]:
    best: frozenset[str] | None = None
    while at < len(pattern) and pattern[at] not in "|)":
        keys, at = _atom(pattern, at)
        optional, at = _quantifier(pattern, at)
        if keys and not optional and (best is None or _cost(keys) < _cost(best)):
            best = keys
    return best, at


def _atom(pattern: str, at: int) -> tuple[frozenset[str] | None, int]:
    char = pattern[at]
    if char == "(":
        return _group(pattern, at + 1)
    if char == "[":
        return _class(pattern, at + 1)
    if char == "\\":
        if pattern[at + 1] == "d":
            return _DIGITS, at + 2
        plain = not pattern[at + 1].isalnum()
        return (frozenset(pattern[at + 1]) if plain else None), at + 2
    return (None if char in ".^$" else frozenset(char)), at + 1


def _group(pattern: str, at: int) -> tuple[frozenset[str] | None, int]:
    assertion = pattern.startswith(_ASSERTIONS, at)
    if pattern.startswith("?:", at):
        at += 2
    elif pattern.startswith("?P<", at):
        at = pattern.index(">", at) + 1
    elif assertion:
        at += 3 if pattern[at + 1] == "<" else 2
    keys, at = _alternatives(pattern, at)
    return (None if assertion else keys), at + 1


def _class(pattern: str, at: int) -> tuple[frozenset[str] | None, int]:
    end = at + 1
    while pattern[end] != "]" or pattern[end - 1] == "\\":
        end += 1
    body = pattern[at:end]
    if body.startswith("^") or "\\" in body:
        return None, end + 1
    keys = set(re.sub(r"(.)-(.)", r"\1\2", body))
    for low, high in re.findall(r"(.)-(.)", body):
        if ord(high) - ord(low) > _WIDEST_RANGE:
            return None, end + 1
        keys.update(chr(code) for code in range(ord(low), ord(high) + 1))
    return frozenset(keys), end + 1


def _quantifier(pattern: str, at: int) -> tuple[bool, int]:
    if at >= len(pattern) or pattern[at] not in "*+?{":
        return False, at
    if pattern[at] == "{":
        end = pattern.index("}", at)
        optional, at = pattern[at + 1] in "0,", end + 1
    else:
        optional, at = pattern[at] in "*?", at + 1
    return optional, at + 1 if pattern.startswith("?", at) else at
