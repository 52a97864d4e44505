"""What a regular expression cannot do without: short pieces of text of which every match holds at least one.

`required` reads them off the pattern. A piece is one or two characters long: 首付 is filed under the pair itself, which
few texts have, and not under 首 or 付, which many have.
"""

import functools
import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass

Pieces = frozenset[str]
# Characters that nearly every message has: a poor key when a pattern offers another.
_COMMON = frozenset("的了是不有我你您这那个在一啊吗呢吧能可以么没看上来们就都要好到大多 aeionrst")
_COMMON_COST = 40.0
# More spellings than these are not written out; the run of literal characters ends there.
_MOST = 48
_WIDEST_RANGE = 30
_LONG = 3
# Most branches of an alternation are plain words, the Latin ones between two looks at their neighbours.
_PLAIN = re.compile(r"(?:\(\?<!\[a-z\]\))?([^\\^$.|?*+()\[\]{}]+)(?:\(\?!\[a-z\]\))?(?=[|)]|$)")
_SPAN = re.compile("(.)-(.)")
_ASSERTION = re.compile(r"\?<?[=!]")
# Plain characters that no quantifier follows.
_RUN = re.compile(r"[^\\^$.|?*+()\[\]{}]+(?![?*+{])")
# Normalised text has no others.
_DIGITS: Pieces = frozenset("0123456789")
_NOTHING: Pieces = frozenset({""})
_HEX = {"x": 2, "u": 4, "U": 8}
_EDGES = frozenset("bBAZ")


class _UnknownSyntaxError(ValueError):
    """A construct that is not read here; its pattern has no known pieces."""


@dataclass(frozen=True, slots=True)
class _Node:
    """What a part of a pattern says: all its spellings when they are few, and the pieces that it cannot do without."""

    spellings: Pieces | None
    needs: Pieces | None


_ANYTHING = _Node(None, None)
_EMPTY = _Node(_NOTHING, None)


@functools.lru_cache(maxsize=512)  # packs share most of their rows
def required(pattern: str) -> Pieces | None:
    """Read off pieces of which every match of a pattern has at least one; None when the pattern gives none."""
    try:
        node, at = _alternatives(pattern, 0)
    except (_UnknownSyntaxError, IndexError, ValueError):
        return None
    return node.needs if at == len(pattern) else None


def pieces_of(norm: str) -> Pieces:
    """Give every piece of a text: its characters and its pairs of neighbours."""
    return frozenset(norm).union(map("".join, itertools.pairwise(norm)))


@functools.lru_cache(maxsize=2048)
def _rarity(piece: str) -> float:
    costs = [_COMMON_COST if char in _COMMON else 1.0 for char in piece]
    return costs[0] if len(costs) == 1 else 0.2 * float((costs[0] * costs[1]) ** 0.5)


def _cost(keys: Pieces) -> float:
    return sum(map(_rarity, keys))


def _keys(spellings: Pieces) -> Pieces | None:
    """Give the rarest piece of each spelling; None when one is empty."""
    return None if "" in spellings else frozenset(map(_rarest, spellings))


@functools.lru_cache(maxsize=2048)
def _rarest(word: str) -> str:
    return word if len(word) < _LONG else min((word[at : at + 2] for at in range(len(word) - 1)), key=_rarity)


def _better(one: Pieces | None, other: Pieces | None) -> Pieces | None:
    if one is None or other is None:
        return one or other
    return other if _cost(other) < _cost(one) else one


def _alternatives(pattern: str, at: int) -> tuple[_Node, int]:
    branches: list[_Node] = []
    while True:
        plain = _PLAIN.match(pattern, at)
        node, at = (_word(plain[1]), plain.end()) if plain else _sequence(pattern, at)
        branches.append(node)
        if at >= len(pattern) or pattern[at] != "|":
            return _either(branches), at
        at += 1


def _word(word: str) -> _Node:
    return _Node(frozenset((word,)), frozenset((_rarest(word),)))


def _either(branches: list[_Node]) -> _Node:
    if len(branches) == 1:
        return branches[0]
    needs = [branch.needs for branch in branches]
    spellings = [branch.spellings for branch in branches]
    return _Node(_union(spellings, _MOST), _union(needs, None))


def _union(found: Iterable[Pieces | None], most: int | None) -> Pieces | None:
    joined: set[str] = set()
    for one in found:
        if one is None:
            return None
        joined |= one
    return frozenset(joined) if most is None or len(joined) <= most else None


