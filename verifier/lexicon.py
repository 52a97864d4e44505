"""The words of facts, compiled once per pack: concepts, flags and grammar words found in one scan of a text.

Nothing here knows a trade. A pack's section `concepts` names what can be asserted, `fact_words` the closed classes of
the languages (negation, flags, particles), `fact_names` the endings of proper names, `fact_actions` what can be done.
"""

import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from ahocorasick_rs import AhoCorasick, MatchKind
from pydantic import BaseModel, ConfigDict

from planner.pack import Pack
from verifier.glossary import glossary_of
from verifier.senses import senses_of

_FROZEN = ConfigDict(extra="forbid", frozen=True)


class Concept(BaseModel):
    """Something that can be asserted, or the role that a quantity plays.

    `words` name it, `absent` say that it is not there. `options` are values that exclude each other. `keys` are names
    of tool data fields. `unit` is what a bare number under such a key counts; `kinds` are the quantity kinds whose role
    it is; `broader` names a wider role that may stand for it; `asks` are question words that ask for it; `final` maps words that mean an option
    only at the end of a clause (还在, but not 还在整备); `values` maps bare values of its keys to options (朝向: 南). `open` is True
    when several options can hold at once. `item` is False for rules that hold for every item. `part` marks places (a room,
    a door) rather than facts; a `predicate` says something about another concept (家具 is 送的), and one that `carries`
    denies the thing itself when it is denied (家具不送: no furniture comes with it); a `neutral` one is never denied; `fact` marks a role that can also simply be there (质保). A concept with `after_years` follows from the date whose role is `of`.
    """

    model_config = _FROZEN

    id: str
    words: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    options: Mapping[str, tuple[str, ...]] = {}
    keys: tuple[str, ...] = ()
    unit: str = ""
    kinds: tuple[str, ...] = ()
    broader: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    final: Mapping[str, str] = {}
    values: Mapping[str, str] = {}
    open: bool = False
    item: bool = True
    part: bool = False
    fact: bool = False
    predicate: bool = False
    carries: bool = False
    neutral: bool = False
    of: str = ""
    after_years: int = 0
    example: str = ""
    counter: str = ""


class WordClass(BaseModel):
    """A closed class of words; `kind` says what finding one means."""

    model_config = _FROZEN

    id: str
    kind: Literal["neg", "skip", "stop", "flag", "open", "topic", "domain"]
    words: tuple[str, ...]
    example: str = ""
    counter: str = ""


class NameEnding(BaseModel):
    """Endings of proper names: two different names with the same ending are two different things.

    `core` is how many characters before the ending a name has at least: two for a school, one for a person's title.
    """

    model_config = _FROZEN

    id: str
    words: tuple[str, ...]
    core: int = 2
    example: str = ""
    counter: str = ""


def _role_only(row: Concept) -> bool:
    return bool(row.kinds) and not (row.absent or row.options or row.fact)


@dataclass(frozen=True, slots=True)
class Entry:
    """What one word means: a concept with option and sign, or a grammar word."""

    kind: str
    id: str
    option: str = ""
    sign: int = 1
    final: bool = False


@dataclass(frozen=True, slots=True)
class Hit:
    """A word found: `start` and `end` are offsets in the scanned text."""

    entry: Entry
    start: int
    end: int


_A_NOT_A = re.compile(r"([\u4e00-\u9fff])[不没](?:有)?\1")
_FINAL = re.compile(r"(?:的|呢|哦|哈|呀|啊|吗|不|没|么|吧|嘛|卖|售)*(?:$|[\s，,。！!？?；;、~～])")
_KEY_SEPARATOR = re.compile(r"[\s_\-./]+")


_GRAMMAR = frozenset({"neg", "stop", "skip", "flag", "open"})
_CONTENT = re.compile(r"[a-z][a-z0-9]+|[\u4e00-\u9fff]")


_LATIN = re.compile("[a-zA-Z]{2}")


_OPEN = Entry("open", "a_not_a")
_FILLER = Entry("stop", "not_final")


