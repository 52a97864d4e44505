"""Figures about drafts, read from what was counted ahead: verdicts, checks, decisions, waits, and topics over weeks."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import pairwise
from typing import Any

from sqlalchemy import Row, Select, func, select

from gateway.cross_figures import CrossFigures, cross_figures
from gateway.spans import Span
from gateway.tables_web import Tally
from gateway.tally import VERDICTS, WAITS
from gateway.tx import Tx, table_of

DECISIONS = ("unchanged", "edited", "rejected", "expired")
WEEKS = 12
MOST = 20  # agents, models, accounts and topics shown
FALL = 0.15  # a topic whose backed share fell by so much against the weeks before wants newer documents
ENOUGH = 5  # claims that a week needs before it says anything

_tally = table_of(Tally)


@dataclass(frozen=True, slots=True)
class Slice:
    """Verdicts and decisions of one group of drafts."""

    name: str
    verdicts: Mapping[str, int]
    decisions: Mapping[str, int]

    @property
    def drafts(self) -> int:
        """How many drafts the group has."""
        return sum(self.verdicts.values())


@dataclass(frozen=True, slots=True)
class CheckFigures:
    """How often a check failed, and what people made of those drafts; `kept`: sent with the failing clause in it."""

    id: str
    failed: int
    unchanged: int
    edited: int
    kept: int
    rejected: int
    expired: int

    @property
    def overridden(self) -> int:
        """How often a person sent what the check had failed."""
        return self.unchanged + self.kept


@dataclass(frozen=True, slots=True)
class TopicFigures:
    """How many claims about a topic were backed, week by week: (backed, all)."""

    id: str
    weeks: tuple[tuple[int, int], ...]

    @property
    def claims(self) -> int:
        """How many claims there were."""
        return sum(whole for _, whole in self.weeks)

    @property
    def shares(self) -> tuple[float | None, ...]:
        """The backed share of each week, None for a week with too few claims."""
        return tuple(backed / whole if whole >= ENOUGH else None for backed, whole in self.weeks)

    @property
    def falling(self) -> bool:
        """Whether the last weeks are clearly worse than those before."""
        late, early = _share(self.weeks[-2:]), _share(self.weeks[:-2])
        return late is not None and early is not None and early - late >= FALL


@dataclass(frozen=True, slots=True)
class ScenarioFigures:
    """How many claims were made in turns of one scenario, and how many of them were backed."""

    id: str
    backed: int
    claims: int


@dataclass(frozen=True, slots=True)
class Figures:
    """All figures of a span of days. `waits` maps the upper end of each stretch of seconds ("" for open) to a count."""

    days: tuple[Slice, ...]
    agents: tuple[Slice, ...]
    models: tuple[Slice, ...]
    accounts: tuple[Slice, ...]
    packs: tuple[Slice, ...]
    whole: Slice
    checks: tuple[CheckFigures, ...]
    waits: Mapping[str, int]
    weeks: tuple[str, ...]
    topics: tuple[TopicFigures, ...]
    scenarios: tuple[ScenarioFigures, ...]
    cross_replies: tuple[CrossFigures, ...]

    def wait(self, share: float) -> float | None:
        """Give the seconds within which this share of decisions was made, None without any."""
        whole, seen = sum(self.waits.values()), 0
        for low, high in pairwise((0, *WAITS)):
            count = self.waits.get(str(high), 0)
            if count and seen + count >= share * whole:
                return low + (high - low) * (share * whole - seen) / count
            seen += count
        return float(WAITS[-1]) if whole else None


def figures_of(tx: Tx, days: int, account: str = "") -> Figures:
    """Read the figures of the last days, today included; topics always over the last weeks."""
    today = tx.now.astimezone(tx.settings.zone).date()
    first = today - timedelta(days=days - 1)
    rows = _grouped(tx, ("verdict", "decision"), first, account, ("day", "agent_id", "model", "account_id"))
    dates = [(first + timedelta(days=number)).isoformat() for number in range(days)]
    by_day = _slices(rows, "day")
    checks = _grouped(tx, ("check", *(f"check_{d}" for d in DECISIONS), "check_kept"), first, account)
    packs = _grouped(tx, tuple(f"pack_{verdict}" for verdict in VERDICTS), first, account)
    monday = today - timedelta(days=today.weekday() + 7 * (WEEKS - 1))
    return Figures(
        days=tuple(by_day.get(day, _slice(day, ())) for day in dates),
        agents=_largest(_slices(rows, "agent_id")),
        models=_largest(_slices(rows, "model")),
        accounts=_largest(_slices(rows, "account_id")),
        packs=_packs(packs),
        whole=_slice("", rows),
        checks=_checks(checks),
        waits={row.name: row.number for row in _grouped(tx, ("wait",), first, account) if row.number},
        weeks=tuple((monday + timedelta(weeks=number)).isoformat() for number in range(WEEKS)),
        topics=_topics(_grouped(tx, ("topic", "topic_backed"), monday, account, ("day",)), monday),
        scenarios=_scenarios(_grouped(tx, ("scenario", "scenario_backed"), first, account)),
        cross_replies=cross_figures(tx, _span(first, days, tx), {account} if account else ()),
    )


def _span(first: date, days: int, tx: Tx) -> Span:
    begin = datetime.combine(first, time(), tx.settings.zone)
    return Span(begin, begin + timedelta(days=days))


def _grouped(tx: Tx, kinds: Sequence[str], since: date, account: str, by: Sequence[str] = ()) -> list[Row[Any]]:
    columns = [_tally.c.kind, _tally.c.name, *(_tally.c[name] for name in by)]
    query: Select[Any] = select(*columns, func.sum(_tally.c.count).label("number")).group_by(*columns)
    query = query.where(_tally.c.kind.in_(kinds), _tally.c.day >= since.isoformat())
    if account:
        query = query.where(_tally.c.account_id == account)
    return list(tx.conn.execute(query).all())


def _slices(rows: Iterable[Row[Any]], column: str) -> dict[str, Slice]:
    groups: dict[str, list[Row[Any]]] = defaultdict(list)
    for row in rows:
        groups[getattr(row, column)].append(row)
    return {name: _slice(name, found) for name, found in groups.items()}


def _slice(name: str, rows: Iterable[Row[Any]]) -> Slice:
    counts: Counter[tuple[str, str]] = Counter()
    for row in rows:
        counts[row.kind, row.name] += row.number
    return Slice(name, {v: counts["verdict", v] for v in VERDICTS}, {d: counts["decision", d] for d in DECISIONS})


def _largest(slices: Mapping[str, Slice]) -> tuple[Slice, ...]:
    return tuple(sorted((s for s in slices.values() if s.drafts), key=lambda s: (-s.drafts, s.name))[:MOST])


def _checks(rows: Iterable[Row[Any]]) -> tuple[CheckFigures, ...]:
    counts: Counter[tuple[str, str]] = Counter()
    for row in rows:
        counts[row.kind, row.name] += row.number
    found = [
        CheckFigures(
            name,
            counts["check", name],
            counts["check_unchanged", name],
            counts["check_edited", name],
            counts["check_kept", name],
            counts["check_rejected", name],
            counts["check_expired", name],
        )
        for kind, name in counts
        if kind == "check" and counts[kind, name] > 0
    ]
    return tuple(sorted(found, key=lambda check: (-check.failed, check.id)))


def _packs(rows: Iterable[Row[Any]]) -> tuple[Slice, ...]:
    counts: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(VERDICTS, 0))
    for row in rows:
        counts[row.name][row.kind.removeprefix("pack_")] += row.number
    return _largest({name: Slice(name, verdicts, {}) for name, verdicts in counts.items()})


def _scenarios(rows: Iterable[Row[Any]]) -> tuple[ScenarioFigures, ...]:
    """Give those with enough claims, the least backed first."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        counts[row.name][row.kind] += row.number
    found = [ScenarioFigures(name, of["scenario_backed"], of["scenario"]) for name, of in counts.items()]
    enough = [figures for figures in found if figures.claims >= ENOUGH]
    return tuple(sorted(enough, key=lambda f: (f.backed / f.claims, -f.claims, f.id)))


def _topics(rows: Iterable[Row[Any]], monday: date) -> tuple[TopicFigures, ...]:
    weeks: dict[str, list[list[int]]] = {}
    for row in rows:
        number = (date.fromisoformat(row.day) - monday).days // 7
        if 0 <= number < WEEKS:
            place = weeks.setdefault(row.name, [[0, 0] for _ in range(WEEKS)])[number]
            place[row.kind == "topic"] += row.number
    found = [TopicFigures(name, tuple((backed, whole) for backed, whole in given)) for name, given in weeks.items()]
    return tuple(sorted((t for t in found if t.claims), key=lambda t: (not t.falling, -t.claims, t.id))[:MOST])


def _share(weeks: Sequence[tuple[int, int]]) -> float | None:
    whole = sum(count for _, count in weeks)
    return sum(backed for backed, _ in weeks) / whole if whole >= ENOUGH else None
