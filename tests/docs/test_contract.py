"""docs/contract.md names every field, state and reason, and no other."""

import json
import re
from datetime import UTC, datetime

import pytest

from gateway import wire
from gateway.contract import FALLBACKS, FROZEN, evaluation_record, parse, plan_record, to_turn
from gateway.evaluate import evaluate_turn, stateless_record
from gateway.examples import TURN
from gateway.tables import DRAFT_STATES, MESSAGE_STATES
from tests.docs.conftest import ROOT
from tests.docs.markdown import cells, section
from verifier.claims import Status
from verifier.verdict import Unavailable

TEXT = (ROOT / "docs" / "contract.md").read_text("utf-8")


def named(text):
    return re.findall(r"`(\w+)`", text)


def first_column(heading):
    own = section(TEXT, heading).partition("\n### ")[0]
    return [name for row in cells(own)[1:] for name in named(row[0])]


def fields(model):
    return [field.alias or name for name, field in model.model_fields.items()]


@pytest.mark.parametrize(
    ("heading", "model"),
    [("一轮话 · Turn", wire.TurnIn), ("conversation", wire.ConversationIn), ("draft", wire.DraftIn)],
)
def test_every_input_field_is_told(heading, model):
    assert first_column(heading) == fields(model)


@pytest.mark.parametrize(
    ("heading", "field", "model"),
    [
        ("conversation", "messages", wire.MessageIn),
        ("conversation", "slots", wire.SlotIn),
        ("draft", "citations", wire.CitationIn),
        ("draft", "toolResults", wire.ToolResultIn),
        ("draft", "grounding", wire.GroundingIn),
        ("draft", "actions", wire.ActionIn),
    ],
)
def test_every_inner_field_is_told(heading, field, model):
    [row] = [row for row in cells(section(TEXT, heading)) if row[0] == f"`{field}`"]
    told = set(re.findall(r"\w+", " ".join(row[1:])))
    assert set(fields(model)) <= told


def evaluated():
    wire_turn = parse(wire.TurnIn, json.dumps(TURN, ensure_ascii=False).encode())
    return evaluate_turn(to_turn(wire_turn, datetime.now(UTC)))


def test_every_output_field_is_told():
    """Plan and evaluation, judged or not, have the fields of the document."""
    found = evaluated()
    plan = set(plan_record(found.plan))
    broken = evaluation_record(
        found.plan,
        Unavailable("a check raised", "r1"),
        draft_requires_human=False,
        rewrite_count=0,
        fallback_reason="quality_unavailable",
    )
    assert set(first_column("回复计划 · ReplyPlan")) == plan
    told = set(first_column("评估 · Evaluation"))
    wanted_a_judge = {"judge"}  # the field is there only where a second opinion was wanted
    assert told == (set(stateless_record(found)) | set(broken) | wanted_a_judge) - (plan - {"requiresHuman"})


def test_the_frozen_fields_are_marked():
    marked = [named(row[0])[0] for row in cells(section(TEXT, "评估 · Evaluation")) if "❄" in row[0]]
    assert marked == list(FROZEN)


def test_every_state_reason_and_status_is_told():
    assert first_column("草稿的状态 · States of a draft") == list(DRAFT_STATES)
    assert first_column("消息的状态 · States of a message") == list(MESSAGE_STATES)
    decision = section(TEXT, "决定 · Decision")
    assert all(f"`{code}`" in decision for code in FALLBACKS - {""})
    assert all(f"`{status}`" in section(TEXT, "评估 · Evaluation") for status in Status)
