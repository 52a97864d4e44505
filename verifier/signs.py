"""The sign of each concept in a clause: which negation turns which concept around.

Closed-class grammar: a negation turns the concept behind it (没有抵押), or the one before it (燃气没通, 抵押：无), is
carried along a list (无抵押查封, 排除水泡和火烧), and does not reach across a bracket.
"""

import re
from collections.abc import Sequence

from verifier.lexicon import Hit

_JOINED = re.compile(r"[、和跟与及或也都,/\s&]*|(?:and|or|nor)?\s*")


_MAX_REACH = 12


# A negation turns what it stands before, not what comes a phrase later (未达成交易原路退还).
_CHINESE_REACH = 5


_LEFT_REACH = 5


def signs(
    norm: str, start: int, end: int, spans: list[tuple[int, int]], negs: Sequence[Hit]
) -> dict[tuple[int, int], int]:
    """Give each span 1 or -1; spans and negations are in order, offsets in `norm`."""
    if not negs or not spans:
        return dict.fromkeys(spans, 1)
    keyed = _KEYED.search(norm, spans[-1][1], end)
    if (
        keyed is not None
        and any(n.start == keyed.end() for n in negs)
        and not any(n.end <= keyed.start() for n in negs)
    ):
        return dict.fromkeys(spans, -1)
    edges = [start, *(e for _, e in spans)]
    starts = [*(s for s, _ in spans), end]
    gaps = [[n for n in negs if a <= n.start and n.end <= b] for a, b in zip(edges, starts, strict=True)]
    trailing = bool(gaps[-1]) and not gaps[0] and gaps[-1][0].start - spans[-1][1] <= _MAX_REACH
    flips = [0] * len(spans)
    for index, gap in enumerate(gaps):
        for neg in gap:
            target = _target(norm, neg, edges[index], starts[index], index, len(spans), trailing=trailing)
            if target is not None:
                flips[target] += 1
    if trailing:
        _spread_left(norm, spans, flips)
    else:
        _spread_right(norm, spans, flips)
    return {span: -1 if flip % 2 else 1 for span, flip in zip(spans, flips, strict=True)}


# The value of a "key: value" line, when nothing but the key stands before it.
_KEYED = re.compile(r"[：:]\s*")


_WALL = re.compile(r"[（(）)：:；;]")


def _target(norm: str, neg: Hit, before: int, behind: int, index: int, count: int, *, trailing: bool) -> int | None:
    """Say which concept a negation turns: the one behind it, else the one before it; none across a bracket."""
    walled_left = re.search(r"[（(]", norm[before : neg.start]) is not None
    walled_right = _WALL.search(norm[neg.end : behind]) is not None
    keyed = norm[before : neg.start].rstrip().endswith(("：", ":"))
    reach = _MAX_REACH if norm[neg.start].isascii() else _CHINESE_REACH
    right = index < count and (not walled_right or index == 0) and behind - neg.end <= reach
    back = _LEFT_REACH if not norm[neg.start].isascii() else _MAX_REACH
    left = index > 0 and not walled_left and neg.start - before <= back
    keyed = keyed and not (right and behind - neg.end <= 2)
    if left and (keyed or not right or (trailing and count > 1)):
        return index - 1
    return index if right else None


def _spread_right(norm: str, spans: list[tuple[int, int]], flips: list[int]) -> None:
    for index in range(1, len(spans)):
        if not flips[index] and flips[index - 1] and _JOINED.fullmatch(norm, spans[index - 1][1], spans[index][0]):
            flips[index] = flips[index - 1]


def _spread_left(norm: str, spans: list[tuple[int, int]], flips: list[int]) -> None:
    for index in range(len(spans) - 2, -1, -1):
        if not flips[index] and flips[index + 1] and _JOINED.fullmatch(norm, spans[index][1], spans[index + 1][0]):
            flips[index] = flips[index + 1]
