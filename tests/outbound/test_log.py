import pytest

from outbound.errors import Action
from outbound.log import pages
from outbound.outcome import Rejected, Unknown
from outbound.session import Page
from outbound.simulator.world import ACCOUNT
from tests.outbound.kit import CUSTOMER

SYNC = "kf/sync_msg"


def texts(found: list[object]) -> list[str | None]:
    return [item.text for page in found if isinstance(page, Page) for item in page.items]


@pytest.fixture(autouse=True)
def _messages(sim):
    for number in range(7):
        sim.people.says(CUSTOMER, f"第{number}句")


WANTED = [f"第{number}句" for number in range(7)]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_every_entry_arrives_once_whatever_the_page_size(sim, sender, size):
    sim.turn(page_size=size)
    assert texts(list(pages(sender, ACCOUNT, ""))) == WANTED


def test_an_empty_page_with_more_behind_it_is_followed(sim, sender):
    sim.empty_pages(3)
    found = list(pages(sender, ACCOUNT, ""))
    assert [len(page.items) for page in found] == [0, 0, 0, 7]
    assert texts(found) == WANTED


def test_a_stored_cursor_goes_on_where_it_stopped(sim, sender):
    sim.turn(page_size=3)
    first = next(pages(sender, ACCOUNT, ""))
    assert isinstance(first, Page)
    sim.people.says(CUSTOMER, "新的一句")
    assert texts(list(pages(sender, ACCOUNT, first.next_cursor))) == [*WANTED[3:], "新的一句"]


def test_a_cursor_that_stands_still_ends_with_an_alert(sim, sender):
    sim.turn(page_size=2)
    first = next(pages(sender, ACCOUNT, ""))
    sim.faults.plan("stuck_cursor", call=SYNC, times=50)
    found = list(pages(sender, ACCOUNT, first.next_cursor))
    assert isinstance(found[-1], Rejected)
    assert (found[-1].reason, found[-1].alert) == ("sync_stalled", True)
    assert sim.world.calls[SYNC] == 2


def test_a_missing_cursor_ends_with_an_alert(sim, sender):
    sim.faults.plan("stuck_cursor", call=SYNC)
    found = list(pages(sender, ACCOUNT, ""))
    assert [type(page) for page in found] == [Rejected]
    assert found[0].reason == "sync_stalled"


def test_a_callback_token_that_is_over_is_dropped_once(sim, sender):
    token = sim.world.sync_token(ACCOUNT)
    assert texts(list(pages(sender, ACCOUNT, "", token))) == WANTED
    sim.world.advance(601)
    assert texts(list(pages(sender, ACCOUNT, "", token))) == WANTED
    assert sim.world.calls[SYNC] == 3


def test_the_strict_limit_without_a_token_is_a_pause(sim, sender):
    sim.turn(sync_seconds_without_token=60)
    assert texts(list(pages(sender, ACCOUNT, ""))) == WANTED
    found = list(pages(sender, ACCOUNT, ""))
    assert isinstance(found[0], Rejected)
    assert found[0].action is Action.RATE


def test_a_fault_comes_last_and_what_came_before_stands(sim, sender):
    sim.turn(page_size=3)
    sim.faults.plan("http", 500, call=SYNC, skip=1)
    found = list(pages(sender, ACCOUNT, ""))
    assert texts(found) == WANTED[:3]
    assert isinstance(found[-1], Unknown)


@pytest.mark.parametrize(("days", "kept"), [(3, ["新的"]), (14, [*WANTED, "新的"])])
def test_without_a_cursor_only_the_kept_days_come(sim, sender, days, kept):
    sim.turn(history_days=days)
    sim.world.advance(4 * 86400)
    sim.people.says(CUSTOMER, "新的")
    assert texts(list(pages(sender, ACCOUNT, ""))) == kept
