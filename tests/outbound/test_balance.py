"""Whatever happens on the way, the sums balance: what the customer has is what was accepted, or unknown."""

import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from outbound.outcome import Accepted, Outcome, Unknown, Unreachable
from outbound.simulator.run import serve
from outbound.simulator.world import ACCOUNT, SERVICER
from outbound.wecom.client import WeComClient
from outbound.wecom.sender import WeComSender
from tests.outbound.kit import NOW, message, permit_for

CUSTOMERS = ("wm_a", "wm_b")
FAULTS = [
    ("errcode", -1), ("errcode", 40014), ("errcode", 42001), ("errcode", 95001), ("errcode", 40201),
    ("http", 500), ("http_after", 502), ("not_json", 0), ("no_errcode", 0), ("no_msgid", 0),
    ("timeout_before", 0), ("timeout_after", 0),
]  # fmt: skip


def created(simulator) -> Counter[str]:
    talks = simulator.world.talks.values()
    return Counter(bubble.msgid for talk in talks for bubble in talk.bubbles if bubble.by == "api")


class Channel(RuleBasedStateMachine):
    """Random days of a channel; each message may be sent again with its id, by a person's wish."""

    def __init__(self) -> None:
        super().__init__()
        self.running = serve()
        self.simulator = self.running.simulator
        self.client = WeComClient(self.running.settings(read_timeout=0.06))
        self.sender = WeComSender(self.client)
        self.ends: dict[str, list[Outcome]] = {}
        self.number = 0

    def teardown(self) -> None:
        self.client.close()
        self.running.stop()

    @rule(customer=st.sampled_from(CUSTOMERS))
    def customer_writes(self, customer):
        self.simulator.people.says(customer, "在吗")

    @rule(customer=st.sampled_from(CUSTOMERS))
    def a_message_is_sent(self, customer):
        self.number += 1
        self._send(customer, self.number)

    @rule(customer=st.sampled_from(CUSTOMERS), data=st.data())
    def a_message_is_sent_again(self, customer, data):
        if self.number:
            self._send(customer, data.draw(st.integers(1, self.number)))

    @rule(fault=st.sampled_from(FAULTS), skip=st.integers(0, 1))
    def fate_plans(self, fault, skip):
        self.simulator.faults.plan(*fault, skip=skip)

    @rule()
    def tokens_end(self):
        self.simulator.expire_tokens()

    @rule(hours=st.sampled_from([1, 3, 49]))
    def time_passes(self, hours):
        self.simulator.world.advance(hours * 3600)

    @rule(customer=st.sampled_from(CUSTOMERS))
    def a_colleague_takes_and_ends(self, customer):
        self.simulator.people.takes(SERVICER, customer)
        self.simulator.people.ends(customer)

    @rule()
    def an_operator_resumes(self):
        self.client.guard.resume()

    def _send(self, customer: str, number: int) -> None:
        sent = message("周六可以看房。", f"out-{customer}-{number}", recipient=customer)
        outcome = self.sender.send(sent, permit_for(sent), NOW)
        self.ends.setdefault(sent.msgid, []).append(outcome)

    @invariant()
    def nothing_is_created_twice(self):
        assert all(count == 1 for count in created(self.simulator).values())

    @invariant()
    def what_exists_was_accepted_or_is_unknown(self):
        for msgid in created(self.simulator):
            assert any(isinstance(end, Accepted | Unknown) for end in self.ends[msgid])

    @invariant()
    def what_was_accepted_exists(self):
        there = created(self.simulator)
        for msgid, ends in self.ends.items():
            accepted = [end for end in ends if isinstance(end, Accepted)]
            assert len(accepted) <= there[msgid]


TestChannel = Channel.TestCase
TestChannel.settings = settings(
    max_examples=12, stateful_step_count=25, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


@pytest.mark.parametrize("seed", [1, 2])
def test_four_workers_under_faults_balance_to_the_message(running, sim, seed):
    chance = random.Random(seed)
    people = [f"wm_{number}" for number in range(40)]
    for customer in people:
        sim.people.says(customer, "你好")
    for _ in range(25):
        sim.faults.plan(*chance.choice([f for f in FAULTS if not f[0].startswith("timeout")]), skip=chance.randrange(6))
    sender = WeComSender(WeComClient(running.settings(read_timeout=1)))

    def work(customer: str) -> list[Outcome]:
        ends = []
        for number in range(3):
            sent = message("您好。", f"{customer}-{number}", recipient=customer)
            ends.append(sender.send(sent, permit_for(sent), NOW))
        return ends

    with ThreadPoolExecutor(4) as pool:
        ends = Counter(type(end) for found in pool.map(work, people) for end in found)
    there = created(sim)
    assert max(there.values()) == 1
    assert ends[Accepted] <= len(there) <= ends[Accepted] + ends[Unknown]
    assert ends.total() == 120
    assert ends[Unreachable] == 0
    assert sim.world.accounts[ACCOUNT].msgids == set(there)
    sender.close()
