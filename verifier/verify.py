"""verify(reading, plan) -> Verdict: run every registered check over one Case."""

import logging
from collections.abc import Mapping

from planner.plan import ReplyPlan
from planner.reading import MAX_TEXT, Reading
from planner.slots import SlotQuestion, asks_again, slot_questions
from planner.turn import Draft
from verifier.case import Case
from verifier.claims import Status
from verifier.consistency import find_contradictions
from verifier.counsel import Confirmation
from verifier.dimensions import band, confidence, dimensions
from verifier.facts import check_facts
from verifier.metrics import measure
from verifier.registry import CHECKS, Check
from verifier.verdict import CheckResult, Judged, SlotAsk, Unavailable, Verdict

_log = logging.getLogger(__name__)
MAX_SOURCES = 20 * MAX_TEXT


class _CannotCheckError(Exception):
    """Something could not be checked; `step` names it."""

    def __init__(self, step: str, reason: str, detail: Mapping[str, str] | None = None) -> None:
        super().__init__(reason)
        self.step = step
        self.reason = reason
        self.detail = detail


def verify(
    reading: Reading,
    reply_plan: ReplyPlan,
    pass_score: int = 90,
    checks: tuple[Check, ...] = CHECKS,
    confirmations: tuple[Confirmation, ...] = (),
) -> Verdict:
    """Judge a draft against its turn and plan; anything that cannot be checked makes the verdict Unavailable.

    `confirmations` are what a judge finds in the sources; each counts only where code finds it there too.
    """
    try:
        return _judge(_build(reading, reply_plan, confirmations), checks, pass_score)
    except _CannotCheckError as error:
        _log.error("turn %s: %s", reading.turn.id, error.reason, exc_info=error.__cause__)
        return Unavailable(error.reason, reply_plan.rules_version, {"step": error.step, **(error.detail or {})})


def _build(reading: Reading, reply_plan: ReplyPlan, confirmations: tuple[Confirmation, ...]) -> Case:
    draft = _readable(reading)
    try:
        questions = slot_questions(reading.draft, reading.pack)
        facts = check_facts(reading, confirmations)
        return Case(
            reading=reading,
            draft=draft,
            plan=reply_plan,
            facts=facts,
            contradictions=find_contradictions(reading, [c for c in facts.claims if c.status is Status.SUPPORTED]),
            asks=tuple(_ask(reading, reply_plan, question) for question in questions),
            metrics=measure(reading.draft, reading.pack, questions),
        )
    except Exception as error:  # fail closed: whatever goes wrong while reading, nothing was checked
        raise _CannotCheckError("read", f"the draft could not be read: {type(error).__name__}") from error


def _readable(reading: Reading) -> Draft:
    draft = reading.turn.draft
    if draft is None:
        raise _CannotCheckError("read", "the turn has no draft")
    if len(draft.text) > MAX_TEXT:
        raise _CannotCheckError("read", f"the draft has {len(draft.text)} characters, at most {MAX_TEXT} are judged")
    if any("\ud800" <= char <= "\udfff" for char in draft.text):
        raise _CannotCheckError("read", "the draft holds half of a surrogate pair and is no readable text")
    size = sum(len(c.text) for c in draft.citations) + sum(len(t.text or "") for t in draft.tool_results)
    if size > MAX_SOURCES:
        raise _CannotCheckError("read", f"the sources have {size} characters, at most {MAX_SOURCES} are read")
    return draft


def _ask(reading: Reading, reply_plan: ReplyPlan, question: SlotQuestion) -> SlotAsk:
    known = reply_plan.known_slots
    return SlotAsk(
        slot=question.slot,
        quote=reading.draft.text.quote(question.start, question.end),
        already_known=question.slot in known,
        again=asks_again(reading, question, known),
    )


def _judge(case: Case, checks: tuple[Check, ...], pass_score: int) -> Judged:
    results = tuple(_run(check, case) for check in checks)
    whole = sum(result.weight for result in results)
    score = round(100 * sum(result.weight for result in results if result.passed) / whole)
    measured = dimensions(case, results)
    sure = confidence(case.pack, [risk.scenario for risk in case.plan.risks], measured)
    return Judged(
        score=score,
        passed=score >= pass_score and not any(r.hard and not r.passed for r in results),
        results=results,
        facts=case.facts,
        slot_questions=case.asks,
        metrics=case.metrics,
        dimensions=measured,
        confidence=sure,
        band=band(case.pack, sure),
        fix_actions=tuple(dict.fromkeys(step for result in results for step in result.finding.fixes)),
        requires_human=case.plan.requires_human or case.draft.requires_human or case.handoff_claimed,
        rules_version=case.plan.rules_version,
    )


def _run(check: Check, case: Case) -> CheckResult:
    try:
        finding = check.run(case)
    except Exception as error:  # fail closed: a check that raises is no pass and no fail
        reason = f"the check {check.id} could not be carried out: {type(error).__name__}"
        raise _CannotCheckError(check.id, reason) from error
    return CheckResult(check.id, check.weight, check.hard, finding)
