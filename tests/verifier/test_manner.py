"""The manner reader: what resembles rude wording fails `tone` and nothing else, and only where all its moves are forbidden."""

from dataclasses import replace

import pytest

from planner.pack import load_pack
from planner.plan import Move
from planner.text import normalize
from tests.verifier.cases import case_of, plan_of
from verifier.checks.tone import tone
from verifier.manner import Manner, features, manner_of, rude_spans

MOVES = (
    Move.LECTURE,
    Move.INTENSE_FLIRT,
    Move.DIAGNOSE_USER,
    Move.TAKE_SIDES_AGGRESSIVELY,
    Move.PRESSURE_TO_DISCLOSE,
)


def test_both_packs_have_weights() -> None:
    for name in ("property", "used_car"):
        manner = load_pack(name).derive(manner_of)
        assert manner is not None
        assert len(manner.weights) > 1000


def test_a_pack_without_weights_has_no_reader() -> None:
    pack = load_pack("property")
    bare = replace(pack, sections={k: v for k, v in pack.sections.items() if k != "tone_weights"}, _derived={})
    assert manner_of(bare) is None
    assert list(rude_spans(case_of("早听我的不就好了").read, bare)) == []


def test_it_speaks_only_where_all_its_moves_are_forbidden() -> None:
    text = "早听我的不就好了"
    assert not tone(case_of(text, plan=plan_of(moves=MOVES))).passed
    assert tone(case_of(text, plan=plan_of(moves=MOVES[:4]))).passed


@pytest.mark.parametrize("text", ["总价350万，您自己看着办", "350"])
def test_a_sentence_with_a_figure_is_left_alone(text: str) -> None:
    assert list(rude_spans(case_of(text).read, load_pack("property"))) == []


def test_one_sentence_is_judged_by_itself() -> None:
    """Kind words around it do not free a rude sentence."""
    text = "您好！早听我的不就好了。祝您生活愉快，有问题随时找我。"
    case = case_of(text)
    assert [case.quote(a, b) for a, b in rude_spans(case.read, case.pack)] == ["早听我的不就好了"]


def test_features_are_bounded_and_scores_add_up() -> None:
    assert features("") == frozenset()
    assert {"^好", "好$", "好"} <= features(normalize("好").norm)
    assert {"w:be", "w:be kind", "asked"} <= features(normalize("Be kind?").norm)
    assert len(features("一二三四五六七八九十" * 2000)) < 1300
    assert Manner(-1.0, 0.0, {"好": 2.0}).score("好") > Manner(-1.0, 0.0, {}).score("好")
