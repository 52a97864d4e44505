import pytest

from outbound.errors import Action, ChannelRejected
from outbound.wecom.guard import Guard
from tests.outbound.test_token import Clock


def fault(action: Action, errcode: int = 1) -> ChannelRejected:
    return ChannelRejected(errcode, action, reason="r", detail="why")


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def guard(clock):
    return Guard(clock, per_minute=0, rests={"gettoken": 3600})


def refused(guard: Guard, call: str = "send", scope: str = "wk") -> ChannelRejected:
    with pytest.raises(ChannelRejected) as found:
        guard.admit(call, scope)
    return found.value


def test_a_configuration_fault_rests_its_account_only(guard):
    guard.note(fault(Action.CONFIG, 95017), "send", "wk")
    stopped = refused(guard)
    assert (stopped.errcode, stopped.action, stopped.reason) == (95017, Action.CONFIG, "channel_stopped")
    assert stopped.retry_after == 60
    guard.admit("send", "wk_other")
    assert [stop.scope for stop in guard.stops] == ["wk"]


def test_after_the_rest_one_trial_passes(guard, clock):
    guard.note(fault(Action.CONFIG), "send", "wk")
    clock.now += 60
    guard.admit("send", "wk")
    refused(guard)  # the second caller waits for the trial's end
    guard.succeeded("send", "wk")
    guard.admit("send", "wk")
    assert guard.stops == ()


def test_an_operator_ends_a_rest(guard):
    guard.note(fault(Action.CONFIG), "send", "wk")
    guard.resume("wk")
    guard.admit("send", "wk")
    guard.note(fault(Action.RATE), "send", "wk")
    guard.resume()
    guard.admit("send", "wk")


def test_a_rate_limit_pauses_the_call_a_minute_then_an_hour(guard, clock):
    first = fault(Action.RATE, 45009)
    guard.note(first, "send", "wk")
    assert first.retry_after == 60
    assert refused(guard, scope="wk_other").action is Action.RATE
    guard.admit("sync", "wk")
    clock.now += 60
    guard.admit("send", "wk")
    second = fault(Action.RATE, 45009)
    guard.note(second, "send", "wk")
    assert second.retry_after == 3600


def test_a_success_after_the_pause_forgets_it(guard, clock):
    guard.note(fault(Action.RATE), "send", "wk")
    guard.succeeded("send", "wk")  # a call that was under way: the pause stands
    refused(guard)
    clock.now += 60
    guard.succeeded("send", "wk")
    again = fault(Action.RATE)
    guard.note(again, "send", "wk")
    assert again.retry_after == 60


def test_our_own_pace_is_capped_per_call(clock):
    guard = Guard(clock, per_minute=3)
    for _ in range(3):
        guard.admit("send", "wk")
    over = refused(guard)
    assert (over.action, over.errcode, over.retry_after) == (Action.RATE, None, 60)
    guard.admit("sync", "wk")
    clock.now += 60
    guard.admit("send", "wk")


@pytest.mark.parametrize("action", [a for a in Action if a not in (Action.CONFIG, Action.RATE)])
def test_other_refusals_concern_one_message(guard, action):
    guard.note(fault(action), "send", "wk")
    guard.admit("send", "wk")


def test_a_refused_secret_rests_for_an_hour(guard, clock):
    guard.note(fault(Action.CONFIG, 40001), "gettoken", "gettoken")
    clock.now += 3599
    refused(guard, "gettoken", "gettoken")
    clock.now += 1
    guard.admit("gettoken", "gettoken")


def test_our_pace_says_how_long_to_wait(clock):
    guard = Guard(clock, per_minute=2, rests=None)
    guard.admit("send", "wk")
    clock.now += 45
    guard.admit("send", "wk")
    assert refused(guard).retry_after == 15
    clock.now += 15
    guard.admit("send", "wk")
    assert refused(guard).retry_after == 45
