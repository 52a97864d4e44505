"""Whatever cannot be judged is held for a person: planning that breaks, checks that break, packs that are broken."""

import pytest

from gateway.evaluate import warm_up
from gateway.packs import PackShelf
from planner.pack import PackError
from tests.gateway.desk import refused
from verifier.registry import CHECKS


def test_a_turn_that_cannot_be_planned_is_held(desk, monkeypatch):
    """No plan, no pass: the draft is stored and waits, with null quality."""

    def boom(_reading):
        raise ZeroDivisionError

    monkeypatch.setattr("gateway.evaluate.plan", boom)
    desk.says("小区人车分流吗")
    answer = desk.post_good()
    assert (answer["state"], answer["fallbackReason"], answer["qualityScore"]) == ("held", "quality_unavailable", None)
    assert (answer["requiresHuman"], answer["flags"]) == (True, ["plan_unavailable"])
    desk.carry()
    assert desk.arrived == []
    refused(lambda: desk.approve(answer["draftId"]), "quality_unavailable")


@pytest.mark.parametrize("index", range(len(CHECKS)), ids=[c.id for c in CHECKS])
def test_a_check_that_raises_is_never_a_pass(desk, monkeypatch, index):
    """Each of the fourteen, alone, makes the verdict unavailable."""
    from dataclasses import replace

    def boom(_case):
        raise ValueError("broken")

    broken = tuple(replace(c, run=boom) if i == index else c for i, c in enumerate(CHECKS))
    import verifier.verify as module

    real = module.verify
    monkeypatch.setattr("gateway.evaluate.verify", lambda r, p, s=90: real(r, p, s, broken))
    desk.says("小区人车分流吗")
    answer = desk.post_good()
    assert (answer["state"], answer["fallbackReason"], answer["qualityPassed"]) == ("held", "quality_unavailable", None)


def test_the_send_entry_sees_what_breaks_later(desk, monkeypatch):
    """A draft that passed is held when it can no longer be checked at the door."""
    desk.says("小区人车分流吗")
    draft = desk.post_good()["draftId"]

    def boom(_reading):
        raise ZeroDivisionError

    monkeypatch.setattr("gateway.evaluate.plan", boom)
    desk.carry()
    assert desk.arrived == []
    assert desk.draft(draft)["state"] == "held"


def test_what_the_send_entry_cannot_judge_stops_nobody_else(desk, monkeypatch):
    """An error while deciding again holds that message; the next conversation's answer still leaves."""
    from gateway import send_entry

    desk.conversation("c-2")
    for cid in ("c-1", "c-2"):
        desk.says("小区人车分流吗", cid)
    broken, fine = desk.post_good("c-1")["draftId"], desk.post_good("c-2")["draftId"]
    real = send_entry.evaluate_turn

    def evaluate(turn, *rest, **named):
        if turn.conversation.id == "c-1":
            raise RuntimeError("the pack is gone")
        return real(turn, *rest, **named)

    monkeypatch.setattr(send_entry, "evaluate_turn", evaluate)
    desk.carry()
    assert [m.recipient for m in desk.channel.sent] == ["wm_c-2"]
    assert (desk.draft(broken)["state"], desk.draft(fine)["state"]) == ("held", "sent")
    assert "quality_unavailable" in desk.draft(broken)["holdReasons"]


def test_a_broken_pack_stops_the_start(tmp_path):
    """A row with an unknown field is found before the first customer."""
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "pack.yaml").write_text("name: mine\nslot_topics:\n  - {id: x, surprise: 1}\n", "utf-8")
    with pytest.raises(PackError, match=r"slot_topics\[x\]"):
        warm_up(PackShelf(tmp_path))


def test_the_built_in_packs_are_sound():
    """Both can be used from the first turn."""
    warm_up(PackShelf())
    assert PackShelf().names() == ["property", "used_car"]


@pytest.mark.parametrize(
    ("text", "source", "printed"),
    [
        ("这套挂牌价289万。", "松月里 5-1602 挂牌价312万，满五唯一。", "312万"),
        ("建筑面积102平。", "松月里 5-1602 建筑面积96.5㎡，套内81㎡。", "96.5㎡"),
        ("客厅朝北。", "松月里 5-1602 客厅朝南，南北通透。", "朝南"),
    ],
)
def test_a_contradictions_fix_lists_the_nearest_printed_values(desk, text, source, printed):
    """What to write instead stands in the detail of the claim's fix action, as the source prints it."""
    desk.says("这套介绍一下")
    answer = desk.post(text, citations=[{"id": "doc-1", "text": source, "subject": "松月里 5-1602"}])
    (claim,) = [c for c in answer["claims"] if c["status"] == "contradicted"]
    (step,) = [f for f in answer["fixActions"] if f["target"] == claim["quote"]]
    assert (step["type"], step["checkId"]) == ("correct_value", "fact_evidence")
    assert printed in step["detail"].partition("printed: ")[2]
