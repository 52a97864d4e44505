"""Cases for the checks' tables: one draft, what the customer wrote, and whatever a line needs besides."""

from datetime import UTC, datetime
from typing import Any

from planner.pack import load_pack
from planner.plan import Level, Limits, Move, ReplyPlan, Risk
from planner.reading import Reading, read_turn
from planner.turn import Action, ChatType, Citation, Conversation, Draft, Message, Role, Slot, ToolResult, Turn
from verifier.case import Case
from verifier.claims import Facts
from verifier.metrics import measure

NOW = datetime(2026, 10, 12, 10, 0, tzinfo=UTC)


def reading_of(
    draft: str,
    asked: str = "",
    *,
    pack: str = "property",
    requires_human: bool = False,
    handoff: str = "",
    sources: tuple[str, ...] = (),
    tools: tuple[ToolResult, ...] = (),
    history: tuple[tuple[str, str], ...] = (),
) -> Reading:
    """Read a turn: `history` is (role, text) before the customer's `asked`."""
    said = [*history, *([("customer", asked)] if asked else [])]
    messages = tuple(Message(f"m{n}", Role(role), text, NOW) for n, (role, text) in enumerate(said))
    turn = Turn(
        "t",
        NOW,
        Conversation("c", ChatType.PRIVATE, messages),
        Draft(
            draft,
            requires_human,
            citations=tuple(Citation(f"c{n}", text) for n, text in enumerate(sources, 1)),
            tool_results=tools,
            actions=(Action("handoff", handoff),) if handoff else (),
        ),
    )
    return read_turn(turn, load_pack(pack))


def plan_of(
    *,
    human: str = "",
    slots: dict[str, Any] | None = None,
    limits: tuple[int, int, int] = (3, 1, 1),
    moves: tuple[Move, ...] = tuple(Move),
) -> ReplyPlan:
    """A plan; `human` is the scenario that requires a person."""
    risks = (Risk(human, Level.DECIDE, "customer", "…"),) if human else ()
    known = {name: Slot(value, "conversation") for name, value in (slots or {}).items()}
    return ReplyPlan("t", risks, (), bool(human), False, known, Limits(*limits), moves, None, "test")


def case_of(
    draft: str, asked: str = "", *, plan: ReplyPlan | None = None, facts: Facts | None = None, **given: Any
) -> Case:
    """Build a Case from a reading without running the fact check."""
    reading = reading_of(draft, asked, **given)
    held = reading.turn.draft
    assert held is not None
    metrics = measure(reading.draft, reading.pack, ())
    return Case(reading, held, plan or plan_of(), facts or Facts(), (), (), metrics)
