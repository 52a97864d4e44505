# ruff: noqa: INP001  (a script, no package)
"""Train the reader of claiming clauses from the labelled clauses beside this file.

    python training/train_clauses.py            write planner/packs/common/claiming.json
    python training/train_clauses.py --score    print how well four fifths of the clauses predict the last fifth

A line of `clauses*.tsv` is `label<TAB>kind<TAB>clause<TAB>question`: label 1 claims something that a source would have to
back, 0 does not. The result is the same on every machine; the pack keeps the digest of the clauses it was trained on.
"""

import argparse
import hashlib
import json
import math
import random
import sys
from collections import Counter, defaultdict
from pathlib import Path

from planner.pack import BUILT_IN, load_pack
from planner.text import normalize
from verifier.claiming import Claiming, features
from verifier.lexicon import lexicon_of

HERE = Path(__file__).parent
TARGET = BUILT_IN / "common" / "claiming.json"
TRADES = ("property", "used_car")
EPOCHS, RATE, DECAY, SMALLEST = 30, 0.3, 3e-4, 0.12
# A feature of one clause alone would learn that clause by heart.
SEEN_AT_LEAST = 2
Line = tuple[frozenset[str], int]


def digest() -> str:
    """Name the clauses by content."""
    return hashlib.sha256(b"".join(file.read_bytes() for file in sorted(HERE.glob("clauses*.tsv")))).hexdigest()[:12]


def lines() -> list[Line]:
    """Read every labelled clause as features."""
    lexicons = [lexicon_of(load_pack(trade)) for trade in TRADES]
    found = []
    for file in sorted(HERE.glob("clauses*.tsv")):
        for row in file.read_text(encoding="utf-8").splitlines():
            label, _, clause, _ = row.split("\t")
            found.append((features(normalize(clause).norm, *lexicons), int(label)))
    return found


def train(data: list[Line]) -> Claiming:
    """Fit logistic regression by plain gradient steps in a fixed order."""
    seen = Counter(feature for held, _ in data for feature in held)
    rows = [(sorted(f for f in held if seen[f] >= SEEN_AT_LEAST), label) for held, label in data]
    weights: dict[str, float] = defaultdict(float)
    bias = 0.0
    order = random.Random(1)  # noqa: S311  # the order of learning, not a secret
    for epoch in range(EPOCHS):
        order.shuffle(rows)
        for held, label in rows:
            scale = math.sqrt(len(held) + 1)
            score = bias + sum(weights[f] for f in held) / scale
            chance = 1 / (1 + math.exp(-max(-30.0, min(30.0, score))))
            step = (chance - label) * RATE / (1 + epoch * 0.1)
            bias -= step * 0.05
            for feature in held:
                weights[feature] = weights[feature] * (1 - DECAY) - step / scale
    kept = {f: round(w, 1) for f, w in sorted(weights.items()) if abs(w) >= SMALLEST}
    return Claiming(round(bias, 2), kept)


def write(data: list[Line]) -> None:
    """Write the model into the common pack files."""
    model = train(data)
    held = {"trainedOn": digest(), "bias": model.bias, "weights": model.weights}
    TARGET.write_text(
        json.dumps({"claiming": held}, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8"
    )
    sys.stdout.write(f"{TARGET}: {TARGET.stat().st_size} bytes\n")


def score(data: list[Line]) -> None:
    """Print the share of claims and of other clauses on the right side of zero in a held-out fifth."""
    random.Random(1).shuffle(data)  # noqa: S311  # the same fifth each time
    cut = len(data) // 5
    model = train(data[cut:])
    for label in (0, 1):
        right = [(model.score(held) > 0) == bool(label) for held, own in data[:cut] if own == label]
        sys.stdout.write(f"label {label}: {sum(right) / len(right):.3f} of {len(right)}\n")


def main() -> None:
    """Train or score."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--score", action="store_true")
    (score if parser.parse_args().score else write)(lines())


if __name__ == "__main__":
    main()
