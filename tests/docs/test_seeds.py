"""docs/seeds.md keeps its word: each row is told in both languages and leads to a test, a setting or a chapter that is there."""

import ast
import re
from functools import cache

import pytest

from gateway.settings import Settings
from tests.docs.conftest import ROOT
from tests.docs.markdown import cells, section

PAGE = (ROOT / "docs" / "seeds.md").read_text("utf-8")
HEAD = {"a": "第一份", "b": "第二份", "c": "第三份", "d": "第四份"}
ROWS = [row for row in cells(PAGE) if re.fullmatch(r"[a-d]-\d\d", row[0])]
TEST = re.compile(r"\[`(test_\w+)`\]\(\.\./(tests/[\w/]+\.py)\)")
SETTING = re.compile(r"`DRAFTGATE_(\w+)`")
CHAPTER = re.compile(r"\]\([\w/-]+\.md[^)]*\)")
DIFFERS = "**不同 · Differs.**"


@cache
def functions_of(path):
    """Give the names of a file's tests without running it."""
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_every_statement_has_a_number_of_its_own():
    """They are counted through within each document, and the summary counts them right."""
    for letter in "abcd":
        mine = [row for row in ROWS if row[0][0] == letter]
        assert [row[0] for row in mine] == [f"{letter}-{n:02d}" for n in range(1, len(mine) + 1)]
        [told] = [row for row in cells(PAGE) if row[0] == letter]
        assert told[2:] == [str(len(mine)), str(sum(DIFFERS in row[2] for row in mine))]
        heading = next(line for line in PAGE.splitlines() if line.startswith(f"## {HEAD[letter]}"))
        assert section(PAGE, heading.removeprefix("## ")).count(f"| {letter}-") == len(mine)


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_the_row_leads_to_what_keeps_it(row):
    """A statement that holds names a test; a difference says why and names a test, a setting or a chapter."""
    _, statement, here = row
    assert re.search("[一-鿿]", statement)
    assert re.search("[a-z]{3}", statement)
    tests = TEST.findall(here)
    assert tests or (DIFFERS in here and (SETTING.search(here) or CHAPTER.search(here)))
    assert [name for name, path in tests if name not in functions_of(path)] == []
    assert {name.lower() for name in SETTING.findall(here)} <= set(Settings.model_fields)
    if DIFFERS in here:
        why = here.removeprefix(DIFFERS).split("[`")[0]
        assert re.search("[一-鿿]{4}", why)
        assert re.search("[a-z]{3} [a-z]", why)
