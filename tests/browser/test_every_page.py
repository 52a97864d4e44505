"""Every page: it fits, it says nothing wrong in the console, and axe finds no barrier."""

import pytest

PAGES = {
    "queue": "/",
    "queue-filtered": "/?tab=held&scenario=pricing",
    "deliveries": "/deliveries",
    "conversations": "/conversations",
    "statistics": "/statistics",
    "settings": "/settings",
    "agents": "/settings/agents",
    "packs": "/settings/packs",
    "changes": "/settings/history",
    "queue-all": "/?tab=all&mark=verdict~fail",
    "sandbox": "/sandbox",
    "me": "/me",
    "not-found": "/no-such-page",
}


@pytest.mark.parametrize(
    ("device", "locale", "theme"),
    [("desk", "zh-CN", "light"), ("phone", "en-GB", "dark"), ("desk", "en-GB", "dark"), ("phone", "zh-CN", "light")],
)
def test_every_page_is_without_barriers(house, person, device, locale, theme):
    drafts = {
        "draft-good": house.good(),
        "draft-wrong": house.wrong(),
        "draft-handoff": house.handing_over(),
        "draft-hidden": house.hidden_characters(),
        "draft-group": house.group(),
    }
    pages = PAGES | {name: f"/drafts/{draft['draftId']}" for name, draft in drafts.items()}
    pages["conversation"] = "/conversations/c-1"
    zhao = person(house, "zhao", device=device, locale=locale, theme=theme)
    found = {}
    for name, path in pages.items():
        zhao.go(path)
        zhao.shot(f"page-{name}-{theme}")
        found[name] = zhao.barriers()
    zhao.page.goto(house.url)
    zhao.page.keyboard.press("?")
    zhao.shot(f"page-keys-{theme}")
    found["keys"] = zhao.barriers()
    stranger = person(house, device=device, locale=locale, theme=theme, signed_in=False)
    stranger.go("/sign-in")
    stranger.shot(f"page-sign-in-{theme}")
    found["sign-in"] = stranger.barriers()
    assert not {name: barriers for name, barriers in found.items() if barriers}
