"""A read text with the words of facts in it, found once for each pack, and its clauses read as statements."""

import bisect
import functools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from planner.pack import Pack
from planner.quantities import Quantity
from planner.reading import ReadText
from verifier.lexicon import Hit, Lexicon, lexicon_of
from verifier.roles import Roles
from verifier.signs import signs
from verifier.statements import IDENTIFIERS, Amount, Statement, Term

T = TypeVar("T")
_PER_FLOOR = re.compile(r"[两一二三四五六七八九十\d]{1,3}户")
_NAME_LENGTH = 3
# Function words that stand before a name and are no part of it.
_LINKS = frozenset("的在是到去从和跟与及有为由叫对于离这那个套家让请找给问带被把")
_WORD = re.compile(r"[a-z][a-z0-9'+-]*|[\u4e00-\u9fff]|\d+")
_NOTHING: frozenset[str] = frozenset()


def scanned_of(read: ReadText, pack: Pack) -> "Scanned":
    """Give a text with the hits of a pack's lexicon, the source of all its statements."""
    return read.once(_scan, pack)


def _scan(read: ReadText, pack: Pack) -> "Scanned":
    return Scanned(read, lexicon_of(pack))


@dataclass(frozen=True)
class Scanned:
    """A text with the lexicon's hits; the source of all its statements."""

    read: ReadText
    lexicon: Lexicon

    @functools.cached_property
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
        kinds: dict[str, list[Hit]] = {}
        for hit in hits:
            kinds.setdefault(hit.entry.kind, []).append(hit)
        negs = _outside(kinds.get("neg", []), quantities)
        concepts = _outside(kinds.get("concept", []), [q for q in quantities if q.kind in IDENTIFIERS])
        terms, amounts = self._read(start, end, concepts, negs, quantities, hits)
        places = [t for t in terms if t.concept in self.lexicon.parts]
        flags = kinds.get("flag", ())
        text = self.norm[start:end]
        return Statement(
            text=text,
            start=start,
            end=end,
            terms=_once(t for t in terms if t.concept not in self.lexicon.parts) if terms else (),
            amounts=amounts,
            names=self._names(start, end, hits),
            parts=frozenset([f"{t.concept}:{t.option}" for t in places]) if places else _NOTHING,
            places=_places(places) if places else (),
            flags=frozenset([h.entry.id for h in flags]) if flags else _NOTHING,
            flagged=tuple([(h.entry.id, h.start, h.end) for h in flags]) if flags else (),
            grains=self._grains(start, end, kinds, quantities),
            negated=len(negs) % 2 == 1,
            negs=tuple([n.start - start for n in negs]) if negs else (),
            open="open" in kinds,
            domain="domain" in kinds,
            gloss=self.lexicon.gloss(text),
            spots=self.lexicon.senses.spots(text),
        )

    def _read(
        self,
        start: int,
        end: int,
        concepts: Sequence[Hit],
        negs: Sequence[Hit],
        quantities: Sequence[Quantity],
        hits: Sequence[Hit],
    ) -> tuple[list[Term], tuple[Amount, ...]]:
        """Read the terms with their signs and the amounts with their roles."""
        lexicon = self.lexicon
        found = _terms(self.norm, start, end, concepts, negs)
        amounts = Roles(self.norm, lexicon, found, quantities, hits).amounts() if quantities else ()
        found = [replace(t, sign=1) if t.sign < 0 and t.concept in lexicon.neutral else t for t in found]
        return _carried(_counted(found, amounts), lexicon), amounts

    def _ordinal(self, quantity: Quantity) -> bool:
        """Whether a number only counts up (第二排) or counts the people spoken to (您二位)."""
        if quantity.kind == "floor" and _PER_FLOOR.match(self.norm, quantity.end) is not None:
            return True
        if quantity.kind == "number" and self.norm[max(quantity.start - 1, 0)] == "第":
            return True
        return quantity.unit in ("位", "口")

    def _names(self, start: int, end: int, hits: Sequence[Hit]) -> tuple[str, ...]:
        """Read proper names by their endings: the two or three characters before one, when they are no other word."""
        found: list[str] = []
        taken: bytearray | None = None
        for match in self.lexicon.ending.finditer(self.norm, start, end):
            taken = taken if taken is not None else _worded(start, end, hits)
            at = match.start()
            while at > max(start, match.start() - _NAME_LENGTH) and self._free(at - 1, taken[at - 1 - start]):
                at -= 1
            if match.start() - at >= self.lexicon.cores[match.group()]:
                found.append(self.norm[at : match.end()])
        return tuple(found)

    def _free(self, at: int, taken: int) -> bool:
        """Whether a character may belong to a name."""
        char = self.norm[at]
        return not taken and "\u4e00" <= char <= "\u9fff" and char not in _LINKS

    def _grains(
        self, start: int, end: int, kinds: dict[str, list[Hit]], quantities: Sequence[Quantity]
    ) -> tuple[str, ...]:
        taken = bytearray(end - start)
        for kind, hits in kinds.items():
            if kind != "domain":
                for hit in hits:
                    taken[hit.start - start : hit.end - start] = b"\x01" * (hit.end - hit.start)
        for quantity in quantities:
            stop = min(_bounded_end(self.norm, quantity), end)
            taken[quantity.start - start : stop - start] = b"\x01" * (stop - quantity.start)
        left = [stem(m.group()) for m in _WORD.finditer(self.norm, start, end) if not taken[m.start() - start]]
        topics = kinds.get("topic")
        return (*(["=" + h.entry.id for h in topics]), *left) if topics else tuple(left)


