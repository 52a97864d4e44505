"""A turn, read once: every text of it normalised and cut, its quantities on first use.

`read_turn` is the door of the pure core. `plan(reading)` and `verify(reading, plan)` both take its result, so that no
text of a turn is analysed twice.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from planner.pack import Pack
from planner.quantities import Quantity
from planner.quantities import read as read_quantities
from planner.text import Clause, Text, clauses, normalize
from planner.turn import Message, Turn

# Longest text that is judged; the contract's longest customer-facing text is far below, evidence may be a document.
MAX_TEXT = 20_000

D = TypeVar("D")


@dataclass(frozen=True)
class ReadText:
    """One normalised text with its clauses and, on first use, its quantities; spans are offsets in `text.norm`."""

    text: Text
    now: datetime
    _kept: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def once(self, build: Callable[["ReadText", Pack], D], pack: Pack) -> D:
        """Read something off this text with a pack once and keep it; the key is the function itself."""
        key = (build, pack)
        if key not in self._kept:
            self._kept[key] = build(self, pack)
        return self._kept[key]  # type: ignore[no-any-return]  # the key holds the type

    @property
    def norm(self) -> str:
        """The normalised words."""
        return self.text.norm

    @functools.cached_property
    def clauses(self) -> tuple[Clause, ...]:
        """The clauses in order."""
        return clauses(self.text)

    @functools.cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """The quantities in order, relative dates against the moment of the text."""
        return read_quantities(self.text, self.now)


def read_text(original: str, now: datetime) -> ReadText:
    """Read one text against an instant."""
    return ReadText(normalize(original), now)


@dataclass(frozen=True, eq=False)
class Reading:
    """A turn together with its pack and its read texts; `messages` is aligned with `turn.conversation.messages`.

    Two readings are never equal: what is derived from one may be remembered under it.
    """

    turn: Turn
    pack: Pack

    @functools.cached_property
    def draft(self) -> ReadText:
        """The draft's text; empty when the turn has no draft."""
        return read_text(self.turn.draft.text if self.turn.draft else "", self.turn.now)

    @functools.cached_property
    def messages(self) -> tuple[tuple[Message, ReadText], ...]:
        """Every message with its text, oldest first; dates in it are read against the moment it was written."""
        return tuple((m, read_text(m.text, m.at)) for m in self.turn.conversation.messages)

    @functools.cached_property
    def unanswered(self) -> tuple[ReadText, ...]:
        """The customer's messages that nobody has answered yet."""
        open_ids = {id(m) for m in self.turn.conversation.unanswered}
        return tuple(text for m, text in self.messages if id(m) in open_ids)


def read_turn(turn: Turn, pack: Pack) -> Reading:
    """Read a turn with a business pack."""
    return Reading(turn, pack)
