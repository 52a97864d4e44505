"""Simplified from traditional characters.

The converter's dictionaries take some 25 MB and are only loaded for a text that may need them: one with a character
outside the simplified standard set (GB 2312), or with one of the few words in which a character of that set changes.
"""

import functools
import re

from opencc_pyo3 import OpenCC

# The rows of GB 2312 that hold Chinese characters.
_ROWS, _CELLS = range(0xB0, 0xF8), range(0xA1, 0xFF)
# Characters of the set that are traditional in themselves or in some word; found by converting every pair of the set.
_CHANGED = frozenset("乾著菸薹薰拚捱摺吒後徵夥榘於袷麴醣麽藉")
_IN_WORDS = re.compile(
    "新抱|[昏浮深耳]沈|沈[下冤厚吟寂思浮浸湎溺痛痼睡筒船落迷醉重降陷香默]|[函反回批拜明申示答重]覆|覆[信呈命墓按文校]|[海英]哩|[一土打拉捏毛陶]坏|坏[土子布]"
)


@functools.cache
def _converter() -> OpenCC:
    return OpenCC("t2s")


@functools.cache
def _settled() -> frozenset[str]:
    """Give the characters that no conversion changes: those of the set, and all that are not Chinese."""
    coded = bytes(byte for row in _ROWS for cell in _CELLS for byte in (row, cell))
    return frozenset(coded.decode("gb2312", "ignore")) - _CHANGED


_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")


def simplified(norm: str) -> str:
    """Give a text in simplified characters, of the same length."""
    if _settled().issuperset(_HAN.findall(norm)) and not _IN_WORDS.search(norm):
        return norm
    convert = _converter().convert
    simple: str = convert(norm)
    # Simplifying is one to one for the characters that chat uses; where it is not, the places of words matter more.
    if len(simple) != len(norm):
        simple = "".join(one if len(one := convert(char)) == 1 else char for char in norm)
    return simple
