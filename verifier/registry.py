"""The fourteen checks: one explicit tuple of id, weight, hard and function (contract section 3)."""

from collections.abc import Callable
from dataclasses import dataclass

from verifier.case import Case
from verifier.checks.answers_question import answers_question
from verifier.checks.channel_format import channel_format
from verifier.checks.consistency import consistency
from verifier.checks.evidence import evidence_freshness, fact_evidence
from verifier.checks.human_handoff import human_handoff
from verifier.checks.internal_leak import internal_leak
from verifier.checks.limits import advice_limit, question_limit, sentence_budget
from verifier.checks.privacy import privacy
from verifier.checks.promise_limits import promise_limits
from verifier.checks.slot_repeat import slot_repeat
from verifier.checks.tone import tone
from verifier.verdict import Finding


@dataclass(frozen=True, slots=True)
class Check:
    """A registered check. A failed hard check fails the draft whatever the score."""

    id: str
    weight: int
    hard: bool
    run: Callable[[Case], Finding]


CHECKS = (
    Check("fact_evidence", 14, True, fact_evidence),
    Check("evidence_freshness", 6, True, evidence_freshness),
    Check("consistency", 8, True, consistency),
    Check("slot_repeat", 12, True, slot_repeat),
    Check("human_handoff", 14, True, human_handoff),
    Check("promise_limits", 8, True, promise_limits),
    Check("internal_leak", 8, True, internal_leak),
    Check("privacy", 6, True, privacy),
    Check("answers_question", 8, False, answers_question),
    Check("sentence_budget", 4, False, sentence_budget),
    Check("question_limit", 4, False, question_limit),
    Check("advice_limit", 2, False, advice_limit),
    Check("tone", 4, False, tone),
    Check("channel_format", 2, True, channel_format),
)
