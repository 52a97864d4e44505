"""How a sentence addresses the customer: a small linear reader for lecturing, pressing, flirting, diagnosing, siding.

Rude wording is an open class: rows find what they name, this finds what resembles it. Its weights are data of the pack
(`tone_weights`, written by `python -m bench.train_manner`). It may fail the soft check `tone`, nothing else; support for
facts, handoffs or promises never rests on it.
"""

import itertools
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from planner.pack import Pack
from planner.reading import ReadText
from verifier.rules import sentence_spans

_HAN = re.compile("[\u4e00-\u9fff]{1,400}")
_WORD = re.compile("[a-z']{1,30}")
_LONGEST = 400
# A sentence with a figure tells a fact; no move needs one.
_FIGURE = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Manner:
    """The weights of features; a sentence whose score is above `threshold` reads like one of the five moves."""

    bias: float
    threshold: float
    weights: Mapping[str, float]

    def score(self, norm: str) -> float:
        """Score one normalised sentence; higher reads ruder."""
        held = features(norm)
        return self.bias + sum(map(self.weights.__getitem__, self.weights.keys() & held)) / math.sqrt(len(held) + 1)


def features(norm: str) -> frozenset[str]:
    """Give a sentence's features: pieces of one to three Chinese characters with the edges, words and pairs of words."""
    return frozenset(_features(norm[:_LONGEST]))


def _features(norm: str) -> Iterator[str]:
    for run in _HAN.findall(norm):
        edged = f"^{run}$"
        yield from edged
        yield from map("".join, itertools.pairwise(edged))
        yield from map("".join, zip(edged, edged[1:], edged[2:], strict=False))
    words = _WORD.findall(norm)
    yield from (f"w:{word}" for word in words)
    yield from (f"w:{one} {two}" for one, two in itertools.pairwise(words))
    if "?" in norm or "？" in norm:
        yield "asked"


def manner_of(pack: Pack) -> Manner | None:
    """Read a pack's weights; None when it has none."""
    data = pack.sections.get("tone_weights")
    if not isinstance(data, Mapping):
        return None
    rows = (line.rsplit(" ", 1) for line in str(data["weights"]).splitlines() if line)
    return Manner(float(data["bias"]), float(data["threshold"]), {name: float(weight) for name, weight in rows})


def rude_spans(read: ReadText, pack: Pack) -> Iterator[tuple[int, int]]:
    """Give the spans in `norm` of the sentences that read like one of the five moves."""
    manner = pack.derive(manner_of)
    if manner is not None:
        for start, end in sentence_spans(read):
            words = read.norm[start:end]
            if _FIGURE.search(words) is None and manner.score(words) > manner.threshold:
                yield start, end
