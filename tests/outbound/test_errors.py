import json

import pytest

from outbound.errors import TABLE, Action, ChannelRejected, ChannelUnreachable, OutcomeUnknown, SyncStalled, rule_for
from outbound.outcome import Rejected, Unknown, Unreachable, outcome_of, reason_for


@pytest.mark.parametrize("row", json.loads(TABLE.read_text("utf-8")), ids=lambda row: str(row["errcode"]))
def test_every_listed_code_has_its_action(row):
    rule = rule_for(row["errcode"])
    assert rule.action == {"giveup": "payload"}.get(row["action"], row["action"])
    assert rule.meaning == row["meaning"]
    assert not rule.alert


@pytest.mark.parametrize("errcode", [1, -2, 99999, 95099, 40002])
def test_an_unlisted_code_is_refused_for_good_and_alarms(errcode):
    rule = rule_for(errcode)
    assert rule.action is Action.PAYLOAD
    assert rule.alert


@pytest.mark.parametrize(
    ("errcode", "action", "reason"),
    [
        (95001, Action.REOPEN, "quota_used"),
        (95002, Action.REOPEN, "window_closed"),
        (95031, Action.REOPEN, "window_closed"),
        (60020, Action.CONFIG, "channel_stopped"),
        (45009, Action.RATE, "rate_limited"),
        (95016, Action.HANDOFF, "channel_handoff_failed"),
        (40201, Action.HUMAN, "channel_refused"),
        (40096, Action.PAYLOAD, "channel_rejected"),
        (-1, Action.RETRY, "channel_busy"),
        (95007, Action.RESYNC, "resync"),
    ],
)
def test_refusals_become_hold_reasons(errcode, action, reason):
    assert rule_for(errcode).action is action
    assert reason_for(errcode, action) == reason


def test_faults_become_values():
    refused = ChannelRejected(7, Action.RATE, reason="r", detail="d", retry_after=3.0, alert=True)
    assert outcome_of(refused) == Rejected(7, Action.RATE, "r", "d", 3.0, alert=True)
    assert outcome_of(ChannelUnreachable("no line")) == Unreachable("no line")
    assert outcome_of(OutcomeUnknown("lost")) == Unknown("lost")
    stalled = outcome_of(SyncStalled("stands still"))
    assert isinstance(stalled, Rejected)
    assert (stalled.reason, stalled.alert) == ("sync_stalled", True)
