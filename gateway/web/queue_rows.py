"""The queue's rows: which drafts wait, in which order, page by page from a key (never by counting rows off).

Open drafts come by deadline, the nearest first; among those due in the same minute, risky ones first. All other drafts
come newest first. A filter looks through a bounded stretch of that order at a time, so that a page is quick however
many drafts there are; where the stretch ends before the page is full, the next page goes on from there.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Row, Select, and_, func, or_, select

from gateway.tables import Account, ConversationRow, DraftRow, DraftText, MessageRow
from gateway.tx import Tx, table_of
from gateway.web.filters import TABS, Filters, conditions, span
from gateway.web.page import COUNTS_TO

COUNTED = ("held", "rewrite", "quiet", "trouble", "moving")
BY_DEADLINE = ("held", "rewrite")
_SEEN = ("held", "awaiting_rewrite", "no_reply", "sent", "rejected")
PAGE = 40
SNIPPET = 120
SCAN = 3000  # drafts that a filter looks through for one page
OF_A_CUSTOMER = 200  # drafts of one conversation that a search for its customer finds
SEARCH_SCAN = 2000  # the same for words, which cost more to look for

_draft, _talk, _account = table_of(DraftRow), table_of(ConversationRow), table_of(Account)
_text, _said = table_of(DraftText), table_of(MessageRow)


@dataclass(frozen=True, slots=True)
class Shown:
    """One page of rows and the key of the next one, empty at the end; `partly`: more was left to look through."""

    rows: tuple[Row[Any], ...]
    following: str = ""
    partly: bool = False


@dataclass(frozen=True, slots=True)
class Walk:
    """A stretch of drafts in one order: conditions on drafts alone, and the columns that order them."""

    where: tuple[Any, ...]
    order: tuple[Any, ...]


def page_of(tx: Tx, filters: Filters, after: str = "", limit: int = PAGE) -> Shown:
    """Load one page of rows."""
    talks = customers(tx, filters.search) if filters.search else []
    if talks:
        return _of_customers(tx, replace(filters, search=""), talks)
    if filters.tab in BY_DEADLINE:
        return _by_deadline(tx, filters, after, limit)
    return _newest_first(tx, filters, after, limit)


def _of_customers(tx: Tx, filters: Filters, talks: Sequence[str]) -> Shown:
    """Give the drafts of some conversations, all on one page: the whole of an id was asked for.

    They are put in order here: asked for an order, a database walks the whole queue to find these few in it.
    """
    query = _rows().where(_draft.c.id.in_(_drafts_of(tx, talks)), *span(tx, filters), *conditions(tx, filters))
    states = TABS[filters.tab]
    rows = [row for row in tx.conn.execute(query) if "" in states or row.state in states]
    rows.sort(key=_moment_and_id, reverse=True)
    return Shown(tuple(_risky_first(rows) if filters.tab in BY_DEADLINE else rows))


def _by_deadline(tx: Tx, filters: Filters, after: str, limit: int) -> Shown:
    """Drafts with a deadline first, then those without; two walks, so that each follows its index."""
    found: list[Row[Any]] = []
    cut = ""
    for walk in _deadline_walks(TABS[filters.tab][0], after):
        rows, cut = _walked(tx, walk, filters, limit + 1 - len(found))
        found.extend(rows)
        if cut or len(found) > limit:
            break
    rows = found[:limit]
    if len(found) > limit:
        return Shown(tuple(_risky_first(rows)), _key(rows[-1], by_deadline=True))
    return Shown(tuple(_risky_first(rows)), cut, partly=bool(cut))


def _newest_first(tx: Tx, filters: Filters, after: str, limit: int) -> Shown:
    """Merge the states of a tab; what lies behind a stretch that ended early waits for the next page."""
    found: list[Row[Any]] = []
    cuts: list[str] = []
    for state in TABS[filters.tab]:
        rows, cut = _walked(tx, _newest_walk(state, after), filters, limit + 1)
        found.extend(rows)
        cuts.extend([cut] if cut else [])
    found.sort(key=_moment_and_id, reverse=True)
    if cuts:
        latest = max(cuts, key=lambda key: _sortable(*read_key(key)))
        found = [row for row in found if _moment_and_id(row) >= _sortable(*read_key(latest))]
        if len(found) <= limit:
            return Shown(tuple(found), latest, partly=True)
    rows = found[:limit]
    return Shown(tuple(rows), _key(rows[-1], by_deadline=False) if len(found) > limit else "")


def _walked(tx: Tx, walk: Walk, filters: Filters, most: int) -> tuple[list[Row[Any]], str]:
    """Give up to so many fitting rows of a walk, and the key at which the look ended early, empty for the end."""
    direct = tuple(span(tx, filters))
    narrowing = tuple(conditions(tx, filters))
    if not narrowing:
        query = _rows().where(*walk.where, *direct).order_by(*walk.order).limit(most)
        return list(tx.conn.execute(query).all()), ""
    stretch = select(_draft.c.id).where(*walk.where, *direct).order_by(*walk.order)
    scan = SEARCH_SCAN if filters.search else SCAN
    inner = stretch.limit(scan).subquery()
    query = _rows(inner).where(*narrowing).order_by(*walk.order).limit(most)
    rows = list(tx.conn.execute(query).all())
    if len(rows) >= most:
        return rows, ""
    ends: Select[Any] = (
        stretch.with_only_columns(_draft.c.id, _draft.c.created_at, _draft.c.deadline_at).offset(scan - 1).limit(1)
    )
    end = tx.conn.execute(ends).first()
    return rows, _key(end, by_deadline=filters.tab in BY_DEADLINE) if end is not None else ""


def counts(tx: Tx) -> dict[str, int]:
    """Count the open drafts under each tab, up to one more than `COUNTS_TO`."""
    found = {tab: sum(_count(tx, state) for state in TABS[tab]) for tab in COUNTED}
    return {tab: min(number, COUNTS_TO + 1) for tab, number in found.items()}


def _count(tx: Tx, state: str) -> int:
    some = select(_draft.c.state).where(_draft.c.state == state).limit(COUNTS_TO + 1).subquery()
    return int(tx.conn.execute(select(func.count()).select_from(some)).scalar_one())


def customers(tx: Tx, wanted: str) -> list[str]:
    """Give the conversations of a customer, found by the whole of an id; both ways go by an index."""
    accounts = select(_account.c.id)
    by_customer = select(_talk.c.id).where(_talk.c.account_id.in_(accounts), _talk.c.recipient == wanted)
    rows = tx.conn.execute(by_customer.union(select(_talk.c.id).where(_talk.c.id == wanted)).limit(100))
    return [row.id for row in rows]


def choices(tx: Tx) -> dict[str, list[tuple[str, str]]]:
    """List what the filters can be set to: accounts by name, and agents seen lately."""
    accounts = tx.conn.execute(select(_account.c.id, _account.c.name).order_by(_account.c.name)).all()
    agents: set[str] = set()
    for state in _SEEN:  # the newest of each state, so that the database walks its index
        lately = select(_draft.c.agent_id).where(_draft.c.state == state)
        lately = lately.order_by(_draft.c.created_at.desc(), _draft.c.id.desc()).limit(100)
        agents.update(row.agent_id for row in tx.conn.execute(lately) if row.agent_id)
    return {"accounts": [(row.id, row.name) for row in accounts], "agents": [(a, a) for a in sorted(agents)]}


def _drafts_of(tx: Tx, talks: Sequence[str]) -> list[str]:
    """Give the newest drafts of some conversations. One by one: asked for all at once, a database walks the whole queue."""
    newest = (
        select(_draft.c.id)
        .where(_draft.c.conversation_id == talk)
        .order_by(_draft.c.created_at.desc())
        .limit(OF_A_CUSTOMER)
        for talk in talks
    )
    return [row.id for query in newest for row in tx.conn.execute(query)]


def _rows(inner: Any = None) -> Select[Any]:
    query = select(
        _draft,
        _talk.c.recipient,
        _talk.c.display_name,
        _talk.c.assigned_to,
        _talk.c.handoff_open,
        _talk.c.session_state,
        _talk.c.chat_type,
        _talk.c.last_customer_at,
        _talk.c.quota_used,
        _account.c.id.label("account_id"),
        _account.c.name.label("account_name"),
        func.substr(_text.c.text, 1, SNIPPET).label("snippet"),
        func.substr(_said.c.text, 1, SNIPPET).label("asked"),
    )
    if inner is not None:
        query = query.select_from(inner).join(_draft, _draft.c.id == inner.c.id)
    return (
        query.join(_talk, _talk.c.id == _draft.c.conversation_id)
        .join(_account, _account.c.id == _talk.c.account_id)
        .outerjoin(_text, _text.c.seq == _draft.c.text_seq)
        .outerjoin(_said, and_(_said.c.conversation_id == _talk.c.id, _said.c.id == _talk.c.last_customer_message_id))
    )


def _deadline_walks(state: str, after: str) -> Sequence[Walk]:
    moment, draft_id = read_key(after)
    due, key, own = _draft.c.deadline_at, _draft.c.id, _draft.c.state == state
    undated = Walk((own, due.is_(None)), (key,))
    if not draft_id:
        return (Walk((own, due.is_not(None)), (due, key)), undated)
    if moment is None:
        return (Walk((own, due.is_(None), key > draft_id), (key,)),)
    later = or_(due > moment, and_(due == moment, key > draft_id))
    return (Walk((own, due >= moment, later), (due, key)), undated)


def _newest_walk(state: str, after: str) -> Walk:
    moment, draft_id = read_key(after)
    made, key = _draft.c.created_at, _draft.c.id
    own = (_draft.c.state == state,) if state else ()
    order = (made.desc(), key.desc())
    if moment is None:
        return Walk(own, order)
    return Walk((*own, made <= moment, or_(made < moment, and_(made == moment, key < draft_id))), order)


def _risky_first(rows: list[Row[Any]]) -> list[Row[Any]]:
    def place(row: Row[Any]) -> tuple[str, bool, str]:
        due = row.deadline_at.isoformat() if row.deadline_at else "~"
        return due[:16], not row.scenarios, due

    return sorted(rows, key=place)


def _moment_and_id(row: Row[Any]) -> tuple[datetime, str]:
    return row.created_at, row.id


def _sortable(moment: datetime | None, draft_id: str) -> tuple[datetime, str]:
    return moment or datetime.max.replace(tzinfo=UTC), draft_id


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
