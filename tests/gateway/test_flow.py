"""A posted draft: judged, decided, rewritten once at most, and held for a person whenever it cannot be sent."""

import pytest

from gateway.errors import Conflict
from gateway.tables import DraftText, InboxRow
from outbound.session import SessionState
from planner.turn import Role
from tests.gateway.desk import BAD, GOOD, GOOD_CITATION, HANDOFF, refused


def test_a_good_answer_is_sent_and_becomes_a_delivery(desk):
    """A passing draft travels to the channel and counts once."""
    desk.says("小区人车分流吗")
    answer = desk.post_good()
    assert (answer["state"], answer["action"], answer["fallbackReason"]) == ("queued", "send", "")
    desk.carry()
    assert desk.arrived == [GOOD]
    assert desk.deliveries()["count"] == 1
    assert desk.draft(answer["draftId"])["state"] == "sent"


@pytest.mark.parametrize("mode", ["review", "auto", "autopilot"])
def test_a_risk_turn_is_held_in_every_mode(make_desk, mode):
    """A complaint needs a person: nothing leaves, whatever the mode."""
    desk = make_desk()
    desk.account(mode=mode)
    desk.conversation()
    desk.says("我要投诉你们店")
    answer = desk.post(HANDOFF, requiresHuman=True)
    assert (answer["state"], answer["fallbackReason"]) == ("held", "requires_human")
    assert desk.talk().row.handoff_open
    desk.carry()
    assert desk.arrived == []


def test_review_mode_holds_what_passes(make_desk):
    """In review mode a person sees every draft."""
    desk = make_desk()
    desk.account(mode="review")
    desk.conversation()
    desk.says("小区人车分流吗")
    answer = desk.post_good()
    assert (answer["state"], answer["fallbackReason"], answer["holdReasons"]) == ("held", "", ["review_mode"])


def test_thanks_need_no_reply(desk):
    """Pure thanks are stored and evaluated, and nothing is sent."""
    desk.says("好的，谢谢啦")
    answer = desk.post("不客气。")
    assert (answer["state"], answer["action"]) == ("no_reply", "no_reply")
    desk.carry()
    assert desk.arrived == []


def test_one_rewrite_that_succeeds(desk):
    """The rewrite becomes version 2 of the same draft and is sent."""
    desk.says("小区人车分流吗")
    first = desk.post(BAD)
    assert (first["state"], first["fallbackReason"], first["rewriteCount"]) == (
        "awaiting_rewrite",
        "quality_gate_failed",
        0,
    )
    assert first["fixActions"]
    second = desk.rewrite(first["draftId"], GOOD, citations=[GOOD_CITATION])
    assert (second["draftId"], second["version"], second["rewriteCount"]) == (first["draftId"], 2, 1)
    assert second["state"] == "queued"
    desk.carry()
    assert desk.arrived == [GOOD]


def test_a_second_draft_for_the_failed_moment_is_the_rewrite(desk):
    """Posting again instead of calling rewrite uses the same one chance."""
    desk.says("小区人车分流吗")
    first = desk.post(BAD)
    second = desk.post(BAD + "真的。")
    assert (second["draftId"], second["version"], second["state"]) == (first["draftId"], 2, "held")
    assert second["fallbackReason"] == "rewrite_limit_reached"


def test_a_third_draft_is_held_even_if_it_passes(desk):
    """The moment's chance is spent: a further draft is new, counts 1 and waits for a person."""
    desk.says("小区人车分流吗")
    first = desk.post(BAD)
    desk.rewrite(first["draftId"], BAD)
    third = desk.post_good()
    assert third["draftId"] != first["draftId"]
    assert (third["state"], third["rewriteCount"], third["holdReasons"]) == ("held", 1, ["rewrite_spent"])
    desk.carry()
    assert desk.arrived == []


def test_a_second_rewrite_is_refused_and_kept(desk):
    """A draft has one rewrite; a late text is history."""
    desk.says("小区人车分流吗")
    first = desk.post(BAD)
    desk.rewrite(first["draftId"], BAD)
    again = desk.rewrite(first["draftId"], GOOD, citations=[GOOD_CITATION])
    assert isinstance(again, Conflict)
    assert again.code == "rewrite_not_awaited"
    kinds = [t["kind"] for t in desk.draft(first["draftId"])["texts"]]
    assert kinds == ["first", "rewrite", "late"]
    assert desk.draft(first["draftId"])["state"] == "held"


def test_a_rewrite_after_the_deadline(desk, clock):
    """Too late is not rewritten: held with rewrite_limit_reached, the text kept."""
    desk.says("小区人车分流吗")
    first = desk.post(BAD)
    clock.forward(seconds=61)
    late = desk.rewrite(first["draftId"], GOOD, citations=[GOOD_CITATION])
    assert isinstance(late, Conflict)
    shown = desk.draft(first["draftId"])
    assert (shown["state"], shown["fallbackReason"], shown["rewriteCount"]) == ("held", "rewrite_limit_reached", 1)
    desk.carry()
    assert desk.arrived == []


