"""plan(reading) -> ReplyPlan: the risk in a turn and what a good reply to it may be."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from planner.reading import Reading
from planner.turn import Slot


class Level(StrEnum):
    """`inform` asks for a fact; `decide` bargains, commits, disputes or books."""

    INFORM = "inform"
    DECIDE = "decide"


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
class Risk:
    """One tagged scenario; `source` is `customer` or `draft`, `quote` the original words that triggered it."""

    scenario: str
    level: Level
    source: str
    quote: str


@dataclass(frozen=True, slots=True)
class Limits:
    """How many sentences, questions and pieces of advice a reply may have."""

    sentences: int
    questions: int
    advice: int


@dataclass(frozen=True, slots=True)
class ReplyPlan:
    """What a good reply may be. `known_slots` maps canonical slot names to what is known, from any source."""

    id: str
    risks: tuple[Risk, ...]
    flags: tuple[str, ...]
    requires_human: bool
    no_reply_needed: bool
    known_slots: Mapping[str, Slot]
    limits: Limits
    forbidden_moves: tuple[Move, ...]
    stage: str | None
    rules_version: str


def plan(reading: Reading) -> ReplyPlan:
    """Plan the reply to a turn: tag its risks, find what is known, and set the limits of a good answer."""
    raise NotImplementedError
