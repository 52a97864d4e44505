"""The document names what the code knows."""

from dataclasses import fields
from pathlib import Path

import pytest

from outbound.errors import Action
from outbound.simulator.app import Simulator
from outbound.simulator.callbacks import FATES
from outbound.simulator.faults import FaultKind
from outbound.simulator.knobs import Knobs
from outbound.wecom.events import FAIL_TYPES

TEXT = (Path(__file__).parents[2] / "docs" / "wecom.md").read_text("utf-8")


@pytest.mark.parametrize("knob", [field.name for field in fields(Knobs)])
def test_every_knob_is_described(knob):
    assert f"`{knob}`" in TEXT


@pytest.mark.parametrize("kind", list(FaultKind))
def test_every_fault_is_described(kind):
    assert f"| `{kind}` |" in TEXT


def test_every_control_action_call_and_fate_is_described():
    simulator = Simulator()
    assert all(f"| `{name}` |" in TEXT for name in simulator._actions())
    assert all(f"`{path}`" in TEXT for path in simulator.platform.calls)
    assert all(f"`{fate}`" in TEXT for fate in FATES)


@pytest.mark.parametrize("action", list(Action))
def test_every_action_is_described(action):
    assert f"| `{action}` |" in TEXT


def test_every_fail_type_has_a_place():
    told = " ".join(line.partition("fail_type ")[2] for line in TEXT.splitlines() if "fail_type " in line)
    numbers = {int(word) for word in told.replace(",", " ").replace("|", " ").split() if word.isdecimal()}
    assert set(FAIL_TYPES) <= numbers
