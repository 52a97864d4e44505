"""What people decide: exactly what they saw, once; their own words pass the quality gate by and keep the other limits."""

import pytest

from gateway import approval
from gateway.tables import AuditRow
from tests.gateway.desk import BAD, GOOD, HANDOFF, REFUSED_MOVE, refused


@pytest.fixture
def held(make_desk):
    """A passing draft in review mode."""
    desk = make_desk()
    desk.account(mode="review")
    desk.conversation()
    desk.says("小区人车分流吗")
    desk.id = desk.post_good()["draftId"]
    return desk


@pytest.fixture
def failing(desk):
    """A failing draft whose rewrite failed."""
    desk.says("这套多大")
    desk.id = desk.post(BAD)["draftId"]
    desk.rewrite(desk.id, error="no")
    return desk


def test_approve_unchanged(held):
    """A passing draft that a person approves is delivered once."""
    answer = held.approve(held.id)
    assert answer["state"] == "queued"
    held.carry()
    assert held.arrived == [GOOD]
    assert held.deliveries()["count"] == 1


def test_an_unchanged_failing_draft_is_refused(failing):
    """Approving does not make agent text true: 422 with the fallback code, nothing changed."""
    error = refused(lambda: failing.approve(failing.id), "rewrite_limit_reached")
    assert error.status == 422
    assert failing.draft(failing.id)["state"] == "held"
    failing.carry()
    assert failing.arrived == []


@pytest.mark.parametrize("text", [BAD + "！", "这套 挂牌价289万", "这套挂牌价２８９万。", "这套挂牌价2\u200b89万。"])
def test_the_agents_words_in_other_clothes_are_gated(failing, text):
    """Width, spaces, marks and invisible characters do not make a text a person's."""
    refused(lambda: failing.approve(failing.id, text=text), "rewrite_limit_reached")
    refused(lambda: failing.write(text), "agent_text")


@pytest.mark.parametrize("text", ["这套挂牌价298万。", "这套挂牌价28.9万。", "这套挂牌价289万？"])
def test_another_number_or_a_question_is_a_persons_text(failing, text):
    """A changed number or a question mark makes other words: the person answers for them."""
    failing.approve(failing.id, text=text)
    failing.carry()
    assert failing.arrived == [text]


def test_an_edited_approval_skips_quality_and_warns(failing):
    """A person's words leave; a failing clause that stays is named and audited."""
    answer = failing.approve(failing.id, text=BAD + "您也可以来店里核对。")
    assert [w["clause"] for w in answer["warnings"]]
    events = failing.service.look(lambda tx: [r.event for r in tx.conn.execute(AuditRow.__table__.select()).all()])
    assert "kept_failing_clause" in events
    failing.carry()
    assert len(failing.arrived) == 1


def test_an_edit_ends_the_wait_for_a_rewrite(desk):
    """An operator need not wait for the agent."""
    desk.says("这套多大")
    draft = desk.post(BAD)["draftId"]
    refused(lambda: desk.approve(draft), "already_decided")
    desk.approve(draft, text="我查一下马上告诉您")
    desk.carry()
    assert desk.arrived == ["我查一下马上告诉您"]
    assert desk.rewrite(draft, GOOD).status == 409


def test_approving_twice_sends_once(held):
    """The second approval learns what was decided."""
    held.approve(held.id)
    error = refused(lambda: held.approve(held.id), "already_decided")
    assert (error.status, error.extra["decidedBy"]) == (409, "op-1")
    held.carry()
    assert len(held.arrived) == 1


def test_an_old_version_or_another_text_is_refused(held):
    """An approval fits exactly what was shown."""
    refused(lambda: held.approve(held.id, version=2), "version_differs")
    refused(lambda: held.approve(held.id, textSha256="0" * 64), "text_differs")
    held.carry()
    assert held.arrived == []


def test_a_stale_draft_needs_an_informed_confirmation(held):
    """The customer wrote meanwhile: first refused, then confirmed with the newest message seen."""
    seen = held.talk().newest_heard.id
    held.says("在吗")
    refused(lambda: held.approve(held.id, lastSeenMessageId=seen), "newer_message")
    refused(lambda: held.approve(held.id), "stale")
    held.approve(held.id, confirmStale=True)
    held.carry()
    assert held.arrived == [GOOD]


def test_reject_beats_a_later_approval(held):
    """Exactly one of two operators wins."""
    held.reject(held.id)
    refused(lambda: held.approve(held.id), "already_decided")
    held.carry()
    assert held.arrived == []


def test_manual_send_is_not_gated_and_repeats_give_the_first_result(desk):
    """A person writes what the gate would never pass; a repeated request sends nothing twice."""
    desk.says("多少钱")
    first = desk.write("这套 298 万，我来跟您谈")
    second = desk.write("这套 298 万，我来跟您谈")
    assert first == second
    desk.carry()
    assert desk.arrived == ["这套 298 万，我来跟您谈"]
    refused(lambda: desk.write("别的话"), "request_id_used")


