"""plan(reading) -> ReplyPlan: the risk in a turn and what a good reply to it may be."""

from collections.abc import Mapping
from dataclasses import dataclass

from planner.playbook import stage_of
from planner.policy import Limits, Move, forbidden_moves, limits_for, needs_human
from planner.reading import Reading
from planner.risks import Level, Risk, find_risks
from planner.slots import known_slots
from planner.talk import flags_of, needs_no_reply
from planner.turn import Slot
from planner.version import code_version

__all__ = ["Level", "Limits", "Move", "ReplyPlan", "Risk", "plan"]


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
    pack = reading.pack
    risks = find_risks(reading)
    flags = tuple(dict.fromkeys(flag for text in reading.unanswered for flag in flags_of(text, pack)))
    moods = [*flags, *(risk.scenario for risk in risks if risk.source == "customer")]
    stage = stage_of(pack, reading.turn.conversation.stage)
    return ReplyPlan(
        id=reading.turn.id,
        risks=risks,
        flags=flags,
        requires_human=needs_human(risks, flags, pack),
        no_reply_needed=needs_no_reply(reading) and not any(risk.source == "customer" for risk in risks),
        known_slots=known_slots(reading),
        limits=limits_for(moods, pack),
        forbidden_moves=forbidden_moves(moods, pack),
        stage=stage.id if stage is not None else None,
        rules_version=f"{code_version()}+{pack.digest}",
    )
