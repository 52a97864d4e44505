"""What changed between two texts, word by word; Chinese character by character."""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

MOST = 800  # tokens per side, more than one message holds: comparing takes longer than a person waits beyond this
_TOKEN = re.compile(r"[A-Za-z]+|[0-9]+(?:[.,][0-9]+){0,8}|\s+|.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Change:
    """A stretch of both texts: `kind` is `same`, `out` (only in the first) or `in` (only in the second)."""

    kind: str
    text: str


def changes(first: str, second: str) -> list[Change]:
    """Compare two texts; the first is the `same` and `out` stretches joined, the second the `same` and `in` ones.

    Texts beyond `MOST` tokens come back whole, one `out` and one `in`.
    """
    a, b = _TOKEN.findall(first), _TOKEN.findall(second)
    if max(len(a), len(b)) > MOST:
        return [Change("out", first), Change("in", second)]
    found: list[Change] = []
    for kind, i, j, k, m in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if kind == "equal":
            found.append(Change("same", "".join(a[i:j])))
            continue
        if j > i:
            found.append(Change("out", "".join(a[i:j])))
        if m > k:
            found.append(Change("in", "".join(b[k:m])))
    return found
