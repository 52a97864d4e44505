"""decide(): the ordered table of contract section 4. Pure; the modes differ only in its last row."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from planner.plan import ReplyPlan
from planner.turn import ChatType
from verifier.counsel import Unheard
from verifier.verdict import Judged, Verdict


class Mode(StrEnum):
    """How far an account or a conversation trusts its agent."""

    REVIEW = "review"
    AUTO = "auto"
    AUTOPILOT = "autopilot"


class Action(StrEnum):
    """What the gate tells the gateway to do with a draft."""

    SEND = "send"
    REWRITE = "rewrite"
    HOLD = "hold"
    NO_REPLY = "no_reply"


STATE_AFTER = {
    Action.SEND: "queued",
    Action.REWRITE: "awaiting_rewrite",
    Action.HOLD: "held",
    Action.NO_REPLY: "no_reply",
}
BANDS = ("low", "middle", "high")


@dataclass(frozen=True, slots=True)
class Situation:
    """What the gateway knows besides the text.

    `rewrite_used`: the moment's one rewrite arrived, errored or timed out. `rewrite_spent`: an earlier draft of the
    same moment used it. `being_edited`: a person is writing in the conversation. `unanswered`: a customer message
    waits for an answer. `min_band`: setting, None is off. `judge_required`: setting, a judge that was wanted must have been
    heard.
    """

    mode: Mode
    chat_type: ChatType
    rewrite_used: bool = False
    human_owns: bool = False
    being_edited: bool = False
    stale: bool = False
    already_answered: bool = False
    rewrite_spent: bool = False
    unanswered: bool = True
    min_band: str | None = None
    judge_required: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """An action with the frozen `fallback_reason` and the causes of holding beside it."""

    action: Action
    fallback_reason: str
    hold_reasons: tuple[str, ...] = ()

    @property
    def state(self) -> str:
        """The draft state that the action leads to."""
        return STATE_AFTER[self.action]


def decide(  # noqa: PLR0911  # one return per row of the table
    plan: ReplyPlan, verdict: Verdict, situation: Situation, *, draft_requires_human: bool
) -> Decision:
    """Decide what happens to a draft: rows 1 to 8, the first that applies."""
    if not isinstance(verdict, Judged):
        return Decision(Action.HOLD, "quality_unavailable", tuple(_blockers(situation)))
    needs_human = verdict.requires_human or plan.requires_human or draft_requires_human
    by_verdict = _by_verdict(verdict, needs_human=needs_human, rewrite_used=situation.rewrite_used)
    if plan.no_reply_needed and not (plan.requires_human or plan.risks or draft_requires_human):
        return Decision(Action.NO_REPLY, by_verdict)
    if blockers := tuple(_blockers(situation)):
        return Decision(Action.HOLD, by_verdict, blockers)
    if not verdict.passed:
        return Decision(Action.HOLD if situation.rewrite_used else Action.REWRITE, by_verdict)
    if needs_human:
        return Decision(Action.HOLD, by_verdict)
    if reasons := tuple(_by_policy(verdict, situation)):
        return Decision(Action.HOLD, "", reasons)
    return Decision(Action.SEND, "")


def _by_verdict(verdict: Judged, *, needs_human: bool, rewrite_used: bool) -> str:
    if not verdict.passed:
        return "rewrite_limit_reached" if rewrite_used else "quality_gate_failed"
    return "requires_human" if needs_human else ""


def _blockers(situation: Situation) -> Iterator[str]:
    """Row 3: what makes a draft wait for a person whatever its quality."""
    if situation.human_owns:
        yield "human_owns"
    if situation.being_edited:
        yield "being_edited"
    if situation.stale:
        yield "stale"
    if situation.already_answered:
        yield "already_answered"
    if situation.rewrite_spent:
        yield "rewrite_spent"


def _by_policy(verdict: Judged, situation: Situation) -> Iterator[str]:
    """Rows 7 and 8: why a passed draft that needs nobody is held all the same."""
    if situation.chat_type is not ChatType.PRIVATE:
        yield "group_chat"
    if situation.min_band is not None and not _reaches(verdict.band, situation.min_band):
        yield "low_band"
    if situation.judge_required and isinstance(verdict.second, Unheard):
        yield "judge_unavailable"
    if situation.mode is Mode.REVIEW:
        yield "review_mode"
    elif situation.mode is Mode.AUTO and not situation.unanswered:
        yield "proactive"


def _reaches(band: str | None, least: str) -> bool:
    return band in BANDS and BANDS.index(band) >= BANDS.index(least)
