"""Rules of this room that no reader should have to remember."""

import ast
from pathlib import Path

import pytest

ROOM = Path(__file__).parents[2] / "outbound"
FILES = sorted(ROOM.rglob("*.py"))


def tree_of(file: Path) -> ast.Module:
    return ast.parse(file.read_text("utf-8"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOM)))
def test_the_room_makes_no_permits(file):
    calls = [node.func for node in ast.walk(tree_of(file)) if isinstance(node, ast.Call)]
    names = {func.id if isinstance(func, ast.Name) else getattr(func, "attr", "") for func in calls}
    assert "SendPermit" not in names


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOM)))
def test_nothing_is_caught_blindly(file):
    handlers = [node for node in ast.walk(tree_of(file)) if isinstance(node, ast.ExceptHandler)]
    caught = {
        name.id for handler in handlers if handler.type for name in ast.walk(handler.type) if isinstance(name, ast.Name)
    }
    assert all(handler.type is not None for handler in handlers)
    assert caught.isdisjoint({"Exception", "BaseException", "PermitRefused"})


def test_the_product_does_not_need_the_simulator():
    for file in FILES:
        if "simulator" in file.parts:
            continue
        modules = [node.module or "" for node in ast.walk(tree_of(file)) if isinstance(node, ast.ImportFrom)]
        assert not any(module.startswith("outbound.simulator") for module in modules), file
