"""Fix actions: one concrete step per thing that is wrong, from the contract's closed list."""

from verifier.claims import Claim, Status
from verifier.verdict import FixAction

TYPES = frozenset(
    {
        "ground_claim",
        "correct_value",
        "remove_claim",
        "mark_pending",
        "drop_question",
        "add_handoff",
        "set_requires_human",
        "remove_leak",
        "shorten",
        "answer_question",
    }
)


def fix(kind: str, check_id: str, target: str, detail: str) -> FixAction:
    """Make a fix action; `target` is the words to change. Raises ValueError for a type outside the closed list."""
    if kind not in TYPES:
        raise ValueError(f"{kind} is no fix type")
    return FixAction(kind, target, detail, check_id)


def fix_claim(claim: Claim, check_id: str) -> FixAction:
    """Say what to do about a claim that does not stand."""
    if claim.status is Status.CONTRADICTED:
        return _correct(claim, check_id)
    if claim.status is Status.STALE:
        return fix("mark_pending", check_id, claim.quote, f"{claim.reason}; look it up again, or say that you will")
    how = (
        f'{claim.reason}; add {{"quote": "{claim.quote}", "evidenceId": "…", "evidenceQuote": "…"}} to grounding[] with the '
        "passage that says it, or say in the same clause that you will check it, or leave it out"
    )
    return fix("ground_claim", check_id, claim.quote, how)


def _correct(claim: Claim, check_id: str) -> FixAction:
    if claim.nearest:
        return fix("correct_value", check_id, claim.quote, f"{claim.reason}; printed: {', '.join(claim.nearest)}")
    said = "; ".join(f"{e.id}: {e.quote}" for e in claim.evidence)
    detail = f"{claim.reason}; the source says {said}" if said else claim.reason
    return fix("correct_value" if said else "remove_claim", check_id, claim.quote, detail)
