"""Plan, verify and record one turn: what `/v1/evaluate`, the command line and the flow all call."""

from dataclasses import dataclass
from typing import Any

from gateway.contract import evaluation_record
from gateway.jsonio import InputError
from gateway.packs import PackShelf
from planner.plan import ReplyPlan, plan
from planner.reading import Reading, read_turn
from planner.turn import Turn
from verifier.handoff import Act, read_handoffs
from verifier.verdict import Judged, Verdict
from verifier.verify import verify

SHELF = PackShelf()


@dataclass(frozen=True, slots=True)
class Evaluated:
    """A turn's plan and verdict."""

    reading: Reading
    plan: ReplyPlan
    verdict: Verdict

    @property
    def turn(self) -> Turn:
        """The turn that was judged."""
        return self.reading.turn

    @property
    def claims_handoff(self) -> bool:
        """Whether the draft says that a person takes over, as done or as being done now."""
        mentions = read_handoffs(self.reading.draft, self.reading.pack)
        return any(m.act in (Act.DONE, Act.NOW) for m in mentions)

    @property
    def draft_requires_human(self) -> bool:
        """The agent's own word that a person must take over."""
        return self.turn.draft is not None and self.turn.draft.requires_human

    def record(self, *, rewrite_count: int, fallback_reason: str) -> dict[str, Any]:
        """Write the evaluation as the contract's flat object."""
        return evaluation_record(
            self.plan,
            self.verdict,
            draft_requires_human=self.draft_requires_human,
            rewrite_count=rewrite_count,
            fallback_reason=fallback_reason,
        )


def plan_turn(turn: Turn, shelf: PackShelf = SHELF) -> ReplyPlan:
    """Plan a turn with its own pack, else the default. Raises InputError for an unknown pack."""
    return plan(read_turn(turn, shelf.get(turn.pack)))


def evaluate_turn(turn: Turn, shelf: PackShelf = SHELF, pass_score: int = 90) -> Evaluated:
    """Plan and verify a turn that has a draft. Raises InputError for an unknown pack or a missing draft."""
    if turn.draft is None:
        raise InputError("draft", "is missing")
    reading = read_turn(turn, shelf.get(turn.pack))
    reply_plan = plan(reading)
    return Evaluated(reading, reply_plan, verify(reading, reply_plan, pass_score))


def stateless_record(evaluated: Evaluated) -> dict[str, Any]:
    """Write the evaluation of a turn that no store knows: no rewrite was used, no mode applies."""
    verdict = evaluated.verdict
    if not isinstance(verdict, Judged):
        reason = "quality_unavailable"
    elif not verdict.passed:
        reason = "quality_gate_failed"
    else:
        reason = "requires_human" if verdict.requires_human else ""
    return evaluated.record(rewrite_count=0, fallback_reason=reason)
