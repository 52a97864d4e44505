"""plan(reading) -> ReplyPlan: the risk in a turn and what a good reply to it may be."""

from collections.abc import Mapping
from dataclasses import dataclass

from planner.playbook import UNKNOWN_STAGE, askable_slots, named_stage, stage_of
from planner.policy import Limits, Move, bounds_for, forbidden_moves, limits_for, needs_human
from planner.reading import Reading
from planner.risks import Level, Risk, find_risks
from planner.slots import known_slots
from planner.talk import flags_of, needs_no_reply
from planner.turn import Slot
from planner.version import rules_version

__all__ = ["Level", "Limits", "Move", "ReplyPlan", "Risk", "plan"]


@dataclass(frozen=True, slots=True)
class ReplyPlan:
    """What a good reply may be. `known_slots` maps canonical slot names to what is known, from any source.

    `askable` are the slots that the stage lets a reply ask for; None means any.
    """

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
    askable: frozenset[str] | None = None


def plan(reading: Reading) -> ReplyPlan:
    """Plan the reply to a turn: tag its risks, find what is known, and set the limits of a good answer.

    A stage that the turn names makes its limits; a turn that names none, or one that the pack does not have (flag
    `unknown_stage`), stands at the first and is held to the pack's manners alone.
    """
    pack, told = reading.pack, reading.turn.conversation.stage
    held, stage = named_stage(pack, told), stage_of(pack, told)
    risks, known = find_risks(reading), known_slots(reading)
    flags = _flags(reading, unknown_stage=told is not None and held is None)
    moods = [*flags, *(risk.scenario for risk in risks if risk.source == "customer")]
    bounds = (*bounds_for(moods, pack), *((held,) if held is not None else ()))
    return ReplyPlan(
        id=reading.turn.id,
        risks=risks,
        flags=flags,
        requires_human=needs_human(risks, flags, pack, held.always_human if held is not None else ()),
        no_reply_needed=needs_no_reply(reading) and not any(risk.source == "customer" for risk in risks),
        known_slots=known,
        limits=limits_for(bounds),
        forbidden_moves=forbidden_moves(bounds),
        stage=stage.id if stage is not None else None,
        rules_version=rules_version(pack),
        askable=askable_slots(held, reading, risks, known),
    )


def _flags(reading: Reading, *, unknown_stage: bool) -> tuple[str, ...]:
    found = dict.fromkeys(flag for text in reading.unanswered for flag in flags_of(text, reading.pack))
    return (*found, UNKNOWN_STAGE) if unknown_stage else tuple(found)
