"""question_limit at a stage: one question at a time, and none that belongs to a later stage."""

import pytest

from planner.pack import load_pack
from planner.plan import plan
from planner.reading import Reading, read_turn
from planner.turn import Draft
from tests.planner.test_playbook import SCHOOL
from tests.planner.turns import reading
from verifier.verdict import CheckResult, Judged
from verifier.verify import verify


def judged(turn: Reading) -> CheckResult:
    verdict = verify(turn, plan(turn))
    assert isinstance(verdict, Judged)
    return next(result for result in verdict.results if result.id == "question_limit")


@pytest.mark.parametrize(
    ("stage", "said", "draft", "passed"),
    [
        ("first_contact", "想买套房", "您预算大概多少？", True),
        ("first_contact", "想买套房", "您预算大概多少？想看哪个区域？", False),
        (None, "想买套房", "您预算大概多少？想看哪个区域？", True),
        ("no_such_stage", "想买套房", "您预算大概多少？想看哪个区域？", True),
        ("first_contact", "想买套房", "您打算全款还是贷款？", False),
        ("negotiation", "我再想想", "您打算全款还是贷款？", True),
        (None, "想买套房", "您打算全款还是贷款？", True),
        ("first_contact", "想买套房", "麻烦告诉我首付准备了多少。", False),
        ("first_contact", "全款和贷款有什么讲究", "您打算全款还是贷款？", True),
        ("viewing", "那套挺好", "您哪天方便过来看房？", True),
        ("matching", "那套挺好", "您哪天方便过来看房？", False),
        ("after_sale", "钥匙拿到了", "您贵姓？", True),
        ("after_sale", "钥匙拿到了", "您预算大概多少？", False),
        ("first_contact", "想买套房", "好的，我先帮您看看。", True),
    ],
)
def test_homes(stage: str | None, said: str, draft: str, passed: bool) -> None:
    """A named stage asks one thing at a time, and only its own, save for what the customer brought up."""
    assert judged(reading(f"c:{said}", draft=draft, stage=stage)).passed is passed


@pytest.mark.parametrize(
    ("stage", "draft", "passed"),
    [
        ("first_contact", "您想看什么车型？", True),
        ("first_contact", "您想上哪里的牌？", False),
        ("matching", "您想上哪里的牌？", True),
        ("viewing", "您预算大概多少？", False),
    ],
)
def test_cars(stage: str, draft: str, passed: bool) -> None:
    """The other trade's stages hold in the same way."""
    assert judged(reading("c:想买台车", draft=draft, pack="used_car", stage=stage)).passed is passed


@pytest.mark.parametrize(
    ("stage", "draft", "passed"),
    [("first_contact", "您学手动还是自动？", True), ("enrolment", "您学手动还是自动？", False)],
)
def test_a_third_trade(stage: str, draft: str, passed: bool) -> None:
    """In data alone."""
    turn = reading("c:想报名", draft=draft, stage=stage).turn
    assert judged(read_turn(turn, load_pack(SCHOOL))).passed is passed


def test_the_fix_names_the_question_and_what_may_be_asked() -> None:
    """One step for each question that comes too early, at its own words."""
    result = judged(reading("c:想买套房", draft="好的。您打算全款还是贷款？", stage="viewing"))
    (step,) = result.finding.fixes
    assert (step.type, step.check_id, step.target) == ("drop_question", "question_limit", "您打算全款还是贷款")
    assert "viewing_time" in step.detail
    assert "not yet at stage viewing" in result.finding.detail


def test_it_is_a_soft_failure() -> None:
    """A question too early is a warning, no reason to stop a reply by itself."""
    turn = reading("c:想买套房", draft="您打算全款还是贷款？", stage="first_contact")
    verdict = verify(turn, plan(turn))
    assert isinstance(verdict, Judged)
    assert verdict.failed == ("question_limit",)
    assert verdict.passed
    assert verdict.status == "warn"


def test_a_stage_that_sends_everything_to_people_says_so(tmp_path) -> None:
    """The handoff check names the stage when nothing else is the reason."""
    path = tmp_path / "pack.yaml"
    path.write_text(
        f"name: x\ninclude: ['{SCHOOL}']\nstagePlaybook: [{{id: dispute, goal: g, alwaysHuman: ['*']}}]\n", "utf-8"
    )
    turn = reading("c:练车要带水吗", stage="dispute").turn
    held = read_turn(turn.__class__(turn.id, turn.now, turn.conversation, Draft("要带的。"), None), load_pack(path))
    verdict = verify(held, plan(held))
    assert isinstance(verdict, Judged)
    assert "human_handoff" in verdict.hard_failures
    assert any("stage dispute needs a person" in r.finding.detail for r in verdict.results)
