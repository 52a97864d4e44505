"""What the evaluation log says over a span of time: shares of verdicts, bands, failed checks, and the weakest topics.

Each evaluation counts, a rewrite as one of its own. The database counts; only groups come back.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, func, select

from gateway.cross_figures import CrossFigures, cross_figures
from gateway.spans import Span
from gateway.tables_log import STATUSES, EvaluationRow
from gateway.tx import Tx, table_of

BANDS = ("high", "middle", "low")
NO_BAND = "none"  # nothing to be confident about was asserted or judged
MOST = 20  # rows of each list
ENOUGH = 5  # evaluations with asserted facts that a topic needs before its mean says anything

_table = table_of(EvaluationRow)


@dataclass(frozen=True, slots=True)
class Shares:
    """How the evaluations of one agent, model or pack came out; an empty name is one that nobody told."""

    name: str
    counts: Mapping[str, int]

    @property
    def evaluations(self) -> int:
        """How many there were."""
        return sum(self.counts.values())

    def record(self) -> dict[str, Any]:
        """Write them with the share of each verdict, 0..1."""
        whole = self.evaluations
        shares = {status: round(count / whole, 4) if whole else None for status, count in self.counts.items()}
        return {"name": self.name, "evaluations": whole, "counts": dict(self.counts), "shares": shares}


@dataclass(frozen=True, slots=True)
class Support:
    """The mean fact support, 0..1, of the evaluations about one topic that asserted something."""

    name: str
    evaluations: int
    mean: float

    def record(self) -> dict[str, Any]:
        """Write it in the contract's spelling."""
        return {"name": self.name, "evaluations": self.evaluations, "factSupport": round(self.mean, 4)}


@dataclass(frozen=True, slots=True)
class LogSummary:
    """All of it; topics weakest first, everything else largest first."""

    span: Span
    whole: Shares
    agents: tuple[Shares, ...]
    models: tuple[Shares, ...]
    packs: tuple[Shares, ...]
    bands: Mapping[str, int]
    checks: Mapping[str, int]
    scenarios: tuple[Support, ...]
    subjects: tuple[Support, ...]
    sources: tuple[Support, ...]
    cross_replies: tuple[CrossFigures, ...]

    def record(self) -> dict[str, Any]:
        """Write it in the contract's spelling."""
        lists = ("agents", "models", "packs", "scenarios", "subjects", "sources")
        return {
            "since": self.span.since.isoformat(),
            "until": self.span.until.isoformat(),
            "whole": self.whole.record(),
            "bands": dict(self.bands),
            "failedChecks": [{"id": name, "count": count} for name, count in self.checks.items()],
            "crossReplies": [figures.record() for figures in self.cross_replies],
        } | {name: [part.record() for part in getattr(self, name)] for name in lists}


def summary_of(tx: Tx, span: Span, accounts: Collection[str] = ()) -> LogSummary:
    """Count the log of a span; `accounts` limits it to some, none means all."""
    where = within(span.since, span.until, accounts)
    names = ("agent_id", "model", "pack")
    columns = [_table.c[name] for name in (*names, "status")]
    query: Select[Any] = select(*columns, func.count().label("number")).where(*where).group_by(*columns)
    rows = list(tx.conn.execute(query).all())
    agents, models, packs = (_slices(rows, name) for name in names)
    return LogSummary(
        span,
        _shares("", rows),
        agents,
        models,
        packs,
        _bands(tx, where),
        _checks(tx, where),
        _weakest(tx, where, _table.c.scenarios),
        _weakest(tx, where, _table.c.subjects),
        _weakest(tx, where, _table.c.sources),
        cross_figures(tx, span, accounts),
    )


def within(since: datetime, until: datetime, accounts: Collection[str]) -> list[ColumnElement[bool]]:
    """Give the conditions for the log's rows of a span and of some accounts (none: all)."""
    where = [_table.c.at >= since, _table.c.at < until]
    return [*where, _table.c.account_id.in_(sorted(accounts))] if accounts else where


def _slices(rows: Iterable[Row[Any]], column: str) -> tuple[Shares, ...]:
    groups: dict[str, list[Row[Any]]] = {}
    for row in rows:
        groups.setdefault(getattr(row, column) or "", []).append(row)
    found = [_shares(name, group) for name, group in groups.items()]
    return tuple(sorted(found, key=lambda part: (-part.evaluations, part.name))[:MOST])


def _shares(name: str, rows: Iterable[Row[Any]]) -> Shares:
    counts: Counter[str] = Counter()
    for row in rows:
        counts[row.status] += row.number
    return Shares(name, {status: counts[status] for status in STATUSES})


def _bands(tx: Tx, where: Iterable[ColumnElement[bool]]) -> Mapping[str, int]:
    query = select(_table.c.band, func.count().label("number")).where(*where).group_by(_table.c.band)
    found = {row.band or NO_BAND: row.number for row in tx.conn.execute(query)}
    return {band: found.get(band, 0) for band in (*BANDS, NO_BAND)}


def _checks(tx: Tx, where: Iterable[ColumnElement[bool]]) -> Mapping[str, int]:
    each = _each(tx, _table.c.failed)
    number = func.count().label("number")
    query = select(each.c.value, number).select_from(_table, each).where(*where).group_by(each.c.value)
    return {row.value: row.number for row in tx.conn.execute(query.order_by(number.desc(), each.c.value))}


def _weakest(tx: Tx, where: Iterable[ColumnElement[bool]], column: ColumnElement[Any]) -> tuple[Support, ...]:
    each = _each(tx, column)
    number, mean = func.count(_table.c.fact_support).label("number"), func.avg(_table.c.fact_support).label("mean")
    query = (
        select(each.c.value, number, mean)
        .select_from(_table, each)
        .where(*where)
        .group_by(each.c.value)
        .having(number >= ENOUGH)
        .order_by(mean, number.desc(), each.c.value)
        .limit(MOST)
    )
    return tuple(Support(row.value, row.number, float(row.mean)) for row in tx.conn.execute(query))


def _each(tx: Tx, column: ColumnElement[Any]) -> Any:
    """Give a JSON list's texts as rows, the way this database does it."""
    if tx.conn.dialect.name == "postgresql":
        made = func.jsonb_array_elements_text(column).table_valued("value", joins_implicitly=True)
        return made.render_derived()
    return func.json_each(column).table_valued("value", joins_implicitly=True)
