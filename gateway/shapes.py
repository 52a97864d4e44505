"""The contract's answer to an evaluation as typed shapes: what `/v1/evaluate/schema` is made from.

The answers themselves are written by `gateway.contract`; a test holds them to these shapes.
"""

from typing import Annotated, Any, Literal

from pydantic import Field

from gateway.contract import FALLBACKS
from gateway.gate import BANDS
from gateway.wire import Wire
from planner.policy import Move
from planner.risks import Level
from verifier.claims import Status, Via
from verifier.fixes import TYPES
from verifier.registry import CHECKS

Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0)]
Score = Annotated[int, Field(ge=0, le=100)]
CheckId = Annotated[str, Field(json_schema_extra={"enum": [check.id for check in CHECKS]})]
FixType = Annotated[str, Field(json_schema_extra={"enum": sorted(TYPES)})]
Band = Annotated[str, Field(json_schema_extra={"enum": list(BANDS)})]
Fallback = Annotated[str, Field(json_schema_extra={"enum": sorted(FALLBACKS - {"quality_unavailable"})})]


class Shape(Wire):
    """Base of every answered shape: as strict as what is read, and no name beside those told."""


class RiskShape(Shape):
    """A tagged scenario with the words that triggered it; scenarios are the pack's."""

    scenario: str
    level: Level
    source: Literal["customer", "draft"]
    quote: str


class KnownSlotShape(Shape):
    """What is known about the customer; `at` is there only where it was told."""

    value: Any
    source: str
    at: Annotated[str, Field(json_schema_extra={"format": "date-time"})] = ""


class LimitsShape(Shape):
    """How much a good reply may hold."""

    sentences: Count
    questions: Count
    advice: Count


class QualityCheckShape(Shape):
    """One of the fourteen checks."""

    id: CheckId
    passed: bool
    weight: Count
    hard: bool
    detail: str


class LocatedShape(Shape):
    """A passage found in a source."""

    id: str
    quote: str


class ClaimShape(Shape):
    """One asserted fact; `start` and `end` count code points of the draft's text."""

    quote: str
    start: Count
    end: Count
    kind: str
    status: Status
    reason: str
    via: Via
    rule_id: str
    evidence: list[LocatedShape]


class SlotQuestionShape(Shape):
    """What the draft asks the customer for."""

    slot: str
    quote: str
    already_known: bool


class MetricsShape(Shape):
    """Counts of the draft; bytes are UTF-8."""

    sentence_count: Count
    question_count: Count
    advice_count: Count
    char_count: Count
    byte_count: Count


class DimensionShape(Shape):
    """A score with the evidence that it was computed from, evidence first."""

    evidence: str
    score: Share


class DimensionsShape(Shape):
    """The four dimensions; null is one that does not apply."""

    fact_support: DimensionShape | None
    logic_consistency: DimensionShape | None
    retrieval_coverage: DimensionShape | None
    instruction_adherence: DimensionShape | None


class FixActionShape(Shape):
    """One concrete step for the rewrite."""

    type: FixType
    target: str
    detail: str
    check_id: CheckId


class PlanShape(Shape):
    """The plan's fields, which every evaluation has."""

    id: str
    risks: list[RiskShape]
    flags: list[str]
    requires_human: bool
    no_reply_needed: bool
    known_slots: dict[str, KnownSlotShape]
    limits: LimitsShape
    forbidden_moves: list[Move]
    stage: str | None
    rules_version: str
    rewrite_count: Literal[0, 1]


class JudgeScoreShape(Shape):
    """What the judge gave one dimension, evidence first."""

    evidence: str
    score: Share


class JudgeScoresShape(Shape):
    """The judge's scores."""

    fact_support: JudgeScoreShape
    logic_consistency: JudgeScoreShape
    retrieval_coverage: JudgeScoreShape
    instruction_adherence: JudgeScoreShape


class DoubtShape(Shape):
    """A clause at which a person should look; `start` and `end` count code points of the draft's text."""

    start: Count
    end: Count
    quote: str
    why: str


class ConfirmedShape(Shape):
    """What the judge found in a source; `accepted`: code found it there too, and the clause counts as supported."""

    start: Count
    end: Count
    quote: str
    source: str
    source_quote: str
    accepted: bool


class JudgeHeardShape(Shape):
    """A second opinion; `fingerprint` is the digest of the text and evidence for which it was given."""

    state: Literal["heard"]
    scores: JudgeScoresShape
    doubts: list[DoubtShape]
    confirmed: list[ConfirmedShape]
    fingerprint: str


class JudgeSilentShape(Shape):
    """The judge was wanted and gave no usable opinion."""

    state: Literal["unavailable"]
    reason: str
    fingerprint: str


class JudgedShape(PlanShape):
    """A usable evaluation."""

    quality_score: Score
    quality_checks: Annotated[list[QualityCheckShape], Field(min_length=len(CHECKS), max_length=len(CHECKS))]
    quality_passed: bool
    fallback_reason: Fallback
    failed_check_ids: list[CheckId]
    hard_failure_ids: list[CheckId]
    claims: list[ClaimShape]
    slot_questions: list[SlotQuestionShape]
    metrics: MetricsShape
    status: Literal["pass", "warn", "fail"]
    dimensions: DimensionsShape
    confidence: Share | None
    band: Band | None
    fix_actions: list[FixActionShape]
    grounding_notes: list[str]
    judge: Annotated[JudgeHeardShape | JudgeSilentShape, Field(default_factory=dict)]


class UnavailableShape(PlanShape):
    """No usable evaluation: what was not judged is null, never 0, empty or false."""

    quality_score: None
    quality_checks: None
    quality_passed: None
    fallback_reason: Literal["quality_unavailable"]
    failed_check_ids: Annotated[list[CheckId], Field(max_length=0)]
    hard_failure_ids: Annotated[list[CheckId], Field(max_length=0)]
    claims: Annotated[list[ClaimShape], Field(max_length=0)]
    slot_questions: Annotated[list[SlotQuestionShape], Field(max_length=0)]
    metrics: None
    status: None
    dimensions: None
    confidence: None
    band: None
    fix_actions: Annotated[list[FixActionShape], Field(max_length=0)]
    grounding_notes: Annotated[list[str], Field(max_length=0)]
    unavailable: str


class ErrorShape(Shape):
    """What is wrong with a field."""

    field: str
    message: str


class RefusedTurnShape(Shape):
    """One of several turns that could not be read; `id` is the caller's, as far as it can be told."""

    id: Any
    error: ErrorShape


class ResultsShape(Shape):
    """The answer to several turns, in their order."""

    results: list[JudgedShape | UnavailableShape | RefusedTurnShape]
