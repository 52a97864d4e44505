"""Drift: which verdicts are not what they were, compared with another audit or with what the rows themselves say."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gateway.audit.errors import AuditError
from gateway.audit.figures import open_audit
from gateway.audit.run import VERDICTS

STORED = "stored"
MOST_EXAMPLES = 20
_SHOWN = ("id", "file", "line", "pack", "topic", "question", "reply", "right")
_SIDES = ("passed", "failedCheckIds", "requiresHuman", "risks", "auto", "rulesVersion")
# Beside a stored reply stands less than an audit knows; what is not known there is not compared.
_STORED = """
    SELECT row AS at, wasPassed AS passed, wasFailed AS failedCheckIds, CAST(NULL AS BOOLEAN) AS requiresHuman,
           CAST(NULL AS VARCHAR[]) AS risks, CAST(NULL AS VARCHAR) AS auto, wasRulesVersion AS rulesVersion
    FROM v WHERE wasPassed IS NOT NULL
"""
_EARLIER = """
    SELECT DISTINCT ON (key) key AS at, passed, failedCheckIds, requiresHuman, risks, auto, rulesVersion
    FROM earlier ORDER BY key, row
"""
_DIFFERS = """
    v.passed IS DISTINCT FROM b.passed
    OR coalesce(list_sort(b.failedCheckIds) <> list_sort(v.failedCheckIds), false)
    OR coalesce(b.requiresHuman <> v.requiresHuman, false)
    OR coalesce(list_sort(b.risks) <> list_sort(v.risks), false)
    OR coalesce(b.auto <> v.auto, false)
"""


@dataclass(frozen=True, slots=True)
class Drift:
    """How verdicts changed. `compared`: replies that both sides know; `newly` and `no_longer`: by failed check."""

    against: str
    compared: int
    changed: int
    now_fails: int
    now_passes: int
    newly: Mapping[str, int]
    no_longer: Mapping[str, int]
    versions: tuple[tuple[str, str, int], ...]
    examples: tuple[Mapping[str, Any], ...]


def drift(out: Path, against: Path | None, changes: Path) -> Drift | None:
    """Compare a finished audit with another one, else with what its rows say; writes every change as a JSON line.

    None when the rows say nothing. Raises AuditError when the other folder holds no finished audit.
    """
    connection = open_audit(out)
    joined = _pair(connection, against)
    versions = connection.execute(
        f"SELECT coalesce(b.rulesVersion, ''), v.rulesVersion, count(*) FROM {joined} GROUP BY ALL ORDER BY ALL"  # noqa: S608
    ).fetchall()
    compared = sum(count for _, _, count in versions)
    if against is None and not compared:
        return None
    seen = _Seen()
    with changes.open("w", encoding="utf-8") as told:
        for change in _changes(connection, joined):
            told.write(json.dumps(change, ensure_ascii=False) + "\n")
            seen.take(change)
    return seen.drift(str(against) if against else STORED, compared, versions)


def _pair(connection: Any, against: Path | None) -> str:
    """Make the view `b` of what was, and give the tables to read from."""
    if against is None:
        connection.execute(f"CREATE VIEW b AS {_STORED}")
        return "v JOIN b ON v.row = b.at"
    if not (against / VERDICTS).is_file():
        raise AuditError(f"--against {against}: holds no finished audit")
    connection.read_parquet(str(against / VERDICTS)).create_view("earlier")
    connection.execute(f"CREATE VIEW b AS {_EARLIER}")
    return "v JOIN b ON v.key = b.at"


def _changes(connection: Any, joined: str) -> Iterator[dict[str, Any]]:
    columns = [f'v."{name}"' for name in _SHOWN] + [f"{side}.{name}" for side in ("b", "v") for name in _SIDES]
    found = connection.execute(f"SELECT {', '.join(columns)} FROM {joined} WHERE {_DIFFERS} ORDER BY v.row")  # noqa: S608
    shown, sides = len(_SHOWN), len(_SIDES)
    while batch := found.fetchmany(500):
        for row in batch:
            was = dict(zip(_SIDES, row[shown : shown + sides], strict=True))
            now = dict(zip(_SIDES, row[shown + sides :], strict=True))
            yield dict(zip(_SHOWN, row[:shown], strict=True)) | {"was": was, "now": now}


class _Seen:
    """Counts changes as they go by and keeps the first examples, those of a pass that was none before first."""

    def __init__(self) -> None:
        self._count: Counter[str] = Counter()
        self._newly: Counter[str] = Counter()
        self._no_longer: Counter[str] = Counter()
        self._examples: dict[str, list[Mapping[str, Any]]] = {"passes": [], "fails": [], "other": []}

    def take(self, change: Mapping[str, Any]) -> None:
        was, now = change["was"], change["now"]
        kind = "other" if was["passed"] == now["passed"] else "passes" if now["passed"] else "fails"
        self._count[kind] += 1
        if len(self._examples[kind]) < MOST_EXAMPLES:
            self._examples[kind].append(change)
        if was["failedCheckIds"] is not None:
            before, after = set(was["failedCheckIds"]), set(now["failedCheckIds"])
            self._newly.update(after - before)
            self._no_longer.update(before - after)

    def drift(self, against: str, compared: int, versions: list[tuple[str, str, int]]) -> Drift:
        kept = [change for kind in self._examples.values() for change in kind[: MOST_EXAMPLES // 2]]
        return Drift(
            against=against,
            compared=compared,
            changed=self._count.total(),
            now_fails=self._count["fails"],
            now_passes=self._count["passes"],
            newly=dict(sorted(self._newly.items())),
            no_longer=dict(sorted(self._no_longer.items())),
            versions=tuple(versions),
            examples=tuple(kept[:MOST_EXAMPLES]),
        )
