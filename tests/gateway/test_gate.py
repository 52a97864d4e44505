"""The decision table: a test walks its whole input space and lists exactly who is sent."""

from itertools import product

import pytest

from gateway.gate import Action, Mode, Situation, decide
from planner.plan import Level, Limits, ReplyPlan, Risk
from planner.turn import ChatType
from verifier.claims import Facts
from verifier.verdict import CheckResult, Finding, Judged, Metrics, Unavailable

FALLBACKS = {"", "quality_gate_failed", "rewrite_limit_reached", "requires_human", "quality_unavailable"}


def a_plan(*, human=False, risk=False, no_reply=False):
    risks = (Risk("viewing", Level.INFORM, "customer", "看房"),) if risk else ()
    return ReplyPlan("t", risks, (), human, no_reply, {}, Limits(3, 1, 1), (), None, "r1")


def judged(*, passed=True, human=False, band="high"):
    results = (CheckResult("fact_evidence", 14, True, Finding(passed, "facts")),)
    return Judged(
        score=100 if passed else 40,
        passed=passed,
        results=results,
        facts=Facts(),
        slot_questions=(),
        metrics=Metrics(1, 0, 0, 4, 12),
        dimensions={},
        confidence=0.9,
        band=band,
        fix_actions=(),
        requires_human=human,
        rules_version="r1",
    )


VERDICTS = {
    "unavailable": Unavailable("a check raised", "r1"),
    "failed": judged(passed=False),
    "failed, human": judged(passed=False, human=True),
    "passed, high": judged(),
    "passed, low": judged(band="low"),
    "passed, no band": judged(band=None),
    "passed, human": judged(human=True),
}
PLANS = {
    f"human={h} risk={r} no_reply={n}": a_plan(human=h, risk=r, no_reply=n)
    for h, r, n in product((False, True), repeat=3)
}
FLAGS = ("rewrite_used", "human_owns", "being_edited", "stale", "already_answered", "rewrite_spent", "unanswered")


def whole_space():
    for mode, chat, band in product(Mode, ChatType, (None, "middle", "high")):
        for values in product((False, True), repeat=len(FLAGS)):
            situation = Situation(mode, chat, **dict(zip(FLAGS, values, strict=True)), min_band=band)
            for (pn, plan), (vn, verdict), own in product(PLANS.items(), VERDICTS.items(), (False, True)):
                yield situation, pn, plan, vn, verdict, own


def test_exactly_these_inputs_are_sent():
    """Of the whole input space only a passed, person-free answer in a private chat under auto or autopilot leaves."""
    sent, seen = set(), 0
    for situation, plan_name, plan, verdict_name, verdict, own in whole_space():
        seen += 1
        decision = decide(plan, verdict, situation, draft_requires_human=own)
        if decision.action is Action.SEND:
            sent.add(
                (
                    str(situation.mode),
                    str(situation.chat_type),
                    situation.min_band,
                    plan_name,
                    verdict_name,
                    own,
                    tuple(getattr(situation, flag) for flag in FLAGS),
                )
            )
    free = "human=False risk={} no_reply={}"
    expected = set()
    for mode, unanswered in (("auto", True), ("autopilot", True), ("autopilot", False)):
        for band, verdicts in (
            (None, ("passed, high", "passed, low", "passed, no band")),
            ("middle", ("passed, high",)),
            ("high", ("passed, high",)),
        ):
            for verdict, rewritten in product(verdicts, (False, True)):
                # A relaxed scenario (risk without a person) may be answered; a message that needs no reply is not,
                # unless a relaxed risk says that it does.
                for risk, no_reply in ((False, False), (True, False), (True, True)):
                    expected.add(
                        (
                            mode,
                            "private",
                            band,
                            free.format(risk, no_reply),
                            verdict,
                            False,
                            (rewritten, False, False, False, False, False, unanswered),
                        )
                    )
    assert sent == expected
    assert seen == 3 * 2 * 3 * 128 * 8 * 7 * 2


