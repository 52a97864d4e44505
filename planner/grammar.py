"""The measuring words of everyday language, loaded once from `data/grammar.yaml`."""

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import ahocorasick_rs
import yaml

FILE = Path(__file__).parent / "data" / "grammar.yaml"


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit behind a number; `tail` says that 12万8 may stand before it, `itself` that the word is the unit's name."""

    id: str
    kind: str
    unit: str
    factor: Decimal
    tail: bool
    itself: bool
    unless: re.Pattern[str] | None
    low: Decimal | None
    high: Decimal | None


@dataclass(frozen=True, slots=True)
class Form:
    """A phrase that is a number and its unit at once; `text` spells a value that is a name."""

    id: str
    kind: str
    unit: str | None
    needs: str
    pattern: re.Pattern[str]
    read: str
    text: str
    value: Decimal | None
    plus: Decimal


@dataclass(frozen=True, slots=True)
class Role:
    """What a number beside a word measures.

    `bare` is how a number without a unit is read (`yuan`, `wan`, ...), `behind` whether the word may follow the number.
    """

    id: str
    kind: str
    unit: str
    bare: str
    behind: bool = True


@dataclass(frozen=True, slots=True)
class Before:
    """An estimating word that ends where a number may begin."""

    start: int
    estimate: str
    word: str


@dataclass(frozen=True, slots=True)
class Marks:
    """Where the words of a text stand.

    `roles` and `before` are keyed by the end of the word, `heads` (roles again) and `after` by its start.
    """

    roles: Mapping[int, Role]
    heads: Mapping[int, tuple[int, Role]]
    before: Mapping[int, Before]
    after: Mapping[int, tuple[int, str]]
    idioms: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Grammar:
    """The tables, ready for lookup by the first character of a word (longest first) or by one scan of a text."""

    units: Mapping[str, tuple[tuple[str, Unit], ...]]
    per: Mapping[str, tuple[tuple[str, str], ...]]
    scan: Any
    tags: tuple[tuple[tuple[str, Any], ...], ...]
    words: tuple[str, ...]
    forms: tuple[Form, ...]
    year_after: re.Pattern[str]
    year_not_before: re.Pattern[str]


def _by_first(rows: list[tuple[str, Any]]) -> dict[str, tuple[tuple[str, Any], ...]]:
    found: dict[str, list[tuple[str, Any]]] = {}
    for word, row in rows:
        found.setdefault(word[0], []).append((word, row))
    return {first: tuple(sorted(group, key=lambda pair: -len(pair[0]))) for first, group in found.items()}


def _unit(row: dict[str, Any]) -> Unit:
    unless = re.compile(row["unless"]) if row.get("unless") else None
    low, high = (Decimal(row[key]) if key in row else None for key in ("min", "max"))
    factor = Decimal(row.get("factor", "1"))
    tail, itself = bool(row.get("tail")), bool(row.get("itself"))
    return Unit(row["id"], row["kind"], row.get("unit", ""), factor, tail, itself, unless, low, high)


def _form(row: dict[str, Any]) -> Form:
    value = Decimal(row["value"]) if "value" in row else None
    return Form(
        id=row["id"],
        kind=row["kind"],
        unit=row.get("unit"),
        needs=row["needs"],
        pattern=re.compile(row["pattern"]),
        read=row.get("read", ""),
        text=row.get("text", ""),
        value=value,
        plus=Decimal(row.get("plus", "0")),
    )


