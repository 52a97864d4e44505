"""Plan, verify and record one turn: what `/v1/evaluate`, the command line and the flow all call."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import structlog

from gateway.contract import evaluation_record
from gateway.jsonio import InputError
from gateway.judge_record import judge_record
from gateway.packs import PackShelf
from planner.plan import Limits, ReplyPlan, plan
from planner.reading import Reading, read_turn
from planner.turn import ChatType, Conversation, Draft, Message, Role, Turn
from verifier.advice import Likeness, advise
from verifier.counsel import Counsel, Unheard
from verifier.handoff import Act, read_handoffs
from verifier.second_opinion import consult
from verifier.verdict import Judged, Unavailable, Verdict
from verifier.verify import verify

SHELF = PackShelf()
NO_RULES = "unavailable"
log = structlog.get_logger(__name__)


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
        record = evaluation_record(
            self.plan,
            self.verdict,
            draft_requires_human=self.draft_requires_human,
            rewrite_count=rewrite_count,
            fallback_reason=fallback_reason,
        )
        judge = judge_record(self.reading, self.verdict) if isinstance(self.verdict, Judged) else None
        return record if judge is None else record | {"judge": judge}


def plan_turn(turn: Turn, shelf: PackShelf = SHELF) -> ReplyPlan:
    """Plan a turn with its own pack, else the default. Raises InputError for an unknown pack."""
    return plan(read_turn(turn, shelf.get(turn.pack)))


def evaluate_turn(
    turn: Turn,
    shelf: PackShelf = SHELF,
    pass_score: int = 90,
    likeness: Likeness | None = None,
    counsel: Counsel | None = None,
) -> Evaluated:
    """Plan and verify a turn that has a draft.

    With a `counsel`, a judge may give a second opinion; with a `likeness`, a pass may be marked for a person to look at.
    Raises InputError for an unknown pack or a missing draft.
    """
    if turn.draft is None:
        raise InputError("draft", "is missing")
    reading = read_turn(turn, shelf.get(turn.pack))
    try:
        reply_plan = plan(reading)
    except Exception:  # fail closed: what cannot be planned goes to a person, whatever the reason
        log.exception("plan_failed", turn=turn.id)
        return Evaluated(reading, _no_plan(turn), Unavailable("the turn could not be planned", NO_RULES))
    verdict = verify(reading, reply_plan, pass_score)
    if counsel is not None and isinstance(verdict, Judged):
        verdict = _consulted(reading, reply_plan, verdict, counsel, pass_score)
    if likeness is not None and isinstance(verdict, Judged):
        verdict = advise(verdict, reading.pack, likeness)
    return Evaluated(reading, reply_plan, verdict)


def _consulted(reading: Reading, reply_plan: ReplyPlan, judged: Judged, counsel: Counsel, pass_score: int) -> Judged:
    try:
        verdict = consult(reading, reply_plan, judged, counsel, pass_score)
    except Exception:  # fail closed: an opinion that breaks the reading of it is none
        log.exception("judge_failed", turn=reading.turn.id)
        return replace(judged, second=Unheard("the second opinion could not be used"))
    if counsel.ask is not None and isinstance(verdict.second, Unheard):
        log.warning("judge_unavailable", turn=reading.turn.id, reason=verdict.second.reason)
    return verdict


def warm_up(shelf: PackShelf) -> None:
    """Judge one harmless turn with every pack: a broken pack stops the start, and the first customer need not wait.

    Raises PackError.
    """
    for name in shelf.names():
        now = datetime(2026, 1, 1, tzinfo=UTC)
        said = Message("m", Role.CUSTOMER, "你好，3室的有吗", now)
        turn = Turn("warm-up", now, Conversation("c", ChatType.PRIVATE, (said,)), Draft("您好，我帮您看看。"), name)
        reading = read_turn(turn, shelf.get(name))
        verify(reading, plan(reading))


def _no_plan(turn: Turn) -> ReplyPlan:
    return ReplyPlan(turn.id, (), ("plan_unavailable",), True, False, {}, Limits(0, 0, 0), (), None, NO_RULES)


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
