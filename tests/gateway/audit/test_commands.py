"""The commands: their exit status, what they print, and what stands in the way."""

import json
import sys

import pytest
from typer.testing import CliRunner

from gateway import cli_audit
from gateway.audit.terminal import table_of_changes
from gateway.cli import app
from tests.gateway.audit.kit import here, rows, turn, write
from tests.gateway.audit.test_judging import relaxed_packs


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(cli_audit, "local", here)
    return lambda *args: CliRunner().invoke(app, [str(arg) for arg in args])


@pytest.fixture
def replies(tmp_path):
    return write(tmp_path / "in.jsonl", rows(14))


def test_audit(run, replies, tmp_path):
    result = run("audit", replies, "--out", "out")
    assert result.exit_code == 0, result.output
    assert "14 replies, 0 unreadable, 12 labelled" in result.stdout
    assert {file.name for file in (tmp_path / "out").iterdir()} >= {"verdicts.parquet", "summary.html", "summary.json"}
    assert (tmp_path / "out").stat().st_mode & 0o077 == 0


def test_audit_with_bad_rows_goes_on_and_says_so(run, tmp_path):
    file = write(tmp_path / "in.jsonl", [*rows(3), {"turn": turn(1), "rihgt": True}])
    result = run("audit", file)
    assert result.exit_code == 1
    assert "1 rows could not be read" in result.stderr
    assert "rihgt" in result.stderr


def test_audit_against_another(run, replies, tmp_path):
    packs = relaxed_packs(tmp_path / "packs", "pricing")
    assert run("audit", replies, "--out", "old").exit_code == 0
    result = run("audit", replies, "--out", "new", "--packs-dir", packs, "--against", "old")
    assert "against old: 14 compared, 4 changed, 0 fail now, 2 pass now" in result.stdout
    assert "4 条变了" in (tmp_path / "new" / "summary.html").read_text()


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("audit",), "nothing to judge"),
        (("audit", "nowhere.jsonl"), "no such file"),
        (("audit", "in.jsonl", "--engine", "spark"), "local or ray"),
        (("audit", "in.jsonl", "--packs-dir", "nowhere"), "no such folder"),
        (("audit", "in.jsonl", "--against", "."), "no finished audit"),
        (("replay", "in.jsonl"), "hold no earlier verdict"),
        (("replay", "in.jsonl", "--against", "nowhere"), "no such folder"),
    ],
)
def test_one_clear_line(run, replies, args, told):
    result = run(*args)
    assert (result.exit_code, told in result.stderr) == (2, True), result.output


def test_replay_lists_what_a_new_pack_would_change(run, replies, tmp_path):
    packs = relaxed_packs(tmp_path / "packs", "pricing")
    result = run("replay", replies, "--packs-dir", packs)
    assert result.exit_code == 0, result.output
    changes = [json.loads(line) for line in result.stdout.splitlines()]
    assert [c["id"] for c in changes] == ["t-4", "t-5", "t-11", "t-12"]
    assert changes[0]["was"]["risks"] == changes[0]["now"]["risks"] == ["pricing/inform/customer"]
    assert "14 compared, 4 changed" in result.stderr
    assert run("replay", replies, "--packs-dir", packs, "--fail-on-change").exit_code == 1
    backwards = run("replay", replies, "--against", packs)
    assert [json.loads(line)["now"]["requiresHuman"] for line in backwards.stdout.splitlines()] == [True] * 4


def test_replay_without_a_change(run, replies, tmp_path):
    same = tmp_path / "same"
    same.mkdir()
    result = run("replay", replies, "--packs-dir", same, "--fail-on-change")
    assert (result.exit_code, result.stdout) == (0, ""), result.output


def test_replay_against_an_earlier_audit(run, replies, tmp_path):
    packs = relaxed_packs(tmp_path / "packs", "pricing")
    assert run("audit", replies, "--out", "old", "--packs-dir", packs).exit_code == 0
    result = run("replay", replies, "--against", "old")
    assert len(result.stdout.splitlines()) == 4


def test_the_table_of_changes(run, tmp_path, capsys):
    """On a terminal: one line of the table for each change, markup of customers shown as it is."""
    changed = {
        "id": "t-1",
        "question": "[red]便宜[/red]点",
        "reply": "好",
        "was": {"passed": True, "failedCheckIds": None, "requiresHuman": None, "risks": None, "auto": None},
        "now": {"passed": None, "failedCheckIds": ["tone"], "requiresHuman": True, "risks": ["a/b/c"], "auto": "hold"},
    }
    table_of_changes(tmp_path / write(tmp_path / "c.jsonl", [changed] * 501))
    shown = capsys.readouterr().out
    assert "[red]" in shown
    assert "tone" in shown
    assert "1 more" in shown


@pytest.mark.parametrize(
    ("module", "args", "told"),
    [
        ("ray", ("--engine", "ray"), "pip install 'draftgate[ray]'"),
        ("pyarrow", (), "pip install 'draftgate[audit]'"),
        ("duckdb", (), "pip install 'draftgate[audit]'"),
    ],
)
def test_a_missing_extra_is_named(run, replies, monkeypatch, module, args, told):
    monkeypatch.setitem(sys.modules, module, None)
    result = run("audit", replies, *args)
    assert (result.exit_code, told in result.stderr) == (2, True), result.output
