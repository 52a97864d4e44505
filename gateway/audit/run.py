"""One audit from beginning to end: plan, judge what is not judged yet, put together. It can be ended at any moment.

The folder holds `manifest.json` (inputs, rules, shards), `shards/` while the audit runs, and at the end `verdicts.parquet`
and `bad.jsonl`. A finished shard is one file, renamed into place when it is whole; a restart judges the others.
"""

import fcntl
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gateway.audit.errors import AuditError
from gateway.audit.inputs import Shard, Source, cut, find_files
from gateway.audit.judging import Rules, versions
from gateway.audit.pool import Engine
from gateway.audit.shard import Judgements
from gateway.audit.table import arrow, put_together

FORMAT = 1
SHARD_ROWS = 1_000
VERDICTS, BAD, MANIFEST, SHARDS = "verdicts.parquet", "bad.jsonl", "manifest.json", "shards"
Told = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Audit:
    """A planned audit: where it is written, what it reads, by which rules, and in which pieces."""

    out: Path
    rules: Rules
    sources: tuple[Source, ...]
    shards: tuple[Shard, ...]
    manifest: dict[str, Any]

    @property
    def rows(self) -> int:
        """How many rows there are to judge."""
        return sum(source.rows for source in self.sources)

    def shard_file(self, shard: Shard) -> Path:
        """Where a shard's rows are written."""
        return self.out / SHARDS / f"{shard.number:06d}.parquet"

    def waiting(self) -> list[Shard]:
        """List the shards that nobody has judged yet."""
        return [shard for shard in self.shards if not self.shard_file(shard).exists()]


@dataclass(frozen=True, slots=True)
class Done:
    """A finished audit: rows that were judged and rows that could not be read."""

    rows: int
    bad: int


def prepare(given: Sequence[str], out: Path, rules: Rules, shard_rows: int = SHARD_ROWS) -> Audit:
    """Plan an audit, or take up one that was ended in this folder.

    Raises AuditError when the folder holds an audit of other inputs or other rules.
    """
    arrow()
    sources, shards = cut(find_files(given), shard_rows)
    now = versions(rules)
    manifest = {
        "format": FORMAT,
        "rulesVersions": now,
        "passScore": rules.pass_score,
        "shardRows": shard_rows,
        "inputs": [source.record() for source in sources],
        "shards": len(shards),
    }
    out.mkdir(parents=True, exist_ok=True, mode=0o700)  # customers' words will stand in it
    (out / SHARDS).mkdir(exist_ok=True)
    known = read_manifest(out)
    if known is None:
        _write(out / MANIFEST, json.dumps(manifest, ensure_ascii=False, indent=1).encode())
    elif known != manifest:
        raise AuditError(_differs(out, known, manifest))
    return Audit(out, replace(rules, expected=tuple(now.items())), tuple(sources), tuple(shards), manifest)


def read_manifest(out: Path) -> dict[str, Any] | None:
    """Read what a folder's audit was made of; None when there is none. Raises AuditError when it cannot be read."""
    try:
        known: dict[str, Any] = json.loads((out / MANIFEST).read_bytes())
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise AuditError(f"{out / MANIFEST}: cannot be read; give another --out") from error
    return known


def _differs(out: Path, known: dict[str, Any], manifest: dict[str, Any]) -> str:
    what = next((name for name in manifest if known.get(name) != manifest[name]), "format")
    was, now = known.get(what), manifest[what]
    if what == "rulesVersions" and isinstance(was, dict):
        pack = next(name for name in [*now, *was] if was.get(name) != now.get(name))
        told = f"by other rules: rulesVersion of {pack} was {was.get(pack)} and is {now.get(pack)}"
    elif what == "inputs" and isinstance(was, list):
        changed = next((s["file"] for s in [*now, *was] if s not in was or s not in now), "")
        told = f"of other inputs: {changed} was not there, or was not the same"
    else:
        told = f"with {what} {was}, not {now}"
    return f"{out} holds an audit {told}. Give another --out; `--against {out}` then compares the two"


def carry_out(audit: Audit, engine: Engine, workers: int, told: Told = lambda _rows: None) -> Done:
    """Judge what waits and put everything together; `told` hears of rows as they are done.

    Raises AuditError when another process works in the same folder.
    """
    with _alone(audit.out):
        if not (audit.out / VERDICTS).exists():
            waiting = audit.waiting()
            told(audit.rows - _rows_left(audit, waiting))
            for judged in engine(waiting, audit.rules, workers):
                _keep(audit, judged)
                told(judged.rows + judged.bad)
            files = [audit.shard_file(shard) for shard in audit.shards]
            put_together(files, audit.out / VERDICTS, audit.out / BAD)
        _tidy(audit)
        return Done(*counts(audit.out))


def counts(out: Path) -> tuple[int, int]:
    """Count the rows of a finished audit, judged and bad."""
    rows = int(arrow().parquet.read_metadata(out / VERDICTS).num_rows)
    with (out / BAD).open("rb") as bad:
        return rows, sum(1 for _ in bad)


def _rows_left(audit: Audit, waiting: Sequence[Shard]) -> int:
    """Estimate how many rows wait: every shard but a file's last has the same number."""
    share = len(waiting) / len(audit.shards) if audit.shards else 0
    return round(audit.rows * share)


def _keep(audit: Audit, judged: Judgements) -> None:
    _write(audit.shard_file(audit.shards[judged.number]), judged.parquet)


def _write(file: Path, content: bytes) -> None:
    """Write a file so that it is there whole or not at all, whatever happens to process or power."""
    half = file.with_suffix(".half")
    with half.open("wb") as out:
        out.write(content)
        out.flush()
        os.fsync(out.fileno())
    half.replace(file)


def _tidy(audit: Audit) -> None:
    for file in (audit.out / SHARDS).glob("*"):
        file.unlink()


@contextmanager
def _alone(out: Path) -> Iterator[None]:
    handle = os.open(out / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _lock(handle, out)
        yield
    finally:
        os.close(handle)


def _lock(handle: int, out: Path) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise AuditError(f"{out}: another audit is working in this folder") from error
