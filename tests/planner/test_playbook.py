"""The playbook: a named stage limits what a reply may be, only ever more strictly; its follow-ups come in order."""

from pathlib import Path

import pytest

from planner.pack import load_pack
from planner.pack_check import check_pack
from planner.plan import Limits, Move, plan
from planner.playbook import Stage, named_stage, stage_of, stages
from planner.reading import read_turn
from tests.planner.turns import reading

SCHOOL = Path(__file__).parent / "driving_school" / "pack.yaml"
SHIPPED = ("property", "used_car")
NAMES = ("first_contact", "matching", "viewing", "negotiation", "after_sale")


def school(*said: str, stage: str | None = None):
    return plan(read_turn(reading(*said, stage=stage).turn, load_pack(SCHOOL)))


@pytest.mark.parametrize("pack", SHIPPED)
def test_the_shipped_stages(pack: str) -> None:
    """Five stages in the order of a sale, each with a goal, its own slots and one question at a time."""
    found = stages(load_pack(pack))
    assert tuple(stage.id for stage in found) == NAMES
    for stage in found:
        assert stage.goal
        assert stage.slots
        assert stage.questions == 1
        assert Move.ASK_MULTIPLE_SLOTS in stage.forbid
        assert all(touch.ask for touch in stage.follow_ups)


@pytest.mark.parametrize("pack", SHIPPED)
@pytest.mark.parametrize("stage", NAMES)
@pytest.mark.parametrize("said", ["几楼的", "在吗", "能便宜点吗", "我要投诉", "给我转人工"])
def test_a_stage_only_makes_stricter(pack: str, stage: str, said: str) -> None:
    """Naming a stage raises no limit, allows no move and spares no person."""
    free, held = plan(reading(f"c:{said}", pack=pack)), plan(reading(f"c:{said}", pack=pack, stage=stage))
    assert held.stage == stage
    for name in ("sentences", "questions", "advice"):
        assert getattr(held.limits, name) <= getattr(free.limits, name)
    assert set(free.forbidden_moves) <= set(held.forbidden_moves)
    assert held.requires_human >= free.requires_human
    assert held.risks == free.risks


def test_limits_and_moves_of_the_stage() -> None:
    """They join those of the manners: the smaller limit, all the moves."""
    held = plan(reading("c:几楼的", stage="negotiation"))
    assert held.limits == Limits(4, 1, 0)
    assert {Move.PROMISE_REAL_WORLD_ACTION, Move.PREMATURE_ADVICE, Move.LECTURE} <= set(held.forbidden_moves)
    greeted = plan(reading("c:在吗", stage="viewing"))
    assert greeted.limits == Limits(2, 1, 0)


@pytest.mark.parametrize(("stage", "flagged"), [(None, False), ("viewing", False), ("veiwing", True), ("", True)])
def test_a_stage_that_the_pack_lacks_is_told(stage: str | None, flagged: bool) -> None:
    """A slip of the pen is seen in the flags; such a turn is held to the manners alone, as one without a stage."""
    made, free = plan(reading("c:几楼的", stage=stage)), plan(reading("c:几楼的"))
    assert ("unknown_stage" in made.flags) is flagged
    if stage != "viewing":
        assert (made.limits, made.forbidden_moves, made.askable) == (free.limits, free.forbidden_moves, None)
        assert made.stage == "first_contact"


@pytest.mark.parametrize(
    ("said", "may", "may_not"),
    [
        (["c:几楼的"], {"viewing_time", "contact", "name"}, {"budget", "payment_method"}),
        (["c:老房子好卖吗", "a:看地段", "c:预算这块我还没想好"], {"viewing_time", "budget"}, {"old_house_sale"}),
        (["c:我预算三百万", "a:好的", "c:几楼的"], {"viewing_time", "budget"}, {"payment_method"}),
    ],
)
def test_what_a_stage_may_ask_for(said: list[str], may: set[str], may_not: set[str]) -> None:
    """Its own slots, what the customer speaks of now, and details of what is known."""
    askable = plan(reading(*said, stage="viewing")).askable
    assert askable is not None
    assert may <= askable
    assert not may_not & askable


def test_who_asks_to_see_a_home_may_be_asked_when() -> None:
    """A tagged scenario that books something opens its slot at any stage."""
    before, after = (
        plan(reading(f"c:{said}", stage="first_contact")).askable for said in ("几楼的", "能去现场看看房子吗")
    )
    assert "viewing_time" not in (before or ())
    assert "viewing_time" in (after or ())


def test_a_stage_sends_relaxed_scenarios_to_people() -> None:
    """`alwaysHuman` takes back here what the pack allows elsewhere; other scenarios stay as they are."""
    assert not school("c:科目二什么时候考").requires_human
    assert not school("c:科目二什么时候考", stage="first_contact").requires_human
    assert school("c:科目二什么时候考", stage="enrolment").requires_human
    assert not school("c:练车要带水吗", stage="enrolment").requires_human


def test_a_stage_may_send_everything_to_people(tmp_path: Path) -> None:
    """`*` is every reply, whatever it is about."""
    pack = tmp_path / "pack.yaml"
    pack.write_text(
        f"name: x\ninclude: ['{SCHOOL}']\nstagePlaybook:\n  - {{id: dispute, goal: 交给同事, alwaysHuman: ['*']}}\n",
        encoding="utf-8",
    )
    made = plan(read_turn(reading("c:练车要带水吗", stage="dispute").turn, load_pack(pack)))
    assert made.requires_human
    assert made.askable is None
    assert check_pack(pack) == check_pack(SCHOOL)


def test_without_a_playbook(tmp_path: Path) -> None:
    """No stages: nothing is at a stage, and a named one is unknown."""
    pack = tmp_path / "pack.yaml"
    pack.write_text("name: bare\n", encoding="utf-8")
    bare = load_pack(pack)
    assert stage_of(bare, "viewing") is None
    made = plan(read_turn(reading("c:你好", stage="viewing").turn, bare))
    assert (made.stage, made.askable, made.flags) == (None, None, ("unknown_stage",))


def test_names() -> None:
    """A name is found as it is written; `stage_of` begins at the beginning."""
    pack = load_pack("property")
    assert named_stage(pack, "Viewing") is None
    assert isinstance(stage_of(pack, "Viewing"), Stage)
    assert stage_of(pack, "Viewing") == stages(pack)[0]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("{id: a, goal: g, slots: [colour, size]}", "stagePlaybook[a].slots: the pack has no slot 'size'"),
        ("{id: a, goal: g, alwaysHuman: [price]}", "stagePlaybook[a].alwaysHuman: the pack has no scenario 'price'"),
        ("{id: a, goal: g, forbid: [hurry]}", "stagePlaybook[a].forbid.0"),
        ("{id: a, goal: g, questions: -1}", "stagePlaybook[a].questions"),
        ("{id: a, goal: g, maxQuestions: 1}", "stagePlaybook[a].maxQuestions"),
        ("{id: a}", "stagePlaybook[a].goal"),
        ("{id: a, goal: g, followUps: [{afterHours: 50, ask: x}]}", "stagePlaybook[a].followUps.0.afterHours"),
    ],
)
def test_a_wrong_stage_is_named(tmp_path: Path, row: str, problem: str) -> None:
    """`draftgate pack check` names stage and field."""
    path = tmp_path / "pack.yaml"
    path.write_text(
        f"name: x\nslots: [{{id: colour}}]\nscenarios: [{{id: pricing}}]\nstagePlaybook: [{row}]\n", encoding="utf-8"
    )
    assert any(line.startswith(problem) for line in check_pack(path)), check_pack(path)
