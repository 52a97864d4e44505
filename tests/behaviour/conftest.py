"""Each behaviour runs against a shop of its own and one simulated WeCom for all."""

import shutil
from pathlib import Path

import pytest

import planner
from gateway.migrate import upgrade
from gateway.settings import Settings
from gateway.store import Store
from outbound.simulator.knobs import Knobs
from outbound.simulator.run import serve
from tests.behaviour.case import LINES, Case, id_of
from tests.behaviour.shop import Shop

RAN = set()


@pytest.fixture
def case(request):
    """The line that the test's name carries; all that it expects must have been asserted."""
    made = Case(LINES[id_of(request.function.__name__)])
    yield made
    assert not made.left, f"{made.id}: nothing asserted {sorted(made.left)}"
    RAN.add(made.id)


@pytest.fixture(scope="session")
def ran():
    """The ids whose tests have run to their end."""
    return RAN


@pytest.fixture(scope="session")
def platform():
    with serve() as running:
        yield running


@pytest.fixture(scope="session")
def empty(tmp_path_factory):
    """One migrated database that every shop copies."""
    path = tmp_path_factory.mktemp("db") / "empty.sqlite3"
    store = Store(f"sqlite:///{path}")
    upgrade(store.engine)
    store.close()
    return path


@pytest.fixture(scope="session")
def packs(tmp_path_factory):
    """A shop's own pack: the property pack, with replies of up to three messages."""
    folder = tmp_path_factory.mktemp("packs")
    (folder / "wide").mkdir()
    shared = Path(planner.__file__).parent / "packs" / "property" / "pack.yaml"
    (folder / "wide" / "pack.yaml").write_text(f"include: [{shared}]\nname: wide\nmaxSegments: 3\n", "utf-8")
    return folder


@pytest.fixture
def world(platform):
    """A platform that remembers nothing, with all knobs as they are by default."""
    simulator = platform.simulator
    simulator.reset()
    simulator.world.knobs = Knobs()
    yield simulator
    simulator.callbacks.stop()
    simulator.reset()


@pytest.fixture
def open_shop(platform, world, empty, packs, tmp_path):
    """Open shops; all are closed at the end."""
    opened = []

    def make(mode="auto", *, account=None, channel=None, reached=platform, **settings):
        path = tmp_path / f"gate{len(opened)}.sqlite3"
        shutil.copy(empty, path)
        told = {"debounce_seconds": 0, "database_url": f"sqlite:///{path}", "packs_dir": packs} | settings
        made = Shop(reached, Settings(**told), channel=channel)
        opened.append(made)
        made.account(mode, **(account or {}))
        return made

    yield make
    for made in opened:
        made.close()


@pytest.fixture
def shop(open_shop):
    """A shop in auto mode."""
    return open_shop()


@pytest.fixture
def review(open_shop):
    """A shop in which a person sees every draft."""
    return open_shop("review")
