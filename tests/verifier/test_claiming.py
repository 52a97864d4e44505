"""The reader of claiming clauses: its weights belong to the clauses beside it, and what it may and may not excuse."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from planner.pack import BUILT_IN, Pack, PackError, load_pack
from planner.turn import Grounding
from tests.verifier.turns import cite, turn
from verifier.claiming import claims_hardly, claims_surely
from verifier.claims import Status
from verifier.facts import check_facts
from verifier.lexicon import lexicon_of

TRAINING = Path(__file__).parents[2] / "training"
PACK = load_pack("property")
LEXICON = lexicon_of(PACK)


def test_weights_belong_to_the_clauses() -> None:
    """Whoever changes the clauses trains again (python training/train_clauses.py)."""
    files = sorted(TRAINING.glob("clauses*.tsv"))
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:12]
    model = json.loads((BUILT_IN / "common" / "claiming.json").read_text(encoding="utf-8"))["claiming"]
    assert model["trainedOn"] == digest


def test_clauses_have_four_fields_and_one_label_each() -> None:
    """A clause with two labels would teach nothing."""
    rows = [line.split("\t") for f in TRAINING.glob("clauses*.tsv") for line in f.read_text("utf-8").splitlines()]
    assert {len(row) for row in rows} == {4}
    assert {row[0] for row in rows} == {"0", "1"}
    assert len({row[2] for row in rows}) == len(rows)


@pytest.mark.parametrize(
    "clause",
    ["我去问问楼管再跟您说", "档案里查不到这项", "这忙我们真帮不上", "跑一下午够您受的", "let me dig that out for you"],
)
def test_talk_claims_nothing(clause: str) -> None:
    """Next steps, silent files, refusals and small talk."""
    assert claims_hardly(clause, PACK, LEXICON)
    assert not claims_surely(clause, PACK, LEXICON)


@pytest.mark.parametrize(
    "clause", ["一直就他们老两口住", "前年翻修过屋面", "顶楼那家去年搬空了", "it was rewired last year"]
)
def test_facts_claim(clause: str) -> None:
    """Without a word of the trade, by their manner."""
    assert claims_surely(clause, PACK, LEXICON)
    assert not claims_hardly(clause, PACK, LEXICON)


@pytest.mark.parametrize("draft", ["我问过楼管，都能停", "我帮您问到了，3号楼有位子", "已经替您跟业主谈妥了"])
def test_a_fact_beside_talk_stays_a_fact(draft: str) -> None:
    """A number, a deed or a word for all is never excused."""
    facts = check_facts(turn(draft, cite("小区地库共320个车位"), asked="好停车吗"))
    assert any(claim.status in {Status.UNSUPPORTED, Status.CONTRADICTED} for claim in facts.claims)


@pytest.mark.parametrize("clause", ["楼道这块真没人说得清楚", "看电梯房就是图个省心"])
def test_what_is_declared_is_never_excused(clause: str) -> None:
    """Whoever declares a passage for a clause calls it a fact: then it needs one that fits."""
    evidence = cite("小区共三栋楼，电梯六部")
    declared = Grounding(clause, evidence_id=evidence.id, evidence_quote="小区共三栋楼")
    assert not check_facts(turn(clause, evidence, asked="电梯多吗")).claims
    (claim,) = check_facts(turn(clause, evidence, asked="电梯多吗", grounding=(declared,))).claims
    assert claim.status is Status.UNSUPPORTED


def test_a_pack_without_weights_excuses_nothing_and_broken_weights_are_named() -> None:
    """No model is no reason to pass."""
    bare = Pack("bare", {}, "0")
    assert not claims_hardly("我去问问", bare, LEXICON)
    assert not claims_surely("顶楼那家去年搬空了", bare, LEXICON)
    broken = replace(bare, sections={"claiming": {"bias": "x"}}, _derived={})
    with pytest.raises(PackError, match="claiming"):
        claims_hardly("我去问问", broken, LEXICON)
