"""What is known about a customer, from stored slots and from everything they said, and whether a question repeats it."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from planner.lexicon import Hit
from planner.pack import Pack, Row
from planner.reading import Reading, ReadText
from planner.slot_questions import SlotQuestion, slot_questions
from planner.slot_words import DetailRow, DropAllRow, DropRow, OthersRow, SlotWords, ValueRow, slot_words
from planner.spelling import spelled_clauses, spelled_whole
from planner.talk import asks, only_agrees, only_confirms
from planner.turn import Message, Role, Slot

# Longest message that is read as the answer to the question before it, when it names no value by itself.
_LONGEST_ANSWER = 24
# Longest message that says nothing but its answer.
_BARE_ANSWER = 8
# Shortest run of characters by which a withdrawn value is recognised.
_SHARED = re.compile(r"\d{2,}|[一二两三四五六七八九十百千万]{2,}|[a-z]{3,}|[\u4e00-\u9fff]{2}")


def known_slots(reading: Reading) -> Mapping[str, Slot]:
    """Find what is known: the stored slots under their canonical names, then what the customer said anywhere.

    A value that the customer withdrew, or that belongs to another person's purchase, is not known. The value of a slot
    found in the conversation is the customer's own words for it.
    """
    words = slot_words(reading.pack)
    memory = _Memory(words, reading.pack)
    for name, slot in reading.turn.conversation.slots.items():
        if slot.value not in (None, "", [], {}):
            memory.known[words.names.get(name.lower(), name)] = slot
    for message, text in reading.messages:
        if message.role is Role.CUSTOMER:
            memory.hear(message, text)
        elif message.role is not Role.SYSTEM:
            memory.ask(text)
    return memory.known


@dataclass
class _Memory:
    """Walks through a conversation once; holds what is known so far and our words that nobody has answered yet."""

    words: SlotWords
    pack: Pack
    known: dict[str, Slot] = field(default_factory=dict)
    pending: list[ReadText] = field(default_factory=list)
    newest: str | None = None

    def ask(self, text: ReadText) -> None:
        self.pending.append(text)

    def hear(self, message: Message, text: ReadText) -> None:
        found = self._values(text)
        # Only a short message can be an answer, so only then the questions before it need to be read.
        asked = self._asked() if self._may_answer(text, found) else set()
        if asked and len(text.norm) <= _BARE_ANSWER:
            # A bare number after a question for the down payment is no budget.
            named = {hit.row.slot for hit in self.words.topics.find(spelled_whole(text, self.pack).norm)}
            found = {slot: quote for slot, quote in found.items() if slot in named or slot in asked}
        given = {**self._answers(text, asked, found), **self._agreed(text), **found}
        for slot, quote in given.items():
            self.known[slot] = Slot(quote, "conversation", message.at)
            self.newest = slot
        if given or len(text.norm) > _LONGEST_ANSWER:
            self.pending = []

    def _may_answer(self, text: ReadText, found: Mapping[str, str]) -> bool:
        """Whether what was asked before can matter to a message, before the questions are looked for."""
        if not self.pending or len(text.norm) > _LONGEST_ANSWER:
            return False
        return bool(found) or self._indifferent(text) or not self._evades(text)

    def _evades(self, text: ReadText) -> bool:
        """Whether a message that names no value gives nothing: it asks back, refuses, takes back or merely hums."""
        # 嗯 answers 老房子卖吗, but not 您贵姓.
        hums = only_confirms(text, self.pack) and not _YES_OR_NO.search(self.pending[-1].norm)
        return hums or asks(text, self.pack) or text.once(_gives_nothing, self.pack)

    def _indifferent(self, text: ReadText) -> bool:
        return text.once(_is_indifferent, self.pack)

    def _asked(self) -> set[str]:
        return {question.slot for text in self.pending for question in slot_questions(text, self.pack)}

    def _values(self, text: ReadText) -> dict[str, str]:
        """Read a message clause by clause: what is given, what is taken back, and of whom it speaks."""
        found: dict[str, str] = {}
        of_others = False
        heard, wide = text.once(_heard, self.pack)
        for at, (clause, spelled) in enumerate(zip(text.clauses, spelled_clauses(text, self.pack), strict=True)):
            hits = heard[at]
            of_others = (of_others or _has(hits, OthersRow)) and not _SELF.search(spelled.norm)
            if _has(hits, DropAllRow):
                self.known.clear()
                found.clear()
            elif _has(hits, DropRow):
                self._drop(spelled.norm, found)
            elif not of_others:
                quote = text.text.quote(clause.start, clause.end)
                for slot in {hit.row.slot for hit in hits if isinstance(hit.row, ValueRow)}:
                    found[slot] = f"{found[slot]}，{quote}" if slot in found else quote
        if not of_others:
            for slot in wide:
                found.setdefault(slot, text.text.original)
        return found

    def _drop(self, norm: str, found: dict[str, str]) -> None:
        named = {hit.row.slot for hit in self.words.topics.find(norm)}
        named |= {slot for slot, value in self.known.items() if _share(norm, str(value.value))}
        if not named and self.newest is not None:
            named = {self.newest}
        for slot in named:
            self.known.pop(slot, None)
            found.pop(slot, None)

    def _answers(self, text: ReadText, asked: set[str], found: Mapping[str, str]) -> dict[str, str]:
        """Take a short message as the answer to what was asked, unless it asks back or gives nothing."""
        if not asked or asked & set(found):
            return {}
        if self._indifferent(text):
            return dict.fromkeys(asked, text.text.original)
        if found or self._evades(text):
            return {}
        whole = spelled_whole(text, self.pack).norm
        return {slot: text.text.original for slot in asked if self.words.answers[slot].search(whole)}

    def _agreed(self, text: ReadText) -> dict[str, str]:
        """Take the value that the agent repeated back when the customer says yes to it."""
        last = self.pending[-1] if self.pending else None
        if last is None or not only_agrees(text, self.pack) or not asks(last, self.pack):
            return {}
        return {
            hit.row.slot: last.text.quote(clause.start, clause.end)
            for clause, spelled in zip(last.clauses, spelled_clauses(last, self.pack), strict=True)
            for hit in self.words.values.find(_TAG.sub("", spelled.norm))
        }


def _heard(text: ReadText, pack: Pack) -> tuple[list[tuple[Hit[Row], ...]], list[str]]:
    """Look up what each clause of a message gives or takes back, and the slots that the whole gives."""
    words = slot_words(pack)
    clauses = [tuple(words.heard.find(spelled.norm)) for spelled in spelled_clauses(text, pack)]
    return clauses, [hit.row.slot for hit in words.wide_values.find(spelled_whole(text, pack).norm)]


def _is_indifferent(text: ReadText, pack: Pack) -> bool:
    return slot_words(pack).indifferent.first(spelled_whole(text, pack).norm) is not None


def _gives_nothing(text: ReadText, pack: Pack) -> bool:
    whole, words = spelled_whole(text, pack).norm, slot_words(pack)
    return words.nothing.first(whole) is not None or words.dropped.first(whole) is not None


def _has(hits: Iterable[Hit[Row]], kind: type[Row]) -> bool:
    return any(isinstance(hit.row, kind) for hit in hits)


_SELF = re.compile(
    "我自己|自己也|我也想|我也要|轮到我|现在我|我是|我要|我想|\\bmyself\\b|\\bfor me\\b|\\bi'm\\b|\\bi want\\b"
)
_YES_OR_NO = re.compile(
    "(?:吗|么|嘛|不|没|没有|吧|\\b(?:is|are|do|does|have|will|would|can)\\b[^?]{1,60})[?？~～。!！]{0,3}$"
)
_TAG = re.compile("(?:对吧|是吧|对不对|没错吧|对吗|是吗|对么)$")


def _share(norm: str, value: str) -> bool:
    return any(piece.group() in value for piece in _SHARED.finditer(norm))


def asks_again(reading: Reading, question: SlotQuestion, known: Mapping[str, Slot]) -> bool:
    """Whether a question of the draft asks for what is already known, without a legitimate reason to ask again.

    Legitimate: a failed search, a change of mind, a needed detail of a vague value, another person's purchase, a question
    that sets out from the value (周六下午两点还是四点), repeats its number, or lets choose between what was given.
    """
    slot = known.get(question.slot)
    if slot is None:
        return False
    words = slot_words(reading.pack)
    if _explained(reading, words):
        return False
    asking = _sentence_around(reading.draft, question, reading.pack)
    if words.other_asked.first(asking) is not None:
        return False
    value = str(slot.value).lower()
    if _sets_out_from(reading.draft.norm[question.start : question.end], value, words) or _repeats(asking, value):
        return False
    rows = (hit.row for hit in words.details.find(asking) if hit.row.slot == question.slot)
    return not _needs_detail(rows, value)


# What a question supposes, and how it goes on from there.
_BASIS = re.compile(
    "^(?:那|好的?|嗯)?(?:您|你)?(.{2,8}?)(?:的话|这笔|那笔|这块|具体|[上下中]午|里头?|[一二两三四五六七八九十0-9]{1,2}点)"
)
_CHOICE = re.compile("([一-龥a-z0-9]{2})(?:的)?还是(?:是|要|看)?([一-龥a-z0-9]{2})")
_NUMBER = re.compile(r"(?<!\d)\d{2,5}(?!\d)")


def _sets_out_from(asking: str, value: str, words: SlotWords) -> bool:
    basis = _BASIS.match(asking)
    return basis is not None and basis[1] in value and basis[1] not in words.names


def _repeats(asking: str, value: str) -> bool:
    known = set(_NUMBER.findall(value))
    choice = _CHOICE.search(asking)
    chosen = choice is not None and re.search(f"{choice[1]}.?[和或跟与、]{choice[2]}", value) is not None
    return chosen or any(number in known for number in _NUMBER.findall(asking))


def _needs_detail(rows: Iterable[DetailRow], value: str) -> bool:
    return any(not row.given or re.search(row.given, value) is None for row in rows)


def _explained(reading: Reading, words: SlotWords) -> bool:
    """Whether the draft, or a message sent since the customer last spoke, says why it must be asked anew."""
    texts = [reading.draft]
    for message, text in reversed(reading.messages):
        if message.role is Role.CUSTOMER:
            break
        texts.append(text)
    last_sent = reading.turn.conversation.last_sent
    texts += [text for message, text in reading.messages if message is last_sent]
    return any(words.failed.first(spelled_whole(text, reading.pack).norm) is not None for text in texts)


def _sentence_around(text: ReadText, question: SlotQuestion, pack: Pack) -> str:
    at = next((c.sentence for c in text.clauses if c.start <= question.start < c.end), None)
    read = zip(text.clauses, spelled_clauses(text, pack), strict=True)
    return "，".join(spelled.norm for clause, spelled in read if clause.sentence == at)
