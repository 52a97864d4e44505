"""The audit's Parquet: one row per reply, its columns typed, the same bytes for the same rows."""

import io
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from gateway.audit.errors import missing_extra

_TEXT, _WHOLE, _YES, _SHARE, _TEXTS = "string", "int64", "bool", "float64", "list"
COLUMNS: Mapping[str, str] = {
    "row": _WHOLE,
    "file": _TEXT,
    "line": _WHOLE,
    "id": _TEXT,
    "key": _TEXT,
    "conversation": _TEXT,
    "pack": _TEXT,
    "topic": _TEXT,
    "sources": _TEXTS,
    "agent": _TEXT,
    "model": _TEXT,
    "at": _TEXT,
    "question": _TEXT,
    "reply": _TEXT,
    "right": _YES,
    "passed": _YES,
    "score": _WHOLE,
    "status": _TEXT,
    "failedCheckIds": _TEXTS,
    "hardFailureIds": _TEXTS,
    "requiresHuman": _YES,
    "noReplyNeeded": _YES,
    "risks": _TEXTS,
    "confidence": _SHARE,
    "band": _TEXT,
    "factSupport": _SHARE,
    "unavailable": _TEXT,
    "review": _TEXT,
    "auto": _TEXT,
    "autopilot": _TEXT,
    "fallbackReason": _TEXT,
    "relaxable": _TEXT,
    "relaxedAction": _TEXT,
    "rulesVersion": _TEXT,
    "wasPassed": _YES,
    "wasFailed": _TEXTS,
    "wasRulesVersion": _TEXT,
}
GROUP = 20_000  # rows of a row group in the finished file
_BAD = b"bad"


def arrow() -> Any:
    """Import pyarrow with its Parquet part. Raises AuditError when the extra is not installed."""
    try:
        import pyarrow as pa
        import pyarrow.parquet  # `pa.parquet` from here on
    except ImportError as error:
        raise missing_extra("audit") from error
    return pa


def schema() -> Any:
    """Give the columns as Arrow knows them."""
    pa = arrow()
    kinds = {_TEXTS: pa.list_(pa.string()), _WHOLE: pa.int64(), _YES: pa.bool_(), _SHARE: pa.float64()}
    return pa.schema([(name, kinds.get(kind, pa.string())) for name, kind in COLUMNS.items()])


def shard_bytes(rows: Iterable[Mapping[str, Any]], bad: Iterable[Mapping[str, Any]]) -> bytes:
    """Write a shard's rows as Parquet; what could not be judged stands in its metadata."""
    pa = arrow()
    told = json.dumps(list(bad), ensure_ascii=False).encode()
    table = pa.Table.from_pylist(list(rows), schema=schema()).replace_schema_metadata({_BAD: told})
    sink = io.BytesIO()
    pa.parquet.write_table(table, sink, compression="zstd")
    return sink.getvalue()


def put_together(shards: Iterable[Path], out: Path, bad: Path) -> tuple[int, int]:
    """Join finished shards, in their order, to one file and one list of bad rows; gives how many rows each has.

    Rows are numbered as they stand. Both files appear whole or not at all.
    """
    pa = arrow()
    new_out, new_bad = out.with_suffix(".new"), bad.with_suffix(".new")
    count = wrong = 0
    with (
        pa.parquet.ParquetWriter(new_out, schema(), compression="zstd") as writer,
        new_bad.open("w", encoding="utf-8") as told,
    ):
        held: list[Any] = []
        for shard in shards:
            table = pa.parquet.read_table(shard)
            for entry in json.loads(table.schema.metadata[_BAD]):
                told.write(json.dumps(entry, ensure_ascii=False) + "\n")
                wrong += 1
            held.append(_numbered(table, count))
            count += table.num_rows
            if sum(t.num_rows for t in held) >= GROUP:
                writer.write_table(pa.concat_tables(held))
                held = []
        if held:
            writer.write_table(pa.concat_tables(held))
    new_bad.replace(bad)
    new_out.replace(out)
    return count, wrong


def _numbered(table: Any, first: int) -> Any:
    pa = arrow()
    numbers = pa.array(range(first, first + table.num_rows), pa.int64())
    return table.set_column(0, "row", numbers).replace_schema_metadata(None)
