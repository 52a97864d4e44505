"""The queue's rows: which drafts wait, in which order, page by page from a key (never by counting rows off).

Open drafts come by deadline, the nearest first; among those due in the same minute, risky ones first. All other drafts
come newest first.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from sqlalchemy import Row, Select, String, and_, cast, func, or_, select

from gateway.tables import Account, ConversationRow, DraftRow, DraftText, MessageRow
from gateway.tx import Tx, table_of

TABS: Mapping[str, tuple[str, ...]] = {
    "held": ("held",),
    "rewrite": ("awaiting_rewrite",),
    "quiet": ("no_reply",),
    "trouble": ("send_unknown", "send_failed", "sent_partial"),
    "moving": ("approved", "queued", "sending"),
    "closed": ("sent", "rejected", "superseded", "expired"),
}
COUNTED = ("held", "rewrite", "quiet", "trouble", "moving")
BY_DEADLINE = ("held", "rewrite")
_SEEN = ("held", "awaiting_rewrite", "no_reply", "sent", "rejected")
PAGE = 40
SNIPPET = 120

_draft, _talk, _account = table_of(DraftRow), table_of(ConversationRow), table_of(Account)
_text, _said = table_of(DraftText), table_of(MessageRow)


@dataclass(frozen=True, slots=True)
class Filters:
    """What the operator wants to see; empty means all."""

    tab: str = "held"
    fallback: str = ""
    reason: str = ""
    scenario: str = ""
    agent: str = ""
    account: str = ""
    assignee: str = ""
    stale: str = ""
    search: str = ""

    @classmethod
    def read(cls, query: Mapping[str, str]) -> "Filters":
        """Read them from a page's address; unknown tabs mean the first one."""
        values = {f.name: query.get(f.name, "").strip()[:200] for f in fields(cls)}
        if values["tab"] not in TABS:
            values["tab"] = "held"
        return cls(**values)

    @property
    def narrowed(self) -> bool:
        """Whether anything but the tab is chosen."""
        return any(getattr(self, f.name) for f in fields(self) if f.name != "tab")

    def query(self, **changed: str) -> str:
        """Write them as the query of an address, with some changed."""
        values = {f.name: getattr(self, f.name) for f in fields(self)} | changed
        return urlencode({name: value for name, value in values.items() if value})


def page_of(tx: Tx, filters: Filters, after: str = "", limit: int = PAGE) -> tuple[list[Row[Any]], str]:
    """Load one page of rows and the key of the next one, empty at the end."""
    by_deadline = filters.tab in BY_DEADLINE
    found: list[Row[Any]] = []
    for state in TABS[filters.tab]:
        base = _narrowed(_rows().where(_draft.c.state == state), filters)
        pages = _by_deadline(base, after) if by_deadline else [_newest_first(base, after)]
        got: list[Row[Any]] = []
        for query in pages:
            if len(got) <= limit:
                got.extend(tx.conn.execute(query.limit(limit + 1 - len(got))).all())
        found.extend(got)
    if not by_deadline:
        found.sort(key=lambda row: (row.created_at, row.id), reverse=True)
    rows = found[:limit]
    following = _key(rows[-1], by_deadline=by_deadline) if len(found) > limit else ""
    return _risky_first(rows) if by_deadline else rows, following


def counts(tx: Tx) -> dict[str, int]:
    """Count the open drafts under each tab."""
    states = [state for tab in COUNTED for state in TABS[tab]]
    query = (
        select(_draft.c.state, func.count().label("number")).where(_draft.c.state.in_(states)).group_by(_draft.c.state)
    )
    by_state: dict[str, int] = {row.state: row.number for row in tx.conn.execute(query)}
    return {tab: sum(by_state.get(state, 0) for state in TABS[tab]) for tab in COUNTED}


def choices(tx: Tx) -> dict[str, list[tuple[str, str]]]:
    """List what the filters can be set to: accounts by name, and agents seen lately."""
    accounts = tx.conn.execute(select(_account.c.id, _account.c.name).order_by(_account.c.name)).all()
    agents: set[str] = set()
    for state in _SEEN:  # the newest of each state, so that the database walks its index
        lately = select(_draft.c.agent_id).where(_draft.c.state == state)
        lately = lately.order_by(_draft.c.created_at.desc(), _draft.c.id.desc()).limit(100)
        agents.update(row.agent_id for row in tx.conn.execute(lately) if row.agent_id)
    return {"accounts": [(row.id, row.name) for row in accounts], "agents": [(a, a) for a in sorted(agents)]}


