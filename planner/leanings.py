"""A second reader: which scenario a customer's wording leans to, and which slot a question asks for, where no row knows it.

Small linear models over characters, trained from labelled sentences by `training/train.py`; their weights are data of the
pack. A scenario is only ever added, to a message in which the triggers found none: that sends the turn to a person. A slot
is added to a sentence that asks where the rows found none, and taken away where the wording is far from any question for it.
"""

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from planner.pack import Pack, PackError

_GAP = re.compile(r"[^0-9a-z\u4e00-\u9fff]+")
_DIGITS = re.compile(r"[0-9]{1,20}")
_LONGEST = 60


@dataclass(frozen=True)
class _Model:
    threshold: float
    names: tuple[str, ...]
    weights: dict[str, tuple[float, ...]]
    bias: tuple[float, ...]
    least: float


def grams(norm: str) -> set[str]:
    """Give the features of a normalised text: its runs of one to three characters, and pairs with a gap between."""
    text = "^" + _DIGITS.sub("0", _GAP.sub("_", norm[:_LONGEST])) + "$"
    found = {text[at : at + size] for size in (1, 2, 3) for at in range(len(text) - size + 1)}
    return found | {f"{text[at]}.{text[at + 2]}" for at in range(len(text) - 2)}


def share(scores: Iterable[float], count: int) -> float:
    """Turn the weights of a text's features into a probability."""
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, sum(scores) / math.sqrt(count)))))


def leanings(norm: str, pack: Pack) -> tuple[str, ...]:
    """Give the scenarios that a message leans to; empty for a pack without a model."""
    model = pack.derive(_scenarios)
    return tuple(name for name, found in _shares(model, norm) if found > model.threshold) if model else ()


@dataclass(frozen=True)
class SlotLeanings:
    """How far a question leans to each slot (0..1): `leaning` where no row knows it, `doubted` where one does."""

    shares: dict[str, float]
    threshold: float
    least: float

    @property
    def leaning(self) -> tuple[str, ...]:
        """The slots that the wording leans to."""
        return tuple(slot for slot, found in self.shares.items() if found > self.threshold)

    def doubted(self, slot: str) -> bool:
        """Whether the wording is so far from any question for the slot that a row's word is not enough."""
        return self.shares.get(slot, 1.0) < self.least


def slot_leanings(norm: str, pack: Pack) -> SlotLeanings:
    """Say how far a question leans to each slot; a pack without a model leans to nothing and doubts nothing."""
    model = pack.derive(_slots)
    if model is None:
        return SlotLeanings({}, 1.0, 0.0)
    return SlotLeanings(dict(_shares(model, norm)), model.threshold, model.least)


def _shares(model: _Model, norm: str) -> Iterator[tuple[str, float]]:
    features = grams(norm)
    rows = [model.bias, *(model.weights[gram] for gram in features if gram in model.weights)]
    for name, column in zip(model.names, zip(*rows, strict=True), strict=True):
        yield name, share(column, len(features) + 1)


def _scenarios(pack: Pack) -> _Model | None:
    return _model(pack, "leanings", "scenarios")


def _slots(pack: Pack) -> _Model | None:
    return _model(pack, "slot_leanings", "slots")


def _model(pack: Pack, section: str, names: str) -> _Model | None:
    data: dict[str, Any] | None = pack.sections.get(section)
    if data is None:
        return None
    try:
        return _Model(
            threshold=float(data["threshold"]),
            names=tuple(data[names]),
            weights=_by_gram([data["weights"][name] for name in data[names]]),
            bias=tuple(float(data["bias"][name]) for name in data[names]),
            least=float(data.get("least", 0.0)),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise PackError(f"pack {pack.name}: {section}: not as training/train.py writes it: {error!r}") from error


def _by_gram(columns: list[dict[str, float]]) -> dict[str, tuple[float, ...]]:
    every = {gram for column in columns for gram in column}
    return {gram: tuple(float(column.get(gram, 0.0)) for column in columns) for gram in every}
