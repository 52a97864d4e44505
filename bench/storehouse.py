# ruff: noqa: S608  # the statements are put together from our own words and numbers
"""Fill a gateway's SQLite file with very many drafts, by copying a few real ones row by row in SQL."""

import json
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

from bench.server import SECRET
from gateway import approval, conversations, flow, people
from gateway.contract import parse
from gateway.examples import TURN
from gateway.server import build_service, sqlite_url
from gateway.service import Service
from gateway.settings import load_settings
from gateway.tables import DraftRow
from gateway.tx import Tx
from gateway.wire import ApproveIn, RejectIn, TurnIn
from planner.turn import Role

DAYS = 90
PER_TALK = 5  # drafts of one conversation
GOOD = "有的，松月里是人车分流。"
BAD = "有的，地下车位有 900 个。"


def fill(folder: Path, count: int) -> Service:
    """Give a service whose store holds so many drafts; a tenth of them wait for a decision."""
    service = build_service(load_settings(database_url=sqlite_url(folder)))
    service.run(_people)
    for number, (text, deed) in enumerate(
        [(GOOD, "approve"), (GOOD, "reject"), (BAD, "reject"), (GOOD, ""), (BAD, "")]
    ):
        _draft(service, f"t-{number}", text, deed)
    service.tally()
    service.stop()
    database = sqlite3.connect(folder / "draftgate.sqlite3")
    database.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-400000;")
    _copy_all(database, count)
    database.execute("PRAGMA journal_mode=WAL")
    database.close()
    return build_service(load_settings(database_url=sqlite_url(folder)))


def _people(tx: Tx) -> None:
    for account in ("shop", "other"):
        people.add_account(tx, account_id=account, name=account, actor="bench", mode="review", allowlist=["*"])
    hashed = "$argon2id$v=19$m=65536,t=3,p=4$bm90aGluZw$bm90aGluZw"  # opens nothing
    people.add_operator(tx, operator_id="lin", name="Lin", password_hash=hashed, role="admin", actor="bench")
    people.add_key(tx, name="bench", scopes=["agent", "channel"], actor="bench", secret=SECRET)


def _draft(service: Service, cid: str, text: str, deed: str) -> None:
    def begin(tx: Tx) -> None:
        conversations.create(
            tx, conversation_id=cid, account="shop", recipient=f"wm_{cid}", chat_type="private", pack=None
        )
        talk = conversations.load(tx, cid)
        asked = TURN["conversation"]["messages"][0]["text"]
        conversations.record(
            tx, talk, message_id=f"m-{cid}", role=Role.CUSTOMER, text=asked, at=tx.now, author="customer"
        )

    service.run(begin)
    turn = json.loads(json.dumps(TURN))
    turn["conversation"] |= {"id": cid, "messages": [], "slots": {}}
    turn["draft"] |= {"text": text, "grounding": []}
    wire = parse(TurnIn, json.dumps(turn).encode())
    draft_id = service.run(lambda tx: flow.post_draft(tx, wire, wire.draft))["draftId"]
    if text == BAD:
        service.run(lambda tx: flow.post_rewrite(tx, draft_id, wire.draft, None))
    if deed:
        service.run(lambda tx: _decide(tx, draft_id, deed))
    service.carry_all()


def _decide(tx: Tx, draft_id: str, deed: str) -> None:
    row = tx.one(DraftRow, id=draft_id)
    if deed == "reject":
        approval.reject(tx, draft_id, RejectIn(version=row.version, reason="bench"), "lin")
        return
    from gateway import drafts

    shown, talk = drafts.text_of(tx, row), conversations.load(tx, row.conversation_id)
    order = {"version": row.version, "textSha256": shown.sha256, "lastSeenMessageId": talk.newest_heard.id}
    approval.approve(tx, draft_id, ApproveIn.model_validate(order), "lin")


def _copy_all(database: sqlite3.Connection, count: int) -> None:
    """Number the real drafts, then make draft i a copy of one of them in a conversation of its own."""
    _number(database, count)
    _copy_talks(database)
    _copy_drafts(database)
    _copy_sent(database)
    _count(database)
    database.commit()


def _number(database: sqlite3.Connection, count: int) -> None:
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")
    waiting = "d.state IN ('held', 'no_reply', 'awaiting_rewrite')"
    database.executescript(f"""
        CREATE TEMP TABLE kind AS SELECT id, conversation_id, text_seq, {waiting} AS waits,
            row_number() OVER (PARTITION BY {waiting} ORDER BY id) - 1 AS no FROM draft d;
        CREATE TEMP TABLE many AS
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})
            SELECT n.i, k.id AS model, k.conversation_id AS talk, k.text_seq,
                'b-' || (n.i / {PER_TALK}) AS talk_id, 'd_' || n.i AS draft_id, k.waits,
                strftime('%Y-%m-%d %H:%M:%S.000000', '{now}', '-' || CASE WHEN k.waits
                    THEN n.i % 1800 ELSE CAST(n.i * {DAYS * 86400.0 / count} AS INTEGER) END || ' seconds') AS at
            FROM n JOIN kind k ON k.waits = (n.i % 10 = 0)
                AND k.no = (n.i / 10) % (SELECT count(*) FROM kind j WHERE j.waits = (n.i % 10 = 0));
    """)


