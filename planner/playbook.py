"""The playbook of a pack: stages of a sale, what may be asked in each, and when a silent customer is written to."""

from pydantic import BaseModel, ConfigDict, Field

from planner.pack import Pack


class FollowUp(BaseModel):
    """One touch: `after_hours` since our last words, `ask` tells the agent what the draft is for."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    after_hours: float = Field(alias="afterHours", gt=0, lt=48)
    ask: str


class Stage(BaseModel):
    """One stage: its goal in words, the slots that may be asked for (empty: any), the follow-ups in order."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    id: str
    goal: str
    slots: tuple[str, ...] = ()
    follow_ups: tuple[FollowUp, ...] = Field((), alias="followUps")


def stage_of(pack: Pack, name: str | None) -> Stage | None:
    """Give a pack's stage by name, its first stage for None or an unknown name; None without a playbook."""
    stages = pack.rows("stagePlaybook", Stage)
    return next((stage for stage in stages if stage.id == name), stages[0] if stages else None)
