"""The four dimensions and the confidence: computed from claims, coverage and answer fit, evidence first."""

from collections.abc import Mapping, Sequence
from typing import Any

from planner.pack import Pack
from verifier.case import Case
from verifier.claims import Status
from verifier.verdict import CheckResult, Dimension

_FIRM = 0.8
_WORTH = {Status.SUPPORTED: 1.0, Status.PENDING: 0.5, Status.STALE: 0.25}
_ADHERENCE = (
    "slot_repeat",
    "human_handoff",
    "promise_limits",
    "answers_question",
    "sentence_budget",
    "question_limit",
    "advice_limit",
    "tone",
)
WEIGHTS = {"factSupport": 0.4, "logicConsistency": 0.2, "retrievalCoverage": 0.15, "instructionAdherence": 0.25}
THRESHOLDS = {"high": 0.85, "middle": 0.60}


def dimensions(case: Case, results: Sequence[CheckResult]) -> dict[str, Dimension | None]:
    """Compute the dimensions; one that does not apply (a draft that asserts nothing has no fact support) is None."""
    return {
        "factSupport": _fact_support(case),
        "logicConsistency": _logic(case),
        "retrievalCoverage": _coverage(case),
        "instructionAdherence": _adherence(case, results),
    }


def _fact_support(case: Case) -> Dimension | None:
    """Give half the mean worth of the asserted facts and half the least: a draft is hardly better than its weakest."""
    claims = case.facts.claims
    if not case.facts.false_groundings and all(claim.status is Status.PENDING for claim in claims):
        return None  # nothing is asserted: a clause that leaves a thing open asks for no support
    worths = [_WORTH.get(claim.status, 0.0) * claim.firmness for claim in claims]
    worths += [0.0] * len(case.facts.false_groundings)
    score = (sum(worths) / len(worths) + min(worths)) / 2
    counts = [f"{sum(c.status is s for c in claims)} {s.value}" for s in Status if any(c.status is s for c in claims)]
    if case.facts.false_groundings:
        counts.append(f"{len(case.facts.false_groundings)} false declarations")
    told = f"of {len(worths)} asserted facts: {', '.join(counts)}"
    loose = min((c for c in claims if c.status is Status.SUPPORTED), key=lambda c: c.firmness, default=None)
    if loose is not None and loose.firmness < _FIRM:
        told += f"; least firm: {loose.quote}"
    return Dimension(round(score, 4), told)


def _logic(case: Case) -> Dimension:
    clauses = len(case.read.clauses)
    broken = len(case.contradictions)
    if not broken:
        return Dimension(1.0, f"{clauses} clauses, none against another or against what was sent")
    said = "; ".join(f"{c.quote}: {c.detail}" for c in case.contradictions)
    return Dimension(round(max(0.0, 1 - broken / max(clauses, broken)) / 2, 4), said)


def _coverage(case: Case) -> Dimension | None:
    """Share of what was asked to which the turn's live sources speak; None when nothing that could be looked up was."""
    aspects = case.facts.aspects
    if not aspects:
        return None
    missing = [aspect.quote for aspect in aspects if not aspect.covered]
    told = f"sources speak to {len(aspects) - len(missing)} of {len(aspects)} questions"
    score = (len(aspects) - len(missing)) / len(aspects)
    return Dimension(round(score, 4), told + (f"; not to: {'; '.join(missing)}" if missing else ""))


def _adherence(case: Case, results: Sequence[CheckResult]) -> Dimension:
    """Give half the weight of the rules that are kept, and half for keeping all of them and answering what is asked."""
    bound = [r for r in results if r.id in _ADHERENCE]
    kept = sum(r.weight for r in bound if r.passed) / sum(r.weight for r in bound)
    wrong = [f"{r.id}: {r.finding.detail}" for r in bound if not r.passed]
    if _says_nothing(case):
        wrong.append("the customer asks, and nothing that was read in the draft answers")
    return Dimension(
        round((kept + (not wrong)) / 2, 4), "; ".join(wrong) or f"keeps all {len(bound)} rules of the plan"
    )


def _says_nothing(case: Case) -> bool:
    """Whether a question, or sources that were looked up for one, are met by nothing that was read.

    That is no assertion, nothing left open, no question of ours and no handoff.
    """
    silent = not (case.facts.claims or case.asks or case.handoffs or case.metrics.questions)
    return silent and (case.facts.asked or bool(case.draft.citations or case.draft.tool_results))


def confidence(pack: Pack, scenes: Sequence[str], scores: Mapping[str, Dimension | None]) -> float | None:
    """Weigh the dimensions that apply with the weights of the first scene the pack knows; None when none applies."""
    weights = _weights(pack, scenes)
    held = [(weights.get(name, 0.0), d.score) for name, d in scores.items() if d is not None]
    total = sum(weight for weight, _ in held)
    return round(sum(weight * score for weight, score in held) / total, 4) if total else None


def _weights(pack: Pack, scenes: Sequence[str]) -> Mapping[str, float]:
    data: Any = pack.sections.get("confidence") or {}
    known: Mapping[str, Mapping[str, float]] = data.get("scenes") or {}
    scene = next((scene for scene in scenes if scene in known), None)
    return known[scene] if scene else data.get("weights") or WEIGHTS


def thresholds(pack: Pack) -> Mapping[str, float]:
    """Give a pack's own thresholds of `high` and `middle`, the defaults where it names none."""
    data: Any = pack.sections.get("confidence") or {}
    return {**THRESHOLDS, **(data.get("thresholds") or {})}


def band(pack: Pack, value: float | None) -> str | None:
    """Name the band of a confidence by the pack's thresholds; None stays None."""
    return None if value is None else band_by(thresholds(pack), value)


def band_by(limits: Mapping[str, float], value: float) -> str:
    """Name the band of a confidence by given thresholds."""
    return "high" if value >= limits["high"] else "middle" if value >= limits["middle"] else "low"
