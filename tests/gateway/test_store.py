"""Both databases keep the same promises: durable groups, jobs that fail alone, migrations that match the tables."""

import contextlib
import queue
import threading

import pytest
from alembic.util import CommandError
from sqlalchemy import text

from gateway import migrate
from gateway.packs import PackShelf
from gateway.settings import Settings
from gateway.store import Store
from gateway.tables import Account, DraftRow, SettingRow
from gateway.tx import Tx
from tests.gateway.desk import NOW


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request, tmp_path):
    if request.param == "sqlite":
        made = Store(f"sqlite:///{tmp_path / 's.sqlite3'}")
    else:
        made = Store(request.getfixturevalue("postgres"))
        made.write(lambda c: c.execute(text("DROP SCHEMA public CASCADE; CREATE SCHEMA public")))
    migrate.upgrade(made.engine)
    yield made
    made.close()


def tx_of(connection):
    return Tx(connection, NOW, Settings(), PackShelf())


def add(key):
    return lambda c: tx_of(c).add(SettingRow, key=key, value={"n": key}, updated_at=NOW)


def keys(store):
    return store.read(lambda c: sorted(r.key for r in c.execute(SettingRow.__table__.select()).all()))


def test_tables_and_migrations_agree(store):
    """`alembic check` finds nothing to do; an extra column it would find."""
    migrate.check(store.engine)
    store.write(lambda c: c.execute(text("ALTER TABLE setting ADD COLUMN stray TEXT")))
    with pytest.raises(CommandError):
        migrate.check(store.engine)


def test_many_writers_lose_nothing(store):
    """240 writes from eight threads are all there."""

    def work(name):
        for number in range(30):
            store.write(add(f"{name}-{number}"))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(keys(store)) == 240


def test_counting_up_together_loses_no_update(store):
    """Read and write in one job never interleave with another job on the same row."""
    store.write(lambda c: tx_of(c).add(SettingRow, key="n", value=0, updated_at=NOW))

    def up(c):
        tx = tx_of(c)
        row = tx.one(SettingRow, key="n", lock=True)
        tx.change(SettingRow, {"key": "n"}, value=row.value + 1)

    threads = [threading.Thread(target=lambda: [store.write(up) for _ in range(25)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.read(lambda c: tx_of(c).one(SettingRow, key="n")).value == 100


def test_a_failing_job_fails_alone(store):
    """Its own writes are gone, its neighbours' stay, its caller gets the error."""

    def bad(c):
        add("half")(c)
        raise ValueError("no")

    results = [store._enqueue(job) for job in (add("a"), bad, add("b"))]
    results[0].result()
    results[2].result()
    with pytest.raises(ValueError, match="no"):
        results[1].result()
    assert keys(store) == ["a", "b"]


def test_null_quality_stays_null(store):
    """An older draft without quality fields has five SQL nulls, not zeros, empty lists or JSON nulls."""

    def job(c):
        tx = tx_of(c)
        tx.add(Account, id="shop", name="shop", allowlist=[], created_at=NOW)
        from gateway.conversations import create

        create(tx, conversation_id="c-1", account="shop", recipient="wm", chat_type="private", pack=None)
        tx.add(
            DraftRow,
            id="d-1",
            conversation_id="c-1",
            state="sent",
            mode="review",
            action="hold",
            hold_reasons=[],
            scenarios=[],
            created_at=NOW,
            updated_at=NOW,
        )

    store.write(job)
    nulls = store.read(
        lambda c: c.execute(
            text(
                "SELECT count(*) FROM draft WHERE quality_score IS NULL AND quality_checks IS NULL AND quality_passed IS NULL"
                " AND rewrite_count IS NULL AND fallback_reason IS NULL"
            )
        ).scalar()
    )
    assert nulls == 1


@pytest.mark.parametrize(
    ("column", "value"),
    [("state", "'gone'"), ("quality_score", "101"), ("rewrite_count", "2"), ("fallback_reason", "'other'")],
)
def test_the_database_itself_refuses_wrong_values(store, column, value):
    """Closed lists are guarded where nothing can pass them by."""
    from sqlalchemy.exc import IntegrityError

    test_null_quality_stays_null(store)
    with pytest.raises(IntegrityError):
        store.write(lambda c: c.execute(text(f"UPDATE draft SET {column} = {value}")))  # noqa: S608  # constants above


def test_a_closed_store_says_so(tmp_path):
    """Nothing is lost silently after the end."""
    made = Store(f"sqlite:///{tmp_path / 'x.sqlite3'}")
    made.close()
    with pytest.raises(RuntimeError, match="closed"):
        made.write(lambda _c: None)


def heard(store, topic):
    """Listen, and give a function that waits for the next thing heard about a topic."""
    told, listening = queue.SimpleQueue(), threading.Event()
    store.signals.on("listening", lambda _: listening.set())
    store.signals.on(topic, told.put)
    store.listen()
    assert store.is_sqlite or listening.wait(10)
    return lambda: told.get(timeout=10)


def test_a_signal_is_heard_once_it_is_durable(store):
    """With what it is about; on PostgreSQL by every process that listens."""
    others = [store] if store.is_sqlite else [store, Store(store.url)]
    waits = [heard(other, "resume") for other in others]
    store.write(lambda c: tx_of(c).wake("resume:shop"))
    assert [wait() for wait in waits] == ["shop"] * len(others)
    for other in others[1:]:
        other.close()


def test_what_was_rolled_back_tells_nobody(store):
    """A failing job's signal does no harm where writes share a commit, and is never sent where they do not."""
    wait = heard(store, "outbox")

    def fails(c):
        tx_of(c).add(SettingRow, key="x", value=1, updated_at=NOW)
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        store.write(fails)
    store.write(lambda c: tx_of(c).wake("outbox"))
    if store.is_sqlite:
        assert wait() == ""
    assert keys(store) == []


def test_a_transaction_that_met_another_is_run_again(store):
    """Two that lock each other's rows: PostgreSQL ends one of them, and both are done in the end."""
    for key in ("a", "b"):
        store.write(add(key))
    both = threading.Barrier(2, timeout=5)

    def job(first, second):
        def run(c):
            tx = tx_of(c)
            tx.one(SettingRow, key=first, lock=True)
            with contextlib.suppress(threading.BrokenBarrierError):
                both.wait(0.5)
            row = tx.one(SettingRow, key=second, lock=True)
            tx.change(SettingRow, {"key": second}, value={"n": f"{row.value['n']}{first}"})

        return lambda: store.write(run)

    threads = [threading.Thread(target=job(*order)) for order in (("a", "b"), ("b", "a"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [store.read(lambda c, k=k: tx_of(c).one(SettingRow, key=k)).value["n"] for k in "ab"] == ["ab", "ba"]


def test_a_conversation_is_held_against_others(store):
    """Only where there are others."""
    assert store.write(lambda c: tx_of(c).hold("c-1")) is not store.is_sqlite
