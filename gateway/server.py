"""Put a service together from settings, and serve it."""

import socket
import threading
import time
from pathlib import Path
from typing import Self

import uvicorn

from gateway.app import create_app
from gateway.courier import Channel
from gateway.migrate import upgrade
from gateway.service import Service
from gateway.settings import Settings
from gateway.store import Store
from gateway.wecom import wecom_client
from outbound.wecom.sender import WeComSender

# Agents wait at the inbox and open pages hold a stream: without a limit a stop would wait for them too.
GRACE = 3  # seconds that running requests have when the server is told to stop


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
    uvicorn.run(
        create_app(service),
        host=service.settings.host,
        port=service.settings.port,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE,
    )


class Running:
    """A gateway that answers at `url` from a thread of this process; a context manager that stops it."""

    def __init__(self, service: Service, port: int = 0, host: str = "127.0.0.1") -> None:
        self.service = service
        self._socket = socket.create_server((host, port))
        self.url = f"http://{host}:{self._socket.getsockname()[1]}"
        config = uvicorn.Config(
            create_app(service),
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=GRACE,
        )
        self._server = uvicorn.Server(config)
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
