"""sentence_budget, question_limit, advice_limit: the draft's counts within the plan's limits."""

from planner.plan import ReplyPlan
from verifier.case import Case
from verifier.fixes import fix
from verifier.verdict import Finding, FixAction, SlotAsk


def sentence_budget(case: Case) -> Finding:
    """It has no more sentences than the plan allows; every line counts, with or without a full stop.

    Fails at 3: five short lines about the estate. Passes at 3: one sentence that answers.
    """
    count, limit = case.metrics.sentences, case.plan.limits.sentences
    return _within(
        "sentences", count, limit, fix("shorten", "sentence_budget", case.draft.text, f"use at most {limit} sentences")
    )


def question_limit(case: Case) -> Finding:
    """It asks no more questions than the plan allows, and for nothing that its stage does not ask for yet.

    Fails at 1: 预算多少？哪个区域？几时入住？ Passes at 1: 您大概几时入住？
    """
    count, limit = case.metrics.questions, case.plan.limits.questions
    step = fix(
        "drop_question", "question_limit", case.draft.text, f"ask at most {limit}: keep the most useful question"
    )
    counted = _within("questions", count, limit, step)
    early = [ask for ask in case.asks if case.plan.askable is not None and ask.slot not in case.plan.askable]
    if not early:
        return counted
    told = f"not yet at stage {case.plan.stage}: " + ", ".join(f"{ask.slot} ({ask.quote})" for ask in early)
    steps = tuple(_later(ask, case.plan) for ask in early)
    return Finding(False, f"{counted.detail}; {told}", (*counted.fixes, *steps))


def _later(ask: SlotAsk, plan: ReplyPlan) -> FixAction:
    may = ", ".join(sorted(plan.askable or ())) or "nothing"
    return fix(
        "drop_question",
        "question_limit",
        ask.quote,
        f"stage {plan.stage} does not ask for {ask.slot}; it asks for: {may}",
    )


def advice_limit(case: Case) -> Finding:
    """It gives no more pieces of advice than the plan allows.

    Fails at 1: 建议您先看报告，最好再验一次车，您也可以多比几家. Passes at 1: 建议您先看报告.
    """
    count, limit = case.metrics.advice, case.plan.limits.advice
    step = fix("shorten", "advice_limit", case.draft.text, f"give at most {limit} pieces of advice")
    return _within("pieces of advice", count, limit, step)


def _within(what: str, count: int, limit: int, step: FixAction) -> Finding:
    detail = f"{count} {what}, limit {limit}"
    return Finding(passed=True, detail=detail) if count <= limit else Finding(False, detail, (step,))
