"""The log's commands: a file with typed columns that appears only when it is whole, a summary, a deletion."""

import json
import sys

import pytest
from pyarrow import parquet
from typer.testing import CliRunner

from gateway import log_export
from gateway.cli import app
from gateway.tables import AuditRow
from gateway.tables_log import EvaluationRow
from tests.gateway.desk import BAD


@pytest.fixture
def shop(desk, monkeypatch):
    """A desk whose log has a pass, a failure and its rewrite, and the command line on its database."""
    desk.says("小区有没有人车分流")
    desk.post_good(model="m-1")
    desk.conversation("c-2")
    desk.says("多少钱，[red]急[/red]", "c-2")
    draft = desk.post(BAD, "c-2", agentId="ag-[bold]2")
    desk.rewrite(draft["draftId"], "价格我核实后回您。")
    monkeypatch.setenv("DRAFTGATE_DATABASE_URL", desk.service.settings.database_url)
    desk.cli = lambda *words: CliRunner().invoke(app, ["log", *map(str, words)])
    return desk


def stored(desk):
    table = EvaluationRow.__table__
    return desk.service.look(lambda tx: tx.conn.execute(table.select().order_by(table.c.seq)).all())


def test_parquet_has_typed_columns_and_every_row(shop, tmp_path):
    out = tmp_path / "log.parquet"
    result = shop.cli("export", "--out", out)
    assert result.exit_code == 0, result.output
    kinds = {field.name: str(field.type) for field in parquet.read_schema(out)}
    assert list(kinds) == list(log_export.COLUMNS)
    assert kinds["at"] == "timestamp[us, tz=UTC]" and kinds["qualityPassed"] == "bool"
    assert (kinds["qualityScore"], kinds["factSupport"], kinds["failedCheckIds"]) == (
        "int16",
        "double",
        "list<element: string>",
    )
    records = parquet.read_table(out).to_pylist()
    rows = stored(shop)
    assert [r["taskId"] for r in records] == [row.task_id for row in rows] and len(rows) == 3
    assert [r["at"] for r in records] == [row.at for row in rows]
    assert records[1]["failedCheckIds"] == rows[1].failed and records[1]["qualityPassed"] is False
    assert records[0]["evidence"] == dict.fromkeys(records[0]["evidence"]) | rows[0].evidence
    assert records[2]["factSupport"] is None, "what does not apply is null, not 0"
    assert records[0]["question"] == "小区有没有人车分流"


def test_json_lines_say_the_same(shop, tmp_path):
    for name in ("log.parquet", "log.jsonl"):
        assert shop.cli("export", "--out", tmp_path / name).exit_code == 0
    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text("utf-8").splitlines()]
    table = parquet.read_table(tmp_path / "log.parquet").to_pylist()
    for line, record in zip(lines, table, strict=True):
        evidence = {name: told for name, told in record["evidence"].items() if told is not None}
        assert line == record | {"at": record["at"].isoformat(), "evidence": evidence}


@pytest.mark.parametrize("suffix", ["parquet", "jsonl"])
def test_pages_lose_and_repeat_nothing(shop, tmp_path, monkeypatch, suffix):
    monkeypatch.setattr(log_export, "PAGE", 2)
    out = tmp_path / f"log.{suffix}"
    assert shop.cli("export", "--out", out).exit_code == 0
    if suffix == "parquet":
        assert parquet.ParquetFile(out).num_row_groups == 2
        seqs = parquet.read_table(out)["seq"].to_pylist()
    else:
        seqs = [json.loads(line)["seq"] for line in out.read_text("utf-8").splitlines()]
    assert seqs == [row.seq for row in stored(shop)]


def test_a_span_and_an_account_limit_it(shop, tmp_path):
    out = tmp_path / "log.jsonl"
    for words, count in (
        (("--since", "2026-11-30", "--until", "2026-11-30"), 3),
        (("--until", "2026-11-29"), 0),
        (("--account", "else"), 0),
        (("--account", "shop"), 3),
    ):
        assert shop.cli("export", "--out", out, *words).exit_code == 0
        assert len(out.read_text("utf-8").splitlines()) == count


def test_an_empty_parquet_has_its_columns(shop, tmp_path):
    out = tmp_path / "log.parquet"
    assert shop.cli("export", "--out", out, "--account", "else").exit_code == 0
    assert parquet.read_table(out).num_rows == 0 and parquet.read_schema(out).names == list(log_export.COLUMNS)


def test_a_broken_export_leaves_the_old_file(shop, tmp_path, monkeypatch):
    """Nothing half written takes its place, and no rest of it stays."""
    out = tmp_path / "log.jsonl"
    out.write_text("as it was", "utf-8")

    def boom(_row):
        raise OSError("disk full")

    monkeypatch.setattr(log_export, "_record", boom)
    result = shop.cli("export", "--out", out)
    assert (result.exit_code, "disk full" in result.output) == (2, True)
    assert out.read_text("utf-8") == "as it was" and [p.name for p in tmp_path.glob(".log*")] == []


def test_only_its_owner_reads_the_file(shop, tmp_path):
    for name in ("log.parquet", "log.jsonl"):
        assert shop.cli("export", "--out", tmp_path / name).exit_code == 0
        assert (tmp_path / name).stat().st_mode & 0o077 == 0, "it holds customers' words"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--out", "log.csv"), "must end in .parquet or .jsonl"),
        (("--out", "log.jsonl", "--since", "lately"), "since: must be a day"),
        (("--out", "nowhere/log.jsonl"), "nowhere"),
    ],
)
def test_a_wrong_wish_is_one_line(shop, tmp_path, monkeypatch, words, told):
    monkeypatch.chdir(tmp_path)
    result = shop.cli("export", *words)
    assert result.exit_code == 2 and told in result.output and len(result.output.splitlines()) == 1


def test_without_the_extra_it_says_what_to_install(shop, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    result = shop.cli("export", "--out", tmp_path / "log.parquet")
    assert result.exit_code == 2 and "pip install 'draftgate[audit]'" in result.output
    assert shop.cli("export", "--out", tmp_path / "log.jsonl").exit_code == 0


def test_the_summary_is_told(shop):
    result = shop.cli("summary", "--since", "2026-11-30", "--until", "2026-11-30")
    assert result.exit_code == 0, result.output
    assert "ag-1" in result.output and "ag-[bold]2" in result.output and "fact_evidence" in result.output
    told = json.loads(shop.cli("summary", "--json", "--since", "2026-11-30", "--until", "2026-11-30").output)
    assert told["whole"]["counts"] == {"pass": 1, "warn": 0, "fail": 2, "unavailable": 0}
    assert shop.cli("summary", "--since", "x").exit_code == 1


def test_a_conversation_is_deleted(shop):
    result = shop.cli("delete", "--conversation", "c-2")
    assert result.output == "conversation c-2: 2 rows deleted\n"
    assert [row.conversation_id for row in stored(shop)] == ["c-1"]
    table = AuditRow.__table__
    told = shop.service.look(lambda tx: tx.conn.execute(table.select().where(table.c.event == "log_deleted")).one())
    assert (told.actor, told.conversation_id) == ("command line", "c-2")
