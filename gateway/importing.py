"""Import drafts of an earlier system as history: fields that they lack stay null, nothing is inferred or evaluated."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from gateway import drafts
from gateway.contract import quality_fields
from gateway.errors import Conflict
from gateway.jsonio import InputError, parse_json
from gateway.tables import ConversationRow, DraftRow
from gateway.tx import Tx

KNOWN = frozenset(
    {
        "id",
        "conversationId",
        "text",
        "state",
        "createdAt",
        "agentId",
        "model",
        "qualityScore",
        "qualityChecks",
        "qualityPassed",
        "rewriteCount",
        "fallbackReason",
    }
)
STATES = ("sent", "sent_partial", "send_failed", "rejected", "superseded", "expired", "no_reply")


def import_line(tx: Tx, raw: bytes) -> dict[str, Any]:
    """Store one old draft; answers its id and the five frozen fields as they were stored.

    Raises InputError that names the field, Conflict for a known id or an unknown conversation.
    """
    row = parse_json(raw)
    if not isinstance(row, dict):
        raise InputError("body", "must be an object")
    for name in row:
        if name not in KNOWN:
            raise InputError(name, "unknown field")
    fields = quality_fields(row)
    draft_id, conversation = _text(row, "id"), _text(row, "conversationId")
    state, created = row.get("state", "sent"), _moment(row)
    if state not in STATES:
        raise InputError("state", f"must be one of {', '.join(STATES)}: old drafts are history")
    if tx.one(ConversationRow, id=conversation) is None:
        raise Conflict("unknown_conversation", f"register {conversation!r} first", field="conversationId")
    if tx.one(DraftRow, id=draft_id) is not None:
        raise Conflict("draft_exists", f"{draft_id!r} is stored", field="id")
    tx.add(
        DraftRow,
        id=draft_id,
        conversation_id=conversation,
        agent_id=row.get("agentId"),
        model=row.get("model"),
        state=state,
        mode="review",
        action="hold",
        hold_reasons=[],
        scenarios=[],
        quality_score=fields["qualityScore"],
        quality_checks=fields["qualityChecks"],
        quality_passed=fields["qualityPassed"],
        rewrite_count=fields["rewriteCount"],
        fallback_reason=fields["fallbackReason"],
        created_at=created,
        updated_at=tx.now,
    )
    seq = drafts.add_text(
        tx, draft_id, version=1, kind="first", text=_text(row, "text"), author=row.get("agentId") or "import"
    )
    tx.change(DraftRow, {"id": draft_id}, text_seq=seq)
    tx.audit("import", "imported", draft_id=draft_id, conversation_id=conversation)
    return {"id": draft_id, **fields}


def _text(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    if not isinstance(value, str) or not value:
        raise InputError(name, "must be a text" if name in row else "is missing")
    return value


def _moment(row: Mapping[str, Any]) -> datetime:
    try:
        moment = datetime.fromisoformat(_text(row, "createdAt"))
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError("createdAt", "must be an RFC 3339 moment") from error
    if moment.tzinfo is None:
        raise InputError("createdAt", "must have an offset")
    return moment
