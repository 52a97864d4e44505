# ruff: noqa: INP001  (a script, no package)
"""Train the leanings of the built-in packs from the labelled sentences beside this file.

    python training/train.py            write planner/packs/<trade>/leanings.json and common/slot_leanings.json
    python training/train.py --score    print how well four fifths of the sentences predict the last fifth

A line is `scenarios<TAB>sentence`; without a scenario it is an ordinary message. Scenarios of the shared file are learned from every
trade's sentences. `slots.tsv` holds what agents write, `slots<TAB>sentence`, for every trade. The result is the same on every machine; the pack keeps the digest of the sentences it was trained on.
"""

import argparse
import hashlib
import json
import math
import random
import sys
from collections import Counter, defaultdict
from pathlib import Path

from planner.leanings import grams, share
from planner.pack import BUILT_IN, Pack, load_pack
from planner.spelling import respell
from planner.text import normalize

HERE = Path(__file__).parent
TRADES = ("property", "used_car")
SHARED = frozenset({"pricing", "financing", "complaint", "viewing", "human_request"})
SLOTS = "slots"
EPOCHS, RATE, SMALLEST, THRESHOLD = 25, 0.3, 0.2, 0.6
# A slot is only looked for in a sentence that asks, which is half the answer; below the least share a row is doubted.
SLOT_THRESHOLD, SLOT_LEAST = 0.3, 0.08
# A feature of one sentence alone would learn that sentence by heart.
SEEN_AT_LEAST = 2
BIAS = ""
Line = tuple[frozenset[str], str]


def lines_of(trade: str) -> list[Line]:
    """Read a trade's sentences."""
    rows = (row.split("\t", 1) for row in (HERE / f"{trade}.tsv").read_text(encoding="utf-8").splitlines() if row)
    return [(frozenset(filter(None, labels.split(","))), words) for labels, words in rows]


def slot_digest() -> str:
    """Name the agents' sentences by content."""
    return hashlib.sha256((HERE / f"{SLOTS}.tsv").read_bytes()).hexdigest()[:12]


def digest_of(trade: str) -> str:
    """Name the sentences that a trade is trained on, by content."""
    files = [HERE / f"{name}.tsv" for name in (trade, *(other for other in TRADES if other != trade))]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:12]


def lines_for(trade: str) -> list[Line]:
    """Give what a trade learns from: its own sentences, and others' that speak of nothing but shared scenarios."""
    others = [line for name in TRADES if name != trade for line in lines_of(name) if line[0] <= SHARED]
    return [*lines_of(trade), *others]


def train(lines: list[Line], pack: Pack) -> dict[str, dict[str, float]]:
    """Fit one logistic regression per scenario by plain gradient steps; gives {scenario: {gram: weight}}."""
    found = [(labels, features_of(words, pack)) for labels, words in lines]
    seen = Counter(gram for _, features in found for gram in features)
    read = [(labels, [gram for gram in features if seen[gram] >= SEEN_AT_LEAST]) for labels, features in found]
    scenarios = sorted({label for labels, _ in lines for label in labels})
    weights: dict[str, dict[str, float]] = {scenario: defaultdict(float) for scenario in scenarios}
    order = random.Random(0)  # noqa: S311  # the order of learning, not a secret
    for _ in range(EPOCHS):
        order.shuffle(read)
        for labels, features in read:
            for scenario in scenarios:
                _step(weights[scenario], features, target=scenario in labels)
    return weights


def features_of(words: str, pack: Pack) -> list[str]:
    """Give the features of a sentence as the planner will see them, the bias first."""
    return [BIAS, *sorted(grams(respell(normalize(words).norm, pack).norm))]


def _step(weights: dict[str, float], features: list[str], *, target: bool) -> None:
    error = target - share((weights[gram] for gram in features), len(features))
    if abs(error) > 0.02:
        step = RATE * error / math.sqrt(len(features))
        for gram in features:
            weights[gram] += step


def write(trade: str) -> None:
    """Write a trade's model into its pack."""
    weights = train(lines_for(trade), load_pack(trade))
    model = {"trainedOn": digest_of(trade), "threshold": THRESHOLD, "scenarios": list(weights), **_columns(weights)}
    _put(BUILT_IN / trade / "leanings.json", "leanings", model)


def write_slots() -> None:
    """Write the model of questions for all trades."""
    weights = train(lines_of(SLOTS), load_pack(TRADES[0]))
    limits = {"threshold": SLOT_THRESHOLD, "least": SLOT_LEAST}
    model = {"trainedOn": slot_digest(), **limits, "slots": list(weights), **_columns(weights)}
    _put(BUILT_IN / "common" / "slot_leanings.json", "slot_leanings", model)


def _columns(weights: dict[str, dict[str, float]]) -> dict[str, dict[str, object]]:
    return {
        "bias": {name: round(column[BIAS], 1) for name, column in weights.items()},
        "weights": {name: _pruned(column) for name, column in weights.items()},
    }


def _put(path: Path, section: str, model: dict[str, object]) -> None:
    path.write_text(json.dumps({section: model}, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
    sys.stdout.write(f"{path}: {path.stat().st_size} bytes\n")


def _pruned(column: dict[str, float]) -> dict[str, float]:
    return {gram: round(column[gram], 1) for gram in sorted(column) if gram != BIAS and abs(column[gram]) >= SMALLEST}


def score(trade: str) -> None:
    """Print precision and recall on a held-out fifth."""
    lines = lines_for(trade)
    random.Random(1).shuffle(lines)  # noqa: S311  # the same fifth each time
    cut = len(lines) // 5
    pack = load_pack(trade)
    weights = train(lines[cut:], pack)
    right = wrong = missed = 0
    for labels, words in lines[:cut]:
        features = features_of(words, pack)
        found = {s for s in weights if share((weights[s].get(g, 0.0) for g in features), len(features)) > THRESHOLD}
        right, wrong, missed = right + len(found & labels), wrong + len(found - labels), missed + len(labels - found)
    sys.stdout.write(f"{trade}: precision {right / (right + wrong):.3f}, recall {right / (right + missed):.3f}\n")


def main() -> None:
    """Train or score every trade."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--score", action="store_true")
    only_score = parser.parse_args().score
    for trade in TRADES:
        (score if only_score else write)(trade)
    if not only_score:
        write_slots()


if __name__ == "__main__":
    main()
