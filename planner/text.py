"""Normalised text with a map back to the original, and its sentences and clauses.

Text becomes a typed, normalised value once, at the door; every later reader works on `Text.norm` and reports spans of
`Text.original` in code points through `Text.span`.
"""

import functools
import re
import unicodedata
from dataclasses import dataclass

from opencc_pyo3 import OpenCC

# Squared units lose their meaning under NFKC (89㎡ would become 89m2), so they are spelled out before it.
_UNITS = {"㎡": "平米", "m²": "平米", "M²": "平米", "㎞": "km", "㎝": "cm", "㎏": "kg"}
# NFKC would turn '，' into ',' and 面积89，350万 into 89,350万.
_KEEP = frozenset("，。：；！？、（）“”‘’《》【】…—～〇")
_KEYCAP = "\ufe0f\u20e3"


@dataclass(frozen=True, slots=True)
class Text:
    """A text and its normalised form.

    `offsets[i]` is the index in `original` of the code point that `norm[i]` came from; `offsets[len(norm)]` is
    `len(original)`. Spans are half-open.
    """

    original: str
    norm: str
    offsets: tuple[int, ...]
    hidden: int = 0

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Map a span of `norm` to the span of `original` that produced it."""
        if start >= end:
            at = self.offsets[start]
            return at, at
        return self.offsets[start], self.offsets[end - 1] + self._width(end - 1)

    def _width(self, index: int) -> int:
        # One original code point may give several normal ones (㎡ → 平米) or a pair may give one (m² → 平米): the end
        # is where the next different origin begins, without the invisible characters between.
        here = self.offsets[index]
        pair = self.original[here : here + 2]
        return 2 if pair in _UNITS else 1

    def quote(self, start: int, end: int) -> str:
        """Give the original words under a span of `norm`."""
        a, b = self.span(start, end)
        return self.original[a:b]


@functools.cache
def _simplifier() -> OpenCC:
    return OpenCC("t2s")


def _invisible(char: str) -> bool:
    category = unicodedata.category(char)
    return category in ("Cf", "Co", "Cn") or (category == "Cc" and char not in "\n\t") or "\ufe00" <= char <= "\ufe0f"


def normalize(original: str) -> Text:
    """Fold width, script and invisible characters away, keeping for each code point where it came from.

    Letters are lower-cased, traditional characters become simplified, tabs become spaces; punctuation that separates
    clauses stays as written. `hidden` counts the invisible characters that were dropped.
    """
    out: list[str] = []
    offsets: list[int] = []
    hidden = 0
    index = 0
    size = len(original)
    while index < size:
        char = original[index]
        if char.isascii() and char >= " ":
            folded, step = char.lower(), 1
            if original[index : index + 2] in _UNITS:
                folded, step = _UNITS[original[index : index + 2]], 2
        elif char in _KEEP or "\u4e00" <= char <= "\u9fff" or char == "\n":
            folded, step = char, 1
        elif char in _UNITS:
            folded, step = _UNITS[char], 1
        elif _invisible(char) or char in _KEYCAP:
            hidden += 1
            index += 1
            continue
        else:
            folded, step = unicodedata.normalize("NFKC", char).lower() if not char.isspace() else " ", 1
        out.extend(folded)
        offsets.extend([index] * len(folded))
        index += step
    offsets.append(size)
    norm = "".join(out)
    simple = _simplifier().convert(norm) if not norm.isascii() else norm
    # Simplifying is one to one for the characters that chat uses; where it is not, the map matters more.
    if len(simple) == len(norm):
        norm = simple
    return Text(original, norm, tuple(offsets), hidden)


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of a normalised text: `start` and `end` are offsets in `norm`; `mark` is the punctuation behind it."""

    start: int
    end: int
    text: str
    sentence: int
    mark: str = ""

    @property
    def asked(self) -> bool:
        """Whether a question mark stands behind the clause."""
        return "?" in self.mark or "？" in self.mark


_MASK = re.compile(r"https?://\S+|\d+(?:[.,:]\d+)+|\d{4}-\d\d-\d\d\S*")
_SENTENCE_END = re.compile(r"[。！？!?；;\n…~～]+|\.(?=\s|$)|[\U0001F300-\U0001FAFF]+")
_CLAUSE_END = re.compile(r"[，,、]+|\s+(?=[\u4e00-\u9fff])|(?<=[\u4e00-\u9fff])\s+|(?=但是|不过|而且|如果|另外)")


def clauses(text: Text) -> tuple[Clause, ...]:
    """Cut a text at sentence ends and clause marks; numbers, links and times stay whole."""
    norm = text.norm
    masked = _MASK.sub(lambda m: "0" * len(m.group()), norm)
    found: list[Clause] = []
    at = sentence = 0
    for end in _SENTENCE_END.finditer(masked):
        found.extend(_cut(norm, masked, at, end.start(), sentence, norm[end.start() : end.end()]))
        at = end.end()
        sentence += 1
    found.extend(_cut(norm, masked, at, len(norm), sentence, ""))
    return tuple(found)


def _cut(norm: str, masked: str, start: int, end: int, sentence: int, mark: str) -> list[Clause]:
    found: list[Clause] = []
    at = start
    cuts = [*_CLAUSE_END.finditer(masked, start, end)]
    for cut in cuts:
        _add(found, norm, at, cut.start(), sentence, norm[cut.start() : cut.end()])
        at = cut.end()
    _add(found, norm, at, end, sentence, mark)
    return found


def _add(found: list[Clause], norm: str, start: int, end: int, sentence: int, mark: str) -> None:
    while start < end and norm[start].isspace():
        start += 1
    while end > start and norm[end - 1].isspace():
        end -= 1
    if start < end:
        found.append(Clause(start, end, norm[start:end], sentence, mark))
