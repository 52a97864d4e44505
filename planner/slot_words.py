"""The slots of a pack as data: their names, their nouns, and how one asks for them and gives them."""

import re
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict

from planner.lexicon import Lexicon
from planner.pack import Pack, Row


class SlotDef(BaseModel):
    """A slot by its canonical name, and the names under which callers may store it.

    A short message after the question for the slot is its answer when it matches `answer` (empty: whatever it says).
    Where a sentence asks for the slot, words of the slots that it `absorbs` are details of it (the old car's mileage).
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    id: str
    aliases: tuple[str, ...] = ()
    absorbs: tuple[str, ...] = ()
    answer: str = ""


class SlotRow(Row):
    """Words of one slot: a noun of it, or a question for it.

    A `weak` row (an amount, without a word for what) counts only where the sentence asks for nothing else.
    """

    slot: str
    weak: bool = False


class DetailRow(SlotRow):
    """A question that needs more than what was given, unless what is known matches `given`."""

    given: str = ""


class ValueRow(Row):
    """Words by which a customer gives a slot; `wide` rows are looked for in the whole message."""

    slot: str
    wide: bool = False


class OthersRow(Row):
    """Words that speak of somebody else's purchase."""


class DropRow(Row):
    """Words that take a value back."""


class DropAllRow(Row):
    """Words that take all values back."""


class FormRow(Row):
    """A way to ask; one that `lends` (麻烦您说下) may stand in the clause beside the one that names the slot."""

    lends: bool = False


class BlockRow(Row):
    """Words that look like asking and are not.

    `scope`: the clause alone; the whole sentence; or a chain (the clause and those that are listed behind it).
    """

    scope: Literal["clause", "sentence", "chain"] = "clause"


@dataclass(frozen=True)
class SlotWords:
    """Everything about slots that a pack says, compiled once."""

    names: dict[str, str]
    choice: tuple[str, ...]
    absorbs: dict[str, frozenset[str]]
    answers: dict[str, re.Pattern[str]]
    topics: Lexicon[SlotRow]
    asks: Lexicon[SlotRow]
    details: Lexicon[DetailRow]
    values: Lexicon[ValueRow]
    # What is heard in one clause of the customer: values, other people, and what is taken back.
    heard: Lexicon[Row]
    wide_values: Lexicon[ValueRow]
    forms: Lexicon[FormRow]
    frames: Lexicon[Row]
    blocks: Lexicon[BlockRow]
    sentence_blocks: Lexicon[BlockRow]
    dropped: Lexicon[Row]
    other_asked: Lexicon[Row]
    failed: Lexicon[Row]
    nothing: Lexicon[Row]
    indifferent: Lexicon[Row]


def slot_words(pack: Pack) -> SlotWords:
    """Give the slot words of a pack."""
    return pack.derive(_build)


def _build(pack: Pack) -> SlotWords:
    slots = pack.rows("slots", SlotDef)
    more: dict[str, list[str]] = pack.sections.get("slot_aliases") or {}
    values = pack.rows("slot_values", ValueRow)
    blocks = pack.rows("ask_blocks", BlockRow)
    dropped = pack.rows("slot_dropped", DropRow)
    return SlotWords(
        names={alias.lower(): slot.id for slot in slots for alias in (slot.id, *slot.aliases, *more.get(slot.id, ()))},
        choice=tuple((pack.sections.get("terms") or {}).get("choice") or ()),
        absorbs={slot.id: frozenset(slot.absorbs) for slot in slots if slot.absorbs},
        answers={slot.id: re.compile(slot.answer) for slot in slots},
        topics=Lexicon(pack.rows("slot_topics", SlotRow)),
        asks=Lexicon(pack.rows("slot_asks", SlotRow)),
        details=Lexicon(pack.rows("slot_details", DetailRow)),
        values=Lexicon(row for row in values if not row.wide),
        heard=Lexicon(
            [
                *pack.rows("slot_others", OthersRow),
                *pack.rows("slot_all_dropped", DropAllRow),
                *dropped,
                *(row for row in values if not row.wide),
            ]
        ),
        wide_values=Lexicon(row for row in values if row.wide),
        forms=Lexicon(pack.rows("ask_forms", FormRow)),
        frames=Lexicon(pack.rows("ask_frames", Row)),
        blocks=Lexicon(row for row in blocks if row.scope != "sentence"),
        sentence_blocks=Lexicon(row for row in blocks if row.scope == "sentence"),
        dropped=Lexicon(dropped),
        other_asked=Lexicon(pack.rows("slot_other_asked", Row)),
        failed=Lexicon(pack.rows("search_failed", Row)),
        nothing=Lexicon(pack.rows("no_answer", Row)),
        indifferent=Lexicon(pack.rows("no_preference", Row)),
    )
