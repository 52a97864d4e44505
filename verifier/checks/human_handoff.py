"""human_handoff: a person takes over where one must, and is never promised in vain."""

import re

from verifier.case import Case
from verifier.fixes import fix
from verifier.handoff import Act, Mention
from verifier.verdict import Finding, FixAction

_ID = "human_handoff"
_HOW = "say that a person takes over now (我这就转给同事跟您谈 / I'm handing you to a colleague now)"


def human_handoff(case: Case) -> Finding:
    """Where the plan requires a human the text hands over, done or now, and `requiresHuman` is true; a claim is backed.

    Fails: 需要的话我可以帮您转顾问, to a bargain. Passes: 价格我定不了，这就转给顾问跟您谈, with requiresHuman.
    """
    problems = [*_unbacked(case), *_missing(case)]
    if not problems:
        held = "hands over to a person" if case.handoff_claimed else "needs no handoff and claims none"
        return Finding(passed=True, detail=held)
    details = dict.fromkeys(detail for detail, _ in problems)
    return Finding(passed=False, detail="; ".join(details), fixes=tuple(dict.fromkeys(f for _, f in problems)))


Problem = tuple[str, FixAction]
# Who says that it is tried again does not hide that it failed (刚才没转成，我这就再转).
_AGAIN = re.compile(r"再|重新|\b(?:again|once more)\b")


def _unbacked(case: Case) -> list[Problem]:
    """A handoff said to be done needs the action; one said to happen now needs the flag and no failure."""
    status = _handoff_status(case)
    problems: list[Problem] = []
    for mention in case.handoffs:
        quote = case.quote(mention.start, mention.end)
        if mention.act is Act.DONE and status != "done":
            detail = f"{quote}: says the handoff is done, but the handoff action is {status or 'missing'}"
            how = "carry the handoff out before saying so, or say that it happens now and set requiresHuman"
            problems.append((detail, fix("add_handoff", _ID, quote, how)))
        elif mention.act is Act.NOW and status == "failed" and not _AGAIN.search(quote):
            detail = f"{quote}: says a person takes over now, but the handoff action failed"
            problems.append((detail, fix("add_handoff", _ID, quote, "carry the handoff out again before saying so")))
        elif mention.act is Act.NOW and not case.draft.requires_human:
            problems.append((f"{quote}: hands over now, but requiresHuman is false", _flag(quote)))
    return problems


def _missing(case: Case) -> list[Problem]:
    if not case.plan.requires_human:
        return []
    problems: list[Problem] = []
    why = ", ".join(dict.fromkeys(risk.scenario for risk in case.plan.risks)) or ", ".join(case.plan.flags)
    why = why or f"stage {case.plan.stage}"
    if not case.handoff_claimed:
        told = "; ".join(_instead(case, m) for m in case.handoffs)
        detail = f"{why} needs a person, but the text hands over to nobody" + (f" ({told})" if told else "")
        problems.append((detail, fix("add_handoff", _ID, case.draft.text, _HOW)))
    if not case.draft.requires_human:
        problems.append((f"{why} needs a person, but requiresHuman is false", _flag(why)))
    return problems


_INSTEAD = {
    Act.OFFER: "is only an offer",
    Act.LATER: "is for later",
    Act.REFUSED: "refuses",
    Act.OTHER: "is not about this conversation",
}


def _instead(case: Case, mention: Mention) -> str:
    return f"{case.quote(mention.start, mention.end)} {_INSTEAD.get(mention.act, 'is no handoff')}"


def _flag(target: str) -> FixAction:
    return fix("set_requires_human", _ID, target, "set draft.requiresHuman to true")


def _handoff_status(case: Case) -> str | None:
    statuses = [action.status for action in case.draft.actions if action.type == "handoff"]
    return statuses[-1] if statuses else None
