"""Answers are read strictly: what is not said has not passed; what a bare evaluation suggests is what the gate would do."""

import subprocess
import sys

import pytest

from gateway.client import FIX_ACTIONS, Answer, FixAction, GroupAnswer
from gateway.contract import evaluation_record
from gateway.gate import Mode, Situation, decide
from planner.turn import ChatType
from tests.docs.conftest import ROOT
from tests.docs.markdown import cells, section
from tests.gateway.test_gate import VERDICTS, a_plan
from verifier.fixes import TYPES

FIX = {"type": "shorten", "target": "", "detail": "at most 3", "checkId": "sentence_budget"}


def test_an_answer_names_what_is_acted_on():
    answer = Answer(
        {
            "id": "t-1",
            "draftId": "d-1",
            "state": "awaiting_rewrite",
            "action": "rewrite",
            "qualityPassed": False,
            "qualityScore": 86,
            "requiresHuman": False,
            "fallbackReason": "quality_gate_failed",
            "holdReasons": ["stale"],
            "failedCheckIds": ["sentence_budget"],
            "fixActions": [FIX],
            "confidence": 0.5,
            "band": "low",
            "deadlineAt": "2026-11-30T10:00:00+08:00",
        }
    )
    assert answer.fix_actions == (FixAction("shorten", "", "at most 3", "sentence_budget"),)
    assert (answer.id, answer.draft_id, answer.state, answer.action) == ("t-1", "d-1", "awaiting_rewrite", "rewrite")
    assert (answer.passed, answer.score, answer.confidence, answer.band) == (False, 86, 0.5, "low")
    assert (answer.hold_reasons, answer.failed_check_ids) == (("stale",), ("sentence_budget",))
    assert (answer.fallback_reason, answer.deadline_at) == ("quality_gate_failed", "2026-11-30T10:00:00+08:00")
    assert repr(answer) == "Answer('d-1', action='rewrite', passed=False)"


@pytest.mark.parametrize(
    "record",
    [{}, {"qualityPassed": None}, {"qualityPassed": "true"}, {"qualityPassed": 1}, {"qualityScore": 100}],
)
def test_what_is_not_said_has_not_passed(record):
    answer = Answer(record | {"requiresHuman": False})
    assert (answer.passed, answer.action) == (None, "hold")
    assert Answer({"qualityPassed": True}).action == "hold"
    assert (answer.state, answer.draft_id, answer.fix_actions, answer.confidence) == (None, None, (), None)


@pytest.mark.parametrize("verdict", VERDICTS)
@pytest.mark.parametrize(
    "plan", [{}, {"human": True}, {"no_reply": True}, {"no_reply": True, "human": True, "risk": True}]
)
@pytest.mark.parametrize("draft_requires_human", [False, True])
def test_a_bare_evaluation_suggests_what_the_gate_would_do(verdict, plan, draft_requires_human):
    """In mode auto, for a first try that answers a customer in a private chat."""
    made, judged = a_plan(**plan), VERDICTS[verdict]
    decided = decide(made, judged, Situation(Mode.AUTO, ChatType.PRIVATE), draft_requires_human=draft_requires_human)
    record = evaluation_record(
        made, judged, draft_requires_human=draft_requires_human, rewrite_count=0, fallback_reason=""
    )
    record["requiresHuman"] = record["requiresHuman"] or made.requires_human or draft_requires_human
    suggested = Answer(record).action
    if (
        decided.action == "no_reply" and record["requiresHuman"]
    ):  # the record does not tell that only the words hand over
        assert suggested in ("rewrite", "hold")
    else:
        assert suggested == decided.action


def test_every_fix_action_is_explained_in_the_words_of_the_documents():
    told = cells(section((ROOT / "docs" / "checks.md").read_text("utf-8"), "怎么改 · What the agent gets"))[1:]
    assert set(FIX_ACTIONS) == TYPES
    assert dict(FIX_ACTIONS) == {row[0].strip("`"): row[2] for row in told}


def test_a_groups_answer_names_its_parts():
    first = GroupAnswer(
        {
            "id": "g",
            "replies": [{"replyId": "r"}],
            "crossReplyPlan": {"plans": [{"agentId": "a"}], "dropped": [{"why": "limit"}]},
        }
    )
    assert (first.id, first.replies[0].record["replyId"]) == ("g", "r")
    assert (first.plans, first.dropped) == (({"agentId": "a"},), ({"why": "limit"},))
    second = GroupAnswer({"id": "g", "replies": [], "dropped": [{"why": "not_planned"}]})
    assert (second.plans, second.dropped) == ((), ({"why": "not_planned"},))


def test_the_client_brings_nothing_of_the_server():
    """No web framework, database or rule comes with it, and it is there in a moment."""
    look = "import sys, time, gateway.client; print(time.process_time(), *sorted(sys.modules))"
    spent, *found = subprocess.run(
        [sys.executable, "-c", look], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    heavy = {
        "fastapi",
        "starlette",
        "sqlalchemy",
        "sqlmodel",
        "pydantic",
        "uvicorn",
        "jinja2",
        "structlog",
        "yaml",
        "typer",
    }
    assert not heavy & set(found)
    assert float(spent) < 1.0  # seconds of the processor, the interpreter's own start included
    ours = {name for name in found if name.split(".")[0] in ("gateway", "planner", "verifier", "outbound")}
    assert ours - {"gateway"} == {name for name in ours if name.startswith("gateway.client")}
