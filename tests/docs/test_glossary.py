"""Each noun of the glossary is a name in the code."""

import dataclasses
import importlib
import re

import pytest

from tests.docs.conftest import ROOT
from tests.docs.markdown import cells

ROWS = [row for row in cells((ROOT / "docs" / "glossary.md").read_text("utf-8")) if row[0] != "词 noun"]
NEEDED = {
    *("Turn", "Draft", "ReplyPlan", "Claim", "Evidence", "Check", "Finding", "Verdict", "Decision", "Handoff"),
    *("Approval", "OutboundMessage", "Delivery", "Moment", "Rewrite", "SendPermit", "Pack", "Slot", "Scenario"),
}


def find(name):
    """Import a dotted name; a field of a dataclass counts too."""
    module, *rest = name.split(".")
    found = importlib.import_module(module)
    for part in rest:
        if dataclasses.is_dataclass(found) and part in {f.name for f in dataclasses.fields(found)}:
            return part
        found = getattr(found, part, None) or importlib.import_module(f"{found.__name__}.{part}")
    return found


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_the_noun_is_in_the_code(row):
    names = re.findall(r"`([a-z_.A-Z]+)`", row[3])
    assert names
    assert all(find(name) is not None for name in names)
    assert re.search("[一-鿿]", row[1])


def test_no_noun_is_missing_or_told_twice():
    nouns = [row[0] for row in ROWS]
    assert len(nouns) == len(set(nouns))
    assert set(nouns) >= NEEDED
