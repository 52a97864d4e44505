"""Journeys in a real Chromium; run them with DRAFTGATE_BROWSER=$(command -v chromium) (and `pip install playwright`).

They are left out otherwise: the pages are tested without a browser in tests/gateway/web.
"""

import os

CHROMIUM = os.environ.get("DRAFTGATE_BROWSER", "")
if not CHROMIUM:
    collect_ignore_glob = ["test_*.py"]
else:
    import pytest
    from playwright.sync_api import sync_playwright

    from gateway import people
    from gateway.server import Running
    from tests.browser.stage import ARGUMENTS, stage

    @pytest.fixture(scope="session")
    def chromium():
        with sync_playwright() as engine:
            browser = engine.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
            yield browser
            browser.close()

    @pytest.fixture
    def site(tmp_path):
        """A running gateway with ten drafts that wait."""
        desk = stage(tmp_path)
        with Running(desk.service) as running:
            desk.url = running.url
            yield desk

    @pytest.fixture
    def person(chromium, site):
        """Open a browser at which somebody is signed in; script errors and blocked content fail the test."""
        opened = []

        def make(who="lin", *, width=1280, height=800, locale="zh-CN"):
            context = chromium.new_context(viewport={"width": width, "height": height}, locale=locale)
            secret = site.run(lambda tx: people.open_session(tx, who))
            context.add_cookies([{"name": "draftgate", "value": secret, "url": site.url}])
            page = context.new_page()
            errors = []
            page.on("pageerror", lambda error: errors.append(str(error)))
            page.on("console", lambda line: errors.append(line.text) if line.type == "error" else None)
            opened.append((context, errors))
            page.goto(site.url)
            return page

        yield make
        for context, errors in opened:
            context.close()
            assert not errors
