"""The figures of a finished audit, counted by DuckDB over its Parquet: policies, checks, weak topics."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gateway.audit.inputs import duck
from gateway.audit.run import VERDICTS, counts, read_manifest
from gateway.calibration.intervals import Share
from gateway.gate import BANDS

MOST_TOPICS = 15
LEAST_ROWS = 5  # fewer replies say nothing about a topic
RELAXED = "relax:"
TOPIC_KINDS: Mapping[str, str] = {
    "pack": "SELECT pack AS name, * FROM v",
    "scenario": "SELECT DISTINCT ON (row, name) split_part(unnest(risks), '/', 1) AS name, * FROM v",
    "topic": "SELECT topic AS name, * FROM v",
    "source": "SELECT unnest(sources) AS name, * FROM v",
    "agent": "SELECT agent AS name, * FROM v",
}


@dataclass(frozen=True, slots=True)
class Policy:
    """What one policy would do.

    `sent`: of all replies; `more`: sent beyond auto mode; `wrong`: of the labelled replies that it sends, those that a
    person called wrong; `wrong_more`: the same of what it sends beyond auto mode; `held`: right replies that it holds.
    """

    id: str
    sent: Share
    wrong: Share
    held: Share
    more: int
    wrong_more: Share


@dataclass(frozen=True, slots=True)
class CheckLine:
    """How often a check failed, and of these how often on an answer that a person called right."""

    id: str
    failed: Share
    right: Share


@dataclass(frozen=True, slots=True)
class Topic:
    """A pack, scenario, subject or cited source with what its replies are like."""

    kind: str
    name: str
    failed: Share
    wrong: Share
    fact_support: float | None


@dataclass(frozen=True, slots=True)
class Figures:
    """All that a summary tells, apart from drift. `labelled`: wrong ones among the labelled."""

    rows: int
    bad: int
    labelled: Share
    statuses: Mapping[str, int]
    policies: tuple[Policy, ...]
    checks: tuple[CheckLine, ...]
    topics: tuple[Topic, ...]
    rules: Mapping[str, int]
    manifest: Mapping[str, Any]


def open_audit(out: Path) -> Any:
    """Open a finished audit in DuckDB as the view `v`; what does not fit in memory goes into its folder."""
    connection = duck()
    connection.execute("SET temp_directory = ?", [str(out / "spill")])
    connection.read_parquet(str(out / VERDICTS)).create_view("v")
    return connection


def figures(out: Path) -> Figures:
    """Count everything over a finished audit."""
    connection = open_audit(out)
    rows, bad = counts(out)
    wrong, labelled = _one(connection, 'SELECT count(*) FILTER (NOT "right"), count("right") FROM v')
    return Figures(
        rows=rows,
        bad=bad,
        labelled=Share(wrong, labelled),
        statuses=_counted(connection, "coalesce(status, 'unavailable')"),
        policies=tuple(_policies(connection)),
        checks=tuple(_checks(connection, rows)),
        topics=tuple(topic for kind in TOPIC_KINDS for topic in _topics(connection, kind)),
        rules=_counted(connection, "rulesVersion"),
        manifest=read_manifest(out) or {},
    )


def _one(connection: Any, query: str, values: list[Any] | None = None) -> tuple[Any, ...]:
    row: tuple[Any, ...] = connection.execute(query, values or []).fetchone()
    return row


def _counted(connection: Any, column: str) -> dict[str, int]:
    query = f"SELECT {column} AS name, count(*) FROM v GROUP BY name ORDER BY name"  # noqa: S608  # our own columns
    return {str(name): int(count) for name, count in connection.execute(query).fetchall()}


def _policies(connection: Any) -> Iterator[Policy]:
    """Ask of each policy which replies it sends; a policy is a condition on a row."""
    for mode in ("review", "auto", "autopilot"):
        yield _policy(connection, mode, f"{mode} = 'send'")
    for number, band in enumerate(BANDS):
        listed = ", ".join(f"'{name}'" for name in BANDS[number:])
        yield _policy(connection, f"band:{band}", f"auto = 'send' AND band IN ({listed})")
    query = "SELECT DISTINCT relaxable FROM v WHERE relaxable IS NOT NULL ORDER BY relaxable"
    for (scenario,) in connection.execute(query).fetchall():
        freed = "auto = 'send' OR (relaxable = $1 AND relaxedAction = 'send')"
        yield _policy(connection, f"{RELAXED}{scenario}", freed, scenario)


def _policy(connection: Any, name: str, sends: str, *values: str) -> Policy:
    query = f"""
        SELECT count(*) FILTER (sent), count(*), count("right") FILTER (sent), count(*) FILTER (sent AND NOT "right"),
               count(*) FILTER ("right"), count(*) FILTER ("right" AND NOT sent), count(*) FILTER (more),
               count("right") FILTER (more), count(*) FILTER (more AND NOT "right")
        FROM (SELECT *, coalesce({sends}, false) AS sent, sent AND auto <> 'send' AS more FROM v)
    """  # noqa: S608  # our own conditions; what comes from the data is given by number
    sent, rows, labelled, wrong, right, held, more, more_labelled, more_wrong = _one(connection, query, list(values))
    return Policy(
        name, Share(sent, rows), Share(wrong, labelled), Share(held, right), more, Share(more_wrong, more_labelled)
    )


def _checks(connection: Any, rows: int) -> Iterator[CheckLine]:
    query = """
        SELECT name, count(*) AS failed, count(*) FILTER ("right"), count("right")
        FROM (SELECT unnest(failedCheckIds) AS name, "right" FROM v) GROUP BY name ORDER BY failed DESC, name
    """
    for name, failed, right, labelled in connection.execute(query).fetchall():
        yield CheckLine(name, Share(failed, rows), Share(right, labelled))


def _topics(connection: Any, kind: str) -> list[Topic]:
    """List the weakest names of a kind: those whose share of failed replies is surely high, the surest first."""
    query = f"""
        SELECT name, count(*) AS n, count(*) FILTER (passed IS NOT TRUE) AS failed, count("right"),
               count(*) FILTER (NOT "right"), avg(factSupport)
        FROM ({TOPIC_KINDS[kind]}) WHERE name <> '' GROUP BY name HAVING n >= {LEAST_ROWS}
        ORDER BY failed / n - 1.96 * sqrt(failed * (n - failed) / n + 1) / n DESC, failed DESC, name LIMIT {4 * MOST_TOPICS}
    """  # noqa: S608  # our own queries
    found = [
        Topic(kind, str(name), Share(failed, n), Share(wrong, labelled), None if mean is None else round(mean, 4))
        for name, n, failed, labelled, wrong, mean in connection.execute(query).fetchall()
    ]
    return sorted(found, key=lambda topic: (-topic.failed.interval[0], topic.name))[:MOST_TOPICS]
