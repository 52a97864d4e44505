"""Short ways to write a turn with evidence for the fact tests."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from planner.pack import load_pack
from planner.reading import Reading, read_turn
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

NOW = datetime(2026, 5, 20, 10, 0, tzinfo=timezone(timedelta(hours=8)))


def cite(text: str, **fields: Any) -> Citation:
    return Citation(id=fields.pop("id", "c1"), text=text, **fields)


def tool(data: Any, **fields: Any) -> ToolResult:
    return ToolResult(
        id=fields.pop("id", "t1"),
        tool=fields.pop("tool", "listing_detail"),
        status=fields.pop("status", "ok"),
        data=data,
        **fields,
    )


def turn(
    draft: str,
    *evidence: Citation | ToolResult,
    asked: str | tuple[str, ...] = "",
    before: tuple[tuple[str, str], ...] = (),
    subject: str | None = None,
    pack: str = "property",
    actions: tuple[Action, ...] = (),
    grounding: tuple[Grounding, ...] = (),
    slots: dict[str, Any] | None = None,
) -> Reading:
    """A private chat: `before` as (role, text), then what the customer asked, then the draft."""
    lines = [*before, *(("customer", q) for q in ((asked,) if isinstance(asked, str) else asked) if q)]
    messages = tuple(Message(f"m{i}", Role(role), text, NOW.astimezone(UTC)) for i, (role, text) in enumerate(lines))
    known = {name: Slot(value, "conversation") for name, value in (slots or {}).items()}
    return read_turn(
        Turn(
            "t",
            NOW,
            Conversation("c", ChatType.PRIVATE, messages, subject, None, known),
            Draft(
                draft,
                citations=tuple(e for e in evidence if isinstance(e, Citation)),
                tool_results=tuple(e for e in evidence if isinstance(e, ToolResult)),
                actions=actions,
                grounding=grounding,
            ),
        ),
        load_pack(pack),
    )
