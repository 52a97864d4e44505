"""What a text asks the customer for: a noun of the slot in a clause that asks, or words that ask by themselves.

Where no row knows the wording of a question, the pack's slot leanings may; and they doubt a row whose word stands in a
sentence that is like no question for that slot.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from planner.leanings import slot_leanings
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

    def question(self, hit: Hit[SlotRow]) -> "_Asked":
        return _Asked(SlotQuestion(hit.row.slot, self.clause.start, self.clause.end), hit.row.weak)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question that a row found; a weak one gives way to any other."""

    question: SlotQuestion
    weak: bool


def slot_questions(text: ReadText, pack: Pack) -> tuple[SlotQuestion, ...]:
    """Find which slots a text asks the customer for, with or without a question mark; each slot once, in order."""
    return text.once(_questions, pack)


def _questions(text: ReadText, pack: Pack) -> tuple[SlotQuestion, ...]:
    words = slot_words(pack)
    sentences = [sentence for sentence in _sentences(text, pack, words) if sentence.may_ask(words)]
    asked = [question for sentence in sentences for question in sentence.questions(text.norm, pack, words)]
    if not asked:
        asked = [question for sentence in sentences for question in sentence.leans(pack)]
    found: dict[str, SlotQuestion] = {}
    for question in asked:
        found.setdefault(question.slot, question)
    return tuple(sorted(found.values(), key=lambda question: question.start))


@dataclass(frozen=True, slots=True)
class _Sentence:
    """The parts of one sentence, and all its words."""

    parts: tuple[_Part, ...]

    @property
    def whole(self) -> str:
        return "，".join(part.spelled.norm for part in self.parts)

    def may_ask(self, words: SlotWords) -> bool:
        return any(part.asks for part in self.parts) and words.sentence_blocks.first(self.whole) is None

    def questions(self, norm: str, pack: Pack, words: SlotWords) -> list[SlotQuestion]:
        """Find what the rows know to be asked; what the second reader doubts, and details of another slot, are left out."""
        parts = self.parts
        asked = [
            found
            for at, (part, listed) in enumerate(zip(parts, _listed(parts), strict=True))
            for found in _asked(part, parts[max(0, at - 1) : at + 2], listed=listed)
        ]
        asked += _spanning(parts, self.whole, words)
        firm = [found.question for found in asked if not found.weak] or [found.question for found in asked]
        absorbed = {slot for question in firm for slot in words.absorbs.get(question.slot, ())}
        return [
            question
            for question in firm
            if question.slot not in absorbed
            and not (
                slot_leanings(self.whole, pack).doubted(question.slot)
                and slot_leanings(norm[question.start : question.end], pack).doubted(question.slot)
            )
        ]

    def leans(self, pack: Pack) -> Iterator[SlotQuestion]:
        """Ask the second reader about a sentence that asks something."""
        part = next((part for part in self.parts if part.asks and not part.blocked), None)
        if part is not None and not any(other.blocked and other.hits for other in self.parts):
            for slot in slot_leanings(self.whole, pack).leaning:
                yield SlotQuestion(slot, part.clause.start, part.clause.end)


def _sentences(text: ReadText, pack: Pack, words: SlotWords) -> Iterator[_Sentence]:
    read = zip(text.clauses, spelled_clauses(text, pack), strict=True)
    for _, sentence in groupby(read, key=lambda pair: pair[0].sentence):
        clauses, spelled = zip(*sentence, strict=True)
        forms = [[hit.row for hit in words.forms.find(part.norm)] for part in spelled]
        # Most sentences ask nothing: they are put aside before anything else is looked for.
        if any(clause.asked or found for clause, found in zip(clauses, forms, strict=True)):
            yield _Sentence(tuple(_parts(clauses, spelled, forms, words)))


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


def _asked(part: _Part, beside: Sequence[_Part], *, listed: bool) -> Iterator[_Asked]:
    # 麻烦您说下，预算和面积: the clause beside asks, and names nothing itself.
    lent = len(part.spelled.norm) <= _SHORT and any(
        other.lends and not other.blocked and not other.hits for other in beside if other is not part
    )
    if not part.blocked and (part.asks or lent or listed):
        yield from (part.question(hit) for hit in part.hits)


def _listed(parts: Sequence[_Part]) -> list[bool]:
    """Say which parts are items of a list whose end asks (区域、户型、总价您说一下)."""
    found: list[bool] = []
    asked = False
    for part in reversed(parts):
        item = part.clause.mark == _LISTING and asked and len(part.spelled.norm) <= _SHORT
        asked = not part.blocked and (part.asks or item)
        found.append(item)
    return found[::-1]


def _spanning(parts: Sequence[_Part], whole: str, words: SlotWords) -> Iterator[_Asked]:
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
