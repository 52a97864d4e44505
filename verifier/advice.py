"""Optional advice on meaning: where a supported clause and its evidence read differently, a person should look.

A measure of likeness knows neither numbers nor yes and no, so it decides nothing: it lowers the confidence of a verdict
and says where, and leaves the checks, the score and the pass as they are. A verdict that did not pass is not touched.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from planner.pack import Pack
from verifier.claims import Claim, Status, Via
from verifier.dimensions import band
from verifier.verdict import Judged

# Embeddings of short sentences lie close together; below this two of them hardly speak of one thing.
LEAST = 0.84


class Likeness(Protocol):
    """Measures how alike the two texts of each pair are: 1 is the same, one number a pair, in order."""

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float]:
        """Measure all pairs."""
        ...


def advise(judged: Judged, pack: Pack, likeness: Likeness, least: float = LEAST) -> Judged:
    """Lower the confidence of a pass to its least alike clause, and say in that clause's reason to look here.

    Raises ValueError when the measure does not answer for every pair.
    """
    rested = [c for c in judged.claims if _rests_on_reading(c)]
    if not judged.passed or not rested:
        return judged
    scores = likeness([(c.quote, c.evidence[0].quote) for c in rested])
    if len(scores) != len(rested):
        raise ValueError(f"{len(rested)} pairs were to be measured, {len(scores)} numbers came back")
    low = {c: score for c, score in zip(rested, scores, strict=True) if not score >= least}  # NaN is low too
    if not low:
        return judged
    claims = tuple(_marked(c) if c in low else c for c in judged.claims)
    worst = min((score for score in low.values() if score > 0), default=0.0)
    sure = min(worst, judged.confidence) if judged.confidence is not None else worst
    facts = replace(judged.facts, claims=claims)
    return replace(judged, facts=facts, confidence=round(sure, 4), band=band(pack, sure))


def _marked(claim: Claim) -> Claim:
    return replace(claim, reason=f"{claim.reason}; look here: {claim.evidence[0].quote!r} reads differently")


def _rests_on_reading(claim: Claim) -> bool:
    held = claim.status is Status.SUPPORTED and claim.via is Via.READ and claim.rule_id != "derived"
    return held and bool(claim.evidence)
