"""The stored rows of the evaluation log."""

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, Index

from gateway.tables import Base, _json, _moment, _one_of, _serial, _text

STATUSES = ("pass", "warn", "fail", "unavailable")


class EvaluationRow(Base, table=True):
    """One evaluation: what was asked, how the answer scored and why, what was decided; the answer itself as a hash.

    `draft_id` is empty for a stateless evaluation, which decides nothing. Scores are 0..1, `score` is 0..100; a
    dimension that does not apply is null, and so is all of them where nothing could be judged. `judge` is `heard`, or
    `unavailable: ` with why, where a second opinion was wanted.
    """

    __tablename__ = "evaluation"
    __table_args__ = (
        _one_of("status", "status", STATUSES),
        CheckConstraint("round IN (0, 1)", name="round"),
        Index("ix_evaluation_at_seq", "at", "seq"),
        Index("ix_evaluation_conversation_id", "conversation_id"),
    )
    seq: int | None = _serial()
    at: datetime = _moment(null=False)
    task_id: str
    conversation_id: str | None = None
    draft_id: str | None = None
    account_id: str | None = None
    pack: str | None = None
    agent_id: str | None = None
    model: str | None = None
    question: str = _text()
    fingerprint: str
    round: int = 0
    status: str
    score: int | None = None
    passed: bool | None = None
    fact_support: float | None = None
    logic_consistency: float | None = None
    retrieval_coverage: float | None = None
    instruction_adherence: float | None = None
    evidence: dict[str, Any] = _json(null=False)
    confidence: float | None = None
    band: str | None = None
    judge: str | None = None
    action: str | None = None
    state: str | None = None
    fallback_reason: str | None = None
    failed: list[str] = _json(null=False)
    scenarios: list[str] = _json(null=False)
    subjects: list[str] = _json(null=False)
    sources: list[str] = _json(null=False)
    rules_version: str
