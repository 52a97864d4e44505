"""The evaluation log as a file: Parquet with typed columns, or JSON lines. Read page by page, so memory stays the same."""

import functools
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from sqlalchemy import Row, Select, func, select

from gateway.evaluation_log import DIMENSIONS
from gateway.log_summary import within
from gateway.service import Service
from gateway.spans import Span
from gateway.tables_log import EvaluationRow
from gateway.tx import Tx, table_of

PAGE = 5_000  # rows of one page, which is one row group of a Parquet file
SUFFIXES = (".parquet", ".jsonl")
COLUMNS = {
    "seq": "seq",
    "at": "at",
    "taskId": "task_id",
    "conversationId": "conversation_id",
    "draftId": "draft_id",
    "account": "account_id",
    "pack": "pack",
    "agentId": "agent_id",
    "model": "model",
    "question": "question",
    "fingerprint": "fingerprint",
    "round": "round",
    "status": "status",
    "qualityScore": "score",
    "qualityPassed": "passed",
    **DIMENSIONS,
    "evidence": "evidence",
    "confidence": "confidence",
    "band": "band",
    "judge": "judge",
    "action": "action",
    "state": "state",
    "fallbackReason": "fallback_reason",
    "failedCheckIds": "failed",
    "scenarios": "scenarios",
    "subjects": "subjects",
    "sources": "sources",
    "rulesVersion": "rules_version",
}
Records = Sequence[Mapping[str, Any]]

_table = table_of(EvaluationRow)


class ParquetMissingError(Exception):
    """The library that writes Parquet is not installed."""

    def __init__(self) -> None:
        super().__init__("writing Parquet needs an extra: pip install 'draftgate[audit]', or name a .jsonl file")


class Writer(Protocol):
    """Where records go, page by page."""

    def write(self, records: Records) -> None:
        """Add a page."""

    def close(self) -> None:
        """Finish the file."""


def count(tx: Tx, span: Span, accounts: Collection[str] = ()) -> int:
    """Count the rows that an export of this span has."""
    query = select(func.count()).select_from(_table).where(*within(span.since, span.until, accounts))
    return int(tx.conn.execute(query).scalar_one())


def export(service: Service, out: Path, span: Span, accounts: Collection[str], told: Callable[[int], None]) -> int:
    """Write a span of the log to a file and give the number of rows; `told` hears how many each page had.

    The file appears under its name only when it is whole. Raises ParquetMissingError.
    """
    written = 0
    with _written_whole(out) as writer:
        for page in _pages(service, span, accounts):
            writer.write([_record(row) for row in page])
            written += len(page)
            told(len(page))
    return written


def _pages(service: Service, span: Span, accounts: Collection[str]) -> Iterator[list[Row[Any]]]:
    last = 0
    while True:
        query: Select[Any] = select(_table).where(*within(span.since, span.until, accounts), _table.c.seq > last)
        ordered = query.order_by(_table.c.seq).limit(PAGE)
        page = service.look(functools.partial(_page, ordered))
        if page:
            yield page
        if len(page) < PAGE:
            return
        last = page[-1].seq


def _page(query: Select[Any], tx: Tx) -> list[Row[Any]]:
    return list(tx.conn.execute(query).all())


def _record(row: Row[Any]) -> dict[str, Any]:
    known = row._mapping  # noqa: SLF001  # SQLAlchemy's documented way to a row's columns by name
    return {name: known[column] for name, column in COLUMNS.items()}


@contextmanager
def _written_whole(out: Path) -> Iterator[Writer]:
    part = out.with_name(f".{out.name}.part")
    writer: Writer = _Parquet(part) if out.suffix == ".parquet" else _JsonLines(part)
    try:
        try:
            yield writer
        finally:
            writer.close()
        part.replace(out)
    finally:
        part.unlink(missing_ok=True)


class _JsonLines:
    def __init__(self, path: Path) -> None:
        self._file = path.open("w", encoding="utf-8")
        path.chmod(0o600)  # it holds customers' words

    def write(self, records: Records) -> None:
        for record in records:
            line = dict(record) | {"at": record["at"].isoformat()}
            self._file.write(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n")

    def close(self) -> None:
        self._file.close()


class _Parquet:
    def __init__(self, path: Path) -> None:
        try:
            import pyarrow as pa
            from pyarrow import parquet
        except ImportError as error:
            raise ParquetMissingError from error
        text, texts, share = pa.string(), pa.list_(pa.string()), pa.float64()
        kinds = {
            "seq": pa.int64(),
            "at": pa.timestamp("us", tz="UTC"),
            "round": pa.int8(),
            "qualityScore": pa.int16(),
            "qualityPassed": pa.bool_(),
            "confidence": share,
            "evidence": pa.struct([(name, text) for name in DIMENSIONS]),
            **dict.fromkeys(DIMENSIONS, share),
            **dict.fromkeys(("failedCheckIds", "scenarios", "subjects", "sources"), texts),
        }
        self._schema = pa.schema([(name, kinds.get(name, text)) for name in COLUMNS])
        self._table = pa.Table
        path.touch(mode=0o600)
        self._file = parquet.ParquetWriter(path, self._schema)

    def write(self, records: Records) -> None:
        self._file.write_table(self._table.from_pylist(list(records), schema=self._schema))

    def close(self) -> None:
        self._file.close()
