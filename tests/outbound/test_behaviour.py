"""Behaviours under their ids, as far as this room alone shows them; the gateway's tests hold the rest."""

import random
import time
from datetime import timedelta

import pytest

from outbound.errors import Action
from outbound.limits import Reach, hold_reasons
from outbound.outcome import Accepted, Outcome, Rejected, Unknown
from outbound.segments import split
from outbound.simulator.run import serve
from outbound.simulator.world import ACCOUNT
from outbound.steps import MessageState, Step, step_after
from outbound.wecom.client import WeComClient
from outbound.wecom.sender import WeComSender
from outbound.wecom.settings import WeComSettings
from tests.outbound.kit import CUSTOMER, NOW, message, permit_for

SEND = "kf/send_msg"


@pytest.fixture(autouse=True)
def _customer(sim):
    sim.people.says(CUSTOMER, "有三居吗")


def carry(sender: WeComSender, parts: list[str], tries: int = 3) -> list[tuple[Outcome, Step]]:
    """Carry a reply as an outbox does: in order, each part only after the id of the one before, steps obeyed."""
    done: list[tuple[Outcome, Step]] = []
    for number, part in enumerate(parts, 1):
        for attempt in range(1, tries + 1):
            sent = message(part, "reply", segment=number, segments=len(parts))
            outcome = sender.send(sent, permit_for(sent), NOW)
            step = step_after(outcome, tries=attempt, jitter=random.Random(attempt))
            if step.state is not MessageState.QUEUED or isinstance(outcome, Rejected):
                break
        done.append((outcome, step))
        if step.state is not MessageState.ACCEPTED:
            break
    return done


def test_o_01_http_200_with_an_error_code_is_no_delivery(sim, sender):
    sim.faults.plan("errcode", 40096)
    ((outcome, step),) = carry(sender, ["有的。"])
    assert isinstance(outcome, Rejected)
    assert outcome.errcode == 40096
    assert "40096" in outcome.detail
    assert step.state is MessageState.CHANNEL_REJECTED


def test_o_04_a_timeout_after_acceptance_is_unknown_and_not_retried(sim, sender):
    sim.faults.plan("timeout_after")
    ((outcome, step),) = carry(sender, ["有的。"])
    assert isinstance(outcome, Unknown)
    assert step.state is MessageState.UNKNOWN
    assert sim.world.calls[SEND] == 1


def test_o_05_a_refused_connection_is_tried_again_and_makes_one_message(sim, running):
    """The first try meets a closed port, the second the platform."""
    closed = WeComSender(WeComClient(WeComSettings("ww", "s", "http://127.0.0.1:9/cgi-bin")))
    ((_, first),) = carry(closed, ["有的。"], tries=1)
    assert first.state is MessageState.QUEUED
    assert first.again_after is not None
    open_again = WeComSender(WeComClient(running.settings()))
    ((outcome, _),) = carry(open_again, ["有的。"])
    assert isinstance(outcome, Accepted)
    assert sim.world.arrived(CUSTOMER) == ["有的。"]
    closed.close()
    open_again.close()


@pytest.mark.parametrize("fault", [("errcode", 45009), ("errcode", 40058), ("http", 503), ("timeout_before", 0)])
def test_o_06_o_07_a_failing_second_part_ends_the_reply_and_repeats_nothing(sim, sender, fault):
    sim.faults.plan(*fault, skip=1)
    done = carry(sender, ["第一段。", "第二段。", "第三段。"])
    assert [isinstance(outcome, Accepted) for outcome, _ in done] == [True, False]
    assert sim.world.arrived(CUSTOMER) == ["第一段。"]
    assert sim.world.calls[SEND] == 2


def test_o_08_bytes_count_and_nothing_is_cut_silently():
    text = "价" * 700
    parts = split(text, 2)
    assert "".join(parts) == text
    assert max(len(part.encode()) for part in parts) <= 2048


def test_o_11_family_emoji_and_flags_stay_whole():
    text = "👨‍👩‍👧‍👦🇨🇳" * 120
    parts = split(text, 3)
    assert "".join(parts) == text
    assert all(not part.startswith(("\u200d", "🇳")) for part in parts)


def test_o_12_parts_arrive_in_order(sim, sender):
    carry(sender, ["一", "二", "三"])
    assert sim.world.arrived(CUSTOMER) == ["一", "二", "三"]


@pytest.mark.parametrize("entry", ["wm_kit_custome.", ".*", "wm_kit_customer ", "wm_*"])
def test_o_14_allowlist_entries_are_literal(entry):
    reach = Reach(CUSTOMER, private=True, now=NOW, last_customer_at=NOW, used=0)
    assert hold_reasons(reach, [entry]) == ("not_allowed",)


def test_o_19_a_closed_session_is_held_for_a_person_without_a_retry(sim, sender):
    sim.people.ends(CUSTOMER)
    ((outcome, step),) = carry(sender, ["有的。"])
    assert isinstance(outcome, Rejected)
    assert outcome.errcode == 95018
    assert step.state is MessageState.HELD
    assert sim.world.calls[SEND] == 1


def test_o_20_the_window_is_known_before_sending():
    reach = Reach(CUSTOMER, private=True, now=NOW, last_customer_at=NOW - timedelta(hours=74), used=0)
    assert hold_reasons(reach, ["*"]) == ("window_closed",)


def test_o_31_signs_arrive_as_written(sim, sender):
    carry(sender, ["首付<三成 & 月供>1万；'\"\\/"])
    assert sim.world.arrived(CUSTOMER) == ["首付<三成 & 月供>1万；'\"\\/"]


@pytest.mark.parametrize("text", ["\u200b\u2060\ufeff", "\u200d", " \u3000"])
def test_o_33_invisible_text_is_not_sent(sim, sender, text):
    ((outcome, _),) = carry(sender, [text])
    assert isinstance(outcome, Rejected)
    assert outcome.reason == "empty_text"
    assert sim.world.calls[SEND] == 0


def test_o_35_a_second_run_of_a_timed_out_job_makes_no_second_message(sim, sender):
    sim.faults.plan("timeout_after")
    carry(sender, ["有的。"])
    sent = message("有的。", "reply")
    again = sender.send(sent, permit_for(sent), NOW)
    assert step_after(again, tries=2, doubtful=True).state is MessageState.UNKNOWN
    assert sim.world.arrived(CUSTOMER) == ["有的。"]


def test_s_06_hidden_characters_in_a_number_are_refused(sim, sender):
    ((outcome, _),) = carry(sender, ["首付1\u200b20万。"])
    assert isinstance(outcome, Rejected)
    assert (outcome.action, outcome.reason) == (Action.PAYLOAD, "bad_characters")
    assert sim.world.calls[SEND] == 0


def test_a_simulator_starts_and_stops_quickly():
    started = time.monotonic()
    with serve() as running:
        running.simulator.people.says(CUSTOMER, "在吗", ACCOUNT)
    assert time.monotonic() - started < 15
