"""The contract: wire shapes in, domain values through, flat camelCase records out."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from gateway.jsonio import InputError, parse_json
from gateway.wire import ConversationIn, DraftIn, TurnIn
from planner.plan import ReplyPlan
from planner.quantities import Quantity
from planner.text import Text
from planner.turn import (
    Action,
    ChatType,
    Citation,
    Conversation,
    Draft,
    Grounding,
    Message,
    Role,
    Slot,
    ToolResult,
    Turn,
)
from verifier.verdict import Judged, Unavailable, Verdict

FROZEN = ("qualityScore", "qualityChecks", "qualityPassed", "rewriteCount", "fallbackReason")
M = TypeVar("M", bound=BaseModel)
D = TypeVar("D")


def parse(model: type[M], raw: bytes, **limit: int) -> M:
    """Read a body as one of the wire shapes.

    Raises InputError with the path of the first offending field in the caller's spelling.
    """
    parse_json(raw, **limit)
    try:
        return model.model_validate_json(raw)
    except ValidationError as error:
        raise _bad_input(error) from error


def _bad_input(error: ValidationError) -> InputError:
    first = error.errors(include_url=False, include_input=False)[0]
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"]).lstrip(".")
    known = {"extra_forbidden": "unknown field", "missing": "is missing"}
    return InputError(path or "body", known.get(first["type"], first["msg"].removeprefix("Value error, ")))


def _same(kind: type[D], wire: BaseModel) -> D:
    return kind(**{name: getattr(wire, name) for name in type(wire).model_fields})


def to_draft(wire: DraftIn) -> Draft:
    """Turn a wire draft into the domain value."""
    fields = {name: getattr(wire, name) for name in DraftIn.model_fields}
    fields["citations"] = tuple(_same(Citation, c) for c in wire.citations)
    fields["tool_results"] = tuple(_same(ToolResult, t) for t in wire.tool_results)
    fields["grounding"] = tuple(_same(Grounding, g) for g in wire.grounding)
    fields["actions"] = tuple(_same(Action, a) for a in wire.actions)
    return Draft(**fields)


def to_conversation(wire: ConversationIn) -> Conversation:
    """Turn a wire conversation into the domain value."""
    return Conversation(
        id=wire.id,
        chat_type=ChatType(wire.chat_type),
        messages=tuple(Message(m.id, Role(m.role), m.text, m.at, m.agent_id) for m in wire.messages),
        subject=wire.subject,
        stage=wire.stage,
        slots={name: Slot(s.value, s.source, s.at) for name, s in wire.slots.items()},
    )


def to_turn(wire: TurnIn, now: datetime) -> Turn:
    """Turn a wire turn into the domain value; `now` stands in where the turn names none."""
    draft = to_draft(wire.draft) if wire.draft is not None else None
    return Turn(wire.id, wire.now or now, to_conversation(wire.conversation), draft, wire.pack)


def plan_record(plan: ReplyPlan) -> dict[str, Any]:
    """Write a plan as the contract's flat object."""
    return {
        "id": plan.id,
        "risks": [
            {"scenario": r.scenario, "level": str(r.level), "source": r.source, "quote": r.quote} for r in plan.risks
        ],
        "flags": list(plan.flags),
        "requiresHuman": plan.requires_human,
        "noReplyNeeded": plan.no_reply_needed,
        "knownSlots": {name: slot_record(slot) for name, slot in plan.known_slots.items()},
        "limits": {
            "sentences": plan.limits.sentences,
            "questions": plan.limits.questions,
            "advice": plan.limits.advice,
        },
        "forbiddenMoves": [str(move) for move in plan.forbidden_moves],
        "stage": plan.stage,
        "rulesVersion": plan.rules_version,
    }


def slot_record(slot: Slot) -> dict[str, Any]:
    """Write a known slot."""
    record: dict[str, Any] = {"value": slot.value, "source": slot.source}
    if slot.at is not None:
        record["at"] = slot.at.isoformat()
    return record


def quality_checks(verdict: Verdict) -> list[dict[str, Any]] | None:
    """Write the checks in the frozen shape, or None when nothing could be checked."""
    if isinstance(verdict, Unavailable):
        return None
    return [
        {"id": r.id, "passed": r.passed, "weight": r.weight, "hard": r.hard, "detail": r.finding.detail}
        for r in verdict.results
    ]


