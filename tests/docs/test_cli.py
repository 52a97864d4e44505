"""docs/cli.md: its commands are the program's, and its JSON lines are answered as shown."""

import json
import shlex

import pytest
import typer.main
from typer.testing import CliRunner

from gateway import conversations, people
from gateway.cli import app
from gateway.server import build_service
from gateway.settings import Settings
from tests.docs.conftest import ROOT
from tests.docs.markdown import blocks, cells
from tests.docs.test_api import agrees

TEXT = (ROOT / "docs" / "cli.md").read_text("utf-8")
WALKS = [block.splitlines() for block in blocks(TEXT, "")]


def names(command, before=""):
    for name, child in command.commands.items():
        yield from names(child, f"{before}{name} ") if getattr(child, "commands", None) else [f"{before}{name}"]


def test_every_command_is_described():
    told = [row[0].strip("`") for row in cells(TEXT)[1:]]
    assert sorted(told) == sorted(names(typer.main.get_command(app)))


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """A folder with a database that knows one conversation."""
    url = f"sqlite:///{tmp_path / 'gate.sqlite3'}"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DRAFTGATE_DATABASE_URL", url)
    service = build_service(Settings(database_url=url))

    def prepare(tx):
        people.add_account(tx, account_id="shop-1", name="shop", actor="test")
        conversations.create(
            tx, conversation_id="c-1", account="shop-1", recipient="wm_1", chat_type="private", pack=None
        )

    service.run(prepare)
    service.stop()
    return tmp_path


@pytest.mark.parametrize("lines", WALKS, ids=[lines[0] for lines in WALKS])
def test_the_lines_are_answered_as_shown(lines, shop):
    _, _, command, file = shlex.split(lines[0])
    given = [line[2:] for line in lines if line.startswith("< ")]
    told = [json.loads(line[2:]) for line in lines if line.startswith("> ")]
    (shop / file).write_text("\n".join(given), "utf-8")
    result = CliRunner().invoke(app, [command, file])
    assert result.exit_code == int(any("error" in answer for answer in told)), result.output
    got = [json.loads(line) for line in result.stdout.splitlines()]
    agrees(told, got)
