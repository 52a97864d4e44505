"""What a pack allows: whether a risk needs a person, how long a reply may be, what it must not do, and at which stage."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict

from planner.pack import Pack
from planner.risks import Level, Risk

_UNREADABLE = "unreadable_message"
_ALWAYS = "always"


class Move(StrEnum):
    """What a reply may be forbidden to do; the closed list of the contract."""

    LECTURE = "lecture"
    OVER_EXPLAIN = "over_explain"
    PREMATURE_ADVICE = "premature_advice"
    INTENSE_FLIRT = "intense_flirt"
    DIAGNOSE_USER = "diagnose_user"
    TAKE_SIDES_AGGRESSIVELY = "take_sides_aggressively"
    PRESSURE_TO_DISCLOSE = "pressure_to_disclose"
    PROMISE_REAL_WORLD_ACTION = "promise_real_world_action"
    ASK_FOR_MORE_DETAIL = "ask_for_more_detail"
    ASK_MULTIPLE_SLOTS = "ask_multiple_slots"
    RECOMMEND_LISTING = "recommend_listing"
    CLAIM_TO_BE_HUMAN = "claim_to_be_human"
    AGREE = "agree"
    EXPLAIN_HOW = "explain_how"


@dataclass(frozen=True, slots=True)
class Limits:
    """How many sentences, questions and pieces of advice a reply may have."""

    sentences: int
    questions: int
    advice: int


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class ScenarioPolicy(_Entry):
    """A scenario and whether it needs a person: `always`, or only at level `decide`."""

    id: str
    human: Literal["always", "decide"] = "always"
    scene: str = ""


class Manners(_Entry):
    """What a reply must keep to when `when` (a scenario, a flag, or `always`) holds; absent limits stay as they are."""

    id: str
    when: str
    forbid: tuple[Move, ...] = ()
    sentences: int | None = None
    questions: int | None = None
    advice: int | None = None


def needs_human(risks: Iterable[Risk], flags: Iterable[str], pack: Pack) -> bool:
    """Whether a person must take over; a scenario without a policy needs one (fail closed)."""
    policies = {row.id: row.human for row in pack.rows("scenarios", ScenarioPolicy)}
    return _UNREADABLE in flags or any(
        risk.level is Level.DECIDE or policies.get(risk.scenario, "always") == "always" for risk in risks
    )


def limits_for(moods: Iterable[str], pack: Pack) -> Limits:
    """Give the limits of a reply: the smallest of every row of manners whose `when` is among the moods."""
    rows = _manners(moods, pack)
    return Limits(
        sentences=min((row.sentences for row in rows if row.sentences is not None), default=4),
        questions=min((row.questions for row in rows if row.questions is not None), default=2),
        advice=min((row.advice for row in rows if row.advice is not None), default=2),
    )


def forbidden_moves(moods: Iterable[str], pack: Pack) -> tuple[Move, ...]:
    """Give what the reply must not do, each move once, in the contract's order."""
    forbidden = {move for row in _manners(moods, pack) for move in row.forbid}
    return tuple(move for move in Move if move in forbidden)


def _manners(moods: Iterable[str], pack: Pack) -> list[Manners]:
    holding = {_ALWAYS, *moods}
    return [row for row in pack.rows("manners", Manners) if row.when in holding]
