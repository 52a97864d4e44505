"""A person who has never seen it decides the ten demo drafts with the keyboard only; keys and times are printed."""

import sys
import time
from dataclasses import dataclass

from tests.browser.stage import GOOD, HANDOFF, SIZE, WRONG

MENDED = WRONG.replace("98.6", "89.6")


@dataclass(frozen=True)
class Case:
    """A waiting draft: how it came about, what the person does, what the customer gets."""

    make: str
    deed: str
    arrives: tuple[str, ...]


CASES = (
    Case("good", "approve", (GOOD,)),
    Case("wrong", "edit", (MENDED,)),
    Case("good", "approve", (GOOD,)),
    Case("good", "reject", ()),
    Case("handing_over", "approve", (HANDOFF,)),
    Case("good", "approve", (GOOD,)),
    Case("wrong", "reject", ()),
    Case("good", "approve", (GOOD,)),
    Case("hidden_characters", "reject", ()),
    Case("good", "approve", (GOOD,)),
)


class Hand:
    """Presses keys and counts them; a typed text is one stroke for each of its characters."""

    def __init__(self, page):
        self.page, self.strokes = page, 0

    def key(self, key):
        self.strokes += 1
        self.page.keyboard.press(key)

    def leads(self, key):
        with self.page.expect_navigation():
            self.key(key)

    def approve(self, _case):
        self.key("a")
        self.leads("Enter")

    def edit(self, case):
        """Go to the wrong number from the end of the text and write the right one."""
        self.key("e")
        behind = len(WRONG) - WRONG.index("98.6") - 2
        for _ in range(behind):
            self.key("ArrowLeft")
        for key in ("Backspace", "Backspace", "8", "9"):
            self.key(key)
        assert self.page.locator("#panel-edit textarea").input_value() == case.arrives[0]
        self.leads("Control+Enter")

    def reject(self, _case):
        self.key("r")
        self.key("ArrowDown")
        self.leads("Enter")


def waiting(site):
    """Put the ten drafts into the queue, in their order; gives the conversations."""
    talks = []
    for case in CASES:
        cid = site.customer(SIZE) if case.make == "wrong" else None
        draft = getattr(site, case.make)(cid) if cid else getattr(site, case.make)()
        talks.append(site.draft(draft["draftId"])["conversationId"])
        time.sleep(0.002)
    return talks


def test_ten_drafts_are_decided_with_the_keyboard_only(own_house, person, capsys):
    site = own_house()
    talks = waiting(site)
    lin = person(site)
    took = []
    lin.page.on("requestfinished", lambda request: took.append((request.method, _server_time(request))))
    lin.go("/")
    hand, lines = Hand(lin.page), []
    hand.key("j")
    hand.leads("Enter")
    for number in range(len(CASES)):
        case = CASES[talks.index(_talk(site, lin.page.url))]
        before, seen, began = hand.strokes, len(took), time.monotonic()
        getattr(hand, case.deed)(case)
        lin.page.locator("#outcome.good").wait_for()
        seconds = time.monotonic() - began
        served = sum(ms for _, ms in took[seen:])
        if number < len(CASES) - 1:
            hand.leads("n")
        lines.append((case.deed, hand.strokes - before, served, seconds))
    for cid, case in zip(talks, CASES, strict=True):
        assert tuple(site.arrives(cid, len(case.arrives))) == case.arrives
    with capsys.disabled():
        _print(lines)
    assert sum(strokes for deed, strokes, _, _ in lines if deed == "approve") <= 3 * 6


def _talk(site, url):
    return site.draft(url.split("/drafts/")[1].split("?")[0])["conversationId"]


def _server_time(request):
    """Milliseconds between the sending of a request and its answer's first byte."""
    timing = request.timing
    return max(0.0, timing["responseStart"] - timing["requestStart"])


def _print(lines):
    out = ["", "decision  keys  server ms  in all s"]
    out += [f"{deed:<8} {strokes:>5} {served:>10.0f} {seconds:>9.2f}" for deed, strokes, served, seconds in lines]
    keys, served = sum(line[1] for line in lines), [line[2] for line in lines]
    out.append(f"{len(lines)} decisions, {keys} keys; server time per decision at most {max(served):.0f} ms")
    sys.stdout.write("\n".join(out) + "\n")
