"""Which thing a clause is about: the labels of the sources, and which of them a clause names.

A label is told apart by the words that the other labels lack (3栋 and 5栋, 东户 and 西户, XC60 and A4L); a clause that
names none goes on about what the one before it was about.
"""

import functools
import re
from collections.abc import Mapping

_RUN = re.compile(r"[a-z]*\d+[a-z0-9-]*|[a-z]{3,}[a-z0-9-]*")
_CJK = re.compile(r"[\u4e00-\u9fff0-9]+")
_MODEL_YEAR = re.compile(r"20(\d\d款)")
_DIGITS = "零一二三四五六七八九"


@functools.lru_cache(maxsize=2048)
def tokens(label: str) -> frozenset[str]:
    """Give the pieces by which a label can be named: pairs of characters, numbers, Latin words, first with last."""
    found: set[str] = set()
    for match in _CJK.finditer(label):
        run = match.group()
        found.update(run[i : i + 2] for i in range(len(run) - 1) if not run[i : i + 2].isdigit())
        if len(run) > 2 and not run[0].isdigit():
            found.add(run[0] + run[-1])
    found.update(m.group() for m in _RUN.finditer(label) if len(m.group()) > 1)
    found.update(m.group(1) for m in _MODEL_YEAR.finditer(label))
    found.update(piece.translate(_TO_CHINESE) for piece in tuple(found) if len(piece) == 2 and piece[0].isdigit())
    found.update(piece.translate(_TO_DIGITS) for piece in tuple(found) if len(piece) == 2 and piece[0] in _DIGITS)
    return frozenset(found)


_TO_CHINESE = str.maketrans("0123456789", _DIGITS)
_TO_DIGITS = str.maketrans(_DIGITS, "0123456789")


def distinctive(labels: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """For each label, the pieces of its words that no other label has."""
    return {
        label: tokens(words).difference(*(tokens(other) for name, other in labels.items() if name != label))
        for label, words in labels.items()
    }


def named(text: str, apart: dict[str, frozenset[str]]) -> frozenset[str]:
    """Give the labels that a text names."""
    return frozenset(label for label, pieces in apart.items() if any(_stands(text, piece) for piece in pieces))


def _stands(text: str, piece: str) -> bool:
    """Whether a piece stands in a text, a number not inside a longer number."""
    at = text.find(piece)
    while at >= 0:
        before = text[at - 1] if at else ""
        behind = text[at + len(piece)] if at + len(piece) < len(text) else ""
        inside = (piece[0].isdigit() and before.isdigit()) or (piece[-1].isdigit() and behind.isdigit())
        if not inside:
            return True
        at = text.find(piece, at + 1)
    return False


def same_thing(one: str, other: str) -> bool:
    """Whether two labels name the same thing: equal, or one is written inside the other."""
    a, b = one.replace(" ", ""), other.replace(" ", "")
    return a == b or (len(a) >= 3 and a in b) or (len(b) >= 3 and b in a)
