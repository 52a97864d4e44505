"""What must stay true of the code itself."""

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROOMS = ("planner", "verifier", "outbound", "gateway")


def sources(*rooms):
    for room in rooms:
        for path in sorted((ROOT / room).rglob("*.py")):
            yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text("utf-8"))


def calls(tree, name):
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)
            if called == name:
                yield node


def test_one_place_makes_permits():
    """SendPermit is constructed in the send entry alone."""
    makers = [path for path, tree in sources(*ROOMS) for _ in calls(tree, "SendPermit")]
    assert makers == ["gateway/send_entry.py"]


def test_one_place_calls_a_sender():
    """A message is handed to a channel by the courier alone."""
    allowed = {"gateway/courier.py"}
    callers = {
        path
        for path, tree in sources("gateway")
        for node in calls(tree, "send")
        if isinstance(node.func, ast.Attribute) and len(node.args) == 3
    }
    assert callers == allowed


def test_the_core_knows_no_world():
    """Planner, verifier and the gate import no clock, network, database or randomness."""
    banned = {
        "time",
        "random",
        "secrets",
        "socket",
        "sqlite3",
        "sqlalchemy",
        "httpx2",
        "asyncio",
        "threading",
        "os",
        "subprocess",
        "urllib",
        "requests",
    }
    for path, tree in sources("planner", "verifier"):
        found = {
            (alias.name if isinstance(node, ast.Import) else node.module or "").split(".")[0]
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        }
        assert not found & banned, path
    gate = ast.parse((ROOT / "gateway/gate.py").read_text("utf-8"))
    modules = {node.module for node in ast.walk(gate) if isinstance(node, ast.ImportFrom)}
    assert modules == {
        "collections.abc",
        "dataclasses",
        "enum",
        "planner.plan",
        "planner.turn",
        "verifier.counsel",
        "verifier.verdict",
    }


def test_no_moment_is_read_in_the_core():
    """Nobody but the edge asks for now."""
    for path, tree in sources("planner", "verifier"):
        assert not list(calls(tree, "now")), path
        assert not list(calls(tree, "today")), path


def test_imports_point_down():
    """The import contracts of pyproject.toml hold."""
    run = subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-2000:]


def test_no_sql_is_built_from_strings():
    """Statements are Core expressions; the few literal ones are constants."""
    for path, tree in sources("gateway"):
        for node in [*calls(tree, "text"), *calls(tree, "exec_driver_sql")]:
            assert all(
                isinstance(arg, ast.Constant) or not isinstance(arg, ast.JoinedStr | ast.BinOp) for arg in node.args
            ), path
