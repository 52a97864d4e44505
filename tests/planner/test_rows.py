"""Every row of every pack matches its own example and not its counter-example."""

import re

import pytest

from planner.factors import pieces_of, required
from planner.lexicon import Lexicon
from planner.pack import Row, load_pack
from planner.risks import ScenarioRow, Trigger
from planner.slot_words import BlockRow, DetailRow, FormRow, SlotRow, ValueRow
from planner.spelling import respell
from planner.talk import FlagRow
from planner.text import normalize

SECTIONS: dict[str, type[Row]] = {
    "triggers": Trigger,
    "draft_triggers": Trigger,
    "denials": ScenarioRow,
    "withdrawals": ScenarioRow,
    "offers": ScenarioRow,
    "flags": FlagRow,
    "asking": Row,
    "slot_topics": SlotRow,
    "slot_asks": SlotRow,
    "slot_values": ValueRow,
    "slot_details": DetailRow,
    "ask_forms": FormRow,
    "ask_frames": Row,
    "ask_blocks": BlockRow,
    "slot_dropped": Row,
    "slot_all_dropped": Row,
    "slot_others": Row,
    "slot_other_asked": Row,
    "search_failed": Row,
    "no_answer": Row,
    "no_preference": Row,
}
ROWS = [
    pytest.param(name, row, id=f"{name}-{section}-{row.id}")
    for name in ("property", "used_car")
    for section, model in SECTIONS.items()
    for row in load_pack(name).rows(section, model)
]


@pytest.mark.parametrize(("pack", "row"), ROWS)
def test_row_keeps_its_example_and_its_counter(pack: str, row: Row) -> None:
    """A row finds its example, also through the index, and stays silent on its counter-example."""
    example = respell(normalize(row.example).norm, load_pack(pack)).norm
    counter = respell(normalize(row.counter).norm, load_pack(pack)).norm
    assert row.example
    assert row.counter
    assert row.search(example) is not None
    assert row.search(counter) is None
    assert re.search(row.source, "") is None
    assert [hit.row for hit in Lexicon([row]).find(example)] == [row]


@pytest.mark.parametrize(("pack", "row"), ROWS)
def test_row_is_found_by_its_characters(pack: str, row: Row) -> None:
    """The characters that file a row are in its example; a row without any is always tried."""
    keys = required(row.source)
    match = row.search(respell(normalize(row.example).norm, load_pack(pack)).norm)
    assert match is not None
    assert keys is None or keys & pieces_of(match.group())
