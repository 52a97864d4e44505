"""docs/writing-a-pack.md is true: its YAML stands in the tested pack, its tables name every section, its code runs."""

import re
from pathlib import Path

import pytest

from planner.pack_check import PLAIN_SECTIONS, PLANNER_SECTIONS
from tests.docs.markdown import blocks, cells

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "writing-a-pack.md").read_text(encoding="utf-8")
SCHOOL = (Path(__file__).parent / "driving_school" / "pack.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize("body", blocks(PAGE, "yaml"))
def test_every_example_stands_in_the_tested_pack(body: str) -> None:
    """What the page shows is what the tests run."""
    assert body.strip("\n") in SCHOOL


def test_every_section_is_described() -> None:
    """A section that is added must be explained."""
    named = {match[1] for row in cells(PAGE) if (match := re.fullmatch(r"`(\w+)`", row[0]))}
    assert {*PLANNER_SECTIONS, *PLAIN_SECTIONS} - {"include"} <= named


def test_the_code_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """The snippet is not decoration."""
    (body,) = blocks(PAGE, "python")
    exec(compile(body, "writing-a-pack.md", "exec"), {})  # noqa: S102  # our own page
    assert capsys.readouterr().out.startswith("property ")
