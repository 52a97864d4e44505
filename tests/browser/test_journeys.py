"""Whole journeys by keyboard and mouse, on a desk and on a phone."""

import sys
import time

import pytest

from tests.browser.stage import GOOD, WAITING


def press(page, key):
    with page.expect_navigation(timeout=10_000):
        page.keyboard.press(key)


def arrived(site, count):
    end = time.monotonic() + 10
    while len(site.arrived) < count and time.monotonic() < end:
        time.sleep(0.1)
    return site.arrived


def test_ten_drafts_are_decided_with_the_keyboard_only(site, person, capsys):
    """From the queue: j, Enter; then a, Enter, n for each draft."""
    page = person()
    strokes, started = 2, time.monotonic()
    page.keyboard.press("j")
    press(page, "Enter")
    for number in range(WAITING):
        page.keyboard.press("a")
        press(page, "Enter")
        assert "已通过" in page.locator("#outcome").inner_text()
        strokes += 2
        if number < WAITING - 1:
            press(page, "n")
            strokes += 1
    assert arrived(site, WAITING) == [GOOD] * WAITING
    with capsys.disabled():
        took = time.monotonic() - started
        sys.stdout.write(f"\n{WAITING} decisions, {strokes} keystrokes, {took / WAITING:.2f} s each in the browser\n")


def test_keyboard_and_mouse_at_once_send_one_message(site, person):
    page = person()
    page.keyboard.press("j")
    press(page, "Enter")
    page.keyboard.press("a")
    page.evaluate("""() => {
        const button = document.querySelector('[data-key=a]');
        const form = new FormData(button.form);
        const again = () => fetch(button.form.action, {method: 'POST', body: new URLSearchParams(form)});
        window.both = Promise.all([again(), again(), again()]);
        button.click();
    }""")
    page.wait_for_selector("#outcome")
    assert arrived(site, 1) == [GOOD]
    time.sleep(1.0)
    assert site.arrived == [GOOD]


def test_a_colleague_sees_at_once_who_decided(site, person):
    lin, wang = person("lin"), person("wang")
    lin.keyboard.press("j")
    press(lin, "Enter")
    wang.goto(lin.url)
    lin.keyboard.press("a")
    press(lin, "Enter")
    wang.wait_for_selector("#standing .outcome", timeout=10_000)
    assert "请刷新后再决定" in wang.locator("#standing").inner_text()
    assert "林小月" in wang.locator("#standing").inner_text()


def test_the_queue_updates_by_itself(site, person):
    page = person()
    assert page.locator("[data-item]").count() == WAITING
    site.conversation("c-new")
    site.says("小区有没有人车分流", "c-new")
    site.post_good("c-new")
    page.locator("[data-item]").nth(WAITING).wait_for(timeout=10_000)


def test_advice_comes_while_writing(site, person):
    page = person()
    page.keyboard.press("j")
    press(page, "Enter")
    page.keyboard.press("e")
    page.keyboard.press("Control+A")
    page.keyboard.type("地下车位有 900 个。")
    page.wait_for_selector("#edit-advice .note.warn", timeout=10_000)
    assert "事实有依据" in page.locator("#edit-advice").inner_text()
    assert page.locator("#edit-count").inner_text().startswith("26 /")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.tagName") == "BODY"


@pytest.mark.parametrize("locale", ["zh-CN", "en-GB"])
def test_every_page_fits_a_phone(site, person, locale):
    page = person(width=360, height=740, locale=locale)
    draft = page.locator("a.row").first.get_attribute("href")
    for path in ("/", draft, "/deliveries", "/conversations", "/conversations/c-1", "/statistics", "/sandbox", "/me"):
        page.goto(site.url + path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, path
