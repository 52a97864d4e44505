"""Journeys in a real Chromium: one browser and one gateway for all of them, and a picture of each step on demand.

`make browser` says or does what a machine needs. Without a browser these tests are left out, with a line that says so;
where `CI` is set that is a failure. `make shots` (or DRAFTGATE_SHOTS=folder) keeps the pictures.
"""

import os
import shutil
import sys
from pathlib import Path

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = os.environ.get("DRAFTGATE_BROWSER") or next((found for n in NAMES if (found := shutil.which(n))), "")
HINT = "no Chromium for tests/browser: sudo apt-get install -y chromium fonts-noto-cjk"

if not CHROMIUM:
    if os.environ.get("CI"):
        raise pytest.UsageError(HINT)
    sys.stderr.write(f"{HINT} (left out)\n")
    collect_ignore_glob = ["test_*.py"]
else:
    from playwright.sync_api import sync_playwright

    from gateway.server import Running
    from tests.browser.person import Person
    from tests.browser.stage import ARGUMENTS, Stage

    def pytest_collection_modifyitems(items):
        # Last of all: while the driver lives, its event loop is in the way of tests that run one of their own.
        items.sort(key=lambda item: item.path.parent == Path(__file__).parent)

    SHOTS = os.environ.get("DRAFTGATE_SHOTS", "")

    @pytest.fixture(scope="package")
    def chromium():
        # Not for the whole session: while the driver lives, its event loop is in the way of other tests.
        with sync_playwright() as engine:
            browser = engine.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
            yield browser
            browser.close()

    @pytest.fixture(scope="package")
    def house(tmp_path_factory):
        """A gateway that all journeys share; each brings customers of its own."""
        stage = Stage(tmp_path_factory.mktemp("house"))
        with Running(stage.service) as running:
            stage.url = running.url
            yield stage

    @pytest.fixture
    def own_house(tmp_path):
        """Build gateways for one test alone."""
        opened = []

        def make(**settings):
            stage = Stage(tmp_path / str(len(opened)), **settings)
            running = Running(stage.service)
            running.__enter__()
            opened.append(running)
            stage.url = running.url
            return stage

        yield make
        for running in opened:
            running.__exit__()

    @pytest.fixture
    def person(chromium, request):
        """Put somebody before a browser; script errors and blocked content fail the test at its end."""
        seated = []

        def make(stage, who="lin", *, device="desk", locale="zh-CN", signed_in=True, theme="light"):
            folder = Path(SHOTS) / f"{device}-{locale[:2]}" if SHOTS else None
            someone = Person(chromium, stage, who, device=device, locale=locale, theme=theme, shots=folder)
            seated.append(someone)
            if signed_in:
                someone.sign_in_quietly()
            return someone

        yield make
        for someone in seated:
            someone.leave()
        assert not [error for someone in seated for error in someone.errors]
