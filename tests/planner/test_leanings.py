"""The second reader: what it may add, what it must leave alone, and that its weights belong to the sentences beside it."""

import hashlib
import json
from pathlib import Path

import pytest

from planner.leanings import grams, leanings, slot_leanings
from planner.pack import BUILT_IN, PackError, load_pack
from planner.risks import Level, find_risks
from planner.slots import slot_questions
from tests.planner.turns import reading, text

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


def test_weights_of_questions_belong_to_the_sentences() -> None:
    """The same for what agents write."""
    digest = hashlib.sha256((TRAINING / "slots.tsv").read_bytes()).hexdigest()[:12]
    model = json.loads((BUILT_IN / "common" / "slot_leanings.json").read_text(encoding="utf-8"))["slot_leanings"]
    assert model["trainedOn"] == digest
    assert set(model["slots"]) == {row["id"] for row in load_pack("property").sections["slots"]}


@pytest.mark.parametrize("trade", TRADES)
def test_sentences_ask_for_their_slots(trade: str) -> None:
    """Of the agents' sentences one in two hundred may be read wrongly; each stands once."""
    rows = [line.split("\t", 1) for line in (TRAINING / "slots.tsv").read_text(encoding="utf-8").splitlines()]
    assert len({words for _, words in rows}) == len(rows)
    pack = load_pack(trade)
    wrong = [
        words
        for labels, words in rows
        if {question.slot for question in slot_questions(text(words), pack)} != set(filter(None, labels.split(",")))
    ]
    assert len(wrong) <= len(rows) / 200, wrong


def test_it_knows_and_doubts_questions() -> None:
    """A question that no row knows leans to its slot; a noun in a question for something else is doubted."""
    pack = load_pack("property")
    assert slot_leanings("您平时上班的话在哪附近呢", pack).leaning == ("location",)
    assert slot_leanings("您那边天气怎么样", pack).doubted("down_payment")
    assert not slot_leanings("预算多少", pack).doubted("budget")
    assert not slot_leanings("预算多少", pack).doubted("licence_class")


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
    assert slot_leanings("预算多少", load_pack(plain)).leaning == ()
    assert not slot_leanings("预算多少", load_pack(plain)).doubted("name")
    broken = tmp_path / "broken.yaml"
    broken.write_text("name: shop\nleanings: {threshold: 0.5}\n", encoding="utf-8")
    with pytest.raises(PackError, match="leanings"):
        leanings("能便宜一万吗", load_pack(broken))


def test_features_are_bounded_and_blind_to_digits() -> None:
    """A long text costs no more than a short one, and a price is no memory of that price."""
    assert len(grams("价" * 100_000)) < 300
    assert grams("298万行吗") == grams("1350万行吗")
