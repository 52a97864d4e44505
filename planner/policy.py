"""What a pack allows: whether a risk needs a person, how long a reply may be, what it must not do, and at which stage."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from planner.pack import Pack
from planner.risks import Level, Risk

_UNREADABLE = "unreadable_message"
_ALWAYS = "always"
# In a list of scenarios: every reply, whatever it is about.
ANY = "*"
Count = Annotated[int, Field(ge=0, le=100)]


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


class Bounds(_Entry):
    """What a reply must keep to; absent limits stay as they are."""

    forbid: tuple[Move, ...] = ()
    sentences: Count | None = None
    questions: Count | None = None
    advice: Count | None = None


class Manners(Bounds):
    """What a reply must keep to when `when` (a scenario, a flag, or `always`) holds."""

    id: str
    when: str


def needs_human(risks: Iterable[Risk], flags: Iterable[str], pack: Pack, strict: Collection[str] = ()) -> bool:
    """Whether a person must take over; a scenario without a policy needs one (fail closed).

    Of the scenarios in `strict` nothing is answered without one, whatever the pack allows; `*` is every reply.
    """
    policies = {row.id: row.human for row in pack.rows("scenarios", ScenarioPolicy)} | dict.fromkeys(strict, _ALWAYS)
    return (
        _UNREADABLE in flags
        or ANY in strict
        or any(risk.level is Level.DECIDE or policies.get(risk.scenario, _ALWAYS) == _ALWAYS for risk in risks)
    )


def bounds_for(moods: Iterable[str], pack: Pack) -> tuple[Bounds, ...]:
    """Give every row of manners that always holds or whose `when` is among the moods."""
    holding = {_ALWAYS, *moods}
    return tuple(row for row in pack.rows("manners", Manners) if row.when in holding)


def limits_for(bounds: Collection[Bounds]) -> Limits:
    """Give the limits of a reply: the smallest of all."""
    return Limits(
        sentences=min((row.sentences for row in bounds if row.sentences is not None), default=4),
        questions=min((row.questions for row in bounds if row.questions is not None), default=2),
        advice=min((row.advice for row in bounds if row.advice is not None), default=2),
    )


def forbidden_moves(bounds: Iterable[Bounds]) -> tuple[Move, ...]:
    """Give what the reply must not do, each move once, in the contract's order."""
    forbidden = {move for row in bounds for move in row.forbid}
    return tuple(move for move in Move if move in forbidden)
