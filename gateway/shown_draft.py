"""What a person had before their eyes: an approval counts for exactly that, and for nothing that came since."""

from typing import Any

from sqlalchemy import Row

from gateway.conversations import Talk
from gateway.errors import Conflict
from gateway.wire import ApproveIn


def must_be_open(draft: Row[Any], states: tuple[str, ...]) -> None:
    """Raise Conflict `already_decided` unless the draft is in one of these states."""
    if draft.state not in states:
        raise Conflict(
            "already_decided",
            f"the draft is {draft.state}",
            state=draft.state,
            decidedBy=draft.decided_by,
            version=draft.version,
        )


def must_be_as_shown(draft: Row[Any], shown: Row[Any], version: int, sha256: str, states: tuple[str, ...]) -> None:
    """Raise Conflict unless exactly this version and text, still undecided, was before the person's eyes."""
    must_be_open(draft, states)
    if draft.version != version:
        raise Conflict(
            "version_differs", f"version {draft.version} stands now", version=draft.version, state=draft.state
        )
    if shown.sha256 != sha256:
        raise Conflict("text_differs", "the shown text is not this draft's text", field="textSha256")


def must_have_seen(draft: Row[Any], talk: Talk, order: ApproveIn) -> None:
    """Raise Conflict when the person has not seen the newest message, or has not confirmed a stale draft."""
    newest = talk.newest_heard.id if talk.newest_heard else None
    if order.last_seen_message_id != newest:
        raise Conflict(
            "newer_message", "the conversation moved on; look at it again", newestMessageId=newest, stale=draft.stale
        )
    if draft.stale and not order.confirm_stale:
        raise Conflict("stale", "the customer wrote since this draft; confirm that it still fits (confirmStale)")
