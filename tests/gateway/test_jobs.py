"""Timed work: deadlines, follow-ups within hours and limits, one leader, and a guarded scheduler."""

import pytest

from gateway import conversations, followups, jobs
from gateway.jobs import Leader, expire, start_scheduler
from gateway.tables import ConversationRow, InboxRow
from planner.turn import Role
from tests.gateway.desk import BAD, GOOD, HANDOFF, refused


def test_an_undecided_draft_expires_and_is_never_sent(make_desk):
    """Shown as timed out; approving it is too late."""
    desk = make_desk()
    desk.account(mode="review")
    desk.conversation()
    desk.says("小区人车分流吗")
    draft = desk.post_good()["draftId"]
    desk.clock.forward(minutes=29)
    desk.run(expire)
    assert desk.draft(draft)["state"] == "held"
    desk.clock.forward(minutes=1)
    desk.run(expire)
    assert desk.draft(draft)["state"] == "expired"
    refused(lambda: desk.approve(draft), "already_decided")
    desk.carry()
    assert desk.arrived == []


def test_a_rewrite_that_never_comes(desk):
    """At the deadline the draft goes to a person, with its own time to be decided."""
    desk.says("小区人车分流吗")
    draft = desk.post(BAD)["draftId"]
    desk.clock.forward(seconds=60)
    desk.run(expire)
    shown = desk.draft(draft)
    assert (shown["state"], shown["fallbackReason"], shown["rewriteCount"]) == ("held", "rewrite_limit_reached", 1)


def test_an_approval_leaves_after_its_undo_window(make_desk):
    """Approved, then queued, then sent."""
    desk = make_desk(undo_seconds=5)
    desk.account(mode="review")
    desk.conversation()
    desk.says("小区人车分流吗")
    draft = desk.post_good()["draftId"]
    desk.approve(draft)
    desk.clock.forward(seconds=5)
    desk.run(expire)
    assert desk.draft(draft)["state"] == "queued"
    desk.carry()
    assert desk.arrived == [GOOD]


def test_an_idle_handoff_returns_to_the_agent(desk):
    """Two hours after the last human message."""
    desk.says("我要投诉你们店")
    desk.post(HANDOFF, requiresHuman=True)
    desk.clock.forward(minutes=119)
    desk.run(expire)
    assert desk.talk().row.handoff_open
    desk.clock.forward(minutes=2)
    desk.run(expire)
    assert not desk.talk().row.handoff_open


@pytest.fixture
def silent(make_desk):
    """An autopilot conversation whose customer has not answered."""
    desk = make_desk()
    desk.account(mode="autopilot")
    desk.conversation()
    desk.says("小区人车分流吗")
    desk.post_good()
    desk.carry()
    return desk


def open_rows(desk):
    return desk.service.look(
        lambda tx: [
            r for r in tx.conn.execute(InboxRow.__table__.select()).all() if r.state == "open" and r.kind == "follow_up"
        ]
    )


def test_a_follow_up_is_asked_for_and_passes_the_same_gate(silent):
    """After the playbook's hours a row appears; the agent's draft is judged like any other."""
    silent.run(followups.ask_due)
    assert open_rows(silent) == []
    silent.clock.forward(hours=26)
    assert silent.run(followups.ask_due) == 1
    assert silent.run(followups.ask_due) == 0
    row = open_rows(silent)[0]
    assert row.instruction
    failed = silent.post(BAD, inboxId=row.id)
    assert failed["state"] == "awaiting_rewrite"
    sent = silent.rewrite(failed["draftId"], "您看资料方便吗，有想了解的随时问我。")
    assert sent["state"] == "queued", sent
    silent.carry()
    assert len(silent.arrived) == 2


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("review mode", lambda d: d.run(lambda tx: tx.change(ConversationRow, {"id": "c-1"}, mode="review"))),
        ("people hold it", lambda d: d.run(lambda tx: tx.change(ConversationRow, {"id": "c-1"}, handoff_open=True))),
        ("session with people", lambda d: d.run(lambda tx: tx.change(ConversationRow, {"id": "c-1"}, session_state=2))),
        ("quota used", lambda d: d.run(lambda tx: tx.change(ConversationRow, {"id": "c-1"}, quota_used=4))),
        ("touches used", lambda d: d.run(lambda tx: tx.change(ConversationRow, {"id": "c-1"}, touches=2))),
        ("window closed", lambda d: d.clock.forward(hours=24)),
        ("too late in the day", lambda d: d.clock.forward(hours=12)),
        ("the customer wrote", lambda d: d.says("嗯，我再想想")),
    ],
)
def test_no_follow_up_when(silent, name, change):
    """Each reason alone is enough."""
    silent.clock.forward(hours=25)
    change(silent)
    silent.run(followups.ask_due)
    assert open_rows(silent) == [], name


def test_a_follow_up_is_held_when_its_window_closed_meanwhile(silent):
    """It is never sent by itself later."""
    silent.clock.forward(hours=26)
    silent.run(followups.ask_due)
    row = open_rows(silent)[0]
    silent.clock.forward(hours=23)
    answer = silent.post("您看资料方便吗，有想了解的随时问我。", inboxId=row.id)
    silent.carry()
    assert len(silent.arrived) == 1
    assert silent.draft(answer["draftId"])["state"] == "held"


def test_one_leader(desk):
    """A second process gets the lead only when the first is gone."""
    first, second = Leader(desk.service.store), Leader(desk.service.store)
    assert first.held()
    assert first.held()
    assert not second.held()
    first.leave()
    assert second.held()
    second.leave()


def test_a_failing_job_does_not_end_the_others(desk, caplog):
    """The scheduler logs and goes on."""
    import threading

    done = threading.Event()
    leader = Leader(desk.service.store)

    def boom():
        raise RuntimeError("no")

    scheduler = start_scheduler(leader, {"boom": (0.05, boom), "fine": (0.05, done.set)})
    try:
        assert done.wait(5)
    finally:
        scheduler.shutdown()
        leader.leave()


def test_messages_of_the_system_are_no_answer(desk):
    """A system note leaves the customer unanswered."""
    desk.says("小区人车分流吗")
    desk.says("[enter_session]", role=Role.SYSTEM)
    assert desk.talk().unanswered
    assert jobs.BATCH > 0
    assert conversations.LIVE_MESSAGE_STATES


def test_results_for_repeats_are_kept_a_month(desk):
    """A repeat within the month gets the first result; after it the row is gone."""
    from gateway.tables import IdempotencyRow

    desk.says("在吗")
    first = desk.write("您好，我在")
    desk.clock.forward(days=29)
    assert desk.run(jobs.tidy) == 0
    assert desk.write("您好，我在") == first
    desk.clock.forward(days=2)
    assert desk.run(jobs.tidy) == 1
    assert desk.service.look(lambda tx: tx.one(IdempotencyRow, scope="manual-send:c-1", key="r-1")) is None
