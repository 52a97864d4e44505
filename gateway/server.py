"""Put a service together from settings, and serve it."""

import os
import socket
import threading
import time
from pathlib import Path
from typing import Any, Self

import uvicorn
from fastapi import FastAPI

from gateway.app import create_app
from gateway.courier import Channel
from gateway.migrate import upgrade
from gateway.service import Service
from gateway.settings import Settings, load_settings
from gateway.store import Store
from gateway.wecom import wecom_client
from outbound.wecom.sender import WeComSender

# Agents wait at the inbox and open pages hold a stream: without a limit a stop would wait for them too.
GRACE = 3  # seconds that running requests have when the server is told to stop
SERVER: dict[str, Any] = {
    "log_level": "warning",
    "access_log": False,
    "server_header": False,
    "timeout_graceful_shutdown": GRACE,
}
WORKER_FILE = "DRAFTGATE_WORKER_SETTINGS_FILE"  # tells the processes of `serve --workers` where their settings are


def build_service(settings: Settings) -> Service:
    """Open the store, bring its tables up, connect the channel if one is configured."""
    store = Store(settings.database_url)
    upgrade(store.engine)
    return Service(settings, store, wecom_channel(settings, store))


def wecom_channel(settings: Settings, store: Store) -> Channel | None:
    """Connect WeCom customer service, or None without a corp id."""
    client = wecom_client(settings, store)
    return WeComSender(client) if client is not None else None


def serve(service: Service) -> None:
    """Serve until the process is told to stop."""
    uvicorn.run(create_app(service), host=service.settings.host, port=service.settings.port, **SERVER)


def serve_many(settings: Settings, file: Path | None, workers: int) -> None:
    """Serve with several processes on one address until told to stop; one that dies is replaced.

    Each reads the settings anew. They share nothing but the database, so it must be one that many may write.
    """
    if file is not None:
        os.environ[WORKER_FILE] = str(file)
    app = "gateway.server:worker"
    uvicorn.run(app, factory=True, workers=workers, host=settings.host, port=settings.port, **SERVER)


def worker() -> FastAPI:
    """Build the app of one of several processes."""
    file = os.environ.get(WORKER_FILE)
    return create_app(build_service(load_settings(Path(file) if file else None)))


class Running:
    """A gateway that answers at `url` from a thread of this process; a context manager that stops it."""

    def __init__(self, service: Service, port: int = 0, host: str = "127.0.0.1") -> None:
        self.service = service
        self._socket = socket.create_server((host, port))
        self.url = f"http://{host}:{self._socket.getsockname()[1]}"
        self._server = uvicorn.Server(uvicorn.Config(create_app(service), **SERVER))
        self._thread = threading.Thread(target=self._run, name="gateway", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        end = time.monotonic() + 20
        while not self._server.started:
            if time.monotonic() > end or not self._thread.is_alive():
                raise TimeoutError("the gateway did not start; its log says why")
            time.sleep(0.01)
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join(20)
        self._socket.close()

    def wait(self) -> None:
        """Stay until the server ends."""
        self._thread.join()

    def _run(self) -> None:
        self._server.run(sockets=[self._socket])


def sqlite_url(folder: Path) -> str:
    """Give the URL of a database file in a folder."""
    return f"sqlite:///{folder / 'draftgate.sqlite3'}"
