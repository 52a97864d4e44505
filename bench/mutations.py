"""Change one fact of a draft at a time: a digit, a unit, a date, a role, a name, an option, a yes or no, a limit.

Only claims that stand are changed: a number in a question or in a clause that says it is not settled claims nothing. A
change counts only when it is one: the new number must read as another value, outside the tolerance that its words state.
"""

import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from planner.pack import Pack
from planner.quantities import Quantity
from planner.reading import Reading, read_text
from planner.turn import Draft, Turn
from verifier.amounts import IDENTIFIERS, dimension, equal
from verifier.claims import Claim, Status
from verifier.lexicon import lexicon_of

DATES = frozenset({"date", "datetime", "year", "time", "month", "date_range"})
TARGETED = ("digit", "unit", "date", "polarity", "subject", "role")
_LATIN_DIGITS = "0123456789"


@dataclass(frozen=True, slots=True)
class Mutant:
    """A changed draft: `was` became `now` in the clause `claim`; `start` counts code points of the original draft."""

    kind: str
    was: str
    now: str
    start: int
    claim: str
    turn: Turn


@dataclass(frozen=True, slots=True)
class _Edit:
    kind: str
    start: int
    end: int
    put: str


@functools.cache
def rows() -> dict[str, Any]:
    """Load the table of changes."""
    return dict(yaml.safe_load(Path(__file__).with_name("mutations.yaml").read_text("utf-8")))


def mutants(reading: Reading, claims: Sequence[Claim]) -> Iterator[Mutant]:
    """Change each supported claim of a draft in every way that fits, once each."""
    draft = reading.turn.draft
    if draft is None:
        return
    standing = [c for c in claims if c.status is Status.SUPPORTED]
    seen: set[str] = set()
    for claim in standing:
        for edit in _edits(reading, claim):
            text = draft.text[: edit.start] + edit.put + draft.text[edit.end :]
            if text == draft.text or text in seen:
                continue
            seen.add(text)
            turn = replace(reading.turn, draft=_with_text(draft, text))
            yield Mutant(edit.kind, draft.text[edit.start : edit.end], edit.put, edit.start, claim.quote, turn)


def _with_text(draft: Draft, text: str) -> Draft:
    """Keep the declarations that the changed text still holds; a lost quote would fail for its own sake."""
    return replace(draft, text=text, grounding=tuple(g for g in draft.grounding if g.quote in text))


def _edits(reading: Reading, claim: Claim) -> Iterator[_Edit]:
    yield from _numbers(reading, claim)
    for was, now in _both_ways(rows()["roles"]):
        yield from _swapped("role", claim, was, now)
    yield from _options(reading, claim)
    yield from _subjects(reading, claim)
    yield from _patterns("limit", claim, rows()["limits"])
    if claim.kind != "action":  # a deed that is denied promises nothing
        yield from _patterns("polarity", claim, rows()["polarity"])


def _both_ways(pairs: list[list[str]]) -> Iterator[tuple[str, str]]:
    for one, other in pairs:
        yield one, other
        yield other, one


def _swapped(kind: str, claim: Claim, was: str, now: str) -> Iterator[_Edit]:
    words = claim.quote
    if was in words and now not in words:
        at = words.index(was)
        yield _Edit(kind, claim.start + at, claim.start + at + len(was), now)


def _patterns(kind: str, claim: Claim, table: list[dict[str, Any]]) -> Iterator[_Edit]:
    for row in table:
        for match in re.finditer(row["find"], claim.quote):
            whole = claim.quote.strip(" ，。,.!！~～哦哈呢的") == match.group().strip("的")
            if row.get("alone") and not whole:
                continue
            yield _Edit(kind, claim.start + match.start(), claim.start + match.end(), match.expand(row["put"]))


def _numbers(reading: Reading, claim: Claim) -> Iterator[_Edit]:
    text = reading.draft.text
    for quantity in reading.draft.quantities:
        start, end = text.span(quantity.start, quantity.end)
        if start < claim.start or claim.end < end:
            continue
        kind = "date" if quantity.kind in DATES else "digit"
        for at in _digit_places(text.original[start:end], rough=quantity.approx is not None):
            put = _other_digit(reading, quantity, start + at)
            if put is not None:
                yield _Edit(kind, start + at, start + at + 1, put)
        yield from _units(reading, quantity, start, end)


def _digit_places(quote: str, *, rough: bool) -> list[int]:
    """Give the first and the last digit; of a rough number the first only."""
    places = [i for i, char in enumerate(quote) if char in _LATIN_DIGITS or char in rows()["numerals"]]
    return places[:1] if rough else sorted({*places[:1], *places[-1:]})


def _other_digit(reading: Reading, quantity: Quantity, at: int) -> str | None:
    char = reading.draft.text.original[at]
    if char in _LATIN_DIGITS:
        tried = [d for d in (str((int(char) + 3) % 10), str((int(char) + 1) % 10)) if d != "0"]
    else:
        tried = list(rows()["numerals"][char])
    return next((put for put in tried if _is_other(reading, quantity, at, at + 1, put)), None)


