"""docs/checks.md: the registry's checks, and examples that are judged as it says."""

import json
from datetime import UTC, datetime

import pytest
import yaml

from gateway.contract import parse, to_turn
from gateway.evaluate import evaluate_turn
from gateway.wire import TurnIn
from tests.docs.conftest import ROOT
from tests.docs.markdown import cells, section
from verifier.fixes import TYPES
from verifier.registry import CHECKS

TEXT = (ROOT / "docs" / "checks.md").read_text("utf-8")
EXAMPLES = yaml.safe_load((ROOT / "tests" / "docs" / "check_examples.yaml").read_text("utf-8"))
NOW = "2026-11-30T10:00:00+08:00"


def test_the_table_is_the_registry():
    """Ids, weights and hardness, in order."""
    told = [row[:3] for row in cells(TEXT.partition("\n## ")[0])[1:]]
    assert told == [[f"`{c.id}`", str(c.weight), "yes" if c.hard else "no"] for c in CHECKS]
    assert len(CHECKS) == 14


def test_every_fix_type_is_described():
    told = {row[0].strip("`") for row in cells(section(TEXT, "怎么改 · What the agent gets"))[1:]}
    assert told == TYPES


def judged(example, draft):
    said = [pair for message in example["messages"] for pair in message.items()]
    messages = [{"id": f"m-{n}", "role": role, "text": text, "at": NOW} for n, (role, text) in enumerate(said)]
    conversation = {"id": "c", "chatType": "private", "subject": "松月里 5-1602", "messages": messages}
    turn = {"id": "t", "now": NOW, "conversation": conversation, "draft": example.get("with", {}) | draft}
    wire = parse(TurnIn, json.dumps(turn, ensure_ascii=False).encode())
    return evaluate_turn(to_turn(wire, datetime.now(UTC))).verdict


def as_draft(words):
    return words if isinstance(words, dict) else {"text": words}


@pytest.mark.parametrize("example", EXAMPLES, ids=[example["check"] for example in EXAMPLES])
def test_the_examples_are_judged_as_told(example):
    """The failing draft fails its check, the passing one passes all; both stand in the document."""
    [row] = [row for row in cells(section(TEXT, "例子 · Examples")) if row[0] == f"`{example['check']}`"]
    fails, passes = as_draft(example["fails"]), as_draft(example["passes"])
    assert fails["text"] in row[2].replace("\\*", "*")
    assert passes["text"] in row[3]
    assert all(text in row[1] for message in example["messages"] for text in message.values())
    assert example["check"] in judged(example, fails).failed
    assert judged(example, passes).failed == ()


def test_every_check_has_an_example():
    assert [example["check"] for example in EXAMPLES] == [check.id for check in CHECKS]
