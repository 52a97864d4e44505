"""The command line: raw JSON lines, bad lines that do not stop the others, settings errors in one line."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gateway.cli import app
from gateway.cli_admin import settings_text
from gateway.settings import Settings, SettingsError, load_settings
from tests.gateway.test_contract import a_turn


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runner = CliRunner()
    return lambda *args: runner.invoke(app, [str(a) for a in args])


def lines(tmp_path, *rows):
    path = tmp_path / "in.jsonl"
    path.write_bytes(
        b"\n".join(r if isinstance(r, bytes) else json.dumps(r, ensure_ascii=False).encode() for r in rows)
    )
    return path


def test_evaluate_answers_each_line_with_its_id(run, tmp_path):
    """Good lines are answered, bad ones name their field, the exit status is 1."""
    bad = a_turn() | {"id": "t-2", "surprise": 1}
    twice = b'{"id": "t-3", "id": "t-3"}'
    result = run("evaluate", lines(tmp_path, a_turn(), bad, b"not json", twice, b"", a_turn() | {"id": "t-4"}))
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert [a["id"] for a in answers] == ["t-1", "t-2", None, "t-3", "t-4"]
    assert [a.get("error", {}).get("field") for a in answers] == [None, "surprise", "body", "id", None]
    assert answers[0]["qualityPassed"] is True
    assert result.exit_code == 1


def test_plan_and_read(run, tmp_path):
    """Plans need no draft; quantities come as numbers."""
    turn = a_turn()
    del turn["draft"]
    result = run("plan", lines(tmp_path, turn))
    plan = json.loads(result.stdout)
    assert (result.exit_code, plan["id"], plan["requiresHuman"]) == (0, "t-1", False)
    result = run("read", lines(tmp_path, {"id": "r", "text": "总价298万", "now": "2026-03-05T09:00:00+08:00"}))
    answer = json.loads(result.stdout)
    assert [q["value"] for q in answer["quantities"]] == [2980000]
    result = run("evaluate", lines(tmp_path, turn))
    assert json.loads(result.stdout)["error"]["field"] == "draft"


def test_output_is_raw_when_piped(tmp_path):
    """A real process writes one line per answer, never wrapped or coloured."""
    path = lines(tmp_path, a_turn() | {"id": "x" * 190})
    done = subprocess.run(
        [Path(sys.executable).parent / "draftgate", "evaluate", path],
        capture_output=True,
        check=True,
        env={"COLUMNS": "40", "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"},
    )
    assert done.stdout.count(b"\n") == 1
    assert b"\x1b" not in done.stdout


def test_set_up_from_nothing(run, tmp_path):
    """init, account, key, operator; a second init changes nothing."""
    first = run("init", "--operator", "boss", "--password", "a long password")
    assert first.exit_code == 0, first.output
    settings = tmp_path / "draftgate.env"
    assert settings.stat().st_mode & 0o077 == 0
    assert run("init", "--operator", "boss").exit_code == 1
    assert run("add-account", "shop", "--allow", "*", "--settings", settings).exit_code == 0
    assert run("add-account", "shop", "--settings", settings).exit_code == 1
    assert run("add-account", "x", "--mode", "full", "--settings", settings).exit_code == 1
    assert run("add-key", "agent", "--scope", "agent", "--settings", settings).stdout.startswith("dg_")
    assert run("add-operator", "li", "--role", "king", "--settings", settings).exit_code == 1
    assert run("add-operator", "li", "--password", "short", "--settings", settings).exit_code == 1


def test_import_keeps_what_is_not_known_null(run, tmp_path):
    """Old rows without quality fields keep five nulls; a bad one is refused alone."""
    from gateway.conversations import create
    from gateway.people import add_account
    from gateway.server import build_service
    from gateway.tables import DraftRow

    service = build_service(load_settings())
    try:
        service.run(lambda tx: add_account(tx, account_id="shop", name="s", actor="t"))
        service.run(
            lambda tx: create(tx, conversation_id="c-1", account="shop", recipient="w", chat_type="private", pack=None)
        )
        old = {"id": "old-1", "conversationId": "c-1", "text": "您好", "createdAt": "2025-01-01T00:00:00+08:00"}
        bad = old | {"id": "old-2", "qualityScore": "90"}
        result = run("import", lines(tmp_path, old, bad, old))
        answers = [json.loads(line) for line in result.stdout.splitlines()]
        assert answers[0] == {
            "id": "old-1",
            "qualityScore": None,
            "qualityChecks": None,
            "qualityPassed": None,
            "rewriteCount": None,
            "fallbackReason": None,
        }
        assert [a.get("error", {}).get("field") for a in answers] == [None, "qualityScore", "id"]
        row = service.look(lambda tx: tx.one(DraftRow, id="old-1"))
        assert (row.quality_score, row.quality_checks, row.quality_passed, row.rewrite_count, row.fallback_reason) == (
            None,
        ) * 5
        assert service.look(lambda tx: tx.one(DraftRow, id="old-2")) is None
    finally:
        service.stop()


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("PASS_SCORE", "101", "PASS_SCORE"),
        ("DATABASE_URL", "mysql://x", "DATABASE_URL"),
        ("TIMEZONE", "Mars", "TIMEZONE"),
        ("MIN_BAND_TO_SEND", "huge", "MIN_BAND"),
        ("PORT", "none", "PORT"),
    ],
)
def test_a_bad_setting_stops_with_one_line(run, monkeypatch, name, value, told):
    """The line names the setting; nothing is started or written."""
    monkeypatch.setenv(f"DRAFTGATE_{name}", value)
    with pytest.raises(SettingsError, match=told):
        load_settings()
    result = run("serve")
    assert (result.exit_code, result.stderr.count("\n"), told in result.stderr) == (2, 1, True)


def test_a_misspelt_setting_in_the_file_is_refused(tmp_path):
    """A typo must not switch anything off silently."""
    path = tmp_path / "s.env"
    path.write_text("DRAFTGATE_PAS_SCORE=50\n")
    with pytest.raises(SettingsError, match=r"(?i)pas_score"):
        load_settings(path)


def test_the_settings_file_names_every_setting(tmp_path):
    """And it can be read back as it is written."""
    text = settings_text()
    assert all(f"# DRAFTGATE_{name.upper()}=" in text for name in Settings.model_fields)
    path = tmp_path / "s.env"
    path.write_text(text)
    assert load_settings(path) == load_settings()


def test_no_such_file(run):
    """One clear line."""
    result = run("evaluate", "nowhere.jsonl")
    assert (result.exit_code, "no such file" in result.stderr) == (2, True)
