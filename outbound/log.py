"""Pull a channel's log to its end, page by page, without losing or looping.

The caller stores each page's items and its cursor in one transaction before it asks for the next page.
"""

from collections.abc import Iterator

from outbound.errors import Action
from outbound.outcome import Fault, Rejected
from outbound.sender import SessionChannel
from outbound.session import Page

MOST_PAGES = 2_000  # three days of a very busy desk; beyond it the next pull goes on


def pages(channel: SessionChannel, account: str, cursor: str, token: str | None = None) -> Iterator[Page | Fault]:
    """Give pages from `cursor` (empty: from the oldest kept entry) until there is no more; a fault comes last.

    An empty page that says there is more is followed. A cursor that does not move ends the pull with a fault. A
    callback token that is over is dropped once and the pull goes on without.
    """
    for _ in range(MOST_PAGES):
        page = channel.sync(account, cursor, token)
        if isinstance(page, Rejected) and page.action is Action.RESYNC and token:
            token = None
            page = channel.sync(account, cursor)
        if not isinstance(page, Page):
            yield page
            return
        stuck = page.has_more and page.next_cursor == cursor
        yield page
        if stuck:
            yield Rejected(None, Action.CONFIG, "sync_stalled", "the log's cursor does not move", alert=True)
        if stuck or not page.has_more:
            return
        cursor = page.next_cursor
