"""Both databases keep the same promises: durable groups, jobs that fail alone, migrations that match the tables."""

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