def _copy_talks(database: sqlite3.Connection) -> None:
    talk = {
        "id": "m.talk_id",
        "recipient": "'w' || m.talk_id",
        "account_id": "CASE m.i / 5 % 2 WHEN 0 THEN 'shop' ELSE 'other' END",
    }
    first = f"WHERE m.i % {PER_TALK} = 0 OR m.i = 1"
    _copy(
        database,
        "conversation",
        "t.id = m.talk",
        talk | {"last_customer_message_id": "'m' || m.talk_id", "last_customer_at": "m.at", "handoff_open": "0"},
        first,
    )
    _copy(
        database,
        "message",
        "t.conversation_id = m.talk AND t.role = 'customer'",
        {"seq": "NULL", "id": "'m' || m.talk_id", "conversation_id": "m.talk_id", "at": "m.at"},
        first,
    )


def _copy_drafts(database: sqlite3.Connection) -> None:
    _copy(
        database,
        "draft_text",
        "t.seq = m.text_seq",
        {
            "seq": "1000 + m.i",
            "draft_id": "m.draft_id",
            "evaluation": "NULL",
            "created_at": "m.at",
            "context": "NULL",
            "draft": "NULL",
        },
    )
    due = "CASE WHEN m.waits THEN strftime('%Y-%m-%d %H:%M:%S.000000', m.at, '+7200 seconds') END"
    _copy(
        database,
        "draft",
        "t.id = m.model",
        {
            "id": "m.draft_id",
            "conversation_id": "m.talk_id",
            "text_seq": "1000 + m.i",
            "created_at": "m.at",
            "deadline_at": due,
            "agent_id": "'agent-' || (m.i % 4)",
            "moment_id": "'m' || m.talk_id",
        },
    )
    _copy(
        database,
        "tallied",
        "t.draft_id = m.model",
        {
            "draft_id": "m.draft_id",
            "place": "json_array(date(m.at, '+8 hours'), CASE m.i / 5 % 2 WHEN 0 THEN 'shop' ELSE 'other' END, 'agent-' || (m.i % 4), '')",
        },
    )


def _copy_sent(database: sqlite3.Connection) -> None:
    _copy(
        database,
        "audit",
        "t.draft_id = m.model",
        {"seq": "NULL", "draft_id": "m.draft_id", "conversation_id": "m.talk_id", "at": "m.at", "outbound_id": "NULL"},
    )
    _copy(
        database,
        "outbound",
        "t.draft_id = m.model",
        {
            "outbound_id": "'o-' || m.i",
            "msgid": "'g-' || m.i",
            "draft_id": "m.draft_id",
            "conversation_id": "m.talk_id",
            "created_at": "m.at",
            "updated_at": "m.at",
            "state": "'accepted'",
        },
    )
    database.execute(
        "INSERT INTO delivery (outbound_id, conversation_id, channel_message_id, state, accepted_at) SELECT outbound_id, conversation_id, msgid, 'accepted', updated_at FROM outbound WHERE outbound_id LIKE 'o-%'"
    )


def _count(database: sqlite3.Connection) -> None:
    database.execute("""
        INSERT INTO tally (kind, day, name, account_id, agent_id, model, count)
        SELECT json_extract(e.value, '$[0]') AS kind, json_extract(place, '$[0]') AS day, json_extract(e.value, '$[1]') AS name,
            json_extract(place, '$[1]'), CASE WHEN json_extract(e.value, '$[0]') IN ('topic', 'topic_backed', 'wait') THEN '' ELSE json_extract(place, '$[2]') END, '', count(*)
        FROM tallied, json_each(marks) e WHERE draft_id LIKE 'd\\_%' ESCAPE '\\' AND length(draft_id) < 10 GROUP BY 1, 2, 3, 4, 5
        ON CONFLICT DO NOTHING
    """)
    database.execute("UPDATE setting SET value = (SELECT max(seq) FROM audit) WHERE key = 'tally'")


def _copy(database: sqlite3.Connection, table: str, joined: str, changed: dict[str, str], where: str = "") -> None:
    names = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
    values = ", ".join(changed.get(name, f"t.{name}") for name in names)
    database.execute(
        f"INSERT INTO {table} ({', '.join(names)}) SELECT {values} FROM temp.many m CROSS JOIN {table} t ON {joined} {where}"
    )
