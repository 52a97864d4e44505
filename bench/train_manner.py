"""Train the manner reader on the project's own wordings and write its weights: `python -m bench.train_manner`.

Prints what cross-validation says first: the share of rude lines found and of harmless lines marked, on lines that the
weights of that fold had not seen.
"""

import math
import random
from collections.abc import Sequence
from pathlib import Path

import yaml

from planner.text import normalize
from tests.verifier.test_check_tone import BAD, GOOD
from verifier.manner import Manner, features

ROOT = Path(__file__).parent.parent
WORDINGS = ROOT / "tests" / "verifier" / "wordings.yaml"
TARGET = ROOT / "planner" / "packs" / "common" / "tone_weights.yaml"
BASE = ("lecture", "intense_flirt", "diagnose_user", "take_sides_aggressively", "pressure_to_disclose")
THRESHOLD = -0.25
EPOCHS, RATE, DECAY, RUDE_COUNTS = 40, 0.3, 5e-4, 3.0
SMALLEST = 0.25
# Claiming to be human is another move: the honest answer to it must not look rude.
OTHER_MOVES = ("真人", "人工客服", "机器", "robot", "human")
Line = tuple[frozenset[str], int]


def lines() -> tuple[list[str], list[str]]:
    """Give the rude and the harmless lines."""
    data = yaml.safe_load(WORDINGS.read_text(encoding="utf-8"))
    rude = [text for move, text in BAD if move in BASE] + data["tone"]["fails"] + data["tone"]["more_fails"]
    rude = [text for text in rude if not any(word in text for word in OTHER_MOVES)]
    harmless = list(GOOD)
    for check in ("tone", "promise_limits", "internal_leak", "privacy"):
        harmless += [line.rpartition(" → ")[2] for line in data[check]["passes"]]
    for kind in ("no_claim", "done", "now"):
        harmless += data["human_handoff"][kind]
    return list(dict.fromkeys(rude)), list(dict.fromkeys(harmless))


def train(rude: Sequence[str], harmless: Sequence[str]) -> Manner:
    """Fit logistic regression by plain gradient descent; the order of lines is fixed, so is the result."""
    data: list[Line] = [(features(normalize(t).norm), 1) for t in rude]
    data += [(features(normalize(t).norm), 0) for t in harmless]
    weights: dict[str, float] = {}
    bias = -1.0
    order = random.Random(1)
    for epoch in range(EPOCHS):
        order.shuffle(data)
        for held, label in data:
            scale = math.sqrt(len(held) + 1)
            score = bias + sum(weights.get(f, 0.0) for f in held) / scale
            chance = 1 / (1 + math.exp(-max(-30.0, min(30.0, score))))
            step = (chance - label) * (RUDE_COUNTS if label else 1.0) * RATE / (1 + epoch * 0.1)
            bias -= step * 0.05
            for feature in sorted(held):
                weights[feature] = weights.get(feature, 0.0) * (1 - DECAY) - step / scale
    kept = {f: round(w, 2) for f, w in sorted(weights.items()) if abs(w) >= SMALLEST}
    return Manner(round(bias, 4), THRESHOLD, kept)


def found(manner: Manner, texts: Sequence[str]) -> float:
    """Give the share of texts above the threshold."""
    return sum(manner.score(normalize(t).norm) > manner.threshold for t in texts) / max(1, len(texts))


def cross_validate(rude: list[str], harmless: list[str], folds: int = 5) -> tuple[float, float]:
    """Give recall and false alarms on unseen lines."""
    shuffled = random.Random(3)
    shuffled.shuffle(rude)
    shuffled.shuffle(harmless)
    recall = alarms = 0.0
    for fold in range(folds):
        rest = (
            [t for n, t in enumerate(rude) if n % folds != fold],
            [t for n, t in enumerate(harmless) if n % folds != fold],
        )
        manner = train(*rest)
        recall += found(manner, rude[fold::folds]) / folds
        alarms += found(manner, harmless[fold::folds]) / folds
    return recall, alarms


def main() -> None:
    """Cross-validate, train on everything, write the weights."""
    rude, harmless = lines()
    recall, alarms = cross_validate(list(rude), list(harmless))
    manner = train(rude, harmless)
    rows = "\n".join(f"    {name} {weight}" for name, weight in manner.weights.items())
    TARGET.write_text(
        "# Written by `python -m bench.train_manner`; do not edit by hand.\n"
        f"# {len(rude)} rude and {len(harmless)} harmless lines; unseen: {recall:.2f} found, {alarms:.3f} false alarms.\n"
        f"tone_weights:\n  bias: {manner.bias}\n  threshold: {manner.threshold}\n  weights: |\n{rows}\n",
        encoding="utf-8",
    )
    print(f"{len(manner.weights)} weights; on unseen lines {recall:.2f} found, {alarms:.3f} false alarms")


if __name__ == "__main__":
    main()