def _units(reading: Reading, quantity: Quantity, start: int, end: int) -> Iterator[_Edit]:
    quote = reading.draft.text.original[start:end].lower()
    if quantity.kind in DATES:
        return
    for was, now in rows()["units"]:
        at = quote.rfind(was)
        if at > 0 and (not was.isascii() or quote.endswith(was)) and not quote[at + len(was) :].startswith("²"):
            edit = _Edit("unit", start + at, start + at + len(was), now)
            if _is_other(reading, quantity, edit.start, edit.end, now):
                yield edit


def _is_other(reading: Reading, quantity: Quantity, start: int, end: int, put: str) -> bool:
    """Whether the number at this place, changed, reads as one other value of any kind."""
    original = reading.draft.text.original
    changed = read_text(original[:start] + put + original[end:], reading.turn.now)
    low, high = reading.draft.text.span(quantity.start, quantity.end)
    high += len(put) - (end - start)
    found = [q for q in changed.quantities if _meets(changed.text.span(q.start, q.end), low, high)]
    if len(found) != 1 or found[0].value is None:
        return False
    new = found[0]
    if dimension(new) != dimension(quantity):
        return dimension(new) != "" and new.kind not in ("number", "code", *IDENTIFIERS)
    return not equal(new, quantity, original) and not equal(quantity, new, original)


def _meets(span: tuple[int, int], low: int, high: int) -> bool:
    return span[0] < high and low < span[1]


def _options(reading: Reading, claim: Claim) -> Iterator[_Edit]:
    """Put another value of an exclusive group in place of the one that is claimed (自动挡 → 手动挡)."""
    lexicon, text = lexicon_of(reading.pack), reading.draft.text
    for hit in lexicon.scan(text.norm):
        start, end = text.span(hit.start, hit.end)
        if hit.entry.kind != "concept" or not hit.entry.option or start < claim.start or claim.end < end:
            continue
        row = lexicon.concepts[hit.entry.id]
        if row.part or row.open or _several(lexicon.scan(text.norm[hit.start : hit.end])):
            continue
        latin = text.norm[hit.start].isascii()
        other = next(
            (w for o, ws in row.options.items() if o != hit.entry.option for w in ws if w.isascii() == latin), ""
        )
        if other:
            yield _Edit("option", start, end, other)


def _several(hits: Sequence[Any]) -> bool:
    return len({h.entry.id for h in hits if h.entry.kind == "concept"}) > 1


def _subjects(reading: Reading, claim: Claim) -> Iterator[_Edit]:
    """Put another name in place of the one by which the claim names its subject."""
    draft = reading.turn.draft
    labels = [reading.turn.conversation.subject or ""]
    labels += [e.subject or "" for e in (*draft.citations, *draft.tool_results)] if draft else []
    for label in dict.fromkeys(label for label in labels if label and not label.startswith("general:")):
        name = _shared_name(label, claim.quote, reading.pack)
        if name:
            at = claim.start + claim.quote.index(name)
            yield _Edit("subject", at, at + len(name), _other_name(name))


def _shared_name(label: str, words: str, pack: Pack) -> str:
    """Give the longest run of letters that a label shares with a claim, when it is no common word."""
    found = ""
    for run in re.findall(r"[\u4e00-\u9fff]+|[A-Za-z]+", label):
        least = 4 if run.isascii() else 2
        for size in range(len(run), max(least, len(found) + 1) - 1, -1):
            pieces = [run[i : i + size] for i in range(len(run) - size + 1)]
            found = next((p for p in pieces if p in words and not lexicon_of(pack).scan(p.lower())), found)
    return found


def _other_name(name: str) -> str:
    return rows()["latin_names"][0] if name.isascii() else rows()["names"][0][: max(len(name), 2)]


def spoiled(turn: Turn) -> Iterator[tuple[str, Turn]]:
    """Take the evidence of a draft away: removed, withdrawn or failed, moved to another subject."""
    draft = turn.draft
    if draft is None:
        return
    bare = replace(draft, grounding=())
    yield "removed", replace(turn, draft=replace(bare, citations=(), tool_results=()))
    withdrawn = tuple(replace(c, withdrawn=True) for c in draft.citations)
    failed = tuple(replace(t, status="error") for t in draft.tool_results)
    yield "withdrawn", replace(turn, draft=replace(bare, citations=withdrawn, tool_results=failed))
    if turn.conversation.subject:
        elsewhere = rows()["names"][1]
        moved = replace(
            bare,
            citations=tuple(replace(c, subject=elsewhere) for c in draft.citations),
            tool_results=tuple(replace(t, subject=elsewhere) for t in draft.tool_results),
        )
        yield "other subject", replace(turn, draft=moved)
