"""A person who has never seen it decides ten drafts with the keyboard only."""

from tests.browser.stage import GOOD

WAITING = 10


def test_ten_drafts_are_decided_with_the_keyboard_only(own_house, person):
    """From the queue: j, Enter; then a, Enter, n for each draft."""
    site = own_house()
    customers = [site.customer() for _ in range(WAITING)]
    for cid in customers:
        site.good(cid)
    lin = person(site)
    lin.go("/")
    lin.page.keyboard.press("j")
    lin.press("Enter")
    for number in range(WAITING):
        lin.page.keyboard.press("a")
        lin.press("Enter")
        assert lin.say("done.approved") in lin.told
        if number < WAITING - 1:
            lin.press("n")
    assert [site.arrives(cid) for cid in customers] == [[GOOD]] * WAITING
