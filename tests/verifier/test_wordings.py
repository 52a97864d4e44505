"""Some seven hundred wordings of the text checks' kinds, and what must hold of them whatever is added."""

import time
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.plan import Move
from tests.verifier.cases import case_of, plan_of
from verifier.case import Case
from verifier.checks.human_handoff import human_handoff
from verifier.checks.internal_leak import internal_leak
from verifier.checks.privacy import privacy
from verifier.checks.promise_limits import promise_limits
from verifier.checks.tone import tone
from verifier.handoff import Act
from verifier.registry import CHECKS

WORDINGS = yaml.safe_load(Path(__file__).with_name("wordings.yaml").read_text(encoding="utf-8"))
RUN = {"promise_limits": promise_limits, "internal_leak": internal_leak, "privacy": privacy, "tone": tone}
MOVES = (
    Move.LECTURE,
    Move.INTENSE_FLIRT,
    Move.DIAGNOSE_USER,
    Move.TAKE_SIDES_AGGRESSIVELY,
    Move.PRESSURE_TO_DISCLOSE,
    Move.CLAIM_TO_BE_HUMAN,
)
HARMLESS = (
    "您好！",
    "感谢您的咨询。",
    "有问题随时找我。",
    "其他的我再核实一下回您。",
    "您看这样可以吗？",
    "Thank you!",
)


def _case(line: str, pack: str = "property", before: str = "", behind: str = "") -> Case:
    asked, _, said = line.rpartition(" → ")
    return case_of(before + said + behind, asked, pack=pack, plan=plan_of(moves=MOVES))


def _fails(check: str, line: str, before: str = "", behind: str = "") -> bool:
    """Whether a line fails in either trade."""
    return any(not RUN[check](_case(line, pack, before, behind)).passed for pack in ("property", "used_car"))


@pytest.mark.parametrize("check", RUN)
def test_wordings(check: str) -> None:
    assert [line for line in WORDINGS[check]["fails"] if not _fails(check, line)] == []
    assert [line for line in WORDINGS[check]["passes"] if _fails(check, line)] == []


def test_trained_reader_knows_its_lines() -> None:
    """Lines that only the trained reader finds; a few may slip, as they will outside."""
    lines = WORDINGS["tone"]["more_fails"]
    assert sum(_fails("tone", line) for line in lines) >= 0.9 * len(lines)


def test_harmless_lines_fail_no_text_check() -> None:
    """What is harmless to one check is harmless to every hard check."""
    checks = (*RUN.values(), human_handoff)
    lines = [line for check in RUN for line in WORDINGS[check]["passes"]]
    checks = tuple(c for c in checks if c is not tone)
    assert [(line, c.__name__) for line in lines for c in checks if not c(_case(line)).passed] == []


def test_handoff_wordings() -> None:
    for line in WORDINGS["human_handoff"]["no_claim"]:
        assert not _case(line).handoff_claimed, line
    for kind, act in (("done", Act.DONE), ("now", Act.NOW)):
        for line in WORDINGS["human_handoff"][kind]:
            assert act in {m.act for m in _case(line).handoffs}, line


@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_nothing_harmless_frees_a_fault(data: st.DataObject) -> None:
    """Append invariance: a greeting, a thank-you or a hedge elsewhere frees no caught line."""
    check = data.draw(st.sampled_from(sorted(RUN)))
    line = data.draw(st.sampled_from(WORDINGS[check]["fails"]))
    before, behind = data.draw(st.sampled_from(HARMLESS)), data.draw(st.sampled_from(HARMLESS))
    assert _fails(check, line, before, "。" + behind)


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_nothing_harmless_makes_an_offer_a_handoff(data: st.DataObject) -> None:
    line = data.draw(st.sampled_from(WORDINGS["human_handoff"]["no_claim"]))
    assert not _case(line, "property", data.draw(st.sampled_from(HARMLESS)), "。" + HARMLESS[0]).handoff_claimed


@pytest.mark.parametrize(
    "unit",
    ["一", "1", "[", "{{", "转给", "保证", "业主住", "a_", "you ", "138 ", "a@a.", "，", "😀", "\u200b", "肯定涨。"],
)
def test_hostile_text_is_linear(unit: str) -> None:
    """20,000 characters cost a bounded time and raise nothing; far more than the length would show."""
    times = []
    for size in (5_000, 20_000):
        case = _case((unit * size)[:size])
        began = time.process_time()
        for check in CHECKS:
            check.run(case)
        times.append(time.process_time() - began)
    assert times[1] < 10 * times[0] + 0.5


@settings(max_examples=80, deadline=None)
@given(text=st.text(alphabet=st.characters(codec="utf-8"), max_size=200), asked=st.text(max_size=40))
def test_any_text_gets_a_finding(text: str, asked: str) -> None:
    case = case_of(text, asked)
    assert all(check.run(case).detail for check in CHECKS)
