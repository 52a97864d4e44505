"""What a text asks the customer for: a noun of the slot in a clause that asks, or words that ask by themselves."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from planner.lexicon import Hit
from planner.pack import Pack
from planner.reading import ReadText
from planner.slot_words import FormRow, SlotRow, SlotWords, slot_words
from planner.spelling import Spelled, spelled_clauses
from planner.text import Clause

_LISTING = "、"
# Longest clause that may borrow its question from the clause before.
_SHORT = 12


@dataclass(frozen=True, slots=True)
class SlotQuestion:
    """A slot that a text asks the customer for; `start` and `end` are the asking clause in the text's `norm`."""

    slot: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Part:
    """A clause with its slips corrected: whether it asks, may lend its asking, only looks like asking; what it names."""

    clause: Clause
    spelled: Spelled
    asks: bool
    lends: bool
    blocked: bool
    hits: tuple[Hit[SlotRow], ...]

    def question(self, hit: Hit[SlotRow]) -> SlotQuestion:
        return SlotQuestion(hit.row.slot, self.clause.start, self.clause.end)


def slot_questions(text: ReadText, pack: Pack) -> tuple[SlotQuestion, ...]:
    """Find which slots a text asks the customer for, with or without a question mark; each slot once, in order."""
    return text.once(_questions, pack)


def _questions(text: ReadText, pack: Pack) -> tuple[SlotQuestion, ...]:
    words = slot_words(pack)
    found: dict[str, SlotQuestion] = {}
    read = zip(text.clauses, spelled_clauses(text, pack), strict=True)
    for _, sentence in groupby(read, key=lambda pair: pair[0].sentence):
        clauses, spelled = zip(*sentence, strict=True)
        for question in _sentence(clauses, spelled, words):
            found.setdefault(question.slot, question)
    return tuple(sorted(found.values(), key=lambda question: question.start))


def _sentence(clauses: tuple[Clause, ...], spelled: tuple[Spelled, ...], words: SlotWords) -> Iterator[SlotQuestion]:
    forms = [[hit.row for hit in words.forms.find(text.norm)] for text in spelled]
    if not any(clause.asked or found for clause, found in zip(clauses, forms, strict=True)):
        return
    whole = "，".join(text.norm for text in spelled)
    if words.sentence_blocks.first(whole) is not None:
        return
    parts = list(_parts(clauses, spelled, forms, words))
    asked = [question for at, part in enumerate(parts) for question in _asked(part, parts[max(0, at - 1) : at + 2])]
    asked += _spanning(parts, whole, words)
    absorbed = {slot for question in asked for slot in words.absorbs.get(question.slot, ())}
    yield from (question for question in asked if question.slot not in absorbed)


def _parts(
    clauses: tuple[Clause, ...], spelled: tuple[Spelled, ...], forms: list[list[FormRow]], words: SlotWords
) -> Iterator[_Part]:
    chained = False
    for at, (clause, text) in enumerate(zip(clauses, spelled, strict=True)):
        block = words.blocks.first(text.norm)
        blocked = chained or block is not None
        chained = clause.mark == _LISTING and (chained or (block is not None and block.row.scope == "chain"))
        choice = at + 1 < len(spelled) and spelled[at + 1].norm.startswith(words.choice)
        yield _Part(
            clause=clause,
            spelled=text,
            asks=clause.asked or choice or bool(forms[at]),
            lends=any(form.lends for form in forms[at]),
            blocked=blocked,
            hits=_hits(text.norm, words),
        )


def _hits(norm: str, words: SlotWords) -> tuple[Hit[SlotRow], ...]:
    """Find what a clause names; in 三房的话面积要多大 the rooms are supposed and the area is asked for."""
    hits = (*words.asks.find(norm), *words.topics.find(norm))
    frame = words.frames.first(norm) if hits else None
    beyond = tuple(hit for hit in hits if hit.end > frame.end) if frame is not None else ()
    return beyond or hits


def _asked(part: _Part, beside: list[_Part]) -> Iterator[SlotQuestion]:
    # 麻烦您说下，预算和面积: the clause beside asks, and names nothing itself.
    lent = len(part.spelled.norm) <= _SHORT and any(
        other.lends and not other.blocked and not other.hits for other in beside if other is not part
    )
    if not part.blocked and (part.asks or lent):
        yield from (part.question(hit) for hit in part.hits)


def _spanning(parts: list[_Part], whole: str, words: SlotWords) -> Iterator[SlotQuestion]:
    """Find questions that run over a comma (三百以内的，还是三百到四百的), where no clause asks by itself."""
    for hit in words.asks.find(whole) if len(parts) > 1 else ():
        at = hit.start
        for part in parts:
            size = len(part.spelled.norm)
            if at <= size:
                if at + hit.end - hit.start > size and not part.blocked:
                    yield part.question(hit)
                break
            at -= size + 1
