"""Turns for the planner's tests, in one line each."""

from datetime import UTC, datetime

from planner.pack import load_pack
from planner.reading import Reading, ReadText, read_text, read_turn
from planner.turn import ChatType, Conversation, Draft, Message, Role, Slot, Turn

NOW = datetime(2026, 3, 5, 9, tzinfo=UTC)
_ROLES = {"c": Role.CUSTOMER, "a": Role.AGENT, "h": Role.HUMAN, "s": Role.SYSTEM}


def reading(
    *said: str,
    draft: str | None = None,
    pack: str = "property",
    slots: dict[str, object] | None = None,
    stage: str | None = None,
) -> Reading:
    """Read a turn; each message is `c:words` (customer), `a:` (agent), `h:` (person) or `s:` (system)."""
    messages = tuple(Message(f"m{n}", _ROLES[line[0]], line[2:], NOW) for n, line in enumerate(said))
    stored = {name: Slot(value, "profile") for name, value in (slots or {}).items()}
    talk = Conversation("c1", ChatType.PRIVATE, messages, stage=stage, slots=stored)
    return read_turn(Turn("t1", NOW, talk, Draft(draft) if draft is not None else None), load_pack(pack))


def text(words: str) -> ReadText:
    """Read one text."""
    return read_text(words, NOW)
