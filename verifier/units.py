"""Evidence as small units: a clause of a citation, a leaf of tool data, each read as a statement."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from planner.text import Clause
from verifier.scanning import Scanned
from verifier.statements import Statement, Term, pieces

_PIPE = re.compile(r"[|]")


@dataclass(frozen=True, slots=True)
class Unit:
    """One thing that one source says; `segment` numbers the sentence it stands in, `group` the list row."""

    statement: Statement
    quote: str
    segment: int
    group: str = ""
    path: str = ""

    def __hash__(self) -> int:
        return hash((self.quote, self.segment, self.path))


def text_units(scanned: Scanned, first: int = 0) -> Iterator[Unit]:
    """Cut a text into units: list items stay together, "key value" stays together."""
    text = scanned.read.text
    for segment, start, end in spans(scanned.read.clauses, scanned.norm):
        statement = due(scanned.statement(start, end), scanned)
        yield Unit(statement, text.quote(start, end), first + segment)


def due(statement: Statement, scanned: Scanned) -> Statement:
    """Add what follows from a printed date today: five years after its registration a home is 满五."""
    if not statement.amounts:
        return statement
    terms = [
        Term(
            row.id,
            "",
            1 if _passed(str(amount.quantity.value), row.after_years, scanned.read.now) else -1,
            statement.start,
            statement.end,
        )
        for row in scanned.lexicon.due
        for amount in statement.amounts
        if amount.role == row.of and amount.quantity.kind == "date" and isinstance(amount.quantity.value, str)
    ]
    return replace(statement, terms=(*statement.terms, *terms)) if terms else statement


def _passed(date: str, years: int, now: datetime) -> bool:
    if not date[:4].isdigit():
        return False
    later = f"{int(date[:4]) + years:04d}{date[4:]}"
    return later <= now.date().isoformat()[: len(later)]


def spans(found: tuple[Clause, ...], norm: str) -> Iterator[tuple[int, int, int]]:
    """Join clauses that were cut at a space or inside a list, then cut at bars: (sentence, start, end)."""
    at = 0
    while at < len(found):
        last = at
        while _goes_on(found, last):
            last += 1
        for start, end in pieces(found[at].start, found[last].end):
            yield from _bars(norm, found[at].sentence, start, end)
        at = last + 1


def _goes_on(found: tuple[Clause, ...], index: int) -> bool:
    here = found[index]
    listed = here.mark.strip() in ("", "、") and here.mark != ""
    return listed and index + 1 < len(found) and found[index + 1].sentence == here.sentence


def _bars(norm: str, sentence: int, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    at = start
    for bar in _PIPE.finditer(norm, start, end):
        if at < bar.start():
            yield sentence, at, bar.start()
        at = bar.end()
    if at < end:
        yield sentence, at, end


def _count_line(statement: Statement, *, positive: bool) -> Statement:
    """A negation in the key of a number is part of its name (未处理: 2): the number says whether there are any."""
    terms = tuple(replace(t, sign=1 if positive else -1) for t in statement.terms)
    return replace(statement, terms=terms, negated=not positive, negs=() if positive else (0,))


def leaf_units(scanned: Scanned, pointers: list[str], groups: list[str], counted: list[bool | None]) -> Iterator[Unit]:
    at = 0
    for number, line in enumerate(scanned.norm.split("\n")):
        if number >= len(pointers):
            return
        statement = due(scanned.statement(at, at + len(line)), scanned)
        if counted[number] is not None:
            statement = _count_line(statement, positive=bool(counted[number]))
        quote = scanned.read.text.quote(at, at + len(line)) if line else ""
        yield Unit(statement, quote, number, groups[number], pointers[number])
        at += len(line) + 1


def merge_empty(units: Iterator[Unit]) -> Iterator[Unit]:
    """Give a unit that only qualifies (以具体房号为准, 未核实) to the one before it; a later clause keeps its part."""
    held: Unit | None = None
    for unit in units:
        statement = unit.statement
        if held is not None and held.segment == unit.segment:
            if not statement.parts and held.statement.parts and not _starts_topic(statement):
                statement = replace(statement, parts=held.statement.parts)
                unit = replace(unit, statement=statement)  # noqa: PLW2901  # the completed unit
            more = _qualifies_above(statement)
            if more:
                flags = held.statement.flags | more
                held = replace(held, statement=replace(held.statement, flags=flags))
        if held is not None:
            yield held
        held = unit
    if held is not None:
        yield held


_GOES_BACK = frozenset({"planned", "expected", "unknown"})
_ALL_BACK = _GOES_BACK | {"unverified", "from", "at_most", "only", "internal"}


def _qualifies_above(statement: Statement) -> frozenset[str]:
    """Give the flags that a unit without a topic of its own hands to the one before it."""
    if statement.terms or statement.names:
        return frozenset()
    return statement.flags & (_GOES_BACK if statement.amounts else _ALL_BACK)


def spread_attribution(units: tuple[Unit, ...]) -> tuple[Unit, ...]:
    """Carry "the owner says" on to the end of its sentence, and "none of the above is verified" back to all."""
    above = any("以上" in u.statement.text and "unverified" in u.statement.flags for u in units)
    said: int | None = None
    found: list[Unit] = []
    for unit in units:
        flags = unit.statement.flags
        if "attributed" in flags:
            said = unit.segment
        more = {"attributed"} if said == unit.segment else set()
        more |= {"unverified"} if above else set()
        found.append(replace(unit, statement=replace(unit.statement, flags=flags | more)) if more - flags else unit)
    return tuple(found)


def _starts_topic(statement: Statement) -> bool:
    return "其余" in statement.text or "其他" in statement.text
