"""Read what the judge wrote: exactly the asked JSON, or no opinion at all.

Nothing is repaired. A judge that writes prose, gives 90 for 0.9, leaves out its evidence or scores before it has given
any has not done what was asked, and what else it says is worth as little.
"""

import json
import math
from collections.abc import Sequence
from typing import Any, NoReturn

from verifier.counsel import DIMENSIONS, Confirmation, Doubt, Heard, Score, SecondOpinion, Unheard

MOST_ANSWER = 20_000  # characters
MOST_WORDS, MOST_QUOTE = 600, 400
_LISTS = ("doubts", "confirmed")
Spans = Sequence[tuple[int, int]]


class _UnreadableError(ValueError):
    """The answer is not what was asked; the message says how."""


def read_answer(raw: str, clauses: Spans) -> SecondOpinion:
    """Read an answer about a draft whose numbered clauses stand at `clauses`."""
    if not raw.strip():
        return Unheard("the answer is empty")
    if len(raw) > MOST_ANSWER:
        return Unheard(f"the answer is longer than {MOST_ANSWER} characters")
    try:
        return _heard(_parsed(raw), clauses)
    except _UnreadableError as error:
        return Unheard(str(error))


def _parsed(raw: str) -> dict[str, Any]:
    try:
        document = json.loads(raw, object_pairs_hook=_unique, parse_constant=_constant)
    except _UnreadableError:
        raise
    except (ValueError, RecursionError) as error:
        raise _UnreadableError("the answer is not JSON") from error
    return _mapping(document, "the answer", ("dimensions", *_LISTS), ("dimensions",))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _UnreadableError("the answer gives a name twice")
    return found


def _constant(name: str) -> NoReturn:
    raise _UnreadableError(f"{name} is no score")


def _mapping(value: Any, where: str, names: Sequence[str], needed: Sequence[str]) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _UnreadableError(f"{where} is no object")
    unknown = next((name for name in value if name not in names), None)
    if unknown is not None:
        raise _UnreadableError(f"{where} has the unknown name {unknown[:40]!r}")
    missing = next((name for name in needed if name not in value), None)
    if missing is not None:
        raise _UnreadableError(f"{where} lacks {missing}")
    return value


def _heard(document: dict[str, Any], clauses: Spans) -> Heard:
    given = _mapping(document["dimensions"], "dimensions", DIMENSIONS, DIMENSIONS)
    scores = {name: _score(given[name], name) for name in DIMENSIONS}
    doubts = tuple(
        Doubt(*_clause(row, clauses), _words(row["why"], "doubts.why", MOST_WORDS))
        for row in _rows(document, "doubts", ("clause", "why"))
    )
    confirmations = tuple(
        Confirmation(
            *_clause(row, clauses),
            _words(row["source"], "confirmed.source", MOST_WORDS),
            _words(row["quote"], "confirmed.quote", MOST_QUOTE),
        )
        for row in _rows(document, "confirmed", ("clause", "source", "quote"))
    )
    return Heard(scores, doubts, confirmations)


def _score(value: Any, name: str) -> Score:
    row = _mapping(value, name, ("evidence", "score"), ("evidence", "score"))
    if next(iter(row)) != "evidence":
        raise _UnreadableError(f"{name} gives its score before its evidence")
    score = row["score"]
    if isinstance(score, bool) or not isinstance(score, int | float):
        raise _UnreadableError(f"{name}.score is no number")
    if isinstance(score, float) and not math.isfinite(score):
        raise _UnreadableError(f"{name}.score is not finite")
    if not 0 <= score <= 1:
        raise _UnreadableError(f"{name}.score is not within 0 and 1")
    return Score(_words(row["evidence"], f"{name}.evidence", MOST_WORDS), float(score))


def _rows(document: dict[str, Any], name: str, fields: Sequence[str]) -> list[dict[str, Any]]:
    """Give the rows of a list, at most one for each clause."""
    rows = document.get(name, [])
    if not isinstance(rows, list):
        raise _UnreadableError(f"{name} is no list")
    found = [_mapping(row, name, fields, fields) for row in rows]
    numbers = [row["clause"] for row in found]
    if len({repr(number) for number in numbers}) != len(numbers):
        raise _UnreadableError(f"{name} names a clause twice")
    return found


def _clause(row: dict[str, Any], clauses: Spans) -> tuple[int, int]:
    number = row["clause"]
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= len(clauses):
        raise _UnreadableError(f"there is no clause {number!r}"[:80])
    return clauses[number - 1]


def _words(value: Any, where: str, most: int) -> str:
    if not isinstance(value, str) or not value.strip():
        raise _UnreadableError(f"{where} is missing")
    if len(value) > most:
        raise _UnreadableError(f"{where} is longer than {most} characters")
    return value.strip()
