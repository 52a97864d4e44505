"""Advice on meaning lowers a pass to "look here"; it never changes a check, and never helps a draft that failed."""

import pytest

from planner.plan import plan
from planner.reading import Reading
from tests.verifier.turns import cite, turn
from verifier.advice import LEAST, advise
from verifier.verdict import Judged
from verifier.verify import verify

PASSED = turn("建面98平，南向。", cite("建筑面积98㎡，朝南"), asked="多大，朝哪")
FAILED = turn("建面108平，南向。", cite("建筑面积98㎡，朝南"), asked="多大，朝哪")
EMPTY = turn("您好，我帮您看看。", asked="多大")


def judged(reading: Reading) -> Judged:
    verdict = verify(reading, plan(reading))
    assert isinstance(verdict, Judged)
    return verdict


def says(*scores: float):
    return lambda pairs: list(scores[: len(pairs)])


def test_what_reads_alike_is_left_as_it_is() -> None:
    before = judged(PASSED)
    assert advise(before, PASSED.pack, says(LEAST, 0.99)) == before


@pytest.mark.parametrize(("score", "confidence"), [(0.4, 0.4), (0.0, 0.0), (-1.0, 0.0), (float("nan"), 0.0)])
def test_what_reads_differently_is_marked_and_nothing_else_changes(score: float, confidence: float) -> None:
    before = judged(PASSED)
    after = advise(before, PASSED.pack, says(0.95, score))
    assert (after.confidence, after.band) == (confidence, "low")
    assert (after.passed, after.score, after.results, after.fix_actions) == (True, 100, before.results, ())
    first, second = after.claims
    assert first == before.claims[0]
    assert "look here" in second.reason and second.status == before.claims[1].status


def test_the_confidence_never_rises() -> None:
    before = judged(PASSED)
    assert before.confidence is not None
    assert advise(before, PASSED.pack, says(0.83, 0.83), least=2.0).confidence == 0.83
    assert advise(before, PASSED.pack, says(5.0, 5.0), least=9.0).confidence == before.confidence


@pytest.mark.parametrize("reading", [FAILED, EMPTY])
def test_a_failure_and_a_draft_without_facts_are_not_even_measured(reading: Reading) -> None:
    def never(pairs):
        raise AssertionError(pairs)

    assert advise(judged(reading), reading.pack, never) == judged(reading)


def test_a_measure_that_leaves_pairs_out_is_refused() -> None:
    with pytest.raises(ValueError, match="2 pairs"):
        advise(judged(PASSED), PASSED.pack, says(0.9))
