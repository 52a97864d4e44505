"""Calls to agents: each visible inbox row of an account with a webhook is told until the agent took it.

Rows are claimed in one transaction, called outside of any, settled in another. A process that dies between the two
costs a lease: the call is made again, with the same id. What cannot be told in `hook_tries` tries is a dead letter; its
inbox row stays open, so that an agent that asks, or a person, still finds it.
"""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import Row, select
from sqlalchemy.dialects import postgresql, sqlite

from gateway import conversations, inbox, views
from gateway.errors import NotFound
from gateway.tables import ConversationRow, InboxRow
from gateway.tables_calls import AgentCall, AgentHook
from gateway.tx import Tx, table_of

LOOK = 200
LEASE = timedelta(minutes=1)
PAUSES = tuple(timedelta(seconds=s) for s in (5, 30, 120, 600, 1800, 3600))
MOST_PAUSE = timedelta(hours=1)
TELL_AFTER = 3  # failed tries after which operators are told that a customer waits
GONE = 410
PER_ACCOUNT = 8  # calls at the same time: a slow agent does not hold the others up


@dataclass(frozen=True, slots=True)
class Call:
    """A call that this process makes now."""

    id: str
    account: str
    url: str
    sealed_secrets: tuple[str, ...]
    attempt: int
    body: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: an HTTP status, or none and the kind of error; `after` is how long the agent asked to wait."""

    status: int | None
    error: str = ""
    after: timedelta | None = None

    @property
    def taken(self) -> bool:
        """Whether the agent took the row."""
        return self.status is not None and 200 <= self.status < 300

    @property
    def told(self) -> str:
        """What operators read of it: never the agent's own words, which nobody vouches for."""
        return self.error or f"HTTP {self.status}"


def claim(tx: Tx, free: int, busy: Counter[str]) -> list[Call]:
    """Take up to `free` calls that are due; `busy` counts by account those that run already."""
    _enlist(tx)
    taken: list[Call] = []
    running = Counter(busy)
    for row in _due(tx):
        if len(taken) == free:
            break
        if running[row.account_id] < PER_ACCOUNT:
            running[row.account_id] += 1
            taken.append(_take(tx, row))
    return taken


def _enlist(tx: Tx) -> None:
    """Give each visible row of an account with a webhook its call; void those whose row is settled."""
    rows, talks = table_of(InboxRow), table_of(ConversationRow)
    hooks, calls = table_of(AgentHook), table_of(AgentCall)
    query = (
        select(rows.c.id, rows.c.conversation_id, talks.c.account_id)
        .join(talks, talks.c.id == rows.c.conversation_id)
        .join(hooks, hooks.c.account_id == talks.c.account_id)
        .outerjoin(calls, calls.c.inbox_id == rows.c.id)
        .where(inbox.visible(tx), calls.c.inbox_id.is_(None))
        .order_by(rows.c.seq)
        .limit(LOOK)
    )
    # Another process may be about to enlist the same row: whoever is second adds nothing.
    enlist = (sqlite if tx.conn.dialect.name == "sqlite" else postgresql).insert(calls).on_conflict_do_nothing()
    for row in tx.conn.execute(query).all():
        ids = {"inbox_id": row.id, "account_id": row.account_id, "conversation_id": row.conversation_id}
        times = dict.fromkeys(("next_at", "created_at", "updated_at"), tx.now)
        tx.conn.execute(enlist, {"state": "waiting", "attempts": 0} | ids | times)
    settled = select(rows.c.id).where(rows.c.state != "open")
    waiting = (calls.c.state == "waiting") & (calls.c.next_at <= tx.now) & calls.c.inbox_id.in_(settled)
    tx.conn.execute(calls.update().where(waiting).values(state="void", updated_at=tx.now))


def _due(tx: Tx) -> list[Row[Any]]:
    rows, talks = table_of(InboxRow), table_of(ConversationRow)
    hooks, calls = table_of(AgentHook), table_of(AgentCall)
    query = (
        select(calls, hooks.c.url, hooks.c.sealed_secret, hooks.c.sealed_before)
        .join(hooks, hooks.c.account_id == calls.c.account_id)
        .join(rows, rows.c.id == calls.c.inbox_id)
        .join(talks, talks.c.id == calls.c.conversation_id)
        .where(calls.c.state == "waiting", calls.c.next_at <= tx.now, inbox.visible(tx))
        .order_by(calls.c.next_at, calls.c.inbox_id)
        .limit(LOOK)
    )
    return list(tx.conn.execute(query.with_for_update(of=calls, skip_locked=True)).all())


