"""The generated replies of `make audit`: no two alike, the same ones every time, as right or wrong as they were."""

import json

from bench.replies import replies, templates
from gateway.audit.stored import read_stored
from gateway.evaluate import evaluate_turn
from verifier.verdict import Judged


def test_rows_are_the_same_every_time_and_never_alike() -> None:
    some = list(replies(1500))
    assert some == list(replies(1500))
    texts = [json.loads(turn)["draft"]["text"] for turn, _ in some]
    assert len(set(texts)) == len(texts)
    assert [right for _, right in some] == [right for _, right in (templates() * 3)[:1500]]


def test_a_figure_and_its_source_still_agree() -> None:
    """The demo's first draft passes under every change of digits."""
    count = len(templates())
    rows = [turn for number, (turn, _) in enumerate(replies(3 * count + 1)) if number % count == 0]
    stored = [read_stored(json.dumps({"turn": turn}).encode()) for turn in rows]
    assert all(isinstance(v := evaluate_turn(s.turn).verdict, Judged) and v.passed for s in stored)
