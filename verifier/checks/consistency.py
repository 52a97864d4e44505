"""consistency: the draft against itself and against what was sent before."""

from verifier.case import Case
from verifier.fixes import fix
from verifier.verdict import Finding


def consistency(case: Case) -> Finding:
    """The draft contradicts neither itself nor what was sent, and does not repeat the last message to a new question.

    Fails: 空着的，租客白天在家. Passes: 空着的，没人住.
    """
    if not case.contradictions:
        return Finding(passed=True, detail="agrees with itself and with what was sent before")
    fixes = tuple(
        fix("correct_value", "consistency", c.quote, f"{c.detail}; say one thing, or correct the earlier one openly")
        for c in case.contradictions
    )
    return Finding(passed=False, detail="; ".join(f"{c.quote}: {c.detail}" for c in case.contradictions), fixes=fixes)