def _take(tx: Tx, row: Row[Any]) -> Call:
    attempt = row.attempts + 1
    tx.change(AgentCall, {"inbox_id": row.inbox_id}, attempts=attempt, next_at=tx.now + LEASE, updated_at=tx.now)
    asked = tx.one(InboxRow, id=row.inbox_id)
    talk = conversations.load(tx, row.conversation_id)
    body = {
        "id": row.inbox_id,
        "event": "inbox",
        "attempt": attempt,
        "account": row.account_id,
        "item": inbox.record(tx, asked, talk.row, talk.account.pack) if asked is not None else None,
        "conversation": views.conversation_record(talk),
    }
    sealed = tuple(secret for secret in (row.sealed_secret, row.sealed_before) if secret is not None)
    return Call(row.inbox_id, row.account_id, row.url, sealed, attempt, body)


def settle(tx: Tx, call: Call, answer: Answer) -> str:
    """Record what became of a call; gives its state now."""
    row = tx.one(AgentCall, lock=True, inbox_id=call.id)
    if row is None or row.state != "waiting":
        return "void"
    values: dict[str, Any] = {"status": answer.status, "error": None if answer.taken else answer.told}
    if answer.taken:
        state = "done"
    elif answer.status == GONE or call.attempt >= tx.settings.hook_tries:
        state = "dead"
    else:
        state, pause = "waiting", answer.after or PAUSES[min(call.attempt, len(PAUSES)) - 1]
        values["next_at"] = tx.now + min(pause, MOST_PAUSE)
    tx.change(AgentCall, {"inbox_id": call.id}, state=state, updated_at=tx.now, **values)
    _tell(tx, row, call, answer, state)
    return state


def _tell(tx: Tx, row: Row[Any], call: Call, answer: Answer, state: str) -> None:
    told = {"conversation_id": row.conversation_id, "detail": {"account": row.account_id, "inboxId": call.id}}
    first = call.attempt == TELL_AFTER or (state == "dead" and call.attempt < TELL_AFTER)
    if state != "done" and first:
        tx.audit("caller", "agent_unreachable", why=f"the agent does not answer: {answer.told}", **told)
    if state == "dead":
        tx.audit("caller", "dead_letter", why=f"{answer.told} after {call.attempt} tries", **told)


def call_again(tx: Tx, inbox_id: str, actor: str, accounts: Collection[str] = ()) -> None:
    """Try a dead letter anew. Raises NotFound `unknown_dead_letter`."""
    row = tx.one(AgentCall, lock=True, inbox_id=inbox_id, state="dead")
    if row is None or (accounts and row.account_id not in accounts):
        raise NotFound("unknown_dead_letter", f"no dead letter is called {inbox_id!r}")
    tx.change(AgentCall, {"inbox_id": inbox_id}, state="waiting", attempts=0, next_at=tx.now, updated_at=tx.now)
    tx.audit(actor, "called_again", conversation_id=row.conversation_id, why=inbox_id)


def dead_letters(tx: Tx, accounts: Collection[str], limit: int) -> list[dict[str, Any]]:
    """List what no agent took, newest first; `open` says whether it still waits for an answer."""
    calls, rows = table_of(AgentCall), table_of(InboxRow)
    query = (
        select(calls, rows.c.moment_id, rows.c.state.label("asked"))
        .join(rows, rows.c.id == calls.c.inbox_id)
        .where(calls.c.state == "dead")
        .order_by(calls.c.updated_at.desc(), calls.c.inbox_id)
        .limit(limit)
    )
    if accounts:
        query = query.where(calls.c.account_id.in_(accounts))
    return [
        {
            "id": r.inbox_id,
            "account": r.account_id,
            "conversationId": r.conversation_id,
            "momentId": r.moment_id,
            "open": r.asked == "open",
            "attempts": r.attempts,
            "status": r.status,
            "error": r.error,
            "createdAt": r.created_at.isoformat(),
            "updatedAt": r.updated_at.isoformat(),
        }
        for r in tx.conn.execute(query).all()
    ]
