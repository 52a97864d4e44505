"""Cross replies in a group: a proposal is brought within the limits whatever it says."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.crossreply import MOST_CROSS_REPLIES, normalise

MEMBERS, PRIMARIES = ("a", "b", "c", "d"), ("a", "b")


def proposal(*pairs, enabled=True, **more):
    plans = [{"agentId": who, "respondToAgentId": whom, "angle": "more"} for who, whom in pairs]
    return {"enabled": enabled, "plans": plans, "reason": "why not"} | more


def kept(plan):
    return [(p.agent_id, p.respond_to) for p in plan.pairings]


@pytest.mark.parametrize(
    ("pairs", "kept_pairs", "why"),
    [
        ([("c", "a"), ("d", "b")], [("c", "a"), ("d", "b")], []),
        ([("a", "b"), ("b", "a")], [("a", "b"), ("b", "a")], []),
        ([("c", "c")], [], ["answers_itself"]),
        ([("a", "a"), ("c", "a")], [("c", "a")], ["answers_itself"]),
        ([("c", "a"), ("c", "b")], [("c", "a")], ["one_per_agent"]),
        ([("c", "a"), ("d", "c")], [("c", "a")], ["second_round"]),
        ([("c", "d")], [], ["no_primary_reply"]),
        ([("x", "a")], [], ["not_a_member"]),
        ([("c", "a"), ("d", "a"), ("b", "a")], [("c", "a"), ("d", "a")], ["limit"]),
        ([], [], []),
    ],
)
def test_pairs_within_the_limits(pairs, kept_pairs, why):
    plan = normalise(MEMBERS, PRIMARIES, proposal(*pairs))
    assert kept(plan) == kept_pairs
    assert [d.why for d in plan.dropped] == why
    assert plan.record()["enabled"] is bool(kept_pairs)


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        (None, []),
        ("c answers a", ["broken"]),
        ([], ["broken"]),
        ({"enabled": True, "plans": "c answers a"}, ["broken"]),
        ({"enabled": True, "plans": [1, None, {}, {"agentId": 1, "respondToAgentId": "a"}]}, ["broken"] * 4),
        ({"enabled": "yes", "plans": [{"agentId": "c", "respondToAgentId": "a"}]}, ["disabled"]),
        (proposal(("c", "a"), enabled=False), ["disabled"]),
        ({}, []),
    ],
)
def test_a_missing_or_broken_proposal_plans_nothing(broken, why):
    plan = normalise(MEMBERS, PRIMARIES, broken)
    assert plan.pairings == ()
    assert [d.why for d in plan.dropped] == why


names = st.sampled_from(["a", "b", "c", "d", "x", "", 7, None])
plans = st.lists(st.fixed_dictionaries({"agentId": names, "respondToAgentId": names}) | st.none() | st.text(max_size=3))


@settings(max_examples=80, deadline=None)
@given(plans, st.booleans())
def test_no_proposal_gets_past_the_limits(given_plans, enabled):
    """Nothing is lost either: each plan is kept or dropped with a reason."""
    plan = normalise(MEMBERS, PRIMARIES, {"enabled": enabled, "plans": given_plans})
    agents = [p.agent_id for p in plan.pairings]
    assert len(agents) == len(set(agents)) <= MOST_CROSS_REPLIES
    assert all(p.agent_id in MEMBERS and p.respond_to in PRIMARIES != p.agent_id for p in plan.pairings)
    assert all(p.agent_id != p.respond_to for p in plan.pairings)
    assert len(plan.pairings) + len(plan.dropped) == len(given_plans)
    assert all(d.why for d in plan.dropped)
