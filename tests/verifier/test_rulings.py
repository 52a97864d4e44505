"""What the ruling on a claim says beside yes or no: its rule, the passages it rests on, and the values printed instead.

ruling_cases.txt has one draft a line with its evidence; a mark in brackets says what is the matter with a piece of it.
"""

import json
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from planner.reading import Reading
from planner.turn import Citation, ToolResult
from tests.verifier.turns import NOW, cite, tool, turn
from verifier.facts import check_facts

FILE = Path(__file__).parent / "ruling_cases.txt"
ROWS = [line.split(" | ") for line in FILE.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
MARKS: dict[str, dict[str, Any]] = {
    "": {},
    "rule": {"subject": "general:shop rules"},
    "elsewhere": {"subject": "听雨轩"},
    "ended": {"valid_until": NOW - timedelta(days=1)},
    "month old": {"at": NOW - timedelta(days=30)},
    "day old": {"at": NOW - timedelta(days=1)},
}
PIECE = re.compile(r"([CT])(?:\[([a-z ]+)\])?: (.*)")


def _evidence(number: int, piece: str) -> Citation | ToolResult:
    match = PIECE.fullmatch(piece)
    assert match, piece
    kind, mark, words = match.groups(default="")
    fields = MARKS[mark] | {"id": f"e{number}"}
    return cite(words, **fields) if kind == "C" else tool(json.loads(words), **fields)


def _read(row: list[str]) -> Reading:
    pack, asked, draft, evidence, *_ = row
    return turn(draft, *(_evidence(n, e) for n, e in enumerate(evidence.split(" ;; "))), asked=asked, pack=pack)


def _ruling(reading: Reading) -> list[str]:
    claims = check_facts(reading).claims
    assert all(claim.reason for claim in claims)
    if not claims:
        return ["none", "-", "-", "-"]
    (claim,) = claims
    passages = " ;; ".join(place.quote for place in claim.evidence)
    return [claim.status.value, claim.rule_id, passages or "-", " ;; ".join(claim.nearest) or "-"]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[2]}-{row[3]}")
def test_a_ruling_names_its_rule_its_passages_and_what_is_printed(row: list[str]) -> None:
    assert _ruling(_read(row)) == row[4:]
