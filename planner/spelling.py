"""Read through slips of the pen: words typed by sound (首富 for 首付), by look, cut short (gjj), or with a letter off.

The pack lists the words that matter, and characters that sound alike; nothing else is ever changed. Corrected text is
only used to look for triggers and slots, never as what somebody said.
"""

import re
from dataclasses import dataclass
from typing import Any

from planner.pack import Pack, PackError, any_of
from planner.reading import ReadText

_LATIN = re.compile(r"[a-z]{4,20}")
_SHORTEST_LATIN = 5


@dataclass(frozen=True, slots=True)
class Spelled:
    """A corrected text; `origin[i]` is the offset in the text as written, None when the lengths are the same."""

    norm: str
    origin: tuple[int, ...] | None = None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Map a span of the corrected text to the text as written."""
        if self.origin is None:
            return start, end
        return self.origin[start], self.origin[end]


@dataclass(frozen=True)
class _Speller:
    sounds: dict[int, int]
    words: dict[str, str]
    by_sound: re.Pattern[str] | None
    keep: frozenset[str]
    aliases: dict[str, str]
    by_alias: re.Pattern[str] | None
    latin: frozenset[str]
    slips: dict[str, str]


def respell(norm: str, pack: Pack) -> Spelled:
    """Correct the slips in a normalised text."""
    speller = pack.derive(_speller)
    norm = _by_sound(norm, speller)
    edits = [*_alias_edits(norm, speller), *_latin_edits(norm, speller)]
    return _apply(norm, sorted(edits)) if edits else Spelled(norm)


def spelled_clauses(text: ReadText, pack: Pack) -> tuple[Spelled, ...]:
    """Correct the slips in each clause of a text, once."""
    return text.once(_clauses, pack)


def spelled_whole(text: ReadText, pack: Pack) -> Spelled:
    """Correct the slips in a whole text, once."""
    return text.once(_whole, pack)


def _clauses(text: ReadText, pack: Pack) -> tuple[Spelled, ...]:
    return tuple(respell(clause.text, pack) for clause in text.clauses)


def _whole(text: ReadText, pack: Pack) -> Spelled:
    if len(text.clauses) == 1 and text.clauses[0].text == text.norm:
        return spelled_clauses(text, pack)[0]
    return respell(text.norm, pack)


def _by_sound(norm: str, speller: _Speller) -> str:
    if speller.by_sound is None:
        return norm
    heard = norm.translate(speller.sounds)
    for match in speller.by_sound.finditer(heard):
        start, end = match.span()
        word = speller.words[match.group()]
        written = norm[start:end]
        if written != word and not _kept(norm, start, end, speller.keep):
            norm = norm[:start] + word + norm[end:]
    return norm


def _kept(norm: str, start: int, end: int, keep: frozenset[str]) -> bool:
    # A real word at this place, or one that reaches into it (因|为一 in 因为一些), is what was meant.
    longer = (norm[max(0, start - 1) : end], norm[start : end + 1])
    return norm[start:end] in keep or any(words in keep for words in longer)


def _alias_edits(norm: str, speller: _Speller) -> list[tuple[int, int, str]]:
    if speller.by_alias is None:
        return []
    return [(*match.span(), speller.aliases[match.group()]) for match in speller.by_alias.finditer(norm)]


def _latin_edits(norm: str, speller: _Speller) -> list[tuple[int, int, str]]:
    edits = []
    for match in _LATIN.finditer(norm):
        word = _meant(match.group(), speller)
        if word:
            edits.append((*match.span(), word))
    return edits


def _meant(token: str, speller: _Speller) -> str | None:
    if token in speller.latin or token in speller.keep:
        return None
    for variant in (token, *_shorter(token)):
        word = speller.slips.get(variant)
        # prices and pricey are words of their own, no slips.
        if word and not token.startswith(word) and _one_slip(token, word):
            return word
    return None


def _shorter(word: str) -> list[str]:
    return [word[:i] + word[i + 1 :] for i in range(len(word))]


def _one_slip(typed: str, word: str) -> bool:
    """Whether one letter is missing, doubled, wrong (long words only), or two neighbours are swapped."""
    head = 0
    while head < min(len(typed), len(word)) and typed[head] == word[head]:
        head += 1
    if head == 0:
        return False
    a, b = typed[head:], word[head:]
    if len(a) == len(b):
        swapped = len(a) > 1 and a[0] == b[1] and a[1] == b[0] and a[2:] == b[2:]
        return swapped or (len(word) > _SHORTEST_LATIN and a[1:] == b[1:])
    if len(word) < _SHORTEST_LATIN:
        return False
    return a[1:] == b if len(a) > len(b) else a == b[1:]


def _apply(norm: str, edits: list[tuple[int, int, str]]) -> Spelled:
    parts: list[str] = []
    origin: list[int] = []
    at = 0
    for start, end, word in edits:
        if start < at:
            continue
        parts += [norm[at:start], word]
        origin += [*range(at, start), *(min(start + i, end - 1) for i in range(len(word)))]
        at = end
    parts.append(norm[at:])
    return Spelled("".join(parts), (*origin, *range(at, len(norm) + 1)))


def _speller(pack: Pack) -> _Speller:
    section: dict[str, Any] = pack.sections.get("spelling") or {}
    sounds = {ord(char): ord(group[0]) for group in _words(pack, section, "sounds") for char in group}
    words = {word.translate(sounds): word for word in _words(pack, section, "by_sound")}
    aliases = {str(alias): word for word, many in (section.get("also") or {}).items() for alias in many}
    latin = _words(pack, section, "latin")
    return _Speller(
        sounds=sounds,
        words=words,
        by_sound=re.compile(any_of(list(words))) if words else None,
        keep=frozenset(_words(pack, section, "keep")),
        aliases=aliases,
        by_alias=re.compile(any_of(list(aliases))) if aliases else None,
        latin=frozenset(latin),
        slips={variant: word for word in latin for variant in (word, *_shorter(word))},
    )


def _words(pack: Pack, section: dict[str, Any], key: str) -> list[str]:
    words = section.get(key) or []
    if not isinstance(words, list) or not all(isinstance(word, str) and word for word in words):
        raise PackError(f"pack {pack.name}: spelling.{key}: must be a list of words")
    return words
