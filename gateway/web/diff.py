"""What changed between two texts, word by word; Chinese character by character."""

import re
from dataclasses import dataclass
from itertools import groupby, takewhile

MOST = 250_000  # pairs of differing words to weigh up: a fifth of a second; longer texts are shown whole, one by one
_TOKEN = re.compile(r"[A-Za-z]+|[0-9]+(?:[.,][0-9]+){0,8}|\s+|.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Change:
    """A stretch of both texts: `kind` is `same`, `out` (only in the first) or `in` (only in the second)."""

    kind: str
    text: str


def changes(first: str, second: str) -> list[Change]:
    """Compare two texts; the first is the `same` and `out` stretches joined, the second the `same` and `in` ones."""
    a, b = _TOKEN.findall(first), _TOKEN.findall(second)
    head = _alike(a, b)
    tail = _alike(a[head:][::-1], b[head:][::-1])
    middle = _compared(a[head : len(a) - tail], b[head : len(b) - tail])
    steps = [("same", token) for token in a[:head]] + middle + [("same", token) for token in a[len(a) - tail :]]
    return [Change(kind, "".join(token for _, token in group)) for kind, group in groupby(steps, lambda step: step[0])]


def _alike(a: list[str], b: list[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False)))


def _compared(a: list[str], b: list[str]) -> list[tuple[str, str]]:
    """Keep the longest common run of words and say what stands between."""
    if len(a) * len(b) > MOST:
        return [("out", token) for token in a] + [("in", token) for token in b]
    longest = _longest(a, b)
    steps: list[tuple[str, str]] = []
    i = j = 0
    while i < len(a) and j < len(b):
        if a[i] == b[j]:
            steps.append(("same", a[i]))
            i, j = i + 1, j + 1
        elif longest[i + 1][j] >= longest[i][j + 1]:
            steps.append(("out", a[i]))
            i += 1
        else:
            steps.append(("in", b[j]))
            j += 1
    return steps + [("out", token) for token in a[i:]] + [("in", token) for token in b[j:]]


def _longest(a: list[str], b: list[str]) -> list[list[int]]:
    """For each pair of ends, how many words the rests have in common, in order."""
    rows = [[0] * (len(b) + 1)]
    for word in reversed(a):
        below = rows[-1]
        row = [0] * (len(b) + 1)
        for j in range(len(b) - 1, -1, -1):
            row[j] = below[j + 1] + 1 if word == b[j] else max(below[j], row[j + 1])
        rows.append(row)
    return rows[::-1]
