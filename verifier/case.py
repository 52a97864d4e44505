"""The Case: everything that a check may read about one draft, computed once and frozen."""

import functools
from dataclasses import dataclass

from planner.pack import Pack
from planner.plan import ReplyPlan
from planner.reading import Reading, ReadText
from planner.turn import Draft
from verifier.claims import Facts
from verifier.consistency import Contradiction
from verifier.contacts import digits_of
from verifier.handoff import Act, Mention, read_handoffs
from verifier.verdict import Metrics, SlotAsk


@dataclass(frozen=True)
class Case:
    """One draft with its turn, plan, facts, slot questions and counts; `draft` is the turn's draft, never absent."""

    reading: Reading
    draft: Draft
    plan: ReplyPlan
    facts: Facts
    contradictions: tuple[Contradiction, ...]
    asks: tuple[SlotAsk, ...]
    metrics: Metrics

    @property
    def pack(self) -> Pack:
        """The turn's business pack."""
        return self.reading.pack

    @property
    def read(self) -> ReadText:
        """The draft's text, read."""
        return self.reading.draft

    @functools.cached_property
    def customer_norm(self) -> str:
        """Everything that the customer wrote in this conversation, normalised, one message per line."""
        mine = {id(m) for m, _ in self.reading.messages if m.role == "customer"}
        return "\n".join(text.norm for m, text in self.reading.messages if id(m) in mine)

    @functools.cached_property
    def open_norm(self) -> str:
        """What the customer wrote since the last answer, normalised, one message per line."""
        return "\n".join(text.norm for text in self.reading.unanswered)

    @functools.cached_property
    def handoffs(self) -> tuple[Mention, ...]:
        """Every mention of a handoff in the draft, with what it says about it."""
        return read_handoffs(self.read, self.pack)

    @property
    def handoff_claimed(self) -> bool:
        """Whether the draft says that a person takes over, as done or as being done now."""
        return any(m.act in (Act.DONE, Act.NOW) for m in self.handoffs)

    def quote(self, start: int, end: int) -> str:
        """Give the draft's original words under a span of its `norm`."""
        return self.read.text.quote(start, end).strip()

    @functools.cached_property
    def own_words(self) -> str:
        """What the customer is known to have said about themselves: their messages and the known slots, normalised."""
        slots = (str(slot.value).lower() for slot in self.plan.known_slots.values())
        return "\n".join((self.customer_norm, *slots))

    @functools.cached_property
    def own_digits(self) -> str:
        """The digits of `own_words`, spelled ones too."""
        return digits_of(self.own_words)
