"""verify(reading, plan) -> Verdict: run every registered check over one Case."""

from planner.plan import ReplyPlan
from planner.reading import Reading
from verifier.verdict import Verdict


def verify(reading: Reading, reply_plan: ReplyPlan, pass_score: int = 90) -> Verdict:
    """Judge a draft against its turn and plan; anything that cannot be checked makes the verdict Unavailable."""
    raise NotImplementedError
