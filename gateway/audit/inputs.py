"""What is to be audited: files found, fingerprinted and cut into shards; and the rows of one shard.

A file of JSON lines is cut at line ends and read by byte range, Parquet by row numbers, which DuckDB finds by row group.
Nothing here holds more than one line or one batch of rows.
"""

import glob
import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gateway.audit.errors import AuditError, missing_extra
from gateway.jsonio import MAX_BODY

SUFFIXES = (".jsonl", ".ndjson", ".parquet", ".pq")
_COLUMNS = ("turn", "id", "now", "pack", "conversation", "draft", "right", "passed", "failedCheckIds", "rulesVersion")
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Shard:
    """A piece of one file: bytes from `start` to `end` of JSON lines, or rows of Parquet; `first` is its first line."""

    number: int
    file: str
    start: int
    end: int
    first: int

    @property
    def rows(self) -> bool:
        """Whether start and end count rows, not bytes."""
        return is_parquet(self.file)


@dataclass(frozen=True, slots=True)
class Source:
    """One file as it was when the audit began; `rows` counts the lines that are not blank."""

    file: str
    bytes: int
    sha256: str
    rows: int

    def record(self) -> dict[str, Any]:
        """Write it for the manifest."""
        return asdict(self)


def is_parquet(file: str) -> bool:
    """Whether a file's name says Parquet."""
    return file.endswith((".parquet", ".pq"))


def find_files(given: Iterable[str]) -> list[str]:
    """List the files behind names, folders and patterns, each once, in order. Raises AuditError for an empty one."""
    found: dict[str, None] = {}
    for name in given:
        path = Path(name)
        if path.is_dir():
            files = sorted(str(f) for f in path.rglob("*") if f.name.endswith(SUFFIXES) and f.is_file())
        else:
            files = [name] if path.is_file() else sorted(glob.glob(name, recursive=True))  # noqa: PTH207  # keeps the name as given
        if not files:
            raise AuditError(f"{name}: no such file, or a folder without {', '.join(SUFFIXES)}")
        found |= dict.fromkeys(files)
    return list(found)


def cut(files: Iterable[str], rows: int) -> tuple[list[Source], list[Shard]]:
    """Fingerprint the files and cut them into shards of about so many rows."""
    sources: list[Source] = []
    shards: list[Shard] = []
    for file in files:
        size, digest, pieces, count = _cut_parquet(file, rows) if is_parquet(file) else _cut_lines(file, rows)
        sources.append(Source(file, size, digest, count))
        shards += [Shard(len(shards) + n, file, *piece) for n, piece in enumerate(pieces)]
    return sources, shards


Pieces = tuple[int, str, list[tuple[int, int, int]], int]


def _cut_lines(file: str, rows: int) -> Pieces:
    digest, at, start, first, number, held, filled = hashlib.sha256(), 0, 0, 1, 0, 0, 0
    pieces: list[tuple[int, int, int]] = []
    with Path(file).open("rb") as lines:
        for number, line in enumerate(lines, 1):
            digest.update(line)
            at += len(line)
            held += bool(line.strip())
            if held == rows:
                pieces.append((start, at, first))
                start, first, filled, held = at, number + 1, filled + held, 0
    if held:
        pieces.append((start, at, first))
    return at, digest.hexdigest(), pieces, filled + held


def _cut_parquet(file: str, rows: int) -> Pieces:
    digest = hashlib.sha256()
    with Path(file).open("rb") as whole:
        while block := whole.read(_BLOCK):
            digest.update(block)
    groups = _groups(file)
    pieces: list[tuple[int, int, int]] = []
    at = 0
    for group in groups:  # a shard stays inside its row group
        pieces += [(n, min(n + rows, at + group), n + 1) for n in range(at, at + group, rows)]
        at += group
    return Path(file).stat().st_size, digest.hexdigest(), pieces, at


