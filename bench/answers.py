"""The contract's answers as strict shapes: what `evaluate`, `plan` and `read` may say, and how the parts must agree."""

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0)]


class Answer(BaseModel):
    """Base of every shape: camelCase, no unknown names, no guessing of types."""

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class RiskOut(Answer):
    scenario: str
    level: Literal["inform", "decide"]
    source: Literal["customer", "draft"]
    quote: str


class LimitsOut(Answer):
    sentences: Count
    questions: Count
    advice: Count


class PlanOut(Answer):
    """An answer of `draftgate plan`."""

    id: str
    risks: list[RiskOut]
    flags: list[str]
    requires_human: bool
    no_reply_needed: bool
    known_slots: dict[str, dict[str, Any]]
    limits: LimitsOut
    forbidden_moves: list[str]
    stage: str | None
    rules_version: str


class CheckOut(Answer):
    id: str
    passed: bool
    weight: Count
    hard: bool
    detail: Annotated[str, Field(min_length=1)]


class PlaceOut(Answer):
    id: str
    quote: str


class ClaimOut(Answer):
    quote: str
    start: Count
    end: Count
    kind: str
    status: Literal["supported", "contradicted", "unsupported", "stale", "pending"]
    reason: Annotated[str, Field(min_length=1)]
    via: Literal["read", "grounding", "judge"]
    rule_id: Annotated[str, Field(min_length=1)]
    evidence: list[PlaceOut]


class SlotOut(Answer):
    slot: str
    quote: str
    already_known: bool


class MetricsOut(Answer):
    sentence_count: Count
    question_count: Count
    advice_count: Count
    char_count: Count
    byte_count: Count


class DimensionOut(Answer):
    score: Share
    evidence: str


class FixOut(Answer):
    type: Literal[
        "ground_claim",
        "correct_value",
        "remove_claim",
        "mark_pending",
        "drop_question",
        "add_handoff",
        "set_requires_human",
        "remove_leak",
        "shorten",
        "answer_question",
    ]
    target: str
    detail: str
    check_id: str


class EvaluationOut(PlanOut):
    """An answer of `draftgate evaluate`; without a usable evaluation all of the verdict is null."""

    quality_score: Annotated[int, Field(ge=0, le=100)] | None
    quality_checks: list[CheckOut] | None
    quality_passed: bool | None
    rewrite_count: Literal[0, 1]
    fallback_reason: Literal[
        "", "quality_gate_failed", "rewrite_limit_reached", "requires_human", "quality_unavailable"
    ]
    failed_check_ids: list[str]
    hard_failure_ids: list[str]
    claims: list[ClaimOut]
    slot_questions: list[SlotOut]
    metrics: MetricsOut | None
    status: Literal["pass", "warn", "fail"] | None
    dimensions: dict[str, DimensionOut | None] | None
    confidence: Share | None
    band: Literal["high", "middle", "low"] | None
    fix_actions: list[FixOut]
    grounding_notes: list[str]
    unavailable: str | None = None

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if self.quality_checks is None:
            empty = (self.quality_score, self.quality_passed, self.status, self.metrics, self.confidence, self.band)
            if any(part is not None for part in empty) or self.fallback_reason != "quality_unavailable":
                raise ValueError("what could not be checked must be null throughout")
            return self
        failed = [c.id for c in self.quality_checks if not c.passed]
        hard = [c.id for c in self.quality_checks if not c.passed and c.hard]
        if failed != self.failed_check_ids or hard != self.hard_failure_ids:
            raise ValueError("the lists of failed checks differ from the checks")
        if self.quality_passed and hard:
            raise ValueError("passed with a failed hard check")
        backed = all(c.status in ("supported", "pending", "stale") for c in self.claims)
        if not backed and "fact_evidence" not in hard:
            raise ValueError("a claim without evidence fails no check")
        return self


class QuantityOut(Answer):
    kind: str
    value: Any
    unit: str | None
    low: int | float | None = None
    high: int | float | None = None
    approx: str | None = None
    quote: Annotated[str, Field(min_length=1)]
    start: Count
    end: Count


class ReadOut(Answer):
    """An answer of `draftgate read`."""

    id: str
    quantities: list[QuantityOut]
