"""What the operator wants to see of the queue: read from a page's address, asked of the store as conditions."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from datetime import date, datetime, time, timedelta
from typing import Any
from urllib.parse import urlencode

from sqlalchemy import String, cast, or_, select
from sqlalchemy.dialects.postgresql import JSONB

from gateway.tables import ConversationRow, DraftRow, DraftText, MessageRow
from gateway.tables_web import Tallied
from gateway.tx import Tx, table_of

TABS: Mapping[str, tuple[str, ...]] = {
    "held": ("held",),
    "rewrite": ("awaiting_rewrite",),
    "quiet": ("no_reply",),
    "trouble": ("send_unknown", "send_failed", "sent_partial"),
    "moving": ("approved", "queued", "sending"),
    "closed": ("sent", "rejected", "superseded", "expired"),
    "all": ("",),
}
AGES = ("5", "15", "60", "240", "1440")  # minutes that a draft has waited at least

_draft, _talk = table_of(DraftRow), table_of(ConversationRow)
_text, _said, _tallied = table_of(DraftText), table_of(MessageRow), table_of(Tallied)


@dataclass(frozen=True, slots=True)
class Filters:
    """What the operator wants to see; empty means all. `mark` is `kind~name` as the figures count it."""

    tab: str = "held"
    fallback: str = ""
    reason: str = ""
    check: str = ""
    scenario: str = ""
    agent: str = ""
    model: str = ""
    account: str = ""
    assignee: str = ""
    age: str = ""
    stale: str = ""
    since: str = ""
    until: str = ""
    mark: str = ""
    search: str = ""

    @classmethod
    def read(cls, query: Mapping[str, str]) -> "Filters":
        """Read them from a page's address; unknown tabs mean the first one, unreadable days and ages none."""
        values = {f.name: query.get(f.name, "").strip()[:200] for f in fields(cls)}
        if values["tab"] not in TABS:
            values["tab"] = "held"
        values |= {name: values[name] if read_day(values[name]) else "" for name in ("since", "until")}
        return cls(**values | {"age": values["age"] if values["age"] in AGES else ""})

    @property
    def narrowed(self) -> bool:
        """Whether anything but the tab is chosen."""
        return any(getattr(self, f.name) for f in fields(self) if f.name != "tab")

    def query(self, **changed: str) -> str:
        """Write them as the query of an address, with some changed."""
        values = {f.name: getattr(self, f.name) for f in fields(self)} | changed
        return urlencode({name: value for name, value in values.items() if value})


def span(tx: Tx, filters: Filters) -> Iterator[Any]:
    """Conditions on the days, which an index answers."""
    since, until, zone = read_day(filters.since), read_day(filters.until), tx.settings.zone
    if since:
        yield _draft.c.created_at >= datetime.combine(since, time(), zone)
    if until:
        yield _draft.c.created_at < datetime.combine(until + timedelta(days=1), time(), zone)


def conditions(tx: Tx, filters: Filters) -> Iterator[Any]:
    """Conditions that a look at each draft answers."""
    for value, column in (
        (filters.agent, _draft.c.agent_id),
        (filters.model, _draft.c.model),
        (filters.account, _talk.c.account_id),
        (filters.assignee, _talk.c.assigned_to),
    ):
        if value:
            yield column == value
    if filters.fallback:
        yield _draft.c.fallback_reason == ("" if filters.fallback == "none" else filters.fallback)
    if filters.age:
        yield _draft.c.created_at <= tx.now - timedelta(minutes=int(filters.age))
    if filters.stale:
        yield _draft.c.stale.is_(filters.stale == "yes")
    yield from _listed(tx, filters)
    if filters.search:
        yield or_(
            *(
                column.contains(filters.search, autoescape=True)
                for column in (_text.c.text, _said.c.text, _talk.c.recipient, _talk.c.display_name, _talk.c.id)
            ),
            _draft.c.id == filters.search,
        )


def _listed(tx: Tx, filters: Filters) -> Iterator[Any]:
    """Conditions on lists that are stored as JSON."""
    for value, listed in ((filters.reason, _draft.c.hold_reasons), (filters.scenario, _draft.c.scenarios)):
        if value:
            yield cast(listed, String).contains(f'"{value}"', autoescape=True)
    if filters.check and tx.conn.dialect.name == "postgresql":
        yield cast(_draft.c.quality_checks, JSONB).contains([{"id": filters.check, "passed": False}])
    elif filters.check:
        written = f'"id": "{filters.check}", "passed": false'
        yield cast(_draft.c.quality_checks, String).contains(written, autoescape=True)
    if filters.mark:
        kind, _, name = filters.mark.partition("~")
        fits = cast(_tallied.c.marks, String).contains(f'["{kind}", "{name}"]', autoescape=True)
        yield select(_tallied.c.draft_id).where(_tallied.c.draft_id == _draft.c.id, fits).exists()


def read_day(written: str) -> date | None:
    """Read a day like 2026-03-07; None for anything else."""
    try:
        return date.fromisoformat(written) if written else None
    except ValueError:
        return None
