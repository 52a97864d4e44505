"""Somebody before a browser: on a desk or with a phone in the hand, in Chinese or in English."""

from pathlib import Path

from gateway import people
from gateway.web.words import language

SIZES = {"desk": {"width": 1280, "height": 800}, "phone": {"width": 360, "height": 740}}
AXE = (Path(__file__).parent / "axe.min.js").read_text("utf-8")


class Person:
    """One browser context with one page. `say` gives a word of the catalogue in the person's language."""

    def __init__(self, browser, stage, who, *, device, locale, theme, shots):
        self.stage, self.who, self.device, self.shots = stage, who, device, shots
        phone = device == "phone"
        self.context = browser.new_context(
            viewport=SIZES[device], locale=locale, color_scheme=theme, has_touch=phone, is_mobile=phone
        )
        self.page = self.context.new_page()
        self.page.set_default_timeout(60_000)  # a machine that has much else to do is slow, not wrong
        self.say = language(locale[:2]).say
        self.errors = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self._heard)

    def _heard(self, line):
        # A page that says 404 or 409 on purpose is noted by the browser as a failed load.
        if line.type == "error" and "Failed to load resource" not in line.text:
            self.errors.append(line.text)

    def sign_in_quietly(self):
        """Take a session without the slow password."""
        secret = self.stage.run(lambda tx: people.open_session(tx, self.who))
        self.context.add_cookies([{"name": "draftgate", "value": secret, "url": self.stage.url}])

    def go(self, path):
        self.page.goto(self.stage.url + path)
        return self.page

    def open(self, draft):
        return self.go(f"/drafts/{draft['draftId']}")

    def press(self, key):
        """Press a key that leads to another page."""
        with self.page.expect_navigation():
            self.page.keyboard.press(key)

    def tap(self, selector):
        """Click, or tap, what leads to another page."""
        with self.page.expect_navigation():
            self.touch(selector)

    def touch(self, selector):
        node = self.page.locator(selector).first
        (node.tap if self.device == "phone" else node.click)()

    @property
    def told(self):
        return self.page.locator("#outcome").inner_text()

    def hears(self, words):
        """Wait until the page says these words about what was just done; it may renew itself in between."""
        self.page.locator("#outcome").filter(has_text=words).wait_for()

    def text(self, selector="main"):
        return self.page.locator(selector).first.inner_text()

    def shot(self, name):
        """Keep a picture, if pictures are wanted; whatever the person sees must fit the screen."""
        width = self.page.evaluate("document.documentElement.scrollWidth")
        assert width <= SIZES[self.device]["width"], (name, self.page.url, width)
        if self.shots is not None:
            self.page.screenshot(path=self.shots / f"{name}.png", full_page=True)

    def barriers(self):
        """List what axe calls serious or critical: (rule, how to mend it, where)."""
        self.page.evaluate(AXE)
        found = self.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        return [
            (v["id"], v["help"], node["target"], node["failureSummary"][:300])
            for v in found["violations"]
            if v["impact"] in ("serious", "critical")
            for node in v["nodes"][:3]
        ]

    def leave(self):
        self.context.close()
