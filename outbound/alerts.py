"""Alerts to operators: a draft waits, a message failed, a channel stopped. Never a message to a customer.

An alert carries at most a short quote of what a customer wrote, and a link to where the work is done.
"""

import re
from dataclasses import dataclass
from typing import Protocol

import regex  # type: ignore[import-untyped]  # ships no type information

from outbound.message import MAX_BYTES
from outbound.outcome import Fault

QUOTE_CHARACTERS = 40
TITLE_CHARACTERS = 120
LINK_CHARACTERS = 500
# both spellings of "call everybody", and any mention in angle brackets
_MENTION = re.compile(
    r"@(?=\s{0,3}(?:(?:all|everyone|channel|here)(?![a-z0-9])|所有人|全体成员))|(?<=<)@",
    re.IGNORECASE,
)
_CLUSTER = regex.compile(r"\X")


@dataclass(frozen=True, slots=True)
class Alert:
    """What an operator should know: `title` in the product's words, `quote` from a talk, `link` to the place."""

    title: str
    quote: str = ""
    link: str = ""


@dataclass(frozen=True, slots=True)
class Notified:
    """The channel took the alert; `channel_id` where it gives one. Never a Delivery."""

    channel_id: str | None = None


class Notifier(Protocol):
    """A way to the operators."""

    def notify(self, alert: Alert) -> Notified | Fault:
        """Tell the operators once; every fault is a value."""
        ...


class MemoryNotifier:
    """Keep alerts in a list, for tests and for an installation without an alert channel."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def notify(self, alert: Alert) -> Notified | Fault:
        """Keep the alert as it would be shown."""
        self.told.append(render(alert))
        return Notified()


def render(alert: Alert) -> str:
    """Write an alert as text of at most 2,048 bytes in which nobody is called out."""
    lines = [_short(alert.title, TITLE_CHARACTERS)]
    if alert.quote.strip():
        lines.append(f"「{_short(alert.quote, QUOTE_CHARACTERS)}」")
    if alert.link and len(alert.link) <= LINK_CHARACTERS:
        lines.append(alert.link)
    return _fitted("\n".join([defuse_mentions(line) for line in lines]))


def defuse_mentions(text: str) -> str:
    """Write every call to all members so that no group hears it: the sign becomes its wide twin."""
    return _MENTION.sub("＠", text)


def _short(text: str, most: int) -> str:
    """Put a text on one line, cut between characters as people see them."""
    flat = " ".join(text[: most * 50].split())
    found: list[str] = _CLUSTER.findall(flat)
    return flat if len(found) <= most else "".join(found[: most - 1]) + "…"


def _fitted(text: str) -> str:
    """Clusters may be very long (stacked marks): beyond the channel's limit the text is cut at a character."""
    raw = text.encode("utf-8", "replace")
    return text if len(raw) <= MAX_BYTES else raw[:MAX_BYTES].decode("utf-8", "ignore")