def _rows() -> Select[Any]:
    return (
        select(
            _draft,
            _talk.c.recipient,
            _talk.c.display_name,
            _talk.c.assigned_to,
            _talk.c.handoff_open,
            _talk.c.session_state,
            _talk.c.last_customer_at,
            _talk.c.quota_used,
            _account.c.id.label("account_id"),
            _account.c.name.label("account_name"),
            func.substr(_text.c.text, 1, SNIPPET).label("snippet"),
            func.substr(_said.c.text, 1, SNIPPET).label("asked"),
        )
        .join(_talk, _talk.c.id == _draft.c.conversation_id)
        .join(_account, _account.c.id == _talk.c.account_id)
        .outerjoin(_text, _text.c.seq == _draft.c.text_seq)
        .outerjoin(_said, and_(_said.c.conversation_id == _talk.c.id, _said.c.id == _talk.c.last_customer_message_id))
    )


def _narrowed(query: Select[Any], filters: Filters) -> Select[Any]:
    return query.where(*_conditions(filters))


def _conditions(filters: Filters) -> Iterator[Any]:
    for value, column in (
        (filters.agent, _draft.c.agent_id),
        (filters.account, _talk.c.account_id),
        (filters.assignee, _talk.c.assigned_to),
    ):
        if value:
            yield column == value
    if filters.fallback:
        yield _draft.c.fallback_reason == ("" if filters.fallback == "none" else filters.fallback)
    for value, listed in ((filters.reason, _draft.c.hold_reasons), (filters.scenario, _draft.c.scenarios)):
        if value:
            yield cast(listed, String).contains(f'"{value}"', autoescape=True)
    if filters.stale:
        yield _draft.c.stale.is_(filters.stale == "yes")
    if filters.search:
        yield or_(
            *(
                column.contains(filters.search, autoescape=True)
                for column in (_text.c.text, _said.c.text, _talk.c.recipient, _talk.c.display_name, _talk.c.id)
            ),
            _draft.c.id == filters.search,
        )


def _by_deadline(query: Select[Any], after: str) -> list[Select[Any]]:
    """Drafts with a deadline first, then those without; two queries, so that each walks its index."""
    moment, draft_id = read_key(after)
    dated = query.where(_draft.c.deadline_at.is_not(None)).order_by(_draft.c.deadline_at, _draft.c.id)
    undated = query.where(_draft.c.deadline_at.is_(None)).order_by(_draft.c.id)
    if not draft_id:
        return [dated, undated]
    if moment is None:
        return [undated.where(_draft.c.id > draft_id)]
    later = or_(_draft.c.deadline_at > moment, and_(_draft.c.deadline_at == moment, _draft.c.id > draft_id))
    return [dated.where(_draft.c.deadline_at >= moment, later), undated]


def _newest_first(query: Select[Any], after: str) -> Select[Any]:
    moment, draft_id = read_key(after)
    ordered = query.order_by(_draft.c.created_at.desc(), _draft.c.id.desc())
    if moment is None:
        return ordered
    earlier = or_(_draft.c.created_at < moment, and_(_draft.c.created_at == moment, _draft.c.id < draft_id))
    return ordered.where(_draft.c.created_at <= moment, earlier)


def _risky_first(rows: list[Row[Any]]) -> list[Row[Any]]:
    def place(row: Row[Any]) -> tuple[str, bool, str]:
        due = row.deadline_at.isoformat() if row.deadline_at else "~"
        return due[:16], not row.scenarios, due

    return sorted(rows, key=place)


def _key(row: Row[Any], *, by_deadline: bool) -> str:
    moment = row.deadline_at if by_deadline else row.created_at
    return f"{moment.isoformat() if moment else ''}~{row.id}"


def read_key(key: str) -> tuple[datetime | None, str]:
    """Read a page key; one that was tampered with starts from the beginning."""
    moment, _, draft_id = key.partition("~")
    try:
        read = datetime.fromisoformat(moment) if moment else None
    except ValueError:
        return None, ""
    return (read, draft_id) if read is None or read.tzinfo is not None else (None, "")
