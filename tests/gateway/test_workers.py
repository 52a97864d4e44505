"""`draftgate serve --workers`: real processes on one PostgreSQL share the work, and one that dies is replaced."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx2
import pytest
from sqlalchemy import text

from gateway import conversations, people
from gateway.migrate import upgrade
from gateway.service import Service
from gateway.settings import Settings
from gateway.store import Store
from outbound.simulator.run import serve
from outbound.simulator.world import ACCOUNT, CORP_ID, SECRET
from tests.gateway.desk import GOOD, GOOD_CITATION

KEY = "dg_workers_key"
COMMAND = Path(sys.executable).parent / "draftgate"


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


@pytest.fixture
def platform():
    with serve() as running:
        yield running


@pytest.fixture
def office(postgres, platform):
    """A service without threads on an empty database, for setting up and looking."""
    settings = Settings(database_url=postgres)
    store = Store(settings.database_url)
    store.write(lambda c: c.execute(text("DROP SCHEMA public CASCADE; CREATE SCHEMA public")))
    upgrade(store.engine)
    service = Service(settings, store)
    service.run(
        lambda tx: people.add_account(
            tx, account_id="shop", name="shop", actor="t", mode="auto", allowlist=["*"], channel_account=ACCOUNT
        )
    )
    service.run(lambda tx: people.add_key(tx, name="t", scopes=["agent", "channel"], actor="t", secret=KEY))
    yield service
    service.stop()


@contextlib.contextmanager
def served(office, platform, workers):
    port = free_port()
    told = {
        "DRAFTGATE_DATABASE_URL": office.settings.database_url,
        "DRAFTGATE_PORT": str(port),
        "DRAFTGATE_WECOM_API_BASE": platform.api_base,
        "DRAFTGATE_WECOM_CORP_ID": CORP_ID,
        "DRAFTGATE_WECOM_SECRET": SECRET,
        "DRAFTGATE_POLL_SECONDS": "0.5",
    }
    command = [COMMAND, "serve", "--workers", str(workers)]
    process = subprocess.Popen(command, env=os.environ | told, stderr=subprocess.DEVNULL)
    try:
        yield process, f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        assert process.wait(20) is not None


def children(process):
    """The worker processes; Python's resource tracker stands beside them."""
    listed = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text("utf-8").split()
    return [int(p) for p in listed if b"spawn_main" in Path(f"/proc/{p}/cmdline").read_bytes()]


def until(what, seconds=60):
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.05)


def answers(client, path):
    with contextlib.suppress(httpx2.HTTPError):
        return client.get(path).status_code == 200
    return False


def post_all(client, platform, names):
    for name in names:
        platform.simulator.people.says(name, "小区人车分流吗")
    open_rows = {}

    def asked():
        for row in client.get("/v1/inbox?limit=100").json()["items"]:
            open_rows[row["conversationId"]] = row
        return len(open_rows) >= len(names)

    until(asked)
    for cid, row in open_rows.items():
        body = {
            "id": cid,
            "conversation": {"id": cid, "chatType": "private", "subject": "松月里 5-1602", "messages": []},
            "draft": {"text": GOOD, "agentId": "ag-1", "citations": [GOOD_CITATION], "inboxId": row["id"]},
        }
        done = client.post("/v1/drafts", json=body, headers={"Idempotency-Key": row["id"]})
        assert done.json()["state"] == "queued", done.text


def test_two_workers_share_the_work_and_one_that_dies_is_replaced(office, platform):
    """Every customer gets the answer once, before and after a worker is killed."""
    with (
        served(office, platform, 2) as (process, url),
        httpx2.Client(base_url=url, headers={"Authorization": f"Bearer {KEY}"}, timeout=20) as client,
    ):
        until(lambda: answers(client, "/readyz"))
        before = children(process)
        assert len(before) == 2
        first = [f"wm_a{n}" for n in range(6)]
        post_all(client, platform, first)
        until(lambda: all(platform.simulator.world.arrived(name) == [GOOD] for name in first))
        os.kill(before[0], signal.SIGKILL)
        until(lambda: len(set(children(process)) - {before[0]}) == 2)
        until(lambda: answers(client, "/readyz"))
        client.close()
        with httpx2.Client(base_url=url, headers={"Authorization": f"Bearer {KEY}"}, timeout=20) as again:
            second = [f"wm_b{n}" for n in range(6)]
            post_all(again, platform, second)
            until(lambda: all(platform.simulator.world.arrived(name) == [GOOD] for name in second))
    assert [len(platform.simulator.world.arrived(name)) for name in first + second] == [1] * 12
    stored = office.look(lambda tx: [conversations.load(tx, row.id).messages for row in talks(tx)])
    assert len(stored) == 12


def talks(tx):
    return tx.conn.execute(text("SELECT id FROM conversation")).all()


def test_several_workers_want_a_database_for_many(tmp_path, monkeypatch):
    """On SQLite the command says what to do, and starts nothing."""
    told = {"DRAFTGATE_DATABASE_URL": f"sqlite:///{tmp_path / 'gate.sqlite3'}"}
    done = subprocess.run(
        [COMMAND, "serve", "--workers", "2"], env=os.environ | told, capture_output=True, text=True, check=False
    )
    assert (done.returncode, "need PostgreSQL" in done.stderr) == (2, True)


def test_workers_that_start_together_bring_the_tables_up_once(postgres):
    """Four at once on an empty database: none falls over another's migration."""
    import threading

    stores = [Store(Settings(database_url=postgres).database_url) for _ in range(4)]
    stores[0].write(lambda c: c.execute(text("DROP SCHEMA public CASCADE; CREATE SCHEMA public")))
    failed = []

    def start(store):
        try:
            upgrade(store.engine)
        except Exception as error:  # noqa: BLE001  # whatever it is, it must not happen
            failed.append(error)

    threads = [threading.Thread(target=start, args=(store,)) for store in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for store in stores:
        store.close()
    assert failed == []
