"""What calibration looks at: a labelled turn as the rules judged it, on one of two sides that share nothing."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum


class Fate(StrEnum):
    """What auto mode would do with a turn whatever its confidence."""

    SENT = "sent"
    PERSON = "person"  # it passed and needs a person, or is held for another reason
    REFUSED = "refused"  # it did not pass
    SILENT = "silent"  # no reply is needed
    UNJUDGED = "unjudged"  # it could not be checked


class Side(StrEnum):
    """Thresholds are chosen on one side and measured on the other."""

    LEARN = "learn"
    MEASURE = "measure"


@dataclass(frozen=True, slots=True)
class Told:
    """A claim of a draft with the passage that is said to back it."""

    quote: str
    status: str
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Seen:
    """A labelled turn and what the rules made of it. `right`: its label. `question`: what the customer asked last."""

    line: int
    id: str
    conversation: str
    question: str
    subject: str
    text: str
    right: bool
    fate: Fate
    confidence: float | None
    scene: str
    pack: str
    rules_version: str
    claims: tuple[Told, ...] = ()


def once(rows: Iterable[Seen]) -> list[Seen]:
    """Count each draft once: of rows with the same draft in the same talk keep the one that leaves most readily.

    A labelled file may hold a draft twice, with other sources or declarations; two such rows are no two measurements.
    """
    kept: dict[tuple[str, str, str, bool], Seen] = {}
    for row in rows:
        key = (row.conversation, row.question, row.text, row.right)
        if key not in kept or _ease(row) > _ease(kept[key]):
            kept[key] = row
    return list(kept.values())


def _ease(row: Seen) -> tuple[bool, float]:
    return row.fate is Fate.SENT, row.confidence if row.confidence is not None else -1.0


def split(rows: Sequence[Seen]) -> dict[Side, list[Seen]]:
    """Put turns on two sides: those of one talk, and those that ask the same about the same item, stay together.

    The side follows from the sha256 of the group's first name, so that the same file is always split the same way, in
    whatever order it stands.
    """
    names = _groups(rows)
    sides: dict[Side, list[Seen]] = {side: [] for side in Side}
    for row in rows:
        odd = hashlib.sha256(names[_keys(row)[0]].encode()).digest()[0] & 1
        sides[Side.MEASURE if odd else Side.LEARN].append(row)
    return sides


def _keys(row: Seen) -> tuple[str, ...]:
    asked = "\0".join((row.pack, row.subject, "".join(row.question.split()).lower()))
    return (f"talk {row.conversation}", f"asked {asked}") if row.question.strip() else (f"talk {row.conversation}",)


def _groups(rows: Iterable[Seen]) -> dict[str, str]:
    """Name the group of each key: keys that stand in one row are one group, named by the least of them."""
    parent: dict[str, str] = {}

    def top(key: str) -> str:
        while parent.setdefault(key, key) != key:
            parent[key] = parent[parent[key]]
            key = parent[key]
        return key

    for row in rows:
        first, *others = (top(key) for key in _keys(row))
        for other in others:
            least, most = sorted((first, other))
            parent[most] = least
    return {key: top(key) for key in list(parent)}
