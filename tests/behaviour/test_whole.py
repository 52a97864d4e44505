"""No line of the file is left out: each has its test, which ran to its end, and its row in docs/behaviour.md."""

import ast
import re
from pathlib import Path

import pytest

from tests.behaviour.case import LINES, id_of

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
DOCUMENT = (ROOT / "docs" / "behaviour.md").read_text("utf-8")
LINK = re.compile(r"\[`(test_\w+)`\]\(\.\./([\w/.]+)\)")


def functions():
    for path in sorted(HERE.glob("test_*.py")):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                yield path, node


TESTS = [
    (path, node)
    for path, node in functions()
    if id_of(node.name) is not None and "case" in {given.arg for given in node.args.args}
]
ROWS = {
    cells[0]: cells
    for line in DOCUMENT.splitlines()
    if len(cells := [cell.strip() for cell in line.strip("| ").split(" | ")]) >= 3 and re.match(r"\w", cells[0])
}


def test_every_line_has_one_test():
    assert sorted(id_of(node.name) for _, node in TESTS) == sorted(LINES)
    assert len(LINES) == 62


def test_nothing_is_skipped():
    for path in HERE.glob("test_*.py"):
        names = {n.attr for n in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(n, ast.Attribute)}
        assert not names & {"skip", "skipif", "xfail", "importorskip"}, path.name


def test_every_test_ran_its_assertions(request, ran):
    """Those of this run: a case counts only when all that its line expects was asserted."""
    here = [i for i in request.session.items if i.path.parent == Path(__file__).parent]
    chosen = {id_of(i.function.__name__) for i in here if "case" in getattr(i, "fixturenames", ())}
    assert chosen <= ran, f"not shown: {sorted(chosen - ran)}"


@pytest.mark.parametrize("line_id", LINES)
def test_every_line_has_its_row(line_id):
    """The row names the line's own test, and says why wherever the contract's word differs."""
    ((path, node),) = [(path, node) for path, node in TESTS if id_of(node.name) == line_id]
    row = ROWS[line_id]
    assert LINK.fullmatch(row[2]).groups() == (node.name, path.relative_to(ROOT).as_posix())
    differs = any(isinstance(n, ast.Attribute) and n.attr == "differs" for n in ast.walk(node))
    assert not differs or (len(row) == 4 and row[3]), "the contract differs: say why"


def test_every_public_bug_has_its_tests():
    """Numbers 1 to 23, and each of the parts of number 8."""
    table = DOCUMENT.partition("## 公开的缺陷")[2]
    numbers = re.findall(r"^\| (\d+[a-f]?) \|", table, re.MULTILINE)
    assert numbers == [*"1234567", *(f"8{part}" for part in "abcdef"), *(str(n) for n in range(9, 24))]
    for name, path in LINK.findall(table):
        number = re.match(r"test_(?:o_)?(\d+)", name)[1]
        assert f"def {name}(" in (ROOT / path).read_text("utf-8"), number
