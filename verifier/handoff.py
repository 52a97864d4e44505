"""Which words hand a conversation to a person: done, being done now, or only offered, put off, refused, told of others.

A mention is a pack's `handoff_verbs` row in a clause. What it says is settled by the frames around it (`handoff_frames`
rows), in a fixed order: who it is about, refusal, question, completion, condition, time, ability.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from planner.lexicon import Lexicon
from planner.pack import Pack, Row
from planner.reading import ReadText
from planner.text import Clause
from verifier.rules import Rule, phrases

# How far the rest of a sentence is looked at; chat is shorter, hostile text is not.
_NEAR = 200


class Act(StrEnum):
    """What a mention of a handoff says about it; only `done` and `now` claim one."""

    DONE = "done"
    NOW = "now"
    OFFER = "offer"
    LATER = "later"
    REFUSED = "refused"
    OTHER = "other"


class Verb(Rule):
    """Words that hand over to a person; `settled` verbs are done by their own form, `loose` ones need a word for now."""

    settled: bool = False
    loose: bool = False


class Frame(Row):
    """Words around a handoff verb that settle what is said; `where` is the stretch they are looked for in.

    `before` and `after` are the clause up to and from the verb, `earlier` the sentence before the clause, `behind` the
    sentence after it. A `firm` frame settles before completion does.
    """

    act: Act
    firm: bool = False
    where: tuple[Literal["before", "verb", "after", "earlier", "behind"], ...]


@dataclass(frozen=True, slots=True)
class Mention:
    """One mention of a handoff; `start` and `end` are offsets in the text's `norm`."""

    act: Act
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Grammar:
    verbs: Lexicon[Verb]
    frames: tuple[Frame, ...]


def _grammar(pack: Pack) -> _Grammar:
    return _Grammar(Lexicon(pack.rows("handoff_verbs", Verb)), pack.rows("handoff_frames", Frame))


def read_handoffs(read: ReadText, pack: Pack) -> tuple[Mention, ...]:
    """Find every mention of a handoff to a person in a text and settle what it says; none is the usual answer."""
    return read.once(_handoffs, pack)


def _handoffs(read: ReadText, pack: Pack) -> tuple[Mention, ...]:
    grammar = pack.derive(_grammar)
    verbs = list(grammar.verbs.candidates(read.norm))
    if not verbs:
        return ()
    return tuple(_mentions(read, verbs, grammar.frames))


def _mentions(read: ReadText, verbs: list[Verb], frames: tuple[Frame, ...]) -> Iterator[Mention]:
    held = phrases(read)
    begins = {c.sentence: c.start for c in reversed(held)}
    ends = {c.sentence: c.end for c in held}
    for number, clause in enumerate(held):
        found = _verb_in(read.norm, clause, ends[clause.sentence], verbs)
        if found is None:
            continue
        verb, start, end = found
        following = held[number + 1] if number + 1 < len(held) else None
        around = {
            "before": read.norm[clause.start : start],
            "verb": read.norm[start:end],
            "after": read.norm[end : clause.end],
            "earlier": read.norm[max(begins[clause.sentence], clause.start - _NEAR) : clause.start],
            "behind": following.text if following and following.sentence == clause.sentence else "",
        }
        yield Mention(_settle(around, clause, verb, frames), clause.start, clause.end)


def _verb_in(norm: str, clause: Clause, rest: int, verbs: list[Verb]) -> tuple[Verb, int, int] | None:
    """Find the first verb that begins in a clause; those of sentence scope may end in a later one."""
    onward = norm[clause.start : min(rest, clause.end + _NEAR)]
    for verb in verbs:
        match = verb.search(clause.text if verb.scope == "clause" else onward)
        if match is not None and match.start() < len(clause.text):
            return verb, clause.start + match.start(), clause.start + match.end()
    return None


_ORDER = (Act.OTHER, Act.REFUSED, Act.DONE, Act.OFFER, Act.LATER, Act.NOW)


def _settle(around: dict[str, str], clause: Clause, verb: Verb, frames: tuple[Frame, ...]) -> Act:
    said: dict[Act, set[str]] = {}
    for frame in frames:
        for where in frame.where:
            if around[where] and frame.search(around[where]):
                if frame.firm:
                    return frame.act
                said.setdefault(frame.act, set()).add(where)
    if verb.settled:
        said.setdefault(Act.DONE, set())
    if clause.asked and not said.keys() & {Act.OTHER, Act.REFUSED}:
        return Act.OFFER
    # Now in the clause itself outweighs a time that stands beside it (现在转给顾问，他明天联系您).
    if Act.NOW in said and "before" not in said.get(Act.LATER, ()):
        said.pop(Act.LATER, None)
    return next((act for act in _ORDER if act in said), Act.LATER if verb.loose else Act.NOW)
