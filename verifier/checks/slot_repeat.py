"""slot_repeat: nothing is asked twice."""

from verifier.case import Case
from verifier.fixes import fix
from verifier.verdict import Finding


def slot_repeat(case: Case) -> Finding:
    """It does not ask again, in any wording, for a slot that is known.

    Fails: 您心理价位多少 after 预算三百万以内. Passes: 三百万以内对吧，想要哪个区 after the same.
    """
    again = [ask for ask in case.asks if ask.again]
    if not again:
        return Finding(passed=True, detail="asks for nothing that is known")
    fixes = tuple(
        fix(
            "drop_question",
            "slot_repeat",
            ask.quote,
            f"{ask.slot} is known: {_known(case, ask.slot)}; do not ask again",
        )
        for ask in again
    )
    detail = "; ".join(f"{ask.quote} asks for {ask.slot}, which is known: {_known(case, ask.slot)}" for ask in again)
    return Finding(passed=False, detail=detail, fixes=fixes)


def _known(case: Case, slot: str) -> str:
    held = case.plan.known_slots.get(slot)
    return "said before" if held is None else str(held.value)