def evaluation_record(
    plan: ReplyPlan, verdict: Verdict, *, draft_requires_human: bool, rewrite_count: int, fallback_reason: str
) -> dict[str, Any]:
    """Write plan and verdict as the contract's flat evaluation object (section 3)."""
    record = plan_record(plan)
    judged = verdict if isinstance(verdict, Judged) else None
    record |= {
        "qualityScore": judged.score if judged else None,
        "qualityChecks": quality_checks(verdict),
        "qualityPassed": judged.passed if judged else None,
        "rewriteCount": rewrite_count,
        "fallbackReason": fallback_reason,
        "requiresHuman": judged.requires_human if judged else plan.requires_human or draft_requires_human,
        "rulesVersion": verdict.rules_version,
    }
    record |= _judged_fields(judged)
    if isinstance(verdict, Unavailable):
        record["unavailable"] = verdict.reason
    return record


def _judged_fields(judged: Judged | None) -> dict[str, Any]:
    if judged is None:
        empty: dict[str, Any] = {"failedCheckIds": [], "hardFailureIds": [], "claims": [], "slotQuestions": []}
        nothing = ("metrics", "status", "dimensions", "confidence", "band")
        return empty | dict.fromkeys(nothing) | {"fixActions": [], "groundingNotes": []}
    metrics = judged.metrics
    return {
        "failedCheckIds": list(judged.failed),
        "hardFailureIds": list(judged.hard_failures),
        "claims": [
            {
                "quote": c.quote,
                "start": c.start,
                "end": c.end,
                "kind": c.kind,
                "status": str(c.status),
                "reason": c.reason,
                "via": str(c.via),
                "ruleId": c.rule_id,
                "evidence": [{"id": e.id, "quote": e.quote} for e in c.evidence],
            }
            for c in judged.claims
        ],
        "slotQuestions": [
            {"slot": q.slot, "quote": q.quote, "alreadyKnown": q.already_known} for q in judged.slot_questions
        ],
        "metrics": {
            "sentenceCount": metrics.sentences,
            "questionCount": metrics.questions,
            "adviceCount": metrics.advice,
            "charCount": metrics.chars,
            "byteCount": metrics.bytes,
        },
        "status": judged.status,
        "dimensions": {
            name: None if d is None else {"evidence": d.evidence, "score": d.score}
            for name, d in judged.dimensions.items()
        },
        "confidence": judged.confidence,
        "band": judged.band,
        "fixActions": [
            {"type": f.type, "target": f.target, "detail": f.detail, "checkId": f.check_id} for f in judged.fix_actions
        ],
        "groundingNotes": list(judged.facts.notes),
    }


def quality_fields(record: Mapping[str, Any]) -> dict[str, Any]:
    """Give the five frozen fields of a stored or imported record; absent ones are None, nothing is inferred.

    Raises InputError that names a field of the wrong type.
    """
    fields = {name: record.get(name) for name in FROZEN}
    score, rewrites = fields["qualityScore"], fields["rewriteCount"]
    if score is not None and (not isinstance(score, int) or isinstance(score, bool) or not 0 <= score <= 100):
        raise InputError("qualityScore", "must be an integer from 0 to 100, or null")
    if fields["qualityPassed"] is not None and not isinstance(fields["qualityPassed"], bool):
        raise InputError("qualityPassed", "must be true, false or null")
    if rewrites is not None and (isinstance(rewrites, bool) or rewrites not in (0, 1)):
        raise InputError("rewriteCount", "must be 0, 1 or null")
    if fields["fallbackReason"] is not None and fields["fallbackReason"] not in FALLBACKS:
        raise InputError("fallbackReason", f"must be one of {sorted(FALLBACKS)} or null")
    _check_rows(fields["qualityChecks"])
    return fields


FALLBACKS = frozenset({"", "quality_gate_failed", "rewrite_limit_reached", "requires_human", "quality_unavailable"})
_CHECK_SHAPE: dict[str, type] = {"id": str, "passed": bool, "weight": int, "hard": bool, "detail": str}


def _check_rows(rows: Any) -> None:
    if rows is None:
        return
    if not isinstance(rows, list):
        raise InputError("qualityChecks", "must be a list or null")
    for number, row in enumerate(rows):
        if not isinstance(row, dict) or set(row) != set(_CHECK_SHAPE):
            raise InputError(f"qualityChecks[{number}]", f"must have exactly {', '.join(_CHECK_SHAPE)}")
        for name, kind in _CHECK_SHAPE.items():
            if type(row[name]) is not kind:
                raise InputError(f"qualityChecks[{number}].{name}", f"must be {kind.__name__}")


def quantity_record(text: Text, quantity: Quantity) -> dict[str, Any]:
    """Write one quantity; numbers as JSON numbers, spans in code points of the original text."""
    start, end = text.span(quantity.start, quantity.end)
    record: dict[str, Any] = {"kind": quantity.kind, "value": _number(quantity.value), "unit": quantity.unit}
    for name in ("low", "high", "approx"):
        value = getattr(quantity, name)
        if value is not None:
            record[name] = _number(value)
    return record | {"quote": quantity.quote, "start": start, "end": end}


def _number(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_number(v) for v in value]
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return value
