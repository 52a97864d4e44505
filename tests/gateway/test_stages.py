"""The stage of a conversation: who says it, what is kept, and what follows from it for agents, drafts and follow-ups."""

import json

import pytest
from sqlalchemy import select

from gateway import flow, followups, inbox
from gateway.contract import parse
from gateway.tables import AuditRow, ConversationRow, InboxRow
from gateway.tx import table_of
from gateway.wire import TurnIn
from tests.gateway.desk import GOOD, GOOD_CITATION

EARLY = "是的，小区人车分流。您打算全款还是贷款？"


@pytest.fixture
def talk(make_desk):
    desk = make_desk()
    desk.account(mode="autopilot")
    desk.conversation()
    desk.says("小区人车分流吗")
    return desk


def post(desk, text=GOOD, stage=None, **draft):
    """Post a draft whose turn names a stage."""
    turn = desk.turn(text, citations=[GOOD_CITATION], **draft)
    if stage is not None:
        turn["conversation"]["stage"] = stage
    wire = parse(TurnIn, json.dumps(turn).encode())
    return desk.run(lambda tx: flow.post_draft(tx, wire, wire.draft))


def moves(desk):
    table = table_of(AuditRow)
    rows = desk.service.look(
        lambda tx: tx.conn.execute(select(table).where(table.c.event == "stage_changed").order_by(table.c.seq)).all()
    )
    return [(row.actor, row.why) for row in rows]


def asked(desk):
    return desk.service.look(lambda tx: inbox.records(tx, (), 10))


def test_the_stage_that_an_agent_names_is_kept(talk):
    """Each change is audited once; a turn without a stage changes nothing and is judged at the one kept."""
    assert post(talk, stage="matching")["stage"] == "matching"
    talk.carry()
    talk.says("有电梯吗")
    talk.clock.forward(minutes=1)
    assert post(talk)["stage"] == "matching"
    post(talk, stage="matching")
    assert talk.conversation_row().stage == "matching"
    assert moves(talk) == [("ag-1", "none → matching")]


def test_a_name_that_the_pack_lacks_is_told_and_not_kept(talk):
    """The answer's flags say so; the kept stage stands."""
    post(talk, stage="matching")
    answer = post(talk, stage="matchign")
    assert "unknown_stage" in answer["flags"]
    assert talk.conversation_row().stage == "matching"
    assert len(moves(talk)) == 1


def test_a_draft_is_held_to_the_kept_stage(talk):
    """A question that comes too early is a warning once somebody has said the stage, and none before."""
    free = post(talk, EARLY)
    assert "question_limit" not in free["failedCheckIds"]
    talk.run(lambda tx: tx.change(ConversationRow, {"id": "c-1"}, stage="viewing"))
    held = post(talk, EARLY)
    assert "question_limit" in held["failedCheckIds"]
    assert held["limits"]["questions"] == 1
    assert held["qualityPassed"]
    assert held["status"] == "warn"


def test_agents_are_told_goal_and_stage(talk):
    """Every inbox row says what the shop wants, where the talk stands and what may be asked."""
    [row] = asked(talk)
    told = row["playbook"]
    assert told["stage"] == "first_contact"
    assert told["businessGoal"]
    assert told["goal"]
    assert "budget" in told["slots"]
    talk.run(lambda tx: tx.change(ConversationRow, {"id": "c-1"}, stage="viewing", pack="used_car"))
    [row] = asked(talk)
    assert row["playbook"]["stage"] == "viewing"
    assert "试驾" in row["playbook"]["goal"]


def test_follow_ups_are_those_of_the_stage(talk):
    """At viewing the first touch comes after three hours, at the first stage after four; after the sale there is none."""
    talk.post_good()
    talk.carry()
    talk.clock.forward(hours=3.5)
    assert talk.run(followups.ask_due) == 0
    talk.run(lambda tx: tx.change(ConversationRow, {"id": "c-1"}, stage="after_sale"))
    assert talk.run(followups.ask_due) == 0
    talk.run(lambda tx: tx.change(ConversationRow, {"id": "c-1"}, stage="viewing"))
    assert talk.run(followups.ask_due) == 1
    [row] = [r for r in asked(talk) if r["kind"] == "follow_up"]
    assert "时间" in row["instruction"]
    assert row["playbook"]["stage"] == "viewing"
    late = talk.post("您看全款还是贷款合适？", inboxId=row["id"])
    assert late["failedCheckIds"] == ["question_limit"]
    stored = talk.service.look(lambda tx: tx.one(InboxRow, id=row["id"]))
    assert stored.state == "answered"
