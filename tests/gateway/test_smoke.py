"""quality-smoke: every line of the acceptance table holds, and one digit, word or flag turns each fixture's row off."""

import dataclasses

import pytest
from typer.testing import CliRunner

from gateway.cli import app
from gateway.smoke import Fixture, load_fixtures, run_smoke

FIXTURES = load_fixtures()
SIZES = {"low": 11, "good": 11, "bad": 10}


def test_table_holds() -> None:
    lines = run_smoke()
    assert [line for line in lines if not line.ok] == []
    counts = [line.got for line in lines[:4]]
    assert counts == ["11/11", "0/11", "10/10", "0/10"]


def test_sizes_are_the_acceptance_tables() -> None:
    for group, size in SIZES.items():
        assert sum(f.group == group for f in FIXTURES) == size
    assert {f.group for f in FIXTURES} == {"low", "good", "bad", "risk", "ordinary", "person", "thanks"}
    assert all(f.fails for f in FIXTURES if f.group == "bad")


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda f: f.id)
def test_each_fixture_stands_and_flips(fixture: Fixture) -> None:
    """The fixture alone holds its row; with its one change made the row is off."""
    assert all(line.ok for line in run_smoke([fixture]))
    assert not all(line.ok for line in run_smoke([fixture.flipped()]))


def test_a_flip_that_changes_nothing_is_refused() -> None:
    idle = dataclasses.replace(FIXTURES[0], flip={"draft": ["not there", "x"]})
    with pytest.raises(ValueError, match="changes nothing"):
        idle.flipped()


def test_command_prints_the_table() -> None:
    result = CliRunner().invoke(app, ["quality-smoke"])
    assert result.exit_code == 0
    assert "11/11" in result.stdout
