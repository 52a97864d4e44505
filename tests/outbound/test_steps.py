import random
from datetime import timedelta

import pytest

from outbound.errors import Action
from outbound.outcome import Accepted, Rejected, Unknown, Unreachable, reason_for
from outbound.steps import MessageState, Step, step_after


def refused(errcode: int | None, action: Action, **more: object) -> Rejected:
    return Rejected(errcode, action, reason_for(errcode or 0, action), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("outcome", "state", "more"),
    [
        (Accepted("m-1"), MessageState.ACCEPTED, {"counts": True}),
        (Unknown("lost"), MessageState.UNKNOWN, {"counts": True, "alert": True}),
        (Unreachable("no line"), MessageState.QUEUED, {"again_after": timedelta(seconds=2)}),
        (refused(-1, Action.RETRY), MessageState.QUEUED, {"again_after": timedelta(seconds=2)}),
        (refused(45009, Action.RATE, retry_after=60.0), MessageState.QUEUED, {"again_after": timedelta(seconds=60)}),
        (refused(60020, Action.CONFIG), MessageState.QUEUED, {"stop_channel": True, "alert": True}),
        (refused(95001, Action.REOPEN), MessageState.HELD, {"reason": "quota_used", "again_after": None}),
        (refused(95018, Action.HUMAN), MessageState.HELD, {"again_after": None}),
        (refused(95016, Action.HANDOFF), MessageState.HELD, {}),
        (refused(40096, Action.PAYLOAD), MessageState.CHANNEL_REJECTED, {"alert": False}),
        (refused(77777, Action.PAYLOAD, alert=True), MessageState.CHANNEL_REJECTED, {"alert": True}),
        (refused(None, Action.PAYLOAD), MessageState.CHANNEL_REJECTED, {}),
    ],
)
def test_each_outcome_has_one_step(outcome, state, more):
    step = step_after(outcome, tries=1)
    assert step.state is state
    for name, value in more.items():
        assert getattr(step, name) == value


def test_waits_grow_and_end_with_a_person():
    waits = [step_after(Unreachable("x"), tries=tries).again_after for tries in (1, 2)]
    assert waits == [timedelta(seconds=2), timedelta(seconds=8)]
    last = step_after(Unreachable("x"), tries=3)
    assert (last.state, last.alert, last.counts) == (MessageState.HELD, True, False)


def test_jitter_stays_within_half():
    for seed in range(20):
        wait = step_after(Unreachable("x"), tries=1, jitter=random.Random(seed)).again_after
        assert wait is not None
        assert timedelta(seconds=1) <= wait <= timedelta(seconds=3)


@pytest.mark.parametrize("errcode", [40058, 40033, 77777])
def test_a_refused_second_copy_stays_unknown(errcode):
    """After a call of unknown end a refusal may just mean that the first one arrived, whatever code it has."""
    step = step_after(refused(errcode, Action.PAYLOAD), tries=2, doubtful=True)
    assert (step.state, step.counts) == (MessageState.UNKNOWN, True)
    assert step_after(refused(95018, Action.HUMAN), tries=2, doubtful=True).state is MessageState.UNKNOWN


def test_a_busy_platform_leaves_doubt_after_the_last_try():
    assert step_after(refused(-1, Action.RETRY), tries=3).state is MessageState.UNKNOWN


def test_doubt_does_not_turn_a_rest_into_a_result():
    step = step_after(refused(None, Action.RATE, retry_after=5.0), tries=2, doubtful=True)
    assert step == Step(MessageState.QUEUED, "rate_limited", timedelta(seconds=5), alert=True)


def test_nothing_but_accepted_makes_a_delivery():
    outcomes = [Unknown("x"), Unreachable("x"), *(refused(1, action) for action in Action)]
    assert all(step_after(o, tries=n).state is not MessageState.ACCEPTED for o in outcomes for n in (1, 2, 3))


def test_a_busy_platform_needs_a_person_and_counts():
    step = step_after(refused(-1, Action.RETRY), tries=3)
    assert (step.alert, step.counts) == (True, True)
    doubted = step_after(refused(40058, Action.PAYLOAD), tries=2, doubtful=True)
    assert (doubted.alert, doubted.counts) == (True, True)
    assert not step_after(refused(40058, Action.PAYLOAD), tries=1).counts
