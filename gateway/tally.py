"""Figures counted ahead: each change of a draft moves it from what it stood for to what it stands for now.

The audit rows say which drafts changed; a mark remembers how far they were read. A draft's old marks are kept, so that
counting again changes nothing, and a stop in between loses nothing.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row, Select, Table, func, select
from sqlalchemy.dialects.postgresql import insert as insert_postgresql
from sqlalchemy.dialects.sqlite import insert as insert_sqlite

from gateway.tables import Account, AuditRow, ConversationRow, DraftRow, DraftText, SettingRow
from gateway.tables_web import Tallied, Tally
from gateway.tx import Tx, table_of
from planner.text import normalize
from verifier.lexicon import Lexicon, lexicon_of

MARK = "tally"  # the setting that holds the last audit row that was read
BATCH = 400  # audit rows of one transaction
# On PostgreSQL a row may become visible after a later one: only what is older than the longest transaction is read.
SETTLED = timedelta(seconds=10)
WAITS = (10, 30, 60, 120, 300, 900, 3600)  # seconds; the last bucket is open
VERDICTS = ("pass", "warn", "fail", "unavailable")
_LEFT = ("approved", "queued", "sending", "sent", "sent_partial", "send_failed", "send_unknown")
# Kinds that are not told by agent and model; verdicts by pack are kinds of their own (pack_fail).
_WIDE = ("topic", "topic_backed", "scenario", "scenario_backed", "wait", *(f"pack_{verdict}" for verdict in VERDICTS))
Key = tuple[str, str, str, str, str, str]  # kind, day, name, account, agent, model


def lag(tx: Tx) -> int:
    """Give how many audit rows wait to be read."""
    newest = tx.conn.execute(select(func.max(table_of(AuditRow).c.seq))).scalar() or 0
    return max(0, int(newest) - _read_so_far(tx, lock=False))


def count_on(tx: Tx, most: int = BATCH) -> int:
    """Read on in the audit rows and move the drafts that they name; gives how many rows were read."""
    audit = table_of(AuditRow)
    since = _read_so_far(tx, lock=True)
    query = select(audit.c.seq, audit.c.draft_id).where(audit.c.seq > since).order_by(audit.c.seq).limit(most)
    if tx.conn.dialect.name == "postgresql":
        query = query.where(audit.c.at <= tx.now - SETTLED)
    rows = tx.conn.execute(query).all()
    if rows:
        _move(tx, sorted({row.draft_id for row in rows if row.draft_id}))
        tx.change(SettingRow, {"key": MARK}, value=rows[-1].seq, updated_at=tx.now)
    return len(rows)


def bucket(seconds: float) -> str:
    """Name the stretch of time that a wait falls into, by its upper end; empty for the open one."""
    return next((str(limit) for limit in WAITS if seconds <= limit), "")


def verdict_of(row: Row[Any]) -> str:
    """Give a draft's verdict: pass, warn, fail, or unavailable where nothing was judged."""
    if row.quality_passed is None:
        return "unavailable"
    if not row.quality_passed:
        return "fail"
    return "pass" if all(check["passed"] for check in row.quality_checks or ()) else "warn"


def decision_of(row: Row[Any]) -> str:
    """Give what a person made of a draft, empty when nobody decided."""
    if row.state in ("rejected", "expired"):
        return str(row.state)
    if row.decided_by is None or row.state not in _LEFT:
        return ""
    return "edited" if row.kind == "edited" else "unchanged"


def _read_so_far(tx: Tx, *, lock: bool) -> int:
    row = tx.one(SettingRow, lock=lock, key=MARK)
    if row is None and lock:
        tx.add(SettingRow, key=MARK, value=0, updated_at=tx.now)
    return int(row.value) if row is not None else 0


def _move(tx: Tx, ids: Sequence[str]) -> None:
    changes: Counter[Key] = Counter()
    known = {row.draft_id: row for row in _listed(tx, Tallied, "draft_id", ids)}
    claims, waits, kept = _claims(tx, ids), _decided_at(tx, ids), _kept(tx, ids)
    for row in _drafts(tx, ids):
        place = [_day(tx, row.created_at), row.account_id, row.agent_id or "", row.model or ""]
        marks = [*_marks(row, waits.get(row.id), kept=row.id in kept), *_topics(tx, row, claims.get(row.id, ()))]
        before = known.get(row.id)
        if before is not None:
            changes.subtract(_keys(before.place, before.marks))
            tx.change(Tallied, {"draft_id": row.id}, place=place, marks=marks)
        else:
            tx.add(Tallied, draft_id=row.id, place=place, marks=marks)
        changes.update(_keys(place, marks))
    _apply(tx, {key: count for key, count in changes.items() if count})


