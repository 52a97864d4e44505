"""How many statements the two paths that carry all traffic cost: each is a round trip on PostgreSQL.

The bounds are what is needed today. A statement more is no fault, but it should be on purpose.
"""

from collections import Counter
from contextlib import contextmanager

import pytest
from sqlalchemy import event, text

from gateway import conversations, outbox
from gateway.tables import DraftRow, InboxRow, OutboundRow
from tests.gateway.desk import GOOD

POSTING = 14  # a draft that is sent; key and repeat are the API's and cost two more
HOLDING = 16  # one that waits for a person: an alert beside the audit, and the handoff that it opens
SENDING = 20  # a message: chosen and admitted in one transaction, settled in another
FRAME = ("BEGIN", "SAVEPOINT", "RELEASE", "COMMIT")
SEARCHED = {DraftRow: "id", OutboundRow: "outbound_id", InboxRow: "conversation_id"}


@contextmanager
def counted(desk):
    """Collect the statements that this store runs, without those that open and close a transaction."""
    seen = Counter()

    def note(_connection, _cursor, statement, *_):
        if not statement.startswith(FRAME):
            seen[" ".join(statement.split())] += 1

    engine = desk.service.store.engine
    event.listen(engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        event.remove(engine, "before_cursor_execute", note)


def listed(seen):
    return "\n".join(f"{count} {statement[:120]}" for statement, count in seen.most_common())


@pytest.fixture
def asked(make_desk):
    """A shop in auto mode whose customer has asked; one answer went the same way before."""
    desk = make_desk()
    desk.account()
    for cid in ("c-0", "c-1"):
        desk.conversation(cid)
        desk.says("小区人车分流吗", cid)
    desk.post_good("c-0")
    desk.carry()
    return desk


def test_posting_a_draft_that_is_sent(asked):
    """Few reads, and nothing that was just written is read again."""
    with counted(asked) as seen:
        assert asked.post_good("c-1")["state"] == "queued"
    assert seen.total() <= POSTING, listed(seen)


def test_posting_a_draft_that_waits_for_a_person(asked):
    """It costs no more than one that is sent, but for the alert and the handoff."""
    asked.conversation("c-2")
    asked.says("能便宜十万吗", "c-2")
    with counted(asked) as seen:
        assert asked.post_good("c-2")["state"] != "queued"
    assert seen.total() <= HOLDING, listed(seen)


def test_sending_a_message(asked):
    """From the row in the outbox to its Delivery."""
    asked.post_good("c-1")
    with counted(asked) as seen:
        assert asked.service.courier.next()
    assert asked.arrived == [GOOD, GOOD]
    assert seen.total() <= SENDING, listed(seen)


def test_every_part_of_a_reply_is_written_at_once(asked):
    """Three messages, one insert."""
    texts = "".join(f"第{n}段：" + "好" * 600 + "。" for n in range(3))

    def write(tx):
        talk = conversations.load(tx, "c-1")
        return outbox.enqueue(tx, talk, texts, kind="human", author="op-1", most=3)

    with counted(asked) as seen:
        ids = asked.run(write)
    assert len(ids) == 3
    assert sum(count for statement, count in seen.items() if statement.startswith("INSERT INTO outbound")) == 1


@pytest.mark.parametrize("model", SEARCHED, ids=lambda model: model.__name__)
def test_a_change_finds_its_row_by_an_index(asked, model):
    """PostgreSQL searches the whole table for IS NOT DISTINCT FROM: a change by equality must ask for equality."""
    with counted(asked) as seen:
        asked.run(
            lambda tx: tx.change(model, {SEARCHED[model]: "none"}, state="held" if model is DraftRow else "closed")
        )
    (statement,) = seen
    assert f"{SEARCHED[model]} = " in statement
    assert "DISTINCT" not in statement


def test_a_change_may_ask_for_null_and_for_one_of_several(asked):
    """The three kinds of condition find what they say."""

    def change(tx, **where):
        return tx.change(InboxRow, where, instruction="x")

    assert asked.run(lambda tx: change(tx, conversation_id="c-1", instruction=None)) == 1
    assert asked.run(lambda tx: change(tx, conversation_id="c-1", instruction=None)) == 0
    assert asked.run(lambda tx: change(tx, conversation_id="c-1", moment_id=None)) == 0
    assert asked.run(lambda tx: change(tx, conversation_id=("c-0", "c-1"))) == 2
    assert asked.run(lambda tx: tx.conn.execute(text("SELECT count(*) FROM inbox")).scalar()) == 2
