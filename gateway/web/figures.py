"""Figures about drafts: verdicts, failing checks, what people decided and how long it took. Counts, nothing inferred."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row, Select, func, select

from gateway.tables import DRAFT_STATES, AuditRow, ConversationRow, DraftRow, DraftText
from gateway.tx import Tx, table_of

MOST = 2000  # drafts looked at: as many as can be read while a person waits
VERDICTS = ("pass", "warn", "fail", "unavailable")
DECISIONS = ("unchanged", "edited", "rejected", "expired")
_LEFT = ("approved", "queued", "sending", "sent", "sent_partial", "send_failed", "send_unknown")


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
    """How often a check failed, and how often a person then sent the draft with edits."""

    id: str
    failed: int
    overridden: int


@dataclass(frozen=True, slots=True)
class Figures:
    """All figures of a span of days; `waits` are the seconds from draft to decision, sorted. `cut`: there were more."""

    days: tuple[Slice, ...]
    agents: tuple[Slice, ...]
    whole: Slice
    checks: tuple[CheckFigures, ...]
    waits: tuple[float, ...] = field(default=())
    cut: bool = False

    def wait(self, share: float) -> float | None:
        """Give the seconds within which this share of decisions was made, None without any."""
        return self.waits[min(len(self.waits) - 1, int(share * len(self.waits)))] if self.waits else None


def figures_of(tx: Tx, days: int, account: str = "") -> Figures:
    """Count the drafts of the last days, today included, at most `MOST` of them, the newest."""
    zone = tx.settings.zone
    today = tx.now.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)
    first = today - timedelta(days=days - 1)
    rows = _rows(tx, first, account)
    dates = [(first + timedelta(days=number)).date().isoformat() for number in range(days)]
    by_day: dict[str, list[Row[Any]]] = {date: [] for date in dates}
    by_agent: dict[str, list[Row[Any]]] = {}
    for row in rows[:MOST]:
        by_day.setdefault(row.created_at.astimezone(zone).date().isoformat(), []).append(row)
        by_agent.setdefault(row.agent_id or "—", []).append(row)
    agents = sorted(by_agent, key=lambda name: -len(by_agent[name]))[:20]
    return Figures(
        days=tuple(_slice(date, found) for date, found in sorted(by_day.items())),
        agents=tuple(_slice(name, by_agent[name]) for name in agents),
        whole=_slice("", rows[:MOST]),
        checks=tuple(_checks(rows[:MOST])),
        waits=tuple(sorted(_waits(rows[:MOST]))),
        cut=len(rows) > MOST,
    )


def _rows(tx: Tx, since: datetime, account: str) -> list[Row[Any]]:
    draft, text, audit = table_of(DraftRow), table_of(DraftText), table_of(AuditRow)
    decided = (
        select(func.min(audit.c.at))
        .where(audit.c.draft_id == draft.c.id, audit.c.to_state.in_(("approved", "rejected")))
        .scalar_subquery()
    )
    query = (
        select(
            draft.c.created_at,
            draft.c.agent_id,
            draft.c.state,
            draft.c.quality_passed,
            draft.c.quality_checks,
            draft.c.decided_by,
            text.c.kind,
            decided.label("decided_at"),
        )
        .select_from(draft)
        .outerjoin(text, text.c.seq == draft.c.text_seq)
        .where(draft.c.state.in_(DRAFT_STATES), draft.c.created_at >= _cutoff(tx, since, account))
    )
    rows = list(tx.conn.execute(_of_account(query, account)).all())
    return sorted(rows, key=lambda row: row.created_at, reverse=True)


def _cutoff(tx: Tx, since: datetime, account: str) -> datetime:
    """Give the moment of the last draft that is still looked at; each state's newest lie together in an index."""
    draft = table_of(DraftRow)
    moments: list[datetime] = []
    for state in DRAFT_STATES:
        query = select(draft.c.created_at).where(draft.c.state == state, draft.c.created_at >= since)
        newest = query.order_by(draft.c.created_at.desc(), draft.c.id.desc()).limit(MOST + 1)
        moments.extend(row.created_at for row in tx.conn.execute(_of_account(newest, account)))
    return sorted(moments, reverse=True)[MOST] if len(moments) > MOST else since


def _of_account(query: Select[Any], account: str) -> Select[Any]:
    draft, talk = table_of(DraftRow), table_of(ConversationRow)
    if not account:
        return query
    return query.join(talk, talk.c.id == draft.c.conversation_id).where(talk.c.account_id == account)


def _slice(name: str, rows: Iterable[Row[Any]]) -> Slice:
    found = list(rows)
    verdicts = Counter(_verdict(row) for row in found)
    decisions = Counter(decision for row in found if (decision := _decision(row)))
    return Slice(name, {v: verdicts[v] for v in VERDICTS}, {d: decisions[d] for d in DECISIONS})


def _verdict(row: Row[Any]) -> str:
    if row.quality_passed is None:
        return "unavailable"
    if not row.quality_passed:
        return "fail"
    return "pass" if all(check["passed"] for check in row.quality_checks or ()) else "warn"


def _decision(row: Row[Any]) -> str:
    """What a person made of a draft, empty when nobody decided."""
    if row.state in ("rejected", "expired"):
        return str(row.state)
    if row.decided_by is None or row.state not in _LEFT:
        return ""
    return "edited" if row.kind == "edited" else "unchanged"


def _checks(rows: Sequence[Row[Any]]) -> Iterable[CheckFigures]:
    failed: Counter[str] = Counter()
    overridden: Counter[str] = Counter()
    for row in rows:
        ids = [check["id"] for check in row.quality_checks or () if not check["passed"]]
        failed.update(ids)
        if _decision(row) == "edited":
            overridden.update(ids)
    return (CheckFigures(check, count, overridden[check]) for check, count in failed.most_common())


def _waits(rows: Sequence[Row[Any]]) -> Iterable[float]:
    # A minimum loses its column's type on SQLite.
    for row in rows:
        if row.decided_at is not None and row.decided_by is not None:
            decided = row.decided_at if isinstance(row.decided_at, datetime) else datetime.fromisoformat(row.decided_at)
            yield max(0.0, (decided.replace(tzinfo=row.created_at.tzinfo) - row.created_at).total_seconds())
