"""verify() runs all checks over one case, adds them up, and says so when it cannot."""

import logging
from dataclasses import replace

import pytest

import verifier.verify as module
from planner.reading import MAX_TEXT
from planner.slots import SlotQuestion
from planner.turn import Citation
from tests.verifier.cases import plan_of, reading_of
from verifier.claims import Claim, Facts, Located, Status, Via
from verifier.consistency import Contradiction
from verifier.registry import CHECKS, Check
from verifier.verdict import Finding, Judged, Unavailable

CONTRACT = (
    ("fact_evidence", 14, True),
    ("evidence_freshness", 6, True),
    ("consistency", 8, True),
    ("slot_repeat", 12, True),
    ("human_handoff", 14, True),
    ("promise_limits", 8, True),
    ("internal_leak", 8, True),
    ("privacy", 6, True),
    ("answers_question", 8, False),
    ("sentence_budget", 4, False),
    ("question_limit", 4, False),
    ("advice_limit", 2, False),
    ("tone", 4, False),
    ("channel_format", 2, True),
)


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Nothing asserted, nothing asked: each test says otherwise for what it is about."""
    monkeypatch.setattr(module, "check_facts", lambda *_: Facts())
    monkeypatch.setattr(module, "find_contradictions", lambda *_: ())
    monkeypatch.setattr(module, "slot_questions", lambda text, pack: ())
    monkeypatch.setattr(module, "asks_again", lambda reading, question, known: question.slot in known)
    return monkeypatch


def _claim(status: Status, quote: str = "有电梯") -> Claim:
    return Claim(quote, 0, len(quote), "predicate", status, "said in words", Via.READ, "r1", (Located("c1", "有电梯"),))


def test_registry_is_the_contract() -> None:
    """Ids, weights and hard flags are the contract's, in its order."""
    assert tuple((c.id, c.weight, c.hard) for c in CHECKS) == CONTRACT


def test_good_draft_passes() -> None:
    verdict = module.verify(reading_of("有的，带电梯", "有电梯吗"), plan_of())
    assert isinstance(verdict, Judged)
    assert (verdict.score, verdict.passed, verdict.status, verdict.failed) == (100, True, "pass", ())


@pytest.mark.parametrize("status", [Status.CONTRADICTED, Status.UNSUPPORTED])
def test_unbacked_claim_fails_hard(quiet: pytest.MonkeyPatch, status: Status) -> None:
    """No total outweighs a failed hard check, and the fix is concrete."""
    quiet.setattr(module, "check_facts", lambda *_: Facts((_claim(status),)))
    verdict = module.verify(reading_of("有电梯", "有电梯吗"), plan_of())
    assert isinstance(verdict, Judged)
    assert (verdict.score, verdict.passed, verdict.hard_failures) == (86, False, ("fact_evidence",))
    assert verdict.fix_actions
    assert verdict.fix_actions[0].target == "有电梯"


def test_stale_claim_fails_freshness_alone(quiet: pytest.MonkeyPatch) -> None:
    quiet.setattr(module, "check_facts", lambda *_: Facts((_claim(Status.STALE),)))
    verdict = module.verify(reading_of("有电梯", "有电梯吗"), plan_of())
    assert isinstance(verdict, Judged)
    assert verdict.failed == ("evidence_freshness",)


def test_false_grounding_fails(quiet: pytest.MonkeyPatch) -> None:
    quiet.setattr(module, "check_facts", lambda *_: Facts((), ("c9: no such evidence",)))
    verdict = module.verify(reading_of("有电梯", "有电梯吗"), plan_of())
    assert isinstance(verdict, Judged)
    assert verdict.failed == ("fact_evidence",)


def test_contradiction_fails(quiet: pytest.MonkeyPatch) -> None:
    found = (Contradiction("有人住", "against 空着", 3, 6),)
    quiet.setattr(module, "find_contradictions", lambda *_: found)
    verdict = module.verify(reading_of("空着，有人住", "有人住吗"), plan_of())
    assert isinstance(verdict, Judged)
    assert verdict.failed == ("consistency",)
    logic = verdict.dimensions["logicConsistency"]
    assert logic is not None
    assert logic.score < 1


def test_repeated_slot_fails(quiet: pytest.MonkeyPatch) -> None:
    quiet.setattr(module, "slot_questions", lambda text, pack: (SlotQuestion("budget", 0, 6),))
    reading = reading_of("您预算多少呢", "帮我找找")
    verdict = module.verify(reading, plan_of(slots={"budget": "三百万"}))
    assert isinstance(verdict, Judged)
    assert verdict.failed == ("slot_repeat",)
    assert [(a.slot, a.quote, a.already_known) for a in verdict.slot_questions] == [("budget", "您预算多少呢", True)]
    fresh = module.verify(reading, plan_of())
    assert isinstance(fresh, Judged)
    assert fresh.passed


def test_soft_failures_warn() -> None:
    verdict = module.verify(reading_of("有的\n电梯有\n车位有\n绿化好", "有电梯吗"), plan_of())
    assert isinstance(verdict, Judged)
    assert (verdict.score, verdict.passed, verdict.status) == (96, True, "warn")
    assert module.verify(reading_of("有的\n电梯有\n车位有\n绿化好", "有电梯吗"), plan_of(), 97) == replace(
        verdict, passed=False
    )


