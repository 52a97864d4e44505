"""Read one clause as a statement: terms with sign, amounts with role, names, parts, flags, and the rest of its content.

Draft, question and evidence go through the same reader, so that what is compared was read alike.
"""

import bisect
import functools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from planner.quantities import Quantity
from planner.reading import ReadText
from verifier.lexicon import Hit, Lexicon
from verifier.senses import Spot
from verifier.signs import signs

T = TypeVar("T")

# A clause is read whole up to here; what is longer has no punctuation that a person would leave out, and is cut.
MAX_CLAUSE = 240
# Clauses and questions that are looked at; a chat message has a handful, the rest is reported as not judged.
MAX_CLAUSES = 60


def pieces(start: int, end: int) -> Iterator[tuple[int, int]]:
    """Cut a span into pieces that are not too long to be read as one clause."""
    for at in range(start, end, MAX_CLAUSE):
        yield at, min(at + MAX_CLAUSE, end)


IDENTIFIERS = frozenset({"phone", "plate", "line", "room_no", "id", "email", "url", "vin", "identifier"})


@dataclass(frozen=True, slots=True)
class Term:
    """A concept asserted (`sign` 1) or denied (-1), with its option in an exclusive group, "" for plain presence."""

    concept: str
    option: str
    sign: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Amount:
    """A quantity with the role that the words around it give it ("" when they give none) and the limits on it.

    `worded`: it is part of a word with its own meaning (一手车, 满五), which says it all. `lent`: only the question gives
    the role.
    """

    quantity: Quantity
    role: str
    limits: frozenset[str] = frozenset()
    worded: bool = False
    lent: bool = False


