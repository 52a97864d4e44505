"""The second reader: what it may add, what it must leave alone, and that its weights belong to the sentences beside it."""

import hashlib
import json
from pathlib import Path

import pytest

from planner.leanings import grams, leanings
from planner.pack import BUILT_IN, PackError, load_pack
from planner.risks import Level, find_risks
from tests.planner.turns import reading

TRAINING = Path(__file__).parents[2] / "training"
TRADES = ("property", "used_car")


@pytest.mark.parametrize("trade", TRADES)
def test_weights_belong_to_the_sentences(trade: str) -> None:
    """Whoever changes the sentences trains again (python training/train.py)."""
    files = [TRAINING / f"{name}.tsv" for name in (trade, *(other for other in TRADES if other != trade))]
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:12]
    model = json.loads((BUILT_IN / trade / "leanings.json").read_text(encoding="utf-8"))["leanings"]
    assert model["trainedOn"] == digest


@pytest.mark.parametrize("trade", TRADES)
def test_sentences_name_scenarios_of_the_pack(trade: str) -> None:
    """Every label is a scenario; no sentence stands twice with different labels."""
    known = {row["id"] for row in load_pack(trade).sections["scenarios"]}
    rows = [line.split("\t", 1) for line in (TRAINING / f"{trade}.tsv").read_text(encoding="utf-8").splitlines()]
    assert {label for labels, _ in rows for label in labels.split(",") if label} <= known
    assert len({words for _, words in rows}) == len(rows)


def test_it_adds_where_no_trigger_knows_the_wording(monkeypatch: pytest.MonkeyPatch) -> None:
    """A leaning is taken as a decision, quoted whole; triggers, denials and thanks come first."""
    monkeypatch.setattr("planner.risks.leanings", lambda *_: ("complaint",))
    (risk,) = find_risks(reading("c:嗯哼这样子的哦"))
    assert (risk.scenario, risk.level, risk.quote) == ("complaint", Level.DECIDE, "嗯哼这样子的哦")
    assert {risk.scenario for risk in find_risks(reading("c:能贷款吗"))} == {"financing"}
    assert find_risks(reading("c:价格没问题")) == ()
    assert find_risks(reading("c:好的谢谢")) == ()
    assert find_risks(reading("a:您想要几楼的？", "c:嗯哼这样子的哦")) == ()


def test_a_pack_without_a_model_leans_to_nothing(tmp_path: Path) -> None:
    """A new trade starts with triggers alone; a broken model stops it."""
    plain = tmp_path / "pack.yaml"
    plain.write_text("name: shop\n", encoding="utf-8")
    assert leanings("能便宜一万吗", load_pack(plain)) == ()
    broken = tmp_path / "broken.yaml"
    broken.write_text("name: shop\nleanings: {threshold: 0.5}\n", encoding="utf-8")
    with pytest.raises(PackError, match="leanings"):
        leanings("能便宜一万吗", load_pack(broken))


def test_features_are_bounded_and_blind_to_digits() -> None:
    """A long text costs no more than a short one, and a price is no memory of that price."""
    assert len(grams("价" * 100_000)) < 300
    assert grams("298万行吗") == grams("1350万行吗")
