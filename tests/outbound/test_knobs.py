"""What nobody could verify about the platform may be either way."""

import itertools
from dataclasses import fields

import pytest

from outbound.errors import Action
from outbound.outcome import Accepted, Rejected
from outbound.simulator.knobs import Knobs
from outbound.simulator.world import ACCOUNT
from outbound.steps import MessageState, step_after
from outbound.wecom.sender import WeComSender
from tests.outbound.kit import CUSTOMER, NOW, message, permit_for


@pytest.fixture(autouse=True)
def _customer(sim):
    sim.people.says(CUSTOMER, "你好")


def send(sender: WeComSender, number: int = 1, **changes: object):
    sent = message("您好，请讲。", f"out-{number}", **changes)
    return sender.send(sent, permit_for(sent), NOW)


KNOBS = {
    "duplicate_msgid_errcode": [40058, 40033, 95099],
    "window_errcode": [95002, 95018],
    "ended_send_errcode": [95018, 95013, 95002],
    "ended_move_errcode": [95016, 95013],
    "late_code_errcode": [41050, 40058],
    "expired_token_errcode": [42001, 40014],
    "event_text_uses_quota": [False, True],
    "api_may_end": [False, True],
    "assistant_after_reply": [True, False],
    "same_token_while_valid": [False, True],
    "new_token_ends_old": [False, True],
    "long_text": ["refuse", "cut"],
    "long_text_errcode": [40058, 45002],
    "menu_click_gives_quota": [True, False],
    "servicer_text_uses_quota": [False, True],
    "retry_callback_on_error": [False, True],
}
# pulling without a token would be refused in the stories; tests/outbound/test_log.py turns this one
ELSEWHERE = {"sync_seconds_without_token"}


def test_every_unverified_fact_is_turned():
    """A new knob of the first block must join the stories."""
    names = [field.name for field in fields(Knobs)]
    assert set(names[: names.index("people_first")]) == KNOBS.keys() | ELSEWHERE
    for name, values in KNOBS.items():
        assert values[0] == getattr(Knobs(), name) and len(set(values)) == len(values) > 1


@pytest.mark.parametrize(("knob", "value"), [(k, v) for k, values in KNOBS.items() for v in values])
def test_what_nobody_verified_may_be_either_way(sim, sender, knob, value):
    """One story with every unverified fact turned both ways: nothing is sent twice, nothing unsent counts."""
    sim.turn(**{knob: value})
    numbers = itertools.count(1)
    assert isinstance(send(sender, next(numbers)), Accepted)
    again = send(sender, 1)
    assert isinstance(again, Rejected)
    assert step_after(again, tries=2, doubtful=True).state is MessageState.UNKNOWN
    sim.expire_tokens()
    assert isinstance(send(sender, next(numbers)), Accepted)
    sim.world.advance(49 * 3600)
    late = send(sender, next(numbers))
    assert isinstance(late, Rejected)
    assert (late.action, late.reason) == (Action.REOPEN, "window_closed")
    sim.people.says(CUSTOMER, "我又来了")
    moved = sender.move_session(ACCOUNT, CUSTOMER, 2)
    assert isinstance(send(sender, next(numbers), event_code=moved.event_code), Accepted)
    used = send(sender, next(numbers), event_code=moved.event_code)
    assert isinstance(used, Rejected)
    assert step_after(used, tries=1).state is MessageState.CHANNEL_REJECTED
    assert len(sim.world.arrived(CUSTOMER)) == 3