@dataclass(frozen=True, slots=True)
class Statement:
    """One clause, read. `grains` are the content words left over; `parts` name where it holds (a room, a door).

    `gloss` gives its Latin words with what they are called in Chinese; `spots` its words that have other words.
    """

    text: str
    start: int
    end: int
    terms: tuple[Term, ...] = ()
    amounts: tuple[Amount, ...] = ()
    names: tuple[str, ...] = ()
    parts: frozenset[str] = frozenset()
    places: tuple[frozenset[str], ...] = ()
    flags: frozenset[str] = frozenset()
    flagged: tuple[tuple[str, int, int], ...] = ()
    grains: tuple[str, ...] = ()
    negated: bool = False
    negs: tuple[int, ...] = ()
    open: bool = False
    domain: bool = False
    gloss: tuple[tuple[str, tuple[str, ...]], ...] = ()
    spots: tuple[Spot, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether nothing in it could be compared."""
        return not (self.terms or self.amounts or self.names or self.grains)


@dataclass(frozen=True)
class Scanned:
    """A text with the lexicon's hits; the source of all its statements."""

    read: ReadText
    lexicon: Lexicon

    @property
    def norm(self) -> str:
        """The normalised words."""
        return self.read.norm

    @functools.cached_property
    def hits(self) -> tuple[Hit, ...]:
        """All words of the lexicon in the text."""
        return self.lexicon.scan(self.norm)

    @functools.cached_property
    def _hit_starts(self) -> list[int]:
        return [h.start for h in self.hits]

    @functools.cached_property
    def _quantity_starts(self) -> list[int]:
        return [q.start for q in self.read.quantities]

    @staticmethod
    def _between(found: Sequence[T], starts: list[int], start: int, end: int) -> Sequence[T]:
        return found[bisect.bisect_left(starts, start) : bisect.bisect_left(starts, end)]

    def statement(self, start: int, end: int) -> Statement:
        """Read the words between two offsets as one statement."""
        hits = [h for h in self._between(self.hits, self._hit_starts, start, end) if h.end <= end]
        inside = self._between(self.read.quantities, self._quantity_starts, start, end)
        quantities = [q for q in inside if q.end <= end and not self._ordinal(q)]
        negs = [h for h in hits if h.entry.kind == "neg" and not any(q.start <= h.start < q.end for q in quantities)]
        found = _terms(self.norm, start, end, hits, negs, quantities)
        amounts = tuple(self._amount(q, found, quantities, hits) for q in quantities)
        found = [replace(t, sign=1) if self.lexicon.concepts[t.concept].neutral else t for t in found]
        terms = _carried(_counted(found, amounts), self.lexicon)
        parts = frozenset(t.concept + ":" + t.option for t in terms if self.lexicon.concepts[t.concept].part)
        return Statement(
            text=self.norm[start:end],
            start=start,
            end=end,
            terms=_once(t for t in terms if not self.lexicon.concepts[t.concept].part),
            amounts=amounts,
            names=self._names(start, end, hits),
            parts=parts,
            places=_places(terms, self.lexicon),
            flags=frozenset(h.entry.id for h in hits if h.entry.kind == "flag"),
            flagged=tuple((h.entry.id, h.start, h.end) for h in hits if h.entry.kind == "flag"),
            grains=_grains(self.norm, start, end, hits, quantities),
            negated=len(negs) % 2 == 1,
            negs=tuple(n.start - start for n in negs),
            open=any(h.entry.kind == "open" for h in hits),
            domain=any(h.entry.kind == "domain" for h in hits),
            gloss=self.lexicon.gloss(self.norm[start:end]),
            spots=self.lexicon.senses.spots(self.norm[start:end]),
        )

    def _amount(
        self, quantity: Quantity, terms: Sequence[Term], all_of: Sequence[Quantity], hits: Sequence[Hit]
    ) -> Amount:
        return Amount(
            quantity,
            self._role(quantity, terms, all_of),
            _limits(self.norm, quantity, hits),
            self._worded(quantity, hits),
        )

    def _ordinal(self, quantity: Quantity) -> bool:
        """Whether a number only counts up (第二排) or counts the people spoken to (您二位)."""
        after = self.norm[max(quantity.start - 1, 0)] == "第"
        each = quantity.kind == "floor" and _PER_FLOOR.match(self.norm, quantity.end) is not None
        return each or (quantity.kind == "number" and after) or quantity.unit in ("位", "口")

    def _worded(self, quantity: Quantity, hits: Sequence[Hit]) -> bool:
        meeting = [h for h in hits if h.entry.kind == "concept" and h.start < quantity.end and quantity.start < h.end]
        if quantity.kind == "holding_years":
            return bool(meeting)
        whole = (h for h in meeting if h.start <= quantity.start and quantity.end <= h.end)
        return any(h.entry.sign < 0 or h.entry.option or h.entry.id not in self.lexicon.role_only for h in whole)

    def _names(self, start: int, end: int, hits: Sequence[Hit]) -> tuple[str, ...]:
        """Read proper names by their endings: the two or three characters before one, when they are no other word."""
        found = []
        for match in self.lexicon.ending.finditer(self.norm, start, end):
            at = match.start()
            while at > max(start, match.start() - _NAME_LENGTH) and _free(self.norm, at - 1, hits):
                at -= 1
            if match.start() - at >= self.lexicon.cores[match.group()]:
                found.append(self.norm[at : match.end()])
        return tuple(found)

    def _role(self, quantity: Quantity, terms: Sequence[Term], all_of: Sequence[Quantity]) -> str:
        """Give the nearest concept that can play a role for this kind; one before it beats one behind it."""
        fitting = [t for t in terms if quantity.kind in self.lexicon.concepts[t.concept].kinds]
        around = [t for t in fitting if t.start < quantity.start or t.end > quantity.end]
        fitting = around if around or quantity.kind in _MEASURES else fitting
        narrow = {wide for t in fitting for wide in self.lexicon.concepts[t.concept].broader}
        fitting = [t for t in fitting if t.concept not in narrow] or fitting
        before = [t for t in fitting if t.start < quantity.end]
        behind = [t for t in fitting if quantity.end <= t.start <= quantity.end + _ROLE_BEHIND]
        blocked = [q for q in all_of if q is not quantity and q.kind == quantity.kind]
        if before:
            near = before[-1]
            taken = any(near.end <= q.start < quantity.start for q in blocked)
            closer = behind and behind[0].start - quantity.end <= 1 and taken
            if closer:
                return behind[0].concept
            return (
                ""
                if taken and quantity.kind == "money" and _calculates(self.norm[near.end : quantity.end])
                else near.concept
            )
        if behind and not any(quantity.end <= q.start < behind[0].start for q in blocked):
            return behind[0].concept
        return ""


def _carried(terms: list[Term], lexicon: Lexicon) -> list[Term]:
    """Deny the thing that is said not to come with it (家具不送)."""
    if not any(t.sign < 0 and t.concept in lexicon.carriers for t in terms):
        return terms
    kept = lexicon.predicates | lexicon.role_only
    return [t if t.concept in kept or t.option else replace(t, sign=-1) for t in terms]


# Kinds whose unit words (公里, 平) are no role of their own.
_MEASURES = frozenset({"money", "unit_price", "mileage", "area", "distance", "percent", "duration"})
_ROLE_BEHIND = 6


def _once(terms: Iterable[Term]) -> tuple[Term, ...]:
    """Keep what is said, once."""
    seen: dict[tuple[str, str, int], Term] = {}
    for term in terms:
        seen.setdefault((term.concept, term.option, term.sign), term)
    return tuple(seen.values())


def _places(terms: Sequence[Term], lexicon: Lexicon) -> tuple[frozenset[str], ...]:
    """Give the parts word by word: 主卧 is a bedroom and the master bedroom at once."""
    spots: dict[int, set[str]] = {}
    for term in terms:
        if lexicon.concepts[term.concept].part:
            spots.setdefault(term.start, set()).add(f"{term.concept}:{term.option}")
    return tuple(frozenset(spot) for spot in spots.values())


_PER_FLOOR = re.compile(r"[两一二三四五六七八九十\d]{1,3}户")
_CALCULATION = re.compile(r"算|等于|就是|一共|合计|=|comes to|makes")


def _calculates(words: str) -> bool:
    return _CALCULATION.search(words) is not None


_NAME_LENGTH = 3
# Function words that stand before a name and are no part of it.
_LINKS = frozenset("的在是到去从和跟与及有为由叫对于离这那个套家")
_NEAR_BEFORE, _NEAR_BEHIND = 8, 3
_STATED_LIMITS = {"at_least": "from", "at_most": "at_most", "under": "at_most"}
_LIMIT_FLAGS = frozenset({"from", "at_most", "expected", "only", "planned"})


def _free(norm: str, at: int, hits: Sequence[Hit]) -> bool:
    if not "\u4e00" <= norm[at] <= "\u9fff" or norm[at] in _LINKS:
        return False
    return not any(
        h.start <= at < h.end
        and h.entry.kind != "domain"
        and (h.entry.kind not in ("stop", "flag") or h.end - h.start > 1)
        for h in hits
    )


# A bound by its denial: 没跑过500公里, 不能过8年, not over 10 kg.
_NOT_BEYOND = re.compile(
    r"(?:没|不|未|别)(?:有|能|可|得|会|要)?(?:跑|开|骑|用|住|租)?(?:过|超|满|到|超出|高)了?$|(?:not|n't) (?:over|above|beyond|exceed(?:ing)?) $"
)


def _limits(norm: str, quantity: Quantity, hits: Sequence[Hit]) -> frozenset[str]:
    """Give the limits on a quantity: those it states itself, and limiting words beside it."""
    stated = _STATED_LIMITS.get(quantity.approx or "")
    if quantity.quote[:2] in ("低于", "少于") and any(h.entry.kind == "neg" and h.end == quantity.start for h in hits):
        stated = "from"
    if _NOT_BEYOND.search(norm, max(quantity.start - 14, 0), quantity.start):
        stated = "at_most"
    near = (
        "expected" if h.entry.id == "planned" else h.entry.id
        for h in hits
        if h.entry.kind == "flag" and h.entry.id in _LIMIT_FLAGS
        and quantity.start - _NEAR_BEFORE <= h.end and h.start <= quantity.end + _NEAR_BEHIND
    )  # fmt: skip
    return frozenset(near) | ({stated} if stated else frozenset())


def _counted(terms: list[Term], amounts: Sequence[Amount]) -> list[Term]:
    """A count of zero says that there is none (过户0次); a count says that there are some."""
    counts = {a.role: a.quantity.value for a in amounts if a.quantity.unit != "%" and a.role}
    return [replace(t, sign=-1) if counts.get(t.concept) == 0 else t for t in terms]


def _terms(
    norm: str, start: int, end: int, hits: Sequence[Hit], negs: Sequence[Hit], quantities: Sequence[Quantity]
) -> list[Term]:
    """Give each concept its sign: negation before it, or behind it, once for each listed thing."""
    concepts = [
        h
        for h in hits
        if h.entry.kind == "concept"
        and not any(q.start <= h.start < q.end for q in quantities if q.kind in IDENTIFIERS)
    ]
    spans = sorted({(h.start, h.end) for h in concepts})
    found = signs(norm, start, end, spans, negs)
    return [Term(h.entry.id, h.entry.option, h.entry.sign * found[(h.start, h.end)], h.start, h.end) for h in concepts]


_LATIN = re.compile(r"[a-z][a-z0-9'+-]*|[\u4e00-\u9fff]|\d+")


def _grains(norm: str, start: int, end: int, hits: Sequence[Hit], quantities: Sequence[Quantity]) -> tuple[str, ...]:
    taken = bytearray(end - start)
    for span in [
        *((h.start, h.end) for h in hits if h.entry.kind != "domain"),
        *((q.start, q.end) for q in quantities),
    ]:
        taken[span[0] - start : span[1] - start] = b"\x01" * (span[1] - span[0])
    topics = ["=" + h.entry.id for h in hits if h.entry.kind == "topic"]
    left = (stem(m.group()) for m in _LATIN.finditer(norm, start, end) if not taken[m.start() - start])
    return (*topics, *left)


def stem(word: str) -> str:
    """Cut the common English endings, so that check, checks and checked are one word."""
    if not word.isascii() or len(word) < 5:
        return word
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
