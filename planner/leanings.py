"""A second reader of the customer's messages: which scenario a wording leans to where no trigger knows it.

A small linear model over characters, one per trade, trained from labelled sentences by `training/train.py`; its weights are
data of the pack. It can only add a scenario to a message in which the triggers found none, which sends the turn to a person.
"""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from planner.pack import Pack, PackError

_GAP = re.compile(r"[^0-9a-z\u4e00-\u9fff]+")
_DIGITS = re.compile(r"[0-9]{1,20}")
_LONGEST = 60


@dataclass(frozen=True)
class _Model:
    threshold: float
    scenarios: tuple[str, ...]
    weights: dict[str, tuple[float, ...]]
    bias: tuple[float, ...]


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
    model = pack.derive(_model)
    if model is None:
        return ()
    features = grams(norm)
    rows = [model.bias, *(model.weights[gram] for gram in features if gram in model.weights)]
    return tuple(
        scenario
        for scenario, column in zip(model.scenarios, zip(*rows, strict=True), strict=True)
        if share(column, len(features) + 1) > model.threshold
    )


def _model(pack: Pack) -> _Model | None:
    data: dict[str, Any] | None = pack.sections.get("leanings")
    if data is None:
        return None
    try:
        return _Model(
            threshold=float(data["threshold"]),
            scenarios=tuple(data["scenarios"]),
            weights=_by_gram([data["weights"][scenario] for scenario in data["scenarios"]]),
            bias=tuple(float(data["bias"][scenario]) for scenario in data["scenarios"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise PackError(f"pack {pack.name}: leanings: not as training/train.py writes it: {error!r}") from error


def _by_gram(columns: list[dict[str, float]]) -> dict[str, tuple[float, ...]]:
    every = {gram for column in columns for gram in column}
    return {gram: tuple(float(column.get(gram, 0.0)) for column in columns) for gram in every}
