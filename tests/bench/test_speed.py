"""The benchmarks of the pure rooms measure what they say: new turns share no text, hostile ones are judged."""

import io

import pytest
from rich.console import Console

from bench import memory
from bench.ages import Renewer
from bench.hostile import SEATS, growth, texts
from bench.turns import turns
from gateway.evaluate import evaluate_turn
from planner.reading import MAX_TEXT
from planner.turn import Turn
from verifier.verdict import Unavailable


def _texts(turn: Turn) -> set[str]:
    assert turn.draft is not None
    said = (message.text for message in turn.conversation.messages)
    return {turn.draft.text, *said, *(citation.text for citation in turn.draft.citations)}


def test_a_new_turn_shares_no_text_with_the_old_one() -> None:
    """Nothing of it was read before."""
    renewer = Renewer()
    for turn in turns():
        assert not _texts(renewer.new(turn)) & _texts(turn)


def test_a_moment_later_most_of_the_history_is_known() -> None:
    """Only the newest message, the draft and every other passage are new."""
    renewer = Renewer()
    for turn in turns():
        later = renewer.later(turn)
        assert [m.text for m in later.conversation.messages[:-1]] == [m.text for m in turn.conversation.messages[:-1]]
        assert later.conversation.messages[-1].text != turn.conversation.messages[-1].text


@pytest.mark.parametrize("seat", SEATS)
@pytest.mark.parametrize("name", texts(1))
def test_hostile_text_is_judged_in_every_seat(seat: str, name: str) -> None:
    """No exception, whatever stands where."""
    assert len(growth(seat, name, (300, 600)).times) == 2


@pytest.mark.parametrize("name", ["brackets", "emoji", "commas", "no and no"])
def test_a_page_of_noise_never_passes(name: str) -> None:
    """It is no message that a customer can be sent."""
    assert growth("draft", name, (10_000,)).passed == (False,)


def test_a_draft_too_long_to_judge_is_not_judged() -> None:
    """Neither a pass nor a fail."""
    turn = SEATS["draft"](turns()[0], "字" * (MAX_TEXT + 1))
    assert isinstance(evaluate_turn(turn).verdict, Unavailable)


def test_memory_is_told_for_each_step() -> None:
    """A process of its own tells import, first verdicts and resident memory."""
    out = io.StringIO()
    memory.run(Console(file=out, width=200))
    assert out.getvalue().count("MB") == 4
