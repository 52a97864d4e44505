"""Whether a clause claims something that a source would have to back: a small linear reader over its characters.

What asserts is an open class: the anchor rule knows the words of the trade, this knows the manner (我问过业主再回您 asks
nobody to believe anything, 业主说过可以 does). Its weights are data of the pack (`claiming`, written by
`training/train_clauses.py`). It may excuse a clause that reading left without evidence, and only where nothing in the
clause could be a fact: no number, name, deed or word for all. It never supports anything.
"""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from planner.pack import Pack, PackError
from verifier.lexicon import Lexicon

_GAP = re.compile(r"[^0-9a-zT\u4e00-\u9fff]+")
_DIGITS = re.compile(r"[0-9]{1,20}")
_RUN = re.compile("[\u4e00-\u9fffT0^$_]{1,240}")
_WORD = re.compile("[a-z']{1,30}")
_MASKED = re.compile("T{1,240}")
_TRADE = frozenset({"concept", "topic", "domain"})
_LONGEST = 120


@dataclass(frozen=True, slots=True)
class Claiming:
    """The weights of features: the higher a clause scores, the surer it claims something."""

    bias: float
    weights: Mapping[str, float]

    def score(self, features: frozenset[str]) -> float:
        """Score a clause by its features."""
        return self.bias + sum(self.weights.get(f, 0.0) for f in features) / math.sqrt(len(features) + 1)


def claims_surely(norm: str, pack: Pack, lexicon: Lexicon) -> bool:
    """Whether a clause claims something though no word of the trade stands in it; False without a model."""
    model = pack.derive(_model)
    return model is not None and model.score(features(norm, lexicon)) > _SURELY


def claims_hardly(norm: str, pack: Pack, lexicon: Lexicon, *, chatting: bool = False) -> bool:
    """Whether a clause reads like talk, a next step, a refusal or a silent source; False without a model.

    `chatting`: nobody asked anything and no source is at hand, so that talk is what one expects.
    """
    model = pack.derive(_model)
    return model is not None and model.score(features(norm, lexicon)) < (_CHATTING if chatting else _HARDLY)


_SURELY, _HARDLY, _CHATTING = 1.6, -0.3, 0.5


def features(norm: str, *lexicons: Lexicon) -> frozenset[str]:
    """Give a normalised clause's features, as it stands and with the words of the trade masked."""
    text = norm[:_LONGEST]
    return frozenset([*_pieces(text, ""), *_pieces(_without_trade(text, lexicons), "m:")])


def _without_trade(text: str, lexicons: tuple[Lexicon, ...]) -> str:
    letters = list(text)
    for lexicon in lexicons:
        for hit in lexicon.scan(text):
            if hit.entry.kind in _TRADE:
                letters[hit.start : hit.end] = "T" * (hit.end - hit.start)
    return _MASKED.sub("T", "".join(letters))


def _pieces(text: str, tag: str) -> Iterator[str]:
    plain = "^" + _GAP.sub("_", _DIGITS.sub("0", text)) + "$"
    for run in _RUN.findall(plain):
        for size in (1, 2, 3):
            yield from (tag + run[at : at + size] for at in range(len(run) - size + 1))
    words = _WORD.findall(text)
    yield from (f"{tag}w:{word}" for word in words)
    yield from (f"{tag}w:{one} {two}" for one, two in pairwise(words))


def _model(pack: Pack) -> Claiming | None:
    data = pack.sections.get("claiming")
    if data is None:
        return None
    try:
        return Claiming(float(data["bias"]), {str(k): float(v) for k, v in data["weights"].items()})
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise PackError(f"pack {pack.name}: claiming: not as training/train_clauses.py writes it: {error!r}") from error
