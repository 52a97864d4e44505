"""Every sender passes the same cases."""

from dataclasses import dataclass

import pytest

from outbound.errors import PermitRefused
from outbound.memory import MemorySender
from outbound.outcome import Accepted, Unknown, Unreachable
from outbound.sender import Sender
from outbound.simulator.app import Simulator
from outbound.wecom.sender import WeComSender
from tests.outbound.contract import CASES
from tests.outbound.kit import CUSTOMER, NOW, message, permit_for


@dataclass
class MemoryBench:
    sender: MemorySender

    def arrived(self) -> list[str]:
        return [sent.text for sent in self.sender.sent]

    def calls(self) -> int:
        return len(self.sender.sent)


@dataclass
class WeComBench:
    sender: Sender
    sim: Simulator

    def arrived(self) -> list[str]:
        return self.sim.world.arrived(CUSTOMER)

    def calls(self) -> int:
        return sum(self.sim.world.calls.values())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_memory_sender(case):
    case(MemoryBench(MemorySender()))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_wecom_sender_over_http(case, sim, sender):
    sim.people.says(CUSTOMER, "在吗")
    case(WeComBench(sender, sim))


def test_memory_sender_gives_planned_outcomes_and_no_delivery():
    memory = MemorySender()
    memory.plan(Unknown("lost"), Unreachable("no line"))
    sent = message()
    outcomes = [memory.send(sent, permit_for(sent), NOW) for _ in range(3)]
    assert [type(outcome) for outcome in outcomes] == [Unknown, Unreachable, Accepted]
    assert memory.sent == [sent]
    assert not MemorySender.creates_delivery
    assert WeComSender.creates_delivery


def test_no_permit_fits_a_text_that_is_no_unicode():
    memory = MemorySender()
    broken = message("坏\ud800")
    with pytest.raises(PermitRefused, match="Unicode"):
        memory.send(broken, permit_for(message()), NOW)
