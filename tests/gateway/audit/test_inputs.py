"""Files are cut so that every row belongs to exactly one shard, whatever the file looks like."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.audit.errors import AuditError
from gateway.audit.inputs import cut, find_files, rows_of
from tests.gateway.audit.kit import rows, turn, write

LINES = st.lists(st.sampled_from([b'{"a": 1}', b"", b"  ", "不是".encode(), b"x" * 300]), max_size=30)


@settings(max_examples=40, deadline=None)
@given(lines=LINES, size=st.integers(1, 7), end=st.booleans(), ending=st.sampled_from([b"\n", b"\r\n"]))
def test_every_line_is_in_one_shard(tmp_path_factory, lines, size, end, ending):
    """Concatenated, the shards are the lines that are not blank, each with its number."""
    file = tmp_path_factory.mktemp("cut") / "in.jsonl"
    file.write_bytes(ending.join(lines) + (ending if end else b""))
    sources, shards = cut([str(file)], size)
    got = [row for shard in shards for row in rows_of(shard)]
    wanted = [(n, line) for n, line in enumerate(lines, 1) if line.strip()]
    assert [(number, line.rstrip(b"\r\n")) for number, line in got] == wanted
    assert sources[0].rows == len(wanted)
    assert [shard.number for shard in shards] == list(range(len(shards)))
    assert all(len(list(rows_of(shard))) <= size for shard in shards)


def test_a_line_that_is_too_long_is_one_row(tmp_path):
    """Its reader refuses it; the next line is read as if nothing had been."""
    file = write(tmp_path / "in.jsonl", [json.dumps("长" * 900_000) + "\n", '{"b": 2}\n'])
    _, shards = cut([file], 10)
    got = list(rows_of(shards[0]))
    assert [number for number, _ in got] == [1, 2]
    assert (len(got[0][1]) > 1_000_000, got[1][1]) == (True, b'{"b": 2}\n')


@pytest.mark.parametrize("size", [3, 7, 50])
def test_parquet_is_cut_inside_its_row_groups(tmp_path, size):
    """Rows come back in order with their numbers, and no shard spans two groups."""
    table = pa.table({"turn": [json.dumps(r["turn"]) for r in rows(20)], "right": [r.get("right") for r in rows(20)]})
    pq.write_table(table, tmp_path / "in.parquet", row_group_size=8)
    sources, shards = cut([str(tmp_path / "in.parquet")], size)
    got = [(number, json.loads(line)) for shard in shards for number, line in rows_of(shard)]
    assert [number for number, _ in got] == list(range(1, 21))
    assert [json.loads(row["turn"])["id"] for _, row in got] == [f"t-{n}" for n in range(20)]
    assert [row.get("right") for _, row in got] == [r.get("right") for r in rows(20)]
    assert all(shard.start // 8 == (shard.end - 1) // 8 for shard in shards)
    assert sources[0].rows == 20


def test_nested_columns_are_the_same_turns(tmp_path):
    """A column of structs pads absent fields with nulls: they are absent again."""
    longer = turn(2) | {"pack": "property"}
    pq.write_table(pa.Table.from_pylist([{"turn": turn(1)}, {"turn": longer}]), tmp_path / "in.parquet")
    _, shards = cut([str(tmp_path / "in.parquet")], 5)
    assert [json.loads(line)["turn"] for _, line in rows_of(shards[0])] == [turn(1), longer]


def scores(path):
    pq.write_table(pa.table({"score": [90], "passed": [True]}), path)


def moments(path):
    moment = pa.array([0], pa.timestamp("us", "UTC"))
    struct = pa.StructArray.from_arrays([moment], ["now"])
    pq.write_table(pa.table({"turn": struct}), path)


def torn(path):
    path.write_bytes(b"PAR1 and nothing else")


@pytest.mark.parametrize(
    ("make", "told"),
    [(scores, "export-turns"), (moments, "JSON text"), (torn, "cannot be read as Parquet")],
)
def test_parquet_that_cannot_be_judged_says_why(tmp_path, make, told):
    make(tmp_path / "in.parquet")
    with pytest.raises(AuditError, match=told):
        cut([str(tmp_path / "in.parquet")], 5)


def test_names_folders_and_patterns(tmp_path):
    (tmp_path / "deep").mkdir()
    names = [write(tmp_path / n, []) for n in ("a.jsonl", "b.txt", "deep/c.ndjson")]
    assert find_files([str(tmp_path)]) == [names[0], names[2]]
    assert find_files([names[1], names[1]]) == [names[1]]
    assert find_files([f"{tmp_path}/*.jsonl", names[0]]) == [names[0]]
    with pytest.raises(AuditError, match="no such file"):
        find_files([f"{tmp_path}/*.parquet"])
