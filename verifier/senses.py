"""Other words for the same thing: 另外买 is 另行出售, 空着 is 没住人 and the contrary of 有人住.

A concept knows what a fact sheet can state; a sense only knows that two ways of saying something mean the same, or the
contrary. It helps a clause to be recognised in a passage; it never states a value and never excuses a number.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from ahocorasick_rs import AhoCorasick, MatchKind
from pydantic import BaseModel, ConfigDict

from planner.pack import Pack


class SenseRow(BaseModel):
    """Words that mean the same; `contrary` are those that mean the opposite or exclude it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    words: tuple[str, ...]
    contrary: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Spot:
    """A word of a sense in a text: `sign` is -1 for the contrary; `start` and `end` are offsets in the text."""

    sense: str
    sign: int
    start: int
    end: int


class Senses:
    """All senses of a pack in one automaton; words may lie within each other."""

    def __init__(self, rows: Sequence[SenseRow]) -> None:
        """Compile the rows."""
        held: dict[str, list[tuple[str, int]]] = {}
        for row in rows:
            for word in row.words:
                held.setdefault(word.lower(), []).append((row.id, 1))
            for word in row.contrary:
                held.setdefault(word.lower(), []).append((row.id, -1))
        self._held = list(held.values())
        self._machine = AhoCorasick(list(held), matchkind=MatchKind.Standard) if held else None
        self.spots = functools.lru_cache(maxsize=512)(self._spots)

    def _spots(self, norm: str) -> tuple[Spot, ...]:
        """Find every word of every sense."""
        if self._machine is None:
            return ()
        found = self._machine.find_matches_as_indexes(norm, overlapping=True)
        return tuple(
            Spot(sense, sign, start, end)
            for index, start, end in found
            if _whole(norm, start, end)
            for sense, sign in self._held[index]
        )


def _whole(norm: str, start: int, end: int) -> bool:
    """Whether a Latin word stands by itself; Chinese has no edges."""
    left = norm[start].isascii() and start > 0 and norm[start - 1].isascii() and norm[start - 1].isalpha()
    right = norm[end - 1].isascii() and end < len(norm) and norm[end].isascii() and norm[end].isalpha()
    return not left and not right


def senses_of(pack: Pack) -> Senses:
    """Compile a pack's senses."""
    return Senses(pack.rows("senses", SenseRow))


@dataclass(frozen=True, slots=True)
class Meeting:
    """What two texts say in different words: the spans of both, and whether one of them says the contrary."""

    claim: tuple[tuple[int, int], ...]
    unit: tuple[tuple[int, int], ...]
    contrary: bool


_NEVER_MET = Meeting((), (), contrary=False)


def met(claim: Sequence[Spot], unit: Sequence[Spot]) -> Meeting:
    """Find the words of a claim whose sense a unit has, the longest first; offsets are into the two texts."""
    if not claim or not unit:
        return _NEVER_MET
    theirs: dict[str, Spot] = {}
    for spot in sorted(unit, key=_size, reverse=True):
        theirs.setdefault(spot.sense, spot)
    mine: list[tuple[Spot, Spot]] = []
    for spot in sorted(claim, key=_size, reverse=True):
        other = theirs.get(spot.sense)
        if other is not None and not any(s.start < spot.end and spot.start < s.end for s, _ in mine):
            mine.append((spot, other))
    flips = sum(a.sign != b.sign for a, b in mine)
    said = {(b.sense, b.sign) for _, b in mine}  # a unit may say it twice: released 已解除
    told = tuple((spot.start, spot.end) for spot in unit if (spot.sense, spot.sign) in said)
    return Meeting(tuple((a.start, a.end) for a, _ in mine), told, flips % 2 == 1)


def _size(spot: Spot) -> int:
    return spot.end - spot.start