@pytest.mark.parametrize("way", ["edit", "write"])
@pytest.mark.parametrize(
    ("account", "text", "code"),
    [
        ({"allowlist": []}, "您好", "not_allowed"),
        ({"allowlist": ["wm_c-", "wm.*", "wm_c-1 "]}, "您好", "not_allowed"),
        ({}, "好" * 700, "too_long"),
        ({}, "\u200b\u2060", "empty_text"),
    ],
)
def test_a_persons_words_keep_the_other_limits(make_desk, way, account, text, code):
    """Allowlist and length hold for people too; nothing is cut, nothing is sent."""
    desk = make_desk()
    desk.account(**{"mode": "review"} | account)
    desk.conversation()
    desk.says("小区人车分流吗")
    draft = desk.post_good()["draftId"]
    refused(lambda: desk.approve(draft, text=text) if way == "edit" else desk.write(text), code)
    desk.carry()
    assert desk.arrived == []


def test_a_group_takes_no_persons_words_either(desk):
    """Private chats only."""
    desk.conversation("g-1", chat_type="group")
    desk.says("在吗", "g-1")
    refused(lambda: desk.write("您好", "g-1"), "group_chat")


def test_the_window_and_the_quota_hold_for_people(desk, clock):
    """After 48 hours, or five messages, the channel takes nothing."""
    desk.says("在吗")
    for number in range(5):
        desk.write(f"第{number}条", request=f"r-{number}")
        desk.carry()
    refused(lambda: desk.write("第六条", request="r-6"), "quota_used")
    desk.says("嗯")
    clock.forward(hours=48)
    refused(lambda: desk.write("您好", request="r-7"), "window_closed")
    assert len(desk.arrived) == 5


def test_handoff_moves_first_and_then_speaks(desk):
    """An approved handoff text: the session goes to people, then the text leaves on the event."""
    desk.says("我要投诉你们店")
    draft = desk.post(HANDOFF, requiresHuman=True)["draftId"]
    assert desk.approve(draft)["state"] == "queued"
    desk.carry()
    assert [to.name for _, to, _ in desk.channel.moves] == ["HUMAN"]
    assert [(m.text, m.event_code) for m in desk.channel.sent] == [(HANDOFF, "CODE-1")]
    assert desk.talk().row.session_state == 3
    assert desk.draft(draft)["state"] == "sent"


def test_a_failed_move_sends_nothing(desk):
    """No handoff text leaves without a person: held again as a new version, and approving again tries again."""
    desk.says("我要投诉你们店")
    draft = desk.post(HANDOFF, requiresHuman=True)["draftId"]
    desk.channel.refuse_moves = REFUSED_MOVE
    desk.approve(draft)
    desk.carry()
    shown = desk.draft(draft)
    assert (shown["state"], shown["version"], desk.arrived) == ("held", 2, [])
    assert "channel_handoff_failed" in shown["holdReasons"]
    desk.channel.refuse_moves = None
    desk.approve(draft)
    desk.carry()
    assert desk.arrived == [HANDOFF]


def test_moved_without_a_code_is_answered_in_the_client(desk):
    """People hold the session and no text may follow: the operator is told where to answer."""
    desk.says("我要投诉你们店")
    draft = desk.post(HANDOFF, requiresHuman=True)["draftId"]
    desk.channel.codes = False
    desk.approve(draft)
    desk.carry()
    shown = desk.draft(draft)
    assert (shown["state"], desk.arrived) == ("held", [])
    assert "human_owns" in shown["holdReasons"]


def test_approving_without_a_move_ends_the_internal_handoff(desk):
    """The draft that opened the handoff was approved: the agent may answer again."""
    desk.says("我要投诉你们店")
    draft = desk.post(HANDOFF, requiresHuman=True)["draftId"]
    assert desk.talk().row.handoff_open
    desk.approve(draft, text="您好，我是店长，马上处理", handoff=False)
    assert not desk.talk().row.handoff_open


def test_take_and_give_back(desk):
    """A person takes the talk, agent drafts are held, then gives it back."""
    desk.run(lambda tx: approval.take(tx, "c-1", "op-1"))
    desk.says("小区人车分流吗")
    assert desk.post_good()["holdReasons"] == ["human_owns"]
    desk.run(lambda tx: approval.give_back(tx, "c-1", "op-1"))
    refused(lambda: desk.run(lambda tx: approval.give_back(tx, "c-1", "op-1")), "not_taken")


def test_undo_in_time(make_desk):
    """Within the undo window an approval can be taken back; the version changes."""
    desk = make_desk(undo_seconds=5)
    desk.account(mode="review")
    desk.conversation()
    desk.says("小区人车分流吗")
    draft = desk.post_good()["draftId"]
    assert desk.approve(draft)["state"] == "approved"
    desk.carry()
    assert desk.arrived == []
    answer = desk.run(lambda tx: approval.undo(tx, draft, "op-1"))
    assert (answer["state"], answer["version"]) == ("held", 2)
    desk.clock.forward(seconds=10)
    desk.carry()
    assert desk.arrived == []