def _marks(row: Row[Any], decided_at: datetime | None, *, kept: bool) -> list[list[str]]:
    decision = decision_of(row)
    verdict = verdict_of(row)
    marks = [["verdict", verdict], [f"pack_{verdict}", row.pack or row.account_pack]]
    marks += [["decision", decision]] if decision else []
    for check in row.quality_checks or ():
        if not check["passed"]:
            marks.append(["check", check["id"]])
            if decision:
                marks.append([f"check_{decision}", check["id"]])
            if kept and decision == "edited" and check["id"] in ("fact_evidence", "evidence_freshness"):
                marks.append(["check_kept", check["id"]])
    if decided_at is not None and row.decided_by is not None:
        marks.append(["wait", bucket((decided_at - row.created_at).total_seconds())])
    return marks


def _topics(tx: Tx, row: Row[Any], claims: Iterable[Mapping[str, Any]]) -> list[list[str]]:
    """Name what each claim is about: the first concept of the pack that it names, and the scenarios of its turn."""
    found = list(claims)
    if not found:
        return []
    lexicon = lexicon_of(tx.shelf.get(row.pack or row.account_pack))
    marks: list[list[str]] = []
    for claim in found:
        if claim["status"] == "pending":
            continue
        topic = topic_of(lexicon, claim["quote"])
        about = ([["topic", topic]] if topic else []) + [["scenario", scenario] for scenario in row.scenarios]
        marks += about
        if claim["status"] == "supported":
            marks += [[f"{kind}_backed", name] for kind, name in about]
    return marks


def topic_of(lexicon: Lexicon, quote: str) -> str:
    """Give the first concept that a clause names, empty for none; places and mere predicates are no topics."""
    for hit in lexicon.scan(normalize(quote).norm):
        if hit.entry.kind == "concept":
            concept = lexicon.concepts[hit.entry.id]
            if not concept.part and not concept.predicate:
                return concept.id
    return ""


def _keys(place: Sequence[str], marks: Iterable[Sequence[str]]) -> Counter[Key]:
    day, account, agent, model = place
    return Counter((kind, day, name, account, *(("", "") if kind in _WIDE else (agent, model))) for kind, name in marks)


def _apply(tx: Tx, changes: Mapping[Key, int]) -> None:
    if not changes:
        return
    table: Table = table_of(Tally)
    insert = insert_postgresql if tx.conn.dialect.name == "postgresql" else insert_sqlite
    names = ("kind", "day", "name", "account_id", "agent_id", "model")
    statement = insert(table)
    upsert = statement.on_conflict_do_update(
        index_elements=list(names), set_={"count": table.c.count + statement.excluded.count}
    )
    # In one order everywhere, so that two who count at once never wait for each other in a ring.
    tx.conn.execute(upsert, [dict(zip(names, key, strict=True)) | {"count": n} for key, n in sorted(changes.items())])


def _drafts(tx: Tx, ids: Sequence[str]) -> list[Row[Any]]:
    draft, talk, account, text = (table_of(m) for m in (DraftRow, ConversationRow, Account, DraftText))
    columns = (
        draft.c.id,
        draft.c.created_at,
        draft.c.agent_id,
        draft.c.model,
        draft.c.state,
        draft.c.quality_passed,
        draft.c.quality_checks,
        draft.c.scenarios,
        draft.c.decided_by,
        text.c.kind,
        talk.c.account_id,
        talk.c.pack,
        account.c.pack.label("account_pack"),
    )
    query: Select[Any] = (
        select(*columns)
        .join(talk, talk.c.id == draft.c.conversation_id)
        .join(account, account.c.id == talk.c.account_id)
        .outerjoin(text, text.c.seq == draft.c.text_seq)
        .where(draft.c.id.in_(ids))
    )
    return list(tx.conn.execute(query).all())


def _claims(tx: Tx, ids: Sequence[str]) -> dict[str, Sequence[Mapping[str, Any]]]:
    """Give the claims of each draft's newest text by the agent."""
    text = table_of(DraftText)
    query = (
        select(text.c.draft_id, text.c.evaluation)
        .where(text.c.draft_id.in_(ids), text.c.kind.in_(("first", "rewrite")))
        .order_by(text.c.seq)
    )
    return {row.draft_id: (row.evaluation or {}).get("claims") or () for row in tx.conn.execute(query)}


def _decided_at(tx: Tx, ids: Sequence[str]) -> dict[str, datetime]:
    audit = table_of(AuditRow)
    query = (
        select(audit.c.draft_id, audit.c.at)
        .where(audit.c.draft_id.in_(ids), audit.c.to_state.in_(("approved", "rejected")))
        .order_by(audit.c.seq.desc())
    )
    return {row.draft_id: row.at for row in tx.conn.execute(query)}  # the first one stays


def _kept(tx: Tx, ids: Sequence[str]) -> set[str]:
    audit = table_of(AuditRow)
    query = select(audit.c.draft_id).where(audit.c.draft_id.in_(ids), audit.c.event == "kept_failing_clause")
    return {row.draft_id for row in tx.conn.execute(query)}


def _listed(tx: Tx, model: Any, column: str, ids: Sequence[str]) -> list[Row[Any]]:
    table = table_of(model)
    return list(tx.conn.execute(select(table).where(table.c[column].in_(ids))).all())


def _day(tx: Tx, moment: datetime) -> str:
    return moment.astimezone(tx.settings.zone).date().isoformat()