def _groups(file: str) -> list[int]:
    connection = duck()
    _check_columns(file, {str(name): str(kind) for name, kind, *_ in _described(connection, file)})
    query = "SELECT row_group_id, max(row_group_num_rows) FROM parquet_metadata(?) GROUP BY 1 ORDER BY 1"
    return [int(count) for _, count in connection.execute(query, [file]).fetchall()]


def _described(connection: Any, file: str) -> list[tuple[Any, ...]]:
    import duckdb

    try:
        rows: list[tuple[Any, ...]] = connection.execute("DESCRIBE SELECT * FROM read_parquet(?)", [file]).fetchall()
    except duckdb.Error as error:
        raise AuditError(f"{file}: cannot be read as Parquet: {str(error).partition(chr(10))[0]}") from error
    return rows


def _check_columns(file: str, kinds: dict[str, str]) -> None:
    """Say before anything is judged why a file cannot be."""
    if not ("turn" in kinds or {"conversation", "draft"} <= set(kinds)):
        raise AuditError(
            f"{file}: has no column `turn`, nor `conversation` and `draft`. Scores alone (the export of the evaluation "
            "log) cannot be judged again: the words and the evidence are not in them. `draftgate export-turns` writes "
            "what can"
        )
    lossy = [name for name in _COLUMNS if name in kinds and "TIMESTAMP" in kinds[name]]
    if lossy:
        raise AuditError(
            f"{file}: column `{lossy[0]}` holds moments without the shop's offset, and 明天 would be another day. "
            "Store the turn as JSON text in a column `turn`, or keep moments as text"
        )


def duck() -> Any:
    """Open DuckDB in memory, on one thread and within bounds. Raises AuditError when the extra is not installed."""
    try:
        import duckdb
    except ImportError as error:
        raise missing_extra("audit") from error
    connection = duckdb.connect(":memory:")
    connection.execute("SET threads = 1")
    connection.execute("SET memory_limit = '1GB'")
    return connection


def rows_of(shard: Shard) -> Iterator[tuple[int, bytes]]:
    """Read a shard row by row: the line or row number, from 1, and the row as JSON."""
    return _rows_of_parquet(shard) if shard.rows else _rows_of_lines(shard)


def _rows_of_lines(shard: Shard) -> Iterator[tuple[int, bytes]]:
    at, number = shard.start, shard.first
    with Path(shard.file).open("rb") as lines:
        lines.seek(shard.start)
        while at < shard.end:
            line = lines.readline(MAX_BODY + 1)  # a longer one is refused by its reader; its rest is passed over
            at += len(line)
            if line.strip():
                yield number, line
            while line and not line.endswith(b"\n") and at < shard.end:
                line = lines.readline(_BLOCK)
                at += len(line)
            if not line:
                return
            number += 1


def _rows_of_parquet(shard: Shard) -> Iterator[tuple[int, bytes]]:
    connection = duck()
    names = [str(name) for name, *_ in _described(connection, shard.file) if name in _COLUMNS]
    listed = ", ".join(f'"{name}"' for name in names)
    query = (
        f"SELECT to_json(t) FROM (SELECT {listed} FROM read_parquet(?, file_row_number = true) "  # noqa: S608  # our own names
        "WHERE file_row_number >= ? AND file_row_number < ? ORDER BY file_row_number) t"
    )
    found = connection.execute(query, [shard.file, shard.start, shard.end])
    number = shard.first
    while batch := found.fetchmany(200):
        for (text,) in batch:
            yield number, _without_nulls(text)
            number += 1


def _without_nulls(text: str) -> bytes:
    """Drop nulls: in a column of nested values a field that is absent and one that is null are the same."""
    try:
        row = json.loads(text)
    except ValueError:
        return text.encode()  # its reader says what is wrong with it
    if isinstance(row.get("turn"), str):
        return json.dumps({name: value for name, value in row.items() if value is not None}).encode()
    return json.dumps(_full(row)).encode()


def _full(node: Any) -> Any:
    if isinstance(node, dict):
        return {name: _full(value) for name, value in node.items() if value is not None}
    return [_full(value) for value in node] if isinstance(node, list) else node
