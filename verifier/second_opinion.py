"""consult(...) -> Judged: let a judge look at a long turn, and let it change what it may.

It lowers: each dimension falls to the judge's score where that is lower, confidence and band follow, and its doubts
become notes for whoever decides. Checks, score and pass stay as they are. Where an account opted in, an unsupported
plain clause may become supported by a quote that code finds (verifier.confirming); checks and score are then computed
again. An unreadable or missing answer changes nothing and is told.
"""

import hashlib
import json
from dataclasses import replace

from planner.pack import Pack
from planner.plan import ReplyPlan
from planner.reading import Reading
from verifier.answers import read_answer
from verifier.briefs import Scene, brief_of, is_wanted, open_clauses
from verifier.claims import Claim, Status
from verifier.counsel import Counsel, Doubt, Heard, Kept, SecondOpinion, SilentError, Unheard
from verifier.dimensions import band, confidence
from verifier.judge_pack import orders
from verifier.verdict import Dimension, Judged
from verifier.verify import verify

LOOK_HERE = "look here"


def consult(reading: Reading, plan: ReplyPlan, judged: Judged, counsel: Counsel, pass_score: int = 90) -> Judged:
    """Judge a turn a second time where it is wanted and the judge's word can matter; else give the verdict as it is."""
    scene = Scene.of(reading)
    if counsel.kept is None and not (is_wanted(scene, counsel) and _matters(scene, judged, counsel)):
        return judged
    opinion = _kept(counsel.kept, reading) if counsel.kept is not None else _asked(scene, judged, counsel)
    if isinstance(opinion, Unheard):
        return replace(judged, second=opinion)
    if counsel.may_confirm and opinion.confirmations:
        again = verify(reading, plan, pass_score, confirmations=opinion.confirmations)
        judged = again if isinstance(again, Judged) else judged
    return _lowered(judged, opinion, reading.pack, [risk.scenario for risk in plan.risks])


def _matters(scene: Scene, judged: Judged, counsel: Counsel) -> bool:
    """Whether the judge could change anything: a pass it may lower, or only clauses it could confirm stand against."""
    if judged.passed:
        return True
    bad = [c for c in judged.claims if c.status in (Status.UNSUPPORTED, Status.CONTRADICTED)]
    only = set(judged.hard_failures) == {"fact_evidence"} and not judged.facts.false_groundings
    return counsel.may_confirm and only and len(open_clauses(scene, judged)) == len(bad)


def _kept(kept: Kept, reading: Reading) -> SecondOpinion:
    if kept.fingerprint != fingerprint(reading):
        return Unheard("the opinion was given for another text or other evidence")
    return kept.opinion


def _asked(scene: Scene, judged: Judged, counsel: Counsel) -> SecondOpinion:
    if counsel.ask is None:
        return Unheard("the judge was not asked")
    brief = brief_of(scene, judged, counsel)
    if brief is None:
        return Unheard("the draft is too long to be told")
    try:
        answer = counsel.ask(orders(scene.reading.pack), brief.told)
    except SilentError as silent:
        return Unheard(str(silent))
    return read_answer(answer, brief.clauses)


def fingerprint(reading: Reading) -> str:
    """Give the digest of what an opinion is about: the draft's text, its evidence, and the subject of the talk."""
    draft = reading.turn.draft
    citations = [(c.id, c.text, c.subject, c.withdrawn, str(c.valid_until)) for c in (draft.citations if draft else ())]
    results = [(t.id, t.status, t.subject, t.data, t.text) for t in (draft.tool_results if draft else ())]
    told = [reading.draft.text.original, reading.turn.conversation.subject, citations, results]
    return hashlib.sha256(json.dumps(told, ensure_ascii=True, default=str).encode()).hexdigest()


def _lowered(judged: Judged, heard: Heard, pack: Pack, scenes: list[str]) -> Judged:
    """Take the lower of each score, and of the confidence before and after."""
    lower = {name: _lower(measured, heard, name) for name, measured in judged.dimensions.items()}
    weighed = {name: d or Dimension(heard.scores[name].score, heard.scores[name].evidence) for name, d in lower.items()}
    sure = [c for c in (judged.confidence, confidence(pack, scenes, weighed)) if c is not None]
    least = min(sure, default=None)
    claims = tuple(_marked(claim, heard.doubts) for claim in judged.claims)
    facts = replace(judged.facts, claims=claims)
    return replace(judged, facts=facts, dimensions=lower, confidence=least, band=band(pack, least), second=heard)


def _lower(measured: Dimension | None, heard: Heard, name: str) -> Dimension | None:
    """Give the lower score with both evidences; what code could not measure stays null."""
    said = heard.scores[name]
    if measured is None or said.score >= measured.score:
        return measured
    return Dimension(round(said.score, 4), f"{measured.evidence}; the judge: {said.evidence}")


def _marked(claim: Claim, doubts: tuple[Doubt, ...]) -> Claim:
    why = [d.why for d in doubts if d.start < claim.end and claim.start < d.end]
    return replace(claim, reason=f"{claim.reason}; {LOOK_HERE}: {'; '.join(why)}") if why else claim
