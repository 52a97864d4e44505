"""Replies out of the gateway's own database: judged again by the same rules, they get the same verdict."""

import json

import pytest
from typer.testing import CliRunner

from gateway import cli_audit
from gateway.audit.export import Wanted, export
from gateway.cli import app
from tests.gateway.audit.kit import here
from tests.gateway.desk import BAD, GOOD, HANDOFF


@pytest.fixture
def busy(desk, clock):
    """A shop's day: an answer, a rewrite, a talk held for people, a thing said twice, another account."""
    desk.says("小区人车分流吗")
    clock.forward(seconds=20)
    desk.post_good()
    desk.carry()
    clock.forward(minutes=1)
    desk.says("那挂牌价呢")
    clock.forward(seconds=20)
    draft = desk.post(BAD, requiresHuman=True)["draftId"]
    clock.forward(seconds=5)
    desk.rewrite(draft, HANDOFF, requiresHuman=True)
    clock.forward(minutes=1)
    desk.post("好的，已经转给同事了。", actions=[{"type": "handoff", "status": "failed"}])
    desk.account("cars", pack="used_car")
    desk.conversation("c-2", "cars")
    desk.says("车况怎么样", "c-2")
    clock.forward(seconds=20)
    desk.post("无事故。", "c-2", shown=[])
    return desk


def exported(desk, file, **wanted):
    count = export(desk.service.look, Wanted(**wanted), file)
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert len(rows) == count
    return rows


def test_the_same_rules_say_the_same(busy, tmp_path, monkeypatch):
    """Nothing that a verdict rests on is lost on the way out."""
    monkeypatch.setattr(cli_audit, "local", here)
    rows = exported(busy, tmp_path / "turns.jsonl")
    assert [row["turn"]["draft"]["text"] for row in rows] == [GOOD, BAD, HANDOFF, "好的，已经转给同事了。", "无事故。"]
    assert [row["passed"] for row in rows][:3] == [True, False, True]
    result = CliRunner().invoke(app, ["replay", str(tmp_path / "turns.jsonl"), "--fail-on-change"])
    assert result.exit_code == 0, result.output
    assert "5 compared, 0 changed" in result.stderr


def test_a_turn_is_as_it_was_then(busy, tmp_path):
    """Messages that came later are not in it; moments are the shop's; what the gateway knew stands in for the agent's word."""
    rows = exported(busy, tmp_path / "turns.jsonl")
    first, second = rows[0]["turn"], rows[1]["turn"]
    assert [m["text"] for m in first["conversation"]["messages"]] == ["小区人车分流吗"]
    assert [m["role"] for m in second["conversation"]["messages"]] == ["customer", "agent", "customer"]
    assert first["now"].endswith("+08:00")
    assert (first["pack"], rows[4]["turn"]["pack"]) == ("property", "used_car")
    assert rows[3]["turn"]["draft"]["actions"] == [{"type": "handoff", "status": "done"}]


def test_only_an_account_only_since(busy, tmp_path, clock):
    assert [r["turn"]["conversation"]["id"] for r in exported(busy, tmp_path / "a", account="cars")] == ["c-2"]
    assert exported(busy, tmp_path / "b", since=clock()) != []
    clock.forward(days=1)
    assert exported(busy, tmp_path / "c", since=clock()) == []


def test_what_was_taken_back_since_is_left_out(desk, clock, tmp_path):
    from gateway.tables import MessageRow

    said = desk.says("小区人车分流吗")
    clock.forward(seconds=20)
    desk.post_good()
    clock.forward(seconds=20)
    desk.run(lambda tx: tx.change(MessageRow, {"id": said}, recalled_at=tx.now))
    assert exported(desk, tmp_path / "turns.jsonl") == []


def test_the_commands_on_a_database(busy, tmp_path, monkeypatch):
    """export-turns writes a file that only its owner reads; audit and replay take the database by themselves."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(cli_audit, "local", here)
    monkeypatch.setenv("DRAFTGATE_DATABASE_URL", busy.service.settings.database_url)

    def run(*args):
        return CliRunner().invoke(app, list(args))

    result = run("export-turns", "out.jsonl", "--since", "2026-11-01")
    assert (result.exit_code, "5 replies" in result.stderr) == (0, True), result.output
    assert (tmp_path / "out.jsonl").stat().st_mode & 0o077 == 0
    result = run("audit", "--from-database", "--out", "out")
    assert (result.exit_code, "5 replies, 0 unreadable" in result.stdout) == (0, True), result.output
    assert "5 compared, 0 changed" in result.stdout
    busy.post_good("c-1")
    again = run("audit", "--from-database", "--out", "out")
    assert (again.exit_code, "5 replies" in again.stdout) == (0, True), again.output
    assert "6 compared, 0 changed" in run("replay", "--from-database").stderr
