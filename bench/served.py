"""A gateway as it is served: `draftgate serve` in a process of its own on a SQLite file, with real callbacks."""

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from gateway import people
from gateway.migrate import upgrade
from gateway.server import sqlite_url
from gateway.service import Service
from gateway.settings import Settings
from gateway.store import Store
from outbound.simulator.run import Running, serve
from outbound.simulator.world import ACCOUNT, CORP_ID, SECRET

KEY = "dg_soak_key"
TOKEN = "soakToken"  # noqa: S105  # opens nothing but this run
AES_KEY = "jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C"


@dataclass(frozen=True)
class Served:
    """Where the gateway answers, its process, and a service on the same file for looking."""

    url: str
    pid: int
    platform: Running
    office: Service


@contextmanager
def served() -> Iterator[Served]:
    """Start simulator and gateway, and stop them."""
    with tempfile.TemporaryDirectory() as folder, serve() as platform:
        url = sqlite_url(Path(folder))
        office = _office(url)
        port = _free_port()
        process = _start(url, port, platform)
        try:
            _until_ready(port)
            platform.simulator.callbacks.point(f"http://127.0.0.1:{port}/wecom/callback", TOKEN, AES_KEY)
            yield Served(f"http://127.0.0.1:{port}", process.pid, platform, office)
        finally:
            process.terminate()
            process.wait(30)
            office.stop()


def _office(url: str) -> Service:
    store = Store(url)
    upgrade(store.engine)
    service = Service(Settings(database_url=url), store)
    service.run(
        lambda tx: people.add_account(
            tx, account_id="shop", name="shop", actor="t", mode="auto", allowlist=["*"], channel_account=ACCOUNT
        )
    )
    scopes = ["agent", "channel", "operator"]
    service.run(lambda tx: people.add_key(tx, name="t", scopes=scopes, actor="t", secret=KEY))
    return service


def _start(url: str, port: int, platform: Running) -> "subprocess.Popen[bytes]":
    told = {
        "DRAFTGATE_DATABASE_URL": url,
        "DRAFTGATE_PORT": str(port),
        "DRAFTGATE_WECOM_API_BASE": platform.api_base,
        "DRAFTGATE_WECOM_CORP_ID": CORP_ID,
        "DRAFTGATE_WECOM_SECRET": SECRET,
        "DRAFTGATE_WECOM_CALLBACK_TOKEN": TOKEN,
        "DRAFTGATE_WECOM_CALLBACK_AES_KEY": AES_KEY,
        "DRAFTGATE_DEBOUNCE_SECONDS": "0",
    }
    command = [Path(sys.executable).parent / "draftgate", "serve"]
    return subprocess.Popen(command, env=os.environ | told, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _until_ready(port: int) -> None:
    end = time.monotonic() + 120
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError("the gateway did not start")
