"""An audit may be ended at any moment: what comes out in the end is the same, byte for byte."""

import hashlib
import json
from itertools import islice

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gateway.audit import run as running
from gateway.audit.errors import AuditError
from gateway.audit.judging import Rules
from gateway.audit.run import carry_out, prepare
from tests.gateway.audit.kit import audited, here, rows, turn, write
from tests.gateway.audit.test_judging import relaxed_packs

RULES = Rules()


def digest(out):
    return [hashlib.sha256((out / name).read_bytes()).hexdigest() for name in ("verdicts.parquet", "bad.jsonl")]


@pytest.fixture
def replies(tmp_path):
    return write(tmp_path / "replies.jsonl", [*rows(45), "{not json}\n", {"turn": turn(9), "lable": True}])


def test_a_stopped_audit_goes_on_and_gives_the_same_bytes(tmp_path, replies):
    done = audited(replies, tmp_path / "whole", RULES)
    assert (done.rows, done.bad) == (45, 2)

    def stopped(shards, rules, workers):
        yield from islice(here(shards, rules, workers), 2)
        raise KeyboardInterrupt

    planned = prepare([replies], tmp_path / "half", RULES, 10)
    with pytest.raises(KeyboardInterrupt):
        carry_out(planned, stopped, 1)
    (tmp_path / "half" / "shards" / "000003.half").write_bytes(b"PAR1")  # the power went while it was written
    again = prepare([replies], tmp_path / "half", RULES, 10)
    assert [shard.number for shard in again.waiting()] == [2, 3, 4]
    counted = []
    assert carry_out(again, here, 1, counted.append) == done
    assert counted == [19, 10, 10, 7]  # an estimate of what was done before, then each shard
    assert digest(tmp_path / "half") == digest(tmp_path / "whole")
    assert not list((tmp_path / "half" / "shards").iterdir())


def test_shards_may_come_in_any_order(tmp_path, replies):
    def backwards(shards, rules, workers):
        yield from reversed(list(here(shards, rules, workers)))

    audited(replies, tmp_path / "one", RULES)
    carry_out(prepare([replies], tmp_path / "two", RULES, 10), backwards, 1)
    assert digest(tmp_path / "one") == digest(tmp_path / "two")


def test_a_finished_audit_is_not_judged_again(tmp_path, replies):
    def never(shards, rules, workers):
        raise AssertionError

    first = audited(replies, tmp_path / "out", RULES)
    assert carry_out(prepare([replies], tmp_path / "out", RULES, 10), never, 1) == first


def test_the_table_names_every_row(tmp_path, replies):
    audited(replies, tmp_path / "out", RULES)
    found = pq.read_table(tmp_path / "out" / "verdicts.parquet").to_pylist()
    assert [row["row"] for row in found] == list(range(45))
    assert [row["line"] for row in found] == list(range(1, 46))
    assert [row["right"] for row in found] == [r.get("right") for r in rows(45)]
    assert {row["rulesVersion"] for row in found} == {
        json.loads((tmp_path / "out" / "manifest.json").read_text())["rulesVersions"]["property"]
    }


def test_bad_rows_are_listed_with_line_and_field(tmp_path, replies):
    audited(replies, tmp_path / "out", RULES)
    bad = [json.loads(line) for line in (tmp_path / "out" / "bad.jsonl").read_text().splitlines()]
    assert [(b["line"], b["id"], b["field"]) for b in bad] == [(46, None, "body"), (47, "t-9", "lable")]


def test_parquet_and_json_lines_give_the_same(tmp_path):
    lines = write(tmp_path / "a.jsonl", rows(30))
    table = pa.table({"turn": [json.dumps(r["turn"]) for r in rows(30)], "right": [r.get("right") for r in rows(30)]})
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=12)
    audited(lines, tmp_path / "one", RULES)
    audited(str(tmp_path / "a.parquet"), tmp_path / "two", RULES)
    one, two = (pq.read_table(tmp_path / n / "verdicts.parquet").drop_columns(["file"]) for n in ("one", "two"))
    assert one.equals(two)


def test_other_rules_other_inputs_and_another_piece_size_refuse(tmp_path, replies):
    out = tmp_path / "out"
    prepare([replies], out, RULES, 10)
    packs = relaxed_packs(tmp_path / "packs", "pricing")
    for given, rules, size, told in (
        ([replies], Rules(str(packs)), 10, "rulesVersion of property was"),
        ([replies], Rules(pass_score=80), 10, "passScore 90, not 80"),
        ([replies], RULES, 20, "shardRows 10, not 20"),
        ([replies, write(tmp_path / "more.jsonl", rows(1))], RULES, 10, "more.jsonl was not there"),
    ):
        with pytest.raises(AuditError, match=told):
            prepare(given, out, rules, size)
    write(tmp_path / "replies.jsonl", rows(46))
    with pytest.raises(AuditError, match="other inputs"):
        prepare([replies], out, RULES, 10)
    (out / "manifest.json").write_text("{")
    with pytest.raises(AuditError, match="cannot be read"):
        prepare([replies], out, RULES, 10)


def test_two_audits_do_not_share_a_folder(tmp_path, replies):
    planned = prepare([replies], tmp_path / "out", RULES, 10)
    with running._alone(planned.out), pytest.raises(AuditError, match="another audit"):
        carry_out(planned, here, 1)
    carry_out(planned, here, 1)


def test_an_empty_file_is_an_empty_audit(tmp_path):
    done = audited(write(tmp_path / "none.jsonl", ["\n", "\n"]), tmp_path / "out", RULES)
    assert (done.rows, done.bad) == (0, 0)