@pytest.mark.parametrize(
    ("draft", "human", "flag", "want"),
    [
        ("有的", "", False, False),
        ("有的", "", True, True),
        ("有的", "pricing", False, True),
        ("这就给您转人工", "", False, True),
        ("需要的话可以给您转人工", "", False, False),
    ],
)
def test_requires_human_only_goes_up(draft: str, human: str, flag: bool, want: bool) -> None:
    verdict = module.verify(reading_of(draft, "有电梯吗", requires_human=flag), plan_of(human=human))
    assert isinstance(verdict, Judged)
    assert verdict.requires_human is want


def test_a_check_that_raises_is_unavailable(caplog: pytest.LogCaptureFixture) -> None:
    """Never a pass, never a fail, logged once."""

    def broken(case: object) -> Finding:
        raise RuntimeError("broken")

    checks = (*CHECKS[:3], Check("tone", 4, False, broken), *CHECKS[4:])
    with caplog.at_level(logging.ERROR):
        verdict = module.verify(reading_of("有的", "有电梯吗"), plan_of(), checks=checks)
    assert isinstance(verdict, Unavailable)
    assert "tone" in verdict.reason
    assert len(caplog.records) == 1


def test_a_reader_that_raises_is_unavailable(quiet: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> Facts:
        raise ZeroDivisionError

    quiet.setattr(module, "check_facts", broken)
    assert isinstance(module.verify(reading_of("有的", "有电梯吗"), plan_of()), Unavailable)


@pytest.mark.parametrize("text", ["一" * (MAX_TEXT + 1), "有\ud83d的"])
def test_what_cannot_be_read_is_unavailable(text: str) -> None:
    assert isinstance(module.verify(reading_of(text, "有电梯吗"), plan_of()), Unavailable)


def test_no_draft_and_endless_sources_are_unavailable() -> None:
    reading = reading_of("有的", "有电梯吗")
    bare = replace(reading, turn=replace(reading.turn, draft=None))
    assert isinstance(module.verify(bare, plan_of()), Unavailable)
    assert reading.turn.draft is not None
    long = replace(reading.turn.draft, citations=(Citation("c1", "字" * (module.MAX_SOURCES + 1)),))
    assert isinstance(module.verify(replace(reading, turn=replace(reading.turn, draft=long)), plan_of()), Unavailable)


def test_dimensions_are_computed(quiet: pytest.MonkeyPatch) -> None:
    """Half the facts backed is less than half the support; nothing asserted is no support at all, not zero."""
    quiet.setattr(
        module, "check_facts", lambda *_: Facts((_claim(Status.SUPPORTED), _claim(Status.UNSUPPORTED, "有车位")))
    )
    half = module.verify(reading_of("有电梯，有车位", "有电梯吗"), plan_of())
    quiet.setattr(module, "check_facts", lambda *_: Facts((_claim(Status.SUPPORTED),)))
    whole = module.verify(reading_of("有电梯", "有电梯吗"), plan_of())
    quiet.setattr(module, "check_facts", lambda *_: Facts())
    none = module.verify(reading_of("我查一下", "有电梯吗"), plan_of())
    assert isinstance(half, Judged)
    assert isinstance(whole, Judged)
    assert isinstance(none, Judged)
    support = half.dimensions["factSupport"]
    assert support is not None
    assert support.score == 0.25  # half the mean, half the weakest
    assert none.dimensions["factSupport"] is None
    assert half.confidence is not None
    assert whole.confidence == 1.0
    assert half.confidence < whole.confidence
    assert (whole.band, half.band) == ("high", "middle")


def test_the_scene_weighs_the_dimensions(quiet: pytest.MonkeyPatch) -> None:
    """In a pricing turn facts weigh more than in a complaint (the pack's weights)."""
    quiet.setattr(module, "check_facts", lambda *_: Facts((_claim(Status.UNSUPPORTED),)))
    pricing, complaint = (
        module.verify(reading_of("这就给您转人工", "有电梯吗", requires_human=True), plan_of(human=scene))
        for scene in ("pricing", "complaint")
    )
    assert isinstance(pricing, Judged)
    assert isinstance(complaint, Judged)
    assert pricing.confidence is not None
    assert complaint.confidence is not None
    assert pricing.confidence < complaint.confidence
    assert (pricing.band, complaint.band) == ("low", "middle")


def test_an_unbacked_claim_is_told_how_to_be_grounded(quiet: pytest.MonkeyPatch) -> None:
    quiet.setattr(module, "check_facts", lambda *_: Facts((_claim(Status.UNSUPPORTED),)))
    verdict = module.verify(reading_of("有电梯", "有电梯吗"), plan_of())
    assert isinstance(verdict, Judged)
    step = verdict.fix_actions[0]
    assert (step.type, step.check_id) == ("ground_claim", "fact_evidence")
    assert '"quote": "有电梯"' in step.detail
