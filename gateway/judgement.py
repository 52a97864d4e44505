"""The judgement: what was found out about a text, what the gate makes of it, and how both are written down."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from gateway.evaluate import Evaluated
from gateway.gate import Action, Decision
from gateway.tx import Tx


@dataclass(frozen=True, slots=True)
class Judgement:
    """An evaluated text with its decision; `record` is the evaluation as it is stored and answered."""

    evaluated: Evaluated
    decision: Decision
    record: Mapping[str, Any]

    @property
    def why(self) -> str:
        """What the gate decided and its causes, for the audit."""
        told = (str(self.decision.action), self.decision.fallback_reason, *self.decision.hold_reasons)
        return ", ".join(part for part in told if part)

    @property
    def needs_person(self) -> bool:
        """Whether the turn itself, and nothing else, is why a person must decide."""
        held = self.decision.action is Action.HOLD and not self.decision.hold_reasons
        return held and self.decision.fallback_reason == "requires_human"

    def standing(self, tx: Tx) -> dict[str, Any]:
        """Give the columns of a draft that follow from the judgement; its state is not among them."""
        return {
            "action": str(self.decision.action),
            "hold_reasons": list(self.decision.hold_reasons),
            "quality_score": self.record["qualityScore"],
            "quality_checks": self.record["qualityChecks"],
            "quality_passed": self.record["qualityPassed"],
            "rewrite_count": self.record["rewriteCount"],
            "fallback_reason": self.decision.fallback_reason,
            "scenarios": sorted({r.scenario for r in self.evaluated.plan.risks}),
            "deadline_at": self._deadline(tx),
        }

    def _deadline(self, tx: Tx) -> datetime | None:
        if self.decision.action is Action.REWRITE:
            return tx.now + timedelta(seconds=tx.settings.rewrite_seconds)
        return approval_deadline(tx) if self.decision.action is Action.HOLD else None


def approval_deadline(tx: Tx) -> datetime:
    """Give the moment at which a draft that is held now expires."""
    return tx.now + timedelta(minutes=tx.settings.approval_minutes)
