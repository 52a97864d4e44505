"""Numbers, dates, counts and what is computed from them: drafts that hold and drafts that do not, on the same evidence.

number_cases.txt is laid out like fact_cases.txt; most of its lines stand in pairs, so that the wrong number beside the
right one is always there too.
"""

from pathlib import Path

import pytest

from tests.verifier.test_fact_table import _blocked, _evidence
from tests.verifier.turns import turn
from verifier.facts import check_facts

FILE = Path(__file__).parent / "number_cases.txt"
LINES = [line.split(" | ") for line in FILE.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
CASES = [(pack, asked, evidence, draft) for pack, asked, evidence, *drafts in LINES for draft in drafts]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[3])
def test_a_number_passes_when_it_is_right(case: tuple[str, str, str, str]) -> None:
    pack, asked, evidence, draft = case
    facts = check_facts(turn(draft[1:], *_evidence(evidence), asked=asked, pack=pack, subject="青枫里"))
    assert _blocked(facts) == (draft[0] == "-")