# What makes a date a bound belongs to it: 23年3月开始, 到六月止.
_BOUND = re.compile(r" ?(?:开始算?|之后|以后|以来|之前|以前|为止|截止|止|起算?(?!来|码|诉|价|步))")


def _bounded_end(norm: str, quantity: Quantity) -> int:
    match = _BOUND.match(norm, quantity.end) if quantity.kind in ("date", "datetime", "year") else None
    return match.end() if match is not None else quantity.end


def _outside(hits: list[Hit], quantities: Sequence[Quantity]) -> list[Hit]:
    """Keep the words that begin in none of some quantities."""
    if not hits or not quantities:
        return hits
    inside = {at for q in quantities for at in range(q.start, q.end)}
    return [h for h in hits if h.start not in inside]


def _worded(start: int, end: int, hits: Sequence[Hit]) -> bytearray:
    """Mark the characters of words that are no part of a name."""
    taken = bytearray(end - start)
    for hit in hits:
        size = hit.end - hit.start
        if hit.entry.kind != "domain" and (size > 1 or hit.entry.kind not in ("stop", "flag")):
            taken[hit.start - start : hit.end - start] = b"\x01" * size
    return taken


def _terms(norm: str, start: int, end: int, concepts: Sequence[Hit], negs: Sequence[Hit]) -> list[Term]:
    """Give each concept its sign: negation before it, or behind it, once for each listed thing."""
    if not negs:
        return [Term(h.entry.id, h.entry.option, h.entry.sign, h.start, h.end) for h in concepts]
    found = signs(norm, start, end, sorted({(h.start, h.end) for h in concepts}), negs)
    return [Term(h.entry.id, h.entry.option, h.entry.sign * found[(h.start, h.end)], h.start, h.end) for h in concepts]


def _carried(terms: list[Term], lexicon: Lexicon) -> list[Term]:
    """Deny the thing that is said not to come with it (家具不送)."""
    if not any(t.sign < 0 and t.concept in lexicon.carriers for t in terms):
        return terms
    kept = lexicon.predicates | lexicon.role_only
    return [t if t.concept in kept or t.option else replace(t, sign=-1) for t in terms]


def _counted(terms: list[Term], amounts: Sequence[Amount]) -> list[Term]:
    """A count of zero says that there is none (过户0次); a count says that there are some."""
    if not amounts:
        return terms
    counts = {a.role: a.quantity.value for a in amounts if a.role and a.quantity.unit != "%"}
    return [replace(t, sign=-1) if counts.get(t.concept) == 0 else t for t in terms] if counts else terms


def _once(terms: Iterable[Term]) -> tuple[Term, ...]:
    """Keep what is said, once."""
    seen: dict[tuple[str, str, int], Term] = {}
    for term in terms:
        seen.setdefault((term.concept, term.option, term.sign), term)
    return tuple(seen.values())


def _places(terms: Sequence[Term]) -> tuple[frozenset[str], ...]:
    """Give the parts word by word: 主卧 is a bedroom and the master bedroom at once."""
    spots: dict[int, set[str]] = {}
    for term in terms:
        spots.setdefault(term.start, set()).add(f"{term.concept}:{term.option}")
    return tuple(frozenset(spot) for spot in spots.values())


def stem(word: str) -> str:
    """Cut the common English endings, so that check, checks and checked are one word."""
    if len(word) < 5 or not word.isascii():
        return word
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