class Lexicon:
    """All fact words of one pack in one automaton."""

    def __init__(self, pack: Pack) -> None:
        """Compile the pack's rows; a word may belong to several concepts."""
        self.concepts = {row.id: row for row in pack.rows("concepts", Concept)}
        self.glossary = pack.derive(glossary_of)
        self.senses = pack.derive(senses_of)
        self.gloss = functools.lru_cache(maxsize=512)(self._gloss_of)
        self._entries: dict[str, list[Entry]] = {}
        for row in self.concepts.values():
            self._add_concept(row)
        for group in pack.rows("fact_words", WordClass):
            self._add(group.words, Entry(group.kind, group.id))
        self._particles = frozenset(
            word for word, held in self._entries.items() if len(word) == 1 and all(e.kind in _GRAMMAR for e in held)
        )
        self.content = functools.lru_cache(maxsize=512)(self._content_of)
        self._words = list(self._entries)
        self._infos = [
            (word, tuple(held), word[0].isascii() and word[-1].isascii(), any(e.final for e in held))
            for word, held in self._entries.items()
        ]
        self._machine = AhoCorasick(self._words, matchkind=MatchKind.LeftmostLongest)
        self.keys = {_flat(key): row.id for row in self.concepts.values() for key in row.keys}
        self.values = {v: (row.id, o) for row in self.concepts.values() for v, o in row.values.items()}
        self.role_only = frozenset(row.id for row in self.concepts.values() if _role_only(row))
        self.predicates = frozenset(row.id for row in self.concepts.values() if row.predicate or row.carries)
        self.carriers = frozenset(row.id for row in self.concepts.values() if row.carries)
        self.parts = frozenset(row.id for row in self.concepts.values() if row.part)
        self.neutral = frozenset(row.id for row in self.concepts.values() if row.neutral)
        self.due = tuple(row for row in self.concepts.values() if row.after_years)
        self.cores = {word: row.core for row in pack.rows("fact_names", NameEnding) for word in row.words}
        endings = sorted((w for row in pack.rows("fact_names", NameEnding) for w in row.words), key=len, reverse=True)
        self.ending = re.compile("|".join(map(re.escape, endings)) or "(?!)")

    def _add_concept(self, row: Concept) -> None:
        self._add((*row.words, *row.asks), Entry("concept", row.id))
        self._add(row.absent, Entry("concept", row.id, sign=-1))
        for option, words in row.options.items():
            self._add(words, Entry("concept", row.id, option))
        for word, option in row.final.items():
            self._add((word,), Entry("concept", row.id, option, final=True))

    def _add(self, words: tuple[str, ...], entry: Entry) -> None:
        for word in words:
            held = self._entries.setdefault(word.lower(), [])
            if entry not in held:
                held.append(entry)

    def scan(self, norm: str) -> tuple[Hit, ...]:
        """Find every word of the lexicon, longest first from the left; open alternatives (有没有) are one hit."""
        masked = [m.span() for m in _A_NOT_A.finditer(norm)] if "不" in norm or "没" in norm else []
        found = [Hit(_OPEN, a, b) for a, b in masked]
        hidden = bytearray(len(norm) + 1)
        for a, b in masked:
            hidden[a:b] = b"\x01" * (b - a)
        for index, start, end in self._machine.find_matches_as_indexes(norm):
            word, entries, latin, final = self._infos[index]
            if latin and not _bounded(norm, word, start, end):
                continue
            if final and _FINAL.match(norm, end) is None:
                entries = (_FILLER, *(e for e in entries if not e.final))
            if hidden[start]:
                entries = tuple(e for e in entries if e.kind == "concept")
            for entry in entries:
                found.append(Hit(entry, start, end))  # noqa: PERF401  # a comprehension costs more for one or two
        if masked:
            found.sort(key=lambda h: (h.start, h.end))
        return tuple(found)

    def _content_of(self, norm: str) -> frozenset[str]:
        """Give the characters and Latin words that carry content: those of no grammar word."""
        taken = bytearray(len(norm))
        for hit in self.scan(norm):
            if hit.entry.kind in _GRAMMAR:
                taken[hit.start : hit.end] = b"\x01" * (hit.end - hit.start)
        found = (m.group() for m in _CONTENT.finditer(norm) if not taken[m.start()])
        return frozenset(found) - self._particles

    def _gloss_of(self, norm: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
        return tuple(pair for pair in self.glossary.found(norm) if pair[1]) if _LATIN.search(norm) else ()

    def concept_of_key(self, path: tuple[str, ...]) -> Concept | None:
        """Find the concept that a tool data field names, trying the last key, then the last two."""
        for size in (2, 1):
            found = self.keys.get("".join(_flat(part) for part in path[-size:]))
            if found is not None:
                return self.concepts[found]
        ends = (self.keys.get(ending) for ending in _endings(path[-1] if path else ""))
        found = next((name for name in ends if name is not None), None)
        return self.concepts[found] if found is not None else None

    def related(self, role: str, other: str) -> bool:
        """Whether two roles may stand for each other: equal, or one is broader than the other."""
        return role == other or other in self._wider(role) or role in self._wider(other)

    def _wider(self, role: str) -> frozenset[str]:
        row = self.concepts.get(role)
        return frozenset(row.broader) if row else frozenset()


def _bounded(norm: str, word: str, start: int, end: int) -> bool:
    if word[0].isdigit() and start and norm[start - 1].isdigit():
        return False
    if word[-1].isdigit() and norm[end : end + 1].isdigit():
        return False
    left = start > 0 and norm[start - 1].isascii() and norm[start - 1].isalpha() and word[0].isalpha()
    right = end < len(norm) and norm[end].isascii() and norm[end].isalpha() and word[-1].isalpha()
    return not left and not (right and not _plural(norm, end))


def _plural(norm: str, end: int) -> bool:
    return norm[end] == "s" and not norm[end + 1 : end + 2].isalpha()


_PIECE = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+")


def _endings(key: str) -> Iterator[str]:
    """Give the shorter names that a key ends in: bedroom_orientation, 主卧朝向."""
    if key.isascii():
        words = [word.lower() for word in _PIECE.findall(key)]
        yield from ("".join(words[at:]) for at in range(1, len(words)))
    else:
        yield from (_flat(key)[at:] for at in range(1, len(_flat(key)) - 1))


def _flat(key: str) -> str:
    return _KEY_SEPARATOR.sub("", key).lower()


@functools.lru_cache(maxsize=16)
def lexicon_of(pack: Pack) -> Lexicon:
    """Give the pack's compiled lexicon."""
    return Lexicon(pack)
