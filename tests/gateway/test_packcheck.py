"""`draftgate pack check`: the shipped packs are sound in every row, and a broken one is named in one line each."""

import pytest
from typer.testing import CliRunner

from gateway.cli import app
from gateway.packcheck import problems_of
from planner.pack import BUILT_IN


@pytest.mark.parametrize("name", ["property", "used_car"])
def test_every_row_of_the_shipped_packs_keeps_its_examples(name):
    """All sections known, all rows readable, all examples matched, no counter-example matched."""
    assert problems_of(BUILT_IN / name / "pack.yaml") == []


def test_a_broken_pack_is_named_line_by_line(tmp_path):
    """Unknown section, bad row, an example that its own row does not match."""
    pack = tmp_path / "pack.yaml"
    pack.write_text(
        "name: mine\n"
        f"include: [{BUILT_IN / 'property' / 'pack.yaml'}]\n"
        "promisses: []\n"
        "leaks:\n"
        "  - {id: mine, pattern: 内部价, says: x, example: 报价, counter: 价格}\n",
        "utf-8",
    )
    result = CliRunner().invoke(app, ["pack", "check", str(pack)])
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert any("promisses" in line and "did you mean promises" in line for line in lines), lines
    assert any(line.startswith("leaks[mine].example") for line in lines), lines


def test_a_sound_pack_says_so():
    """Exit 0 and nothing on standard output."""
    result = CliRunner().invoke(app, ["pack", "check", str(BUILT_IN / "property" / "pack.yaml")])
    assert (result.exit_code, result.stdout) == (0, "")