@functools.cache
def grammar() -> Grammar:
    """Load the tables; the file is part of the package, so an error in it is a defect and raises as it comes."""
    data = yaml.load(FILE.read_bytes(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506  # both are safe loaders
    units = [(word, _unit(row)) for row in data["units"] for word in row["words"]]
    per = [(word, row["unit"]) for row in data["per"] for word in row["words"]]
    tagged: list[tuple[str, str, Any]] = []
    for row in data["roles"]:
        role = Role(row["id"], row["kind"], row["unit"], row["bare"], row.get("behind", True))
        tagged += [(str(word), "role", role) for word in row["words"]]
    for row in data["approx"]:
        tagged += [(str(word), row["side"], row["id"]) for word in row["words"]]
    tagged += [(str(word), "idiom", None) for row in data["idioms"] for word in row["words"]]
    tagged += [(str(word), "keep", None) for word in data["not_idioms"]]
    words = list(dict.fromkeys(word for word, _, _ in tagged))
    index = {word: number for number, word in enumerate(words)}
    tags: list[list[tuple[str, Any]]] = [[] for _ in words]
    for word, tag, row in tagged:
        tags[index[word]].append((tag, row))
    scan = ahocorasick_rs.AhoCorasick(words)
    after, before = ("|".join(map(re.escape, data["years"][key])) for key in ("after", "not_before"))
    years = re.compile(f"(?:{after}|的$)"), re.compile(f"(?:{before})[了个约]?$")
    forms = tuple(_form(row) for row in data["forms"])
    return Grammar(
        _by_first(units), _by_first(per), scan, tuple(tuple(tag) for tag in tags), tuple(words), forms, *years
    )


_NUMBERISH = frozenset("0123456789零〇一二两三四五六七八九十百千万亿壹贰叁肆伍陆柒捌玖拾佰仟第.")


def marks(norm: str) -> Marks:
    """Find the roles, estimates and idioms of a text in one pass; of two words at one place the longer counts."""
    table = grammar()
    roles: dict[int, Role] = {}
    heads: dict[int, tuple[int, Role]] = {}
    before: dict[int, Before] = {}
    after: dict[int, tuple[int, str]] = {}
    idioms: list[tuple[int, int]] = []
    kept: set[int] = set()
    found = table.scan.find_matches_as_indexes(norm, overlapping=True)
    whole = (match for match in found if _stands_alone(norm, match[1], match[2]))
    for number, start, end in sorted(whole, key=lambda match: match[2] - match[1]):
        for tag, row in table.tags[number]:
            if tag == "role":
                roles[end] = row
                if row.behind:
                    heads[start] = end, row
            elif tag == "left":
                before[end] = Before(start, row, norm[start:end])
            elif tag == "right":
                after[start] = end, row
            elif tag == "idiom" and not (norm[start] in _NUMBERISH and start and norm[start - 1] in _NUMBERISH):
                idioms.append((start, end))
            elif tag == "keep":
                kept.update(range(start, end))
    if kept:
        idioms = [(a, b) for a, b in idioms if not (a in kept and b - 1 in kept)]
    return Marks(roles, heads, before, after, tuple(idioms))


_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")
_DIGITS = frozenset("0123456789")
_JOINTS = frozenset(".:：-/")


def _stands_alone(norm: str, start: int, end: int) -> bool:
    """Whether an English word or a name in digits is whole: `rent` is not in `current`, 360度 not in 1360度."""
    before, first, last, after = norm[start - 1 : start], norm[start], norm[end - 1], norm[end : end + 1]
    if first in _DIGITS and (before in _JOINTS or before in _DIGITS or before in _LETTERS):
        return False
    if first in _LETTERS and (before in _LETTERS or before in _DIGITS):
        return False
    return not (after in _LETTERS and (last in _LETTERS or last in _DIGITS)) and not (
        last in _DIGITS and after in _DIGITS
    )


def unit_at(norm: str, at: int) -> tuple[int, Unit] | None:
    """Find the longest unit word at `at`, after at most one space: its end and its row."""
    if norm[at : at + 1] == " " or (
        norm[at : at + 1] == "-" and norm[at + 1 : at + 2].isalpha() and norm[at + 1].isascii()
    ):
        at += 1  # a 600-metre walk
    for word, row in grammar().units.get(norm[at : at + 1], ()):
        end = at + len(word)
        if norm.startswith(word, at) and _word_ends(norm, end) and not (row.unless and row.unless.match(norm, at)):
            return end, row
    return None


def per_at(norm: str, at: int) -> tuple[int, str] | None:
    """Find the word of a `per` phrase at `at`."""
    for word, unit in grammar().per.get(norm[at : at + 1], ()):
        if norm.startswith(word, at) and _word_ends(norm, at + len(word)):
            return at + len(word), unit
    return None


def _word_ends(norm: str, end: int) -> bool:
    last, following = norm[end - 1], norm[end : end + 1]
    return not (last.isascii() and last.isalpha() and following.isascii() and following.isalpha())
