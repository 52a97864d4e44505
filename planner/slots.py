"""Slots: what is known about a customer, and what a text asks them for."""

from collections.abc import Mapping
from dataclasses import dataclass

from planner.pack import Pack
from planner.reading import Reading, ReadText
from planner.turn import Slot


@dataclass(frozen=True, slots=True)
class SlotQuestion:
    """A slot that a text asks the customer for; `start` and `end` are offsets in the text's `norm`."""

    slot: str
    start: int
    end: int


def known_slots(reading: Reading) -> Mapping[str, Slot]:
    """Find what is known: the stored slots under their canonical names, then what the customer said anywhere.

    A value that the customer withdrew, or that belongs to another person's purchase, is not known.
    """
    raise NotImplementedError


def slot_questions(text: ReadText, pack: Pack) -> tuple[SlotQuestion, ...]:
    """Find which slots a text asks the customer for, with or without a question mark."""
    raise NotImplementedError


def asks_again(reading: Reading, question: SlotQuestion, known: Mapping[str, Slot]) -> bool:
    """Whether a question of the draft asks for what is already known, without a legitimate reason to ask again.

    Legitimate: a failed search, a change of mind, a needed detail of a vague value, another person's purchase, a
    confirmation that repeats the value.
    """
    raise NotImplementedError
