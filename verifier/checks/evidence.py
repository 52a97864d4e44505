"""fact_evidence and evidence_freshness: what the fact check found, as two checks."""

from verifier.case import Case
from verifier.claims import Status
from verifier.fixes import fix, fix_claim
from verifier.verdict import Finding


def fact_evidence(case: Case) -> Finding:
    """Every asserted fact has located evidence, or is pending in its own clause; no declaration points at nothing.

    Fails: 建面92平 where the record prints 89. Passes: 建面89平 where it prints 89.
    """
    bad = [c for c in case.facts.claims if c.status in (Status.CONTRADICTED, Status.UNSUPPORTED)]
    fixes = [fix_claim(claim, "fact_evidence") for claim in bad]
    for false in case.facts.false_groundings:
        detail = f"the grounding declares what does not exist in this turn ({false}); declare a passage that is there"
        fixes.append(fix("ground_claim", "fact_evidence", false, detail))
    if not fixes:
        return Finding(passed=True, detail=f"{len(case.facts.claims)} asserted facts, each backed or pending")
    parts = [f"{c.quote}: {c.status.value}, {c.reason}" for c in bad]
    parts += [f"false grounding: {false}" for false in case.facts.false_groundings]
    return Finding(passed=False, detail="; ".join(parts), fixes=tuple(fixes))


def evidence_freshness(case: Case) -> Finding:
    """No claim rests on evidence that expired or was withdrawn before `now`.

    Fails: 现在免息 from an offer that ended last month. Passes: 现在免息 from an offer that is still valid.
    """
    stale = [c for c in case.facts.claims if c.status is Status.STALE]
    if not stale:
        return Finding(passed=True, detail="no claim rests on expired or withdrawn evidence")
    fixes = tuple(fix_claim(claim, "evidence_freshness") for claim in stale)
    return Finding(passed=False, detail="; ".join(f"{c.quote}: {c.reason}" for c in stale), fixes=fixes)
