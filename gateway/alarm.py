"""The alarm: tells operators what waits for them, off the path of requests, a bounded number of times.

An alert's row was written where it happened. Here it is spread over the account's targets, claimed, told without any
transaction held, and settled. The platform's limits count for all processes together, so they are kept in the store:
beyond them the rest is told as one summary. An alert is never a Delivery.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row, delete, func, select

from gateway import alert_targets, alert_text
from gateway.tables_calls import AlertPost, AlertRow, AlertTarget
from gateway.tx import Tx, table_of
from outbound.alerts import Alert, Notified
from outbound.errors import Action
from outbound.outcome import Fault, Rejected
from outbound.wecom.notifiers import MEMBER_PER_MINUTE, ROBOT_PER_MINUTE

BATCH = 100  # of one transaction: others want to write too
TRIES = 3
PAUSES = (timedelta(seconds=65), timedelta(minutes=5))  # longer than the minute in which a try counts
LEASE = timedelta(minutes=2)  # in which a process that claimed a post must have settled it
MINUTE = timedelta(minutes=1)
TOO_OLD = timedelta(hours=2)
KEPT = timedelta(days=30)
PER_MINUTE = {"robot": ROBOT_PER_MINUTE, "app": MEMBER_PER_MINUTE}


@dataclass(frozen=True, slots=True)
class Claimed:
    """A post that this process tells now."""

    seq: int
    attempt: int
    target: Row[Any]
    alert: Alert


def spread(tx: Tx) -> int:
    """Give each new alert to its account's targets; gives how many it looked at. Those nobody wants are dropped."""
    table = table_of(AlertRow)
    known = targets(tx)
    if not known:  # nobody wants to be told of anything
        tx.conn.execute(delete(table).where(table.c.state == "waiting"))
        return 0
    query = select(table).where(table.c.state == "waiting").order_by(table.c.seq).limit(BATCH)
    rows = tx.conn.execute(query.with_for_update(skip_locked=True)).all()
    for row in rows:
        _spread(tx, row, known)
    return len(rows)


def _spread(tx: Tx, row: Row[Any], known: Sequence[Row[Any]]) -> None:
    account = alert_text.account_of(tx, row)
    wanted = [target for target in known if target.account_id == account and row.kind in target.kinds]
    if not wanted:
        tx.conn.execute(delete(table_of(AlertRow)).where(table_of(AlertRow).c.seq == row.seq))
        return
    tx.change(AlertRow, {"seq": row.seq}, state="posted", account_id=account)
    for target in wanted:
        tx.add(AlertPost, alert_seq=row.seq, target_id=target.id, next_at=tx.now, created_at=tx.now)


def targets(tx: Tx, account_id: str | None = None) -> list[Row[Any]]:
    """List where alerts go: those of one account, or all."""
    table = table_of(AlertTarget)
    query = select(table).order_by(table.c.created_at, table.c.id)
    return list(tx.conn.execute(query.where(table.c.account_id == account_id) if account_id else query).all())


def claim(tx: Tx) -> list[Claimed]:
    """Take what may be told now; what is over a target's limit becomes one summary."""
    known = targets(tx)
    ends = {target.id: alert_targets.ends_of(tx, target) for target in known}
    mine = set(_locked(tx))
    claimed = []
    for target in known:
        sharing = [other for other, theirs in ends.items() if theirs & ends[target.id]]
        if mine.issuperset(sharing):
            claimed.extend(_claim(tx, target, sharing))
    return claimed


def _locked(tx: Tx) -> list[str]:
    # Whoever has all targets of a robot or member locked counts for it alone: no minute's budget is spent twice.
    table = table_of(AlertTarget)
    query = select(table.c.id).order_by(table.c.id).with_for_update(skip_locked=True)
    return list(tx.conn.execute(query).scalars().all())


def _claim(tx: Tx, target: Row[Any], sharing: list[str]) -> list[Claimed]:
    due = _due(tx, target.id)
    budget = PER_MINUTE[target.kind] - _recent(tx, sharing) if due else 0
    if budget <= 0:
        return []
    if len(due) > budget:
        due = _collapsed(tx, due, budget)
    return [_take(tx, target, post, row) for post, row in due]


Pair = tuple[Row[Any], Row[Any]]


def _due(tx: Tx, target_id: str) -> list[Pair]:
    posts = table_of(AlertPost)
    query = select(posts).where(posts.c.target_id == target_id, posts.c.state == "waiting", posts.c.next_at <= tx.now)
    found = []
    for post in tx.conn.execute(query.order_by(posts.c.seq).limit(BATCH)).all():
        row = tx.one(AlertRow, seq=post.alert_seq)
        over = tx.now - post.created_at > TOO_OLD
        if row is None or over or (post.summary is None and not alert_text.still_matters(tx, row)):
            why = "nobody could be told in time" if over else None
            tx.change(AlertPost, {"seq": post.seq}, state="failed" if over else "void", error=why)
        else:
            found.append((post, row))
    return found