def test_a_rewrite_that_errs(desk):
    """The agent says that it cannot rewrite: the chance is used."""
    desk.says("小区人车分流吗")
    first = desk.post(BAD)
    answer = desk.rewrite(first["draftId"], error="model timeout")
    assert (answer["state"], answer["fallbackReason"], answer["rewriteCount"]) == ("held", "rewrite_limit_reached", 1)


def test_a_customer_who_writes_makes_the_draft_stale(desk):
    """A newer message marks undecided drafts, and the rewrite of a stale draft is held."""
    desk.says("小区人车分流吗")
    first = desk.post(BAD)
    desk.says("算了，问下物业费")
    assert desk.draft(first["draftId"])["stale"]
    rewritten = desk.rewrite(first["draftId"], GOOD, citations=[GOOD_CITATION])
    assert (rewritten["state"], rewritten["holdReasons"]) == ("held", ["stale"])


def test_a_turn_that_does_not_show_the_newest_message_is_stale(desk):
    """The agent answered without seeing what the customer wrote last."""
    mid = desk.says("小区人车分流吗")
    shown = [{"id": mid, "role": "customer", "text": "小区人车分流吗", "at": "2026-11-30T10:00:00+08:00"}]
    desk.says("还有，车位多吗")
    answer = desk.post_good(shown=shown)
    assert (answer["state"], answer["holdReasons"]) == ("held", ["stale"])


def test_an_answered_moment_is_not_answered_twice(desk):
    """After a delivery a second draft for the same message waits for a person."""
    desk.says("小区人车分流吗")
    desk.post_good()
    desk.carry()
    again = desk.post_good()
    assert again["holdReasons"] == ["already_answered"]
    desk.carry()
    assert desk.arrived == [GOOD]


def test_a_newer_draft_supersedes_the_undecided_one(make_desk):
    """One undecided draft per conversation, agent and reply."""
    desk = make_desk()
    desk.account(mode="review")
    desk.conversation()
    desk.says("小区人车分流吗")
    first = desk.post_good()
    second = desk.post_good()
    assert desk.draft(first["draftId"])["state"] == "superseded"
    assert desk.draft(second["draftId"])["state"] == "held"


def test_a_persons_words_supersede_the_draft(desk):
    """A colleague answered: the agent's draft is retired and later ones are not needed."""
    desk.says("小区人车分流吗")
    first = desk.post(BAD)
    desk.says("是的，分流的", role=Role.HUMAN)
    assert desk.draft(first["draftId"])["state"] == "superseded"


def test_a_conversation_with_people_holds_drafts(desk):
    """While a person owns the talk no rewrite is asked for."""
    desk.says("我要投诉你们店")
    desk.post(HANDOFF, requiresHuman=True)
    desk.says("小区人车分流吗")
    answer = desk.post(BAD)
    assert (answer["state"], answer["holdReasons"]) == ("held", ["human_owns"])
    assert answer["fallbackReason"] == "quality_gate_failed"


def test_an_unknown_conversation_stores_nothing(desk):
    """A draft for nobody is 404, for an unknown group 403."""
    refused(lambda: desk.post_in_the_dark("c-none", "private"), "unknown_conversation")
    refused(lambda: desk.post_in_the_dark("g-none", "group"), "unknown_group")
    count = desk.service.look(lambda tx: tx.conn.execute(DraftText.__table__.select()).all())
    assert count == []


def test_another_chat_type_or_text_is_a_conflict(desk):
    """Stored messages and chat type are the truth."""
    mid = desk.says("小区人车分流吗")
    refused(lambda: desk.post_good(chat_type="group"), "chat_type_differs")
    other = [{"id": mid, "role": "customer", "text": "别的话", "at": "2026-11-30T10:00:00+08:00"}]
    refused(lambda: desk.post_good(shown=other), "message_differs")


def test_the_gateways_word_on_a_handoff_beats_the_agents(desk):
    """Claiming a handoff that the session does not know fails, though the agent lists it as done."""
    desk.says("我要投诉你们店")
    done = {"actions": [{"type": "handoff", "status": "done"}], "requiresHuman": True}
    answer = desk.post("已为您转接人工顾问。", **done)
    assert "human_handoff" in answer["hardFailureIds"]


def test_a_posted_draft_answers_its_inbox_row(desk):
    """The inbox asks once."""
    desk.says("小区人车分流吗")
    row = desk.service.look(lambda tx: tx.one(InboxRow, conversation_id="c-1", state="open"))
    desk.post_good(inboxId=row.id)
    assert desk.service.look(lambda tx: tx.one(InboxRow, id=row.id)).state == "answered"


def test_a_group_is_advice_only(desk):
    """Drafts for a group are held."""
    desk.conversation("g-1", chat_type="group")
    desk.says("小区人车分流吗", "g-1")
    answer = desk.post_good("g-1", chat_type="group")
    assert (answer["state"], answer["holdReasons"]) == ("held", ["group_chat"])


def test_handoff_states_are_the_channels(desk):
    """The two states that mean people are the platform's pool and servicer states."""
    from gateway.conversations import WITH_PEOPLE

    assert set(WITH_PEOPLE) == {SessionState.POOL, SessionState.HUMAN}