def test_every_decision_is_well_formed():
    """Every input gets a state, a frozen fallback code, and null quality never looks like a pass."""
    for situation, _, plan, verdict_name, verdict, own in whole_space():
        decision = decide(plan, verdict, situation, draft_requires_human=own)
        assert decision.fallback_reason in FALLBACKS
        assert (decision.fallback_reason == "quality_unavailable") == (verdict_name == "unavailable")
        assert decision.state in {"queued", "awaiting_rewrite", "held", "no_reply"}
        if decision.action is Action.REWRITE:
            assert verdict_name.startswith("failed")
            assert not (situation.rewrite_used or situation.stale or situation.human_owns or situation.being_edited)


ROWS = [
    ("row 1", {}, {}, "unavailable", False, ("hold", "quality_unavailable", ())),
    ("row 2", {"no_reply": True}, {}, "passed, high", False, ("no_reply", "", ())),
    ("row 2, failed draft", {"no_reply": True}, {}, "failed", False, ("no_reply", "quality_gate_failed", ())),
    ("row 2 not with the agent's word", {"no_reply": True}, {}, "passed, high", True, ("hold", "requires_human", ())),
    ("row 3", {}, {"human_owns": True}, "failed", False, ("hold", "quality_gate_failed", ("human_owns",))),
    ("row 3, somebody writes", {}, {"being_edited": True}, "passed, high", False, ("hold", "", ("being_edited",))),
    (
        "row 3, two causes",
        {},
        {"stale": True, "already_answered": True},
        "passed, high",
        False,
        ("hold", "", ("stale", "already_answered")),
    ),
    (
        "row 3, spent",
        {},
        {"rewrite_spent": True, "rewrite_used": True},
        "failed",
        False,
        ("hold", "rewrite_limit_reached", ("rewrite_spent",)),
    ),
    ("row 4", {}, {}, "failed", False, ("rewrite", "quality_gate_failed", ())),
    ("row 4, risk too", {"human": True, "risk": True}, {}, "failed", False, ("rewrite", "quality_gate_failed", ())),
    ("row 5", {}, {"rewrite_used": True}, "failed", False, ("hold", "rewrite_limit_reached", ())),
    ("row 6", {"human": True, "risk": True}, {}, "passed, high", False, ("hold", "requires_human", ())),
    ("row 6, the text claims a handoff", {}, {}, "passed, human", False, ("hold", "requires_human", ())),
    ("row 7, group", {}, {"chat_type": ChatType.GROUP}, "passed, high", False, ("hold", "", ("group_chat",))),
    ("row 7, band", {}, {"min_band": "high"}, "passed, low", False, ("hold", "", ("low_band",))),
    ("row 8, review", {}, {"mode": Mode.REVIEW}, "passed, high", False, ("hold", "", ("review_mode",))),
    ("row 8, auto unasked", {}, {"unanswered": False}, "passed, high", False, ("hold", "", ("proactive",))),
    ("row 8, auto", {}, {}, "passed, high", False, ("send", "", ())),
    (
        "row 8, autopilot unasked",
        {},
        {"mode": Mode.AUTOPILOT, "unanswered": False},
        "passed, high",
        False,
        ("send", "", ()),
    ),
]


@pytest.mark.parametrize(("name", "plan", "situation", "verdict", "own", "expected"), ROWS, ids=[r[0] for r in ROWS])
def test_row(name, plan, situation, verdict, own, expected):
    """One row of the table, with its near misses."""
    given = Situation(**{"mode": Mode.AUTO, "chat_type": ChatType.PRIVATE} | situation)
    decision = decide(a_plan(**plan), VERDICTS[verdict], given, draft_requires_human=own)
    assert (str(decision.action), decision.fallback_reason, decision.hold_reasons) == expected


def test_one_line_of_the_code_says_send():
    """Exactly one place in the gate returns Send."""
    import inspect

    import gateway.gate as module

    source = inspect.getsource(module)
    assert source.count("Decision(Action.SEND") == 1
    assert source.count("Action.SEND") == 2  # that line and the state it leads to
