"""Numbers, dates, counts and what is computed from them: drafts that hold and drafts that do not, on the same evidence.

number_cases.txt is laid out like fact_cases.txt; most of its lines stand in pairs, so that the wrong number beside the
right one is always there too.
"""

from pathlib import Path

import pytest

from planner.turn import Grounding
from tests.verifier.test_fact_table import _blocked, _evidence
from tests.verifier.turns import tool, turn
from verifier.facts import check_facts

FILE = Path(__file__).parent / "number_cases.txt"
LINES = [line.split(" | ") for line in FILE.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
CASES = [(pack, asked, evidence, draft) for pack, asked, evidence, *drafts in LINES for draft in drafts]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[3])
def test_a_number_passes_when_it_is_right(case: tuple[str, str, str, str]) -> None:
    pack, asked, evidence, draft = case
    facts = check_facts(turn(draft[1:], *_evidence(evidence), asked=asked, pack=pack, subject="青枫里"))
    assert _blocked(facts) == (draft[0] == "-")


DECLARED = [
    ("冷气热风都正常", "/air/冷气", {"air": {"冷气": "正常", "热风": "风量小"}}, "used_car"),
    ("B户型三个卫", "/plans/0/baths", {"plans": [{"code": "A", "baths": 3}, {"code": "B", "baths": 2}]}, "property"),
]


@pytest.mark.parametrize("case", DECLARED, ids=lambda case: case[0])
def test_a_field_backs_nothing_that_is_said_of_the_one_beside_it(case: tuple[str, str, dict[str, object], str]) -> None:
    draft, path, data, pack = case
    declared = Grounding(draft, evidence_id="t1", path=path)
    assert _blocked(check_facts(turn(draft, tool(data), asked="怎么样", pack=pack, grounding=(declared,))))


def test_a_field_backs_its_own_words() -> None:
    declared = Grounding("冷气正常", evidence_id="t1", path="/air/冷气")
    evidence = tool({"air": {"冷气": "正常", "热风": "风量小"}})
    assert not _blocked(
        check_facts(turn("冷气正常", evidence, asked="空调咋样", pack="used_car", grounding=(declared,)))
    )
