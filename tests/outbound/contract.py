"""The cases that every sender runs: a sender is one that passes these."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Protocol

import pytest

from outbound.errors import Action, PermitRefused
from outbound.outcome import Accepted, Rejected
from outbound.segments import split
from outbound.sender import Sender
from tests.outbound.kit import NOW, message, permit_for


class Bench(Protocol):
    """A sender with a way to see what arrived and how many calls were made."""

    sender: Sender

    def arrived(self) -> list[str]: ...

    def calls(self) -> int: ...


def accepts_and_gives_an_id(bench: Bench) -> None:
    sent = message()
    outcome = bench.sender.send(sent, permit_for(sent), NOW)
    assert isinstance(outcome, Accepted)
    assert outcome.channel_message_id == sent.msgid
    assert bench.arrived() == [sent.text]


def text_arrives_as_written(bench: Bench) -> None:
    sent = message('面积 <89㎡ & 首付≥"100"万\n\\u003c 👨‍👩‍👧 &lt; 行尾空格 ')
    bench.sender.send(sent, permit_for(sent), NOW)
    assert bench.arrived() == [sent.text]


def a_repeated_id_makes_no_second_message(bench: Bench) -> None:
    sent = message()
    bench.sender.send(sent, permit_for(sent), NOW)
    second = bench.sender.send(sent, permit_for(sent), NOW)
    assert isinstance(second, Rejected)
    assert bench.arrived() == [sent.text]


def parts_arrive_in_order(bench: Bench) -> None:
    text = "第一段讲小区环境。" * 80 + "第二段讲交通。" * 80
    parts = split(text, 3)
    for number, part in enumerate(parts, 1):
        sent = message(part, segment=number, segments=len(parts))
        assert isinstance(bench.sender.send(sent, permit_for(sent), NOW), Accepted)
    assert bench.arrived() == list(parts)
    assert "".join(bench.arrived()) == text


def a_permit_fits_one_message_only(bench: Bench) -> None:
    sent = message()
    wrong = [
        permit_for(sent, outbound_id="out-2"),
        permit_for(sent, recipient="wm_somebody_else"),
        permit_for(sent, sha256=message("这套房周日可以看。").sha256),
        permit_for(sent, expires_at=NOW),
        permit_for(sent, expires_at=NOW - timedelta(days=1)),
    ]
    for permit in wrong:
        with pytest.raises(PermitRefused):
            bench.sender.send(sent, permit, NOW)
    with pytest.raises(PermitRefused):
        bench.sender.send(replace(sent, text=sent.text + "\u200b"), permit_for(sent), NOW)
    assert bench.calls() == 0


def what_cannot_arrive_is_not_tried(bench: Bench) -> None:
    for text, reason in [
        ("", "empty_text"),
        (" \n\u3000", "empty_text"),
        ("\u200b\u2060\ufeff", "empty_text"),
        ("好" * 683, "too_long"),
        ("有\x00字节", "bad_characters"),
    ]:
        sent = message(text)
        outcome = bench.sender.send(sent, permit_for(sent), NOW)
        assert (outcome.errcode, outcome.action, outcome.reason) == (None, Action.PAYLOAD, reason)  # type: ignore[union-attr]
    assert bench.calls() == 0


def a_bad_id_is_not_tried(bench: Bench) -> None:
    for msgid in ["", "x" * 33, "has space", "编号", "a\n"]:
        sent = message(msgid=msgid)
        outcome = bench.sender.send(sent, permit_for(sent), NOW)
        assert isinstance(outcome, Rejected)
        assert outcome.reason == "bad_msgid"
    assert bench.calls() == 0


CASES: tuple[Callable[[Bench], None], ...] = (
    accepts_and_gives_an_id,
    text_arrives_as_written,
    a_repeated_id_makes_no_second_message,
    parts_arrive_in_order,
    a_permit_fits_one_message_only,
    what_cannot_arrive_is_not_tried,
    a_bad_id_is_not_tried,
)
