"""Which sources may back a clause: those about its subject, general rules for general claims, the customer's own words."""

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from planner.pack import Pack
from planner.reading import Reading, ReadText, remembered
from planner.text import normalize
from planner.turn import Role
from verifier.assertions import Assertion
from verifier.evidence import Source
from verifier.exceptions import except_for
from verifier.lexicon import Lexicon
from verifier.questions import Question
from verifier.scanning import scanned_of
from verifier.subjects import distinctive, named, same_thing
from verifier.units import Unit, text_units

_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
_ITEM = re.compile(
    r"这套|这台|这辆|这房|这车|这户|这栋|该房|该车|本房|本车|此房|此车|this (?:one|car|flat|home|house|unit)|\bit\b|\bit's\b"
)
_RUMOUR = re.compile(
    r"听说|听人说|据说|邻居说|朋友说|同事说|中介说|网上|别人说|看到说|heard|told me|they say|someone said"
)
_ABOUT_YOU = re.compile(
    r"按您|照您|依您|您(?:们)?(?:的|是|要|才|刚|满|交|缴|想|打算|准备|预算|名下|家|现在|说的|这边|那边|提|需要|更|最|主要|俩|也|不|没|有|买|租|付|首)|\byou(?:r| are|'re| want| need| said| have|'d like| mentioned)\b"
)


@dataclass(frozen=True)
class Scope:
    """The sources of a turn, by what they may back."""

    reading: Reading
    lexicon: Lexicon
    sources: tuple[Source, ...]
    subject: str
    apart: dict[str, frozenset[str]]
    asked: frozenset[str]
    questions: tuple[Question, ...]

    @functools.cached_property
    def customer(self) -> tuple[Source, ...]:
        """What the customer said about themselves, as sources."""
        return customer_sources(self.reading)

    @functools.cached_property
    def known(self) -> str:
        """Words that the conversation itself has brought up: its subject and what the customer wrote."""
        return " ".join([self.subject, *(s.scanned.norm for s in self.customer)])

    def labels(self, assertion: Assertion, before: frozenset[str]) -> frozenset[str]:
        """Give the labels that a clause is about; empty for the thing the conversation is about."""
        here = named(assertion.statement.text, self.apart)
        if here:
            return here
        if _ITEM.search(assertion.statement.text):
            return frozenset()
        return before or self.asked

    def about(self, labels: frozenset[str]) -> tuple[Source, ...]:
        """Give the sources that are about these labels, general rules included."""
        return tuple(s for s in self.sources if s.general or self._fits(s, labels))

    def _fits(self, source: Source, labels: frozenset[str]) -> bool:
        if labels:
            return self._fits_named(source, labels)
        if source.named and self.subject:
            return same_thing(source.label, self.subject)
        return True

    def _fits_named(self, source: Source, labels: frozenset[str]) -> bool:
        if source.label in labels or any(same_thing(source.label, label) for label in labels if source.label):
            return True
        if source.named:
            return False
        own_subject = not self.subject or any(same_thing(self.subject, label) for label in labels)
        return not any(rivals(source.label, label) for label in labels) and (own_subject or not source.label)


def rivals(one: str, other: str) -> bool:
    """Whether two labels name two things of one kind (甲银行 and 乙银行), not a thing and its surroundings."""
    if not one or not other or one == other:
        return False
    shared = len(set(one) & set(other)) / max(len(set(one) | set(other)), 1)
    return one[-1] == other[-1] or shared >= 0.6 or (one[-1].isdigit() and other[-1].isdigit())


def is_item_claim(assertion: Assertion, questions: Sequence[Question]) -> bool:
    """Whether a clause is about this one thing: it points at it, or answers a question that does."""
    if _ITEM.search(assertion.statement.text):
        return True
    return assertion.short is not None and any(_ITEM.search(q.text) for q in questions)


def about_customer(assertion: Assertion) -> bool:
    """Whether a clause says something about the customer, or takes up what they said."""
    return assertion.ack or _ABOUT_YOU.search(assertion.statement.text) is not None


def scope_of(reading: Reading, lexicon: Lexicon, sources: tuple[Source, ...], questions: tuple[Question, ...]) -> Scope:
    """Sort a turn's sources by what they are about."""
    subject = normalize(reading.turn.conversation.subject or "").norm.strip()
    labels = {
        s.label: f"{s.label} {s.alias}"
        for s in sources
        if s.label and not s.general and _tells_apart(s, sources, subject)
    }
    if subject:
        labels.setdefault(subject, subject)
    apart = {k: v for k, v in distinctive(labels).items() if v}
    asked = frozenset(label for q in questions for label in named(q.text, apart))
    return Scope(reading, lexicon, except_for(sources), subject, apart, asked, questions)


def _tells_apart(source: Source, sources: Sequence[Source], subject: str) -> bool:
    """Whether a label names one of several things; a heading (外观：) without a rival is no name."""
    if source.named:
        return True
    others = [s.label for s in sources if s is not source] + [subject]
    return any(rivals(source.label, other) for other in others) or bool(subject and same_thing(source.label, subject))


def customer_sources(reading: Reading) -> tuple[Source, ...]:
    """Read what the customer said about themselves: their statements, not their questions or rumours, and the slots."""
    found: list[Source] = []
    for message, text in reading.messages:
        if message.role is not Role.CUSTOMER or _RUMOUR.search(text.norm):
            continue
        scanned = scanned_of(text, reading.pack)
        units = text.once(_units, reading.pack)
        found.append(Source(message.id, "customer", "", False, "", message.at, units, scanned))
    for name, slot in reading.turn.conversation.slots.items():
        text = remembered(_slot_words(slot.value), reading.turn.now, reading.pack)
        scanned = scanned_of(text, reading.pack)
        units = text.once(_units, reading.pack)
        found.append(Source(f"slot:{name}", "customer", "", False, "", slot.at or _LONG_AGO, units, scanned))
    return tuple(found)


def _units(text: ReadText, pack: Pack) -> tuple[Unit, ...]:
    return tuple(text_units(scanned_of(text, pack)))


def _slot_words(value: object) -> str:
    return "、".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