class _Run:
    """A sequence being read: the spellings of the literal run so far, and the best pieces of what came before."""

    def __init__(self) -> None:
        self.run: Pieces = _NOTHING
        self.best: Pieces | None = None
        self.whole = True

    def add(self, node: _Node, low: int, high: int | None) -> None:
        """Take up one atom that stands at least `low` and at most `high` times."""
        if low == 0:
            maybe = None if node.spellings is None or high != 1 else node.spellings | _NOTHING
            self._join(_Node(maybe, None))
        elif low == high == 1:
            self._join(node)
        else:
            self._join(node)
            self._cut(node.spellings)

    def _join(self, node: _Node) -> None:
        self.best = _better(self.best, node.needs)
        if node.spellings is None:
            self._cut(None)
        elif len(self.run) * len(node.spellings) > _MOST:
            self._cut(node.spellings)
        else:
            self.run = frozenset(head + tail for head in self.run for tail in node.spellings)

    def _cut(self, following: Pieces | None) -> None:
        self.best = _better(self.best, _keys(self.run))
        self.run = _NOTHING if following is None else following
        self.whole = False

    def node(self) -> _Node:
        """Sum up."""
        return _Node(self.run if self.whole else None, _better(self.best, _keys(self.run)))


def _sequence(pattern: str, at: int) -> tuple[_Node, int]:
    run = _Run()
    while at < len(pattern) and pattern[at] not in "|)":
        plain = _RUN.match(pattern, at)
        if plain is not None:
            run.add(_word(plain.group()), 1, 1)
            at = plain.end()
            continue
        node, at = _atom(pattern, at)
        low, high, at = _quantifier(pattern, at)
        run.add(node, low, high)
    return run.node(), at


def _atom(pattern: str, at: int) -> tuple[_Node, int]:
    char = pattern[at]
    if char == "(":
        return _group(pattern, at + 1)
    if char == "[":
        return _class(pattern, at + 1)
    if char == "\\":
        return _escape(pattern, at + 1)
    if char in "^$":
        return _EMPTY, at + 1
    return (_ANYTHING if char == "." else _literal(char)), at + 1


def _literal(char: str) -> _Node:
    one = frozenset(char)
    return _Node(one, one)


def _escape(pattern: str, at: int) -> tuple[_Node, int]:
    char = pattern[at]
    if char == "d":
        return _Node(_DIGITS, _DIGITS), at + 1
    if char in _HEX:
        end = at + 1 + _HEX[char]
        return _literal(chr(int(pattern[at + 1 : end], 16))), end
    if char in _EDGES:
        return _EMPTY, at + 1
    return (_ANYTHING if char.isalnum() else _literal(char)), at + 1


def _group(pattern: str, at: int) -> tuple[_Node, int]:
    assertion = _ASSERTION.match(pattern, at)
    if assertion is not None:
        at = assertion.end()
    elif pattern.startswith("?:", at):
        at += 2
    elif pattern.startswith("?P<", at):
        at = pattern.index(">", at) + 1
    elif pattern.startswith("?", at):
        raise _UnknownSyntaxError(pattern)
    node, at = _alternatives(pattern, at)
    if pattern[at] != ")":
        raise _UnknownSyntaxError(pattern)
    return (_EMPTY if assertion is not None else node), at + 1


def _class(pattern: str, at: int) -> tuple[_Node, int]:
    end = at + 1
    while pattern[end] != "]" or pattern[end - 1] == "\\":
        end += 1
    body = pattern[at:end]
    if body.startswith("^") or "\\" in body:
        return _ANYTHING, end + 1
    if "-" not in body:
        found = frozenset(body)
        return _Node(found if len(found) <= _MOST else None, found), end + 1
    keys = set(_SPAN.sub(r"\1\2", body))
    for low, high in _SPAN.findall(body):
        if ord(high) - ord(low) > _WIDEST_RANGE:
            return _ANYTHING, end + 1
        keys.update(chr(code) for code in range(ord(low), ord(high) + 1))
    found = frozenset(keys)
    return _Node(found if len(found) <= _MOST else None, found), end + 1


def _quantifier(pattern: str, at: int) -> tuple[int, int | None, int]:
    """Read how often an atom stands: at least, at most (None: any number), and where the pattern goes on."""
    if at >= len(pattern) or pattern[at] not in "*+?{":
        return 1, 1, at
    if pattern[at] == "{":
        end = pattern.index("}", at)
        low, comma, high = pattern[at + 1 : end].partition(",")
        bounds = int(low or 0), (int(high) if high else None) if comma else int(low)
        at = end + 1
    else:
        bounds = {"*": (0, None), "+": (1, None), "?": (0, 1)}[pattern[at]]
        at += 1
    return *bounds, at + 1 if pattern[at : at + 1] in ("?", "+") else at
