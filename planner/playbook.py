"""The playbook of a pack: stages of a sale, what a reply may be in each, and when a silent customer is written to."""

from collections.abc import Collection

from pydantic import BaseModel, ConfigDict, Field

from planner.pack import Pack
from planner.policy import Bounds
from planner.reading import Reading
from planner.risks import Risk
from planner.slot_words import slot_words
from planner.spelling import spelled_whole

# The flag of a turn that names a stage which its pack does not have.
UNKNOWN_STAGE = "unknown_stage"


class FollowUp(BaseModel):
    """One touch: `after_hours` since our last words, `ask` tells the agent what the draft is for."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    after_hours: float = Field(alias="afterHours", gt=0, lt=48)
    ask: str


class Stage(Bounds):
    """One stage: what people call it, its goal in words, the slots that may be asked for (None: any), the follow-ups.

    Its limits and forbidden moves join those of the pack's manners. A stage only makes stricter: the scenarios in
    `always_human` need a person here even for a question of fact; `*` means every reply.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    id: str
    name: str = ""
    goal: str
    slots: tuple[str, ...] | None = None
    always_human: tuple[str, ...] = Field((), alias="alwaysHuman")
    follow_ups: tuple[FollowUp, ...] = Field((), alias="followUps")


def stages(pack: Pack) -> tuple[Stage, ...]:
    """Give the stages of a pack in order; empty without a playbook."""
    return pack.rows("stagePlaybook", Stage)


def named_stage(pack: Pack, name: str | None) -> Stage | None:
    """Give the stage of this name, None when the pack has none."""
    return next((stage for stage in stages(pack) if stage.id == name), None)


def stage_of(pack: Pack, name: str | None) -> Stage | None:
    """Give a pack's stage by name, its first stage for None or an unknown name; None without a playbook."""
    return named_stage(pack, name) or next(iter(stages(pack)), None)


def askable_slots(
    stage: Stage | None, reading: Reading, risks: Collection[Risk], known: Collection[str]
) -> frozenset[str] | None:
    """Give the slots that a reply at this stage may ask for; None means any.

    Beside the stage's own: what the customer speaks of now, what a tagged scenario wants to know, and details of what
    is known; whoever asks to see a home may be asked for the time, whatever the stage.
    """
    if stage is None or stage.slots is None:
        return None
    topics = slot_words(reading.pack).topics
    spoken = {
        hit.row.slot for text in reading.unanswered for hit in topics.find(spelled_whole(text, reading.pack).norm)
    }
    scenarios = {risk.scenario for risk in risks}
    booking: dict[str, str] = reading.pack.sections.get("slot_scenarios") or {}
    wanted = {slot for slot, scenario in booking.items() if scenario in scenarios}
    return frozenset({*stage.slots, *spoken, *wanted, *known})
