"""Run the simulator over real HTTP, in a thread of this process or by itself."""

import socket
import threading
import time
from typing import Self

import uvicorn

from outbound.simulator.app import Simulator
from outbound.simulator.knobs import Knobs
from outbound.simulator.world import CORP_ID, SECRET
from outbound.wecom.settings import WeComSettings

START_SECONDS = 20.0


class Running:
    """A simulator that answers at `url`; a context manager that stops it.

    The thread is a daemon: a program that forgets to stop it still ends.
    """

    def __init__(self, simulator: Simulator, port: int = 0, host: str = "127.0.0.1") -> None:
        self.simulator = simulator
        self._socket = socket.create_server((host, port))
        self.url = f"http://{host}:{self._socket.getsockname()[1]}"
        self.api_base = f"{self.url}/cgi-bin"
        self._server = uvicorn.Server(_config(simulator))
        self._thread = threading.Thread(target=self._run, name="wecom-simulator", daemon=True)

    def start(self) -> Self:
        """Wait until it answers; raises TimeoutError when it does not."""
        self._thread.start()
        end = time.monotonic() + START_SECONDS
        while not self._server.started:
            if time.monotonic() > end or not self._thread.is_alive():
                raise TimeoutError("the simulator did not start: is the address in use?")
            time.sleep(0.005)
        return self

    def stop(self) -> None:
        """Stop at once, with whatever still hangs."""
        self.simulator.callbacks.stop()
        self._server.force_exit = True
        self._server.should_exit = True
        self._thread.join(START_SECONDS)
        self._socket.close()

    def settings(self, **changes: float) -> WeComSettings:
        """Give settings with which a client reaches this simulator, without a cap on its pace."""
        told = {"calls_per_minute": 0, **changes}
        return WeComSettings(CORP_ID, SECRET, self.api_base, **told)  # type: ignore[arg-type]  # numbers only

    def __enter__(self) -> Self:
        return self if self._server.started else self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _run(self) -> None:
        self._server.run(sockets=[self._socket])


def _config(simulator: Simulator) -> uvicorn.Config:
    # the access log would show tokens and the secret
    return uvicorn.Config(
        simulator.app,
        log_config=None,
        log_level="warning",
        access_log=False,
        ws="none",
        lifespan="off",
    )


def serve(port: int = 0, *, knobs: Knobs | None = None, simulator: Simulator | None = None) -> Running:
    """Start a simulator on loopback; port 0 takes a free one."""
    return Running(simulator or Simulator(knobs), port).start()