def _recent(tx: Tx, target_ids: list[str]) -> int:
    posts = table_of(AlertPost)
    query = select(func.count()).where(posts.c.target_id.in_(target_ids), posts.c.last_at > tx.now - MINUTE)
    return int(tx.conn.execute(query).scalar_one())


def _collapsed(tx: Tx, due: list[Pair], budget: int) -> list[Pair]:
    """Keep the first ones as they are and let the next carry the summary of all others."""
    single, rest = due[: budget - 1], due[budget - 1 :]
    carrier = rest[0]
    count = sum(_stands_for(post) for post, _ in rest)
    for post, _ in rest[1:]:
        tx.change(AlertPost, {"seq": post.seq}, state="collapsed")
    tx.change(AlertPost, {"seq": carrier[0].seq}, summary=f"{count}")
    told = tx.one(AlertPost, seq=carrier[0].seq)
    return [*single, (told, carrier[1])] if told is not None else single


def _stands_for(post: Row[Any]) -> int:
    return int(post.summary or 1)


def _take(tx: Tx, target: Row[Any], post: Row[Any], row: Row[Any]) -> Claimed:
    attempt = post.attempts + 1
    tx.change(AlertPost, {"seq": post.seq}, attempts=attempt, last_at=tx.now, next_at=tx.now + LEASE)
    if post.summary is not None:
        alert = Alert(alert_text.summary_title(int(post.summary)), link=alert_text.queue_link(tx))
    else:
        alert = alert_text.alert_text(tx, row)
    return Claimed(post.seq, attempt, target, alert)


def settle(tx: Tx, post: Claimed, outcome: Notified | Fault) -> bool:
    """Record what became of a post; True unless it is given up. A refusal that no waiting mends is final at once."""
    if isinstance(outcome, Notified):
        tx.change(AlertPost, {"seq": post.seq}, state="told", error=None)
        return True
    told = (outcome.detail if isinstance(outcome, Rejected) else outcome.reason)[:300]
    again = _again(post, outcome, tx.now)
    values: dict[str, Any] = {"next_at": again} if again is not None else {"state": "failed"}
    tx.change(AlertPost, {"seq": post.seq, "state": "waiting"}, error=told, **values)
    return again is not None


def _again(post: Claimed, outcome: Fault, now: datetime) -> datetime | None:
    if isinstance(outcome, Rejected) and outcome.action is Action.RATE:
        return now + timedelta(seconds=outcome.retry_after or 60)  # ends by age, see TOO_OLD
    lasting = isinstance(outcome, Rejected) and outcome.action not in (Action.RETRY, Action.TOKEN)
    if lasting or post.attempt >= TRIES:
        return None
    return now + PAUSES[post.attempt - 1]


def tidy(tx: Tx) -> int:
    """Forget alerts after a month; gives how many posts went."""
    posts, rows = table_of(AlertPost), table_of(AlertRow)
    old = select(rows.c.seq).where(rows.c.created_at < tx.now - KEPT)
    gone = tx.conn.execute(delete(posts).where(posts.c.alert_seq.in_(old))).rowcount
    tx.conn.execute(delete(rows).where(rows.c.created_at < tx.now - KEPT))
    return gone


def records(tx: Tx, accounts: Collection[str], limit: int) -> list[dict[str, Any]]:
    """List the newest posts with what became of them; the text is made anew when it is told, so none stands here."""
    posts, rows = table_of(AlertPost), table_of(AlertRow)
    query = (
        select(posts, rows.c.kind, rows.c.account_id, rows.c.conversation_id, rows.c.draft_id, rows.c.outbound_id)
        .join(rows, rows.c.seq == posts.c.alert_seq)
        .order_by(posts.c.seq.desc())
        .limit(limit)
    )
    if accounts:
        query = query.where(rows.c.account_id.in_(accounts))
    return [
        {
            "kind": r.kind,
            "account": r.account_id,
            "target": r.target_id,
            "state": r.state,
            "standsFor": _stands_for(r),
            "attempts": r.attempts,
            "error": r.error,
            "conversationId": r.conversation_id,
            "draftId": r.draft_id,
            "outboundId": r.outbound_id,
            "createdAt": r.created_at.isoformat(),
        }
        for r in tx.conn.execute(query).all()
    ]
