"""A turn, read once: every text of it normalised and cut, its quantities on first use.

`read_turn` is the door of the pure core. `plan(reading)` and `verify(reading, plan)` both take its result, so that no
text of a turn is analysed twice. A conversation comes back with one message more, and a passage is cited by draft after
draft: each pack remembers the short texts that it met last, under their words and the day against which they are read.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from typing import Any, TypeVar

from planner.pack import Pack
from planner.quantities import Quantity
from planner.quantities import read as read_quantities
from planner.text import Clause, Text, clauses, normalize
from planner.turn import Message, Turn

# Longest text that is judged; the contract's longest customer-facing text is far below, evidence may be a document.
MAX_TEXT = 20_000
# Texts that a pack remembers, and the longest of them: the room is bounded whatever is sent.
REMEMBERED = 1_024
MAX_REMEMBERED = 400

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

    def keep(self, build: Callable[["ReadText"], D]) -> D:
        """Read something off this text once and keep it; the key is the function itself."""
        if build not in self._kept:
            self._kept[build] = build(self)
        return self._kept[build]  # type: ignore[no-any-return]  # the key holds the type

    @functools.cached_property
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


def remembered(original: str, now: datetime, pack: Pack) -> ReadText:
    """Read one text against the day of an instant; a short one is read once and remembered by the pack."""
    if len(original) > MAX_REMEMBERED:
        return read_text(original, now)
    return pack.derive(_memory)(original, now.date())


def _memory(_pack: Pack) -> Callable[[str, date], ReadText]:
    return functools.lru_cache(maxsize=REMEMBERED)(_read_on)


def _read_on(original: str, day: date) -> ReadText:
    # Of an instant only its local day counts in a text.
    return read_text(original, datetime.combine(day, time(), UTC))


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
        return remembered(self.turn.draft.text if self.turn.draft else "", self.turn.now, self.pack)

    @functools.cached_property
    def messages(self) -> tuple[tuple[Message, ReadText], ...]:
        """Every message with its text, oldest first; dates in it are read against the moment it was written."""
        return tuple((m, remembered(m.text, m.at, self.pack)) for m in self.turn.conversation.messages)

    @functools.cached_property
    def unanswered(self) -> tuple[ReadText, ...]:
        """The customer's messages that nobody has answered yet."""
        open_ids = {id(m) for m in self.turn.conversation.unanswered}
        return tuple(text for m, text in self.messages if id(m) in open_ids)


def read_turn(turn: Turn, pack: Pack) -> Reading:
    """Read a turn with a business pack."""
    return Reading(turn, pack)
