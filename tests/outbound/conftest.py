from collections.abc import Iterator

import pytest

from outbound.simulator.app import Simulator
from outbound.simulator.knobs import Knobs
from outbound.simulator.run import Running, serve
from outbound.wecom.client import WeComClient
from outbound.wecom.sender import WeComSender


@pytest.fixture(scope="session")
def running() -> Iterator[Running]:
    with serve() as started:
        yield started


@pytest.fixture
def sim(running: Running) -> Iterator[Simulator]:
    """A fresh simulated platform behind a real address."""
    running.simulator.reset()
    running.simulator.world.knobs = Knobs()
    yield running.simulator
    running.simulator.callbacks.stop()
    running.simulator.reset()


@pytest.fixture
def client(running: Running, sim: Simulator) -> Iterator[WeComClient]:
    made = WeComClient(running.settings(read_timeout=1.0))
    yield made
    made.close()


@pytest.fixture
def sender(client: WeComClient) -> WeComSender:
    return WeComSender(client)
