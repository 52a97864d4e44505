"""Several people, and pages that stay open while things happen."""

from tests.browser.stage import GOOD


def test_a_colleague_sees_at_once_who_decided(house, person):
    cid = house.customer()
    draft = house.good(cid)
    lin, wang = person(house, "lin"), person(house, "wang")
    lin.open(draft)
    wang.open(draft)
    lin.page.keyboard.press("a")
    lin.press("Enter")
    wang.page.wait_for_selector("#standing .outcome")
    assert "请刷新后再决定" in wang.text("#standing") and "林小月" in wang.text("#standing")
    wang.shot("20-decided-by-a-colleague")
    wang.page.keyboard.press("a")
    wang.press("Enter")
    assert "林小月已经决定了这条草稿" in wang.told
    assert house.arrives(cid) == [GOOD]


def test_the_queue_updates_by_itself(house, person):
    lin = person(house)
    cid = house.customer()
    lin.go(f"/?search=wm_{cid}")
    draft = house.good(cid)
    lin.page.locator(f"#row-{draft['draftId']}").wait_for()


def test_what_happens_while_the_page_loads_is_told(house, person):
    """The stream starts after the page was made; nothing in between is lost."""
    lin = person(house)
    made, cid = [], house.customer()
    lin.page.route("**/events*", lambda route: (made or made.append(house.good(cid)), route.continue_()))
    lin.go(f"/?search=wm_{cid}")
    lin.page.locator("[data-item]").wait_for()
    assert made
