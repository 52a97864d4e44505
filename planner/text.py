"""Normalised text with a map back to the original.

Text becomes a typed, normalised value once, at the door; every later reader works on `Text.norm` and reports spans of
`Text.original` in code points through `Text.span`. `clauses` cuts a normalised text where chat pauses.
"""

import functools
import re
import unicodedata
from dataclasses import dataclass

from planner.clauses import Clause, cut
from planner.script import simplified

__all__ = ["Clause", "Text", "clauses", "normalize"]

# Squared units lose their meaning under NFKC (89㎡ would become 89m2), so they are spelled out before it.
_UNITS = {"㎡": "平米", "㎞": "km", "㎝": "cm", "㎏": "kg", "㎜": "mm"}
_SQUARE = frozenset("mM")
# NFKC would turn '，' into ',' and 面积89，350万 into 89,350万.
_KEEP = frozenset("，。：；！？、（）“”‘’《》【】…—～〇")
# Text of these characters alone is already normal, but for its letters' case.
_PLAIN = re.compile("[ -~\n\u4e00-\u9fff" + "".join(sorted(_KEEP)) + "]*")
# Footnote marks, list marks and fractions are no plain digits: ² is a power or a note, ① begins a line.
_MARKS = re.compile(
    "[\u00b2\u00b3\u00b9\u00bc-\u00be\u2070-\u2079\u2080-\u2089\u2150-\u215f\u2189\u2460-\u249b\u24ea-\u24ff\u2776-\u2793]"
)
# A variation selector, a keycap or a joiner inside an emoji is part of a visible picture and hides nothing.
_EMOJI_PARTS = frozenset("\ufe0e\ufe0f\u20e3\u200d")
_HIDDEN = frozenset({"Cf", "Co", "Cn", "Cs", "Cc"})
# ○ is typed for 〇 between numerals: 二○一八.
_CIRCLE = re.compile("(?<=[零〇一二三四五六七八九十百千])[○◯]|[○◯](?=[一二三四五六七八九])")


@dataclass(frozen=True, slots=True)
class Text:
    """A text and its normalised form.

    `offsets[i]` is the index in `original` of the code point that `norm[i]` came from; `offsets[len(norm)]` is
    `len(original)`. Spans are half-open. `hidden` counts the invisible characters that were dropped.
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
        # One original code point may give several normal ones (㎡ → 平米), and the pair m² gives 平米 too.
        here = self.offsets[index]
        return 2 if self.original[here : here + 2] in ("m²", "M²") else 1

    def quote(self, start: int, end: int) -> str:
        """Give the original words under a span of `norm`."""
        a, b = self.span(start, end)
        return self.original[a:b]


def normalize(original: str) -> Text:
    """Fold width, script, case and invisible characters away, keeping for each code point where it came from.

    Letters are lower-cased, traditional characters become simplified, digits of every script become ASCII, accents and
    stacked marks go; punctuation that separates clauses stays as written.
    """
    if _PLAIN.fullmatch(original):
        norm, offsets, hidden = original.lower(), tuple(range(len(original) + 1)), 0
    else:
        norm, offsets, hidden = _folded(original)
    if not norm.isascii():
        norm = simplified(norm)
        norm = _CIRCLE.sub("〇", norm) if "○" in norm or "◯" in norm else norm
    return Text(original, norm, offsets, hidden)


def _folded(original: str) -> tuple[str, tuple[int, ...], int]:
    out: list[str] = []
    offsets: list[int] = []
    hidden = 0
    for index, char in enumerate(original):
        folded = _fold(char)
        if folded is None:
            hidden += 1
        elif char == "²" and index and original[index - 1] in _SQUARE and out and out[-1] == "m":
            out[-1] = "平米"
            offsets.append(offsets[-1])
        elif folded:
            out.append(folded)
            offsets += [index] * len(folded)
    offsets.append(len(original))
    return "".join(out), tuple(offsets), hidden


@functools.lru_cache(maxsize=4096)
def _fold(char: str) -> str | None:
    """Give the normal form of one code point: empty for a mark without meaning, None for one that hides something."""
    if char in _UNITS:
        return _UNITS[char]
    if char in _KEEP or char == "\n" or _MARKS.match(char):
        return char
    if char.isspace():
        return "\n" if char in "\u2028\u2029" else " "
    category = unicodedata.category(char)
    if char in _EMOJI_PARTS or category in ("Mn", "Me"):
        return ""
    return None if category in _HIDDEN else _letters(char)


def _letters(char: str) -> str:
    number = unicodedata.decimal(char, None)
    if number is not None:
        return str(number)
    form = unicodedata.normalize("NFKD" if char < "\u0250" else "NFKC", char).lower()
    return "".join(c for c in form if unicodedata.category(c) not in ("Mn", "Cf", "Cc"))


def clauses(text: Text) -> tuple[Clause, ...]:
    """Cut a text at sentence ends and clause marks; numbers, links and times stay whole."""
    return cut(text.norm)
