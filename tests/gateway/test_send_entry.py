"""No permit, no send: whatever happened before, the send entry looks again at exactly what is about to leave."""

from datetime import timedelta

import pytest

from gateway import approval, outbox, send_entry
from gateway.drafts import text_of
from gateway.tables import Account, ConversationRow, DraftRow, DraftText, OutboundRow
from gateway.wire import ManualSendIn
from outbound.errors import PermitRefused
from outbound.message import OutboundMessage, SendKind, SendPermit, text_sha256
from planner.turn import Role
from tests.gateway.desk import BAD, GOOD, NOW, MemoryChannel


def sneak(desk, text, *, kind="auto", draft_id=None, **values):
    """Write an outbox row past every gate."""

    def job(tx):
        row = tx.one(DraftRow, id=draft_id) if draft_id else None
        talk = desk.talk()
        ids = outbox.enqueue(tx, talk, text, kind=kind, author="intruder", draft=row)
        if values:
            tx.change(OutboundRow, {"outbound_id": ids[0]}, **values)
        return ids[0]

    return desk.run(job)


def state(desk, outbound_id):
    return desk.service.look(lambda tx: tx.one(OutboundRow, outbound_id=outbound_id))


def test_agent_text_without_an_evaluation_never_leaves(desk):
    """A row without a draft, or with a draft of other text, is held."""
    desk.says("小区人车分流吗")
    draft = desk.post_good()["draftId"]
    desk.run(lambda tx: tx.change(OutboundRow, {"draft_id": draft}, state="held"))
    for outbound_id in (
        sneak(desk, BAD),
        sneak(desk, BAD, draft_id=draft),
        sneak(desk, BAD, kind="approved", draft_id=draft),
    ):
        desk.carry()
        assert state(desk, outbound_id).state == "held"
    assert desk.arrived == []


def test_a_failing_draft_smuggled_into_the_queue_is_held(desk):
    """The verdict is made again for exactly that text."""
    desk.says("这套多少钱")
    draft = desk.post(BAD)["draftId"]
    for kind in ("auto", "approved"):
        outbound_id = sneak(desk, BAD, kind=kind, draft_id=draft)
        desk.carry()
        assert state(desk, outbound_id).state == "held"
    assert desk.arrived == []


def test_text_changed_after_it_was_decided(desk):
    """Other bytes under the same row are not sent."""
    desk.says("小区人车分流吗")
    draft = desk.post_good()["draftId"]
    desk.run(lambda tx: tx.change(OutboundRow, {"draft_id": draft}, text=GOOD + "包涨。"))
    desk.carry()
    assert desk.arrived == []
    desk.run(lambda tx: tx.change(DraftText, {"draft_id": draft}, text=GOOD + "包涨。"))
    assert desk.service.look(lambda tx: text_of(tx, tx.one(DraftRow, id=draft))).text != GOOD


@pytest.mark.parametrize(
    ("name", "change", "reason"),
    [
        ("customer wrote", lambda d: d.says("等等"), "stale"),
        ("a person answered", lambda d: d.says("我来说", role=Role.HUMAN), None),
        (
            "allowlist emptied",
            lambda d: d.run(lambda tx: tx.change(Account, {"id": "shop"}, allowlist=[])),
            "not_allowed",
        ),
        (
            "session with people",
            lambda d: d.run(lambda tx: tx.change(ConversationRow, {"id": "c-1"}, session_state=3)),
            "human_owns",
        ),
        ("window closed", lambda d: d.clock.forward(hours=48), "window_closed"),
        (
            "quota used",
            lambda d: d.run(lambda tx: tx.change(ConversationRow, {"id": "c-1"}, quota_used=4)),
            "quota_used",
        ),
        (
            "mode turned back",
            lambda d: d.run(lambda tx: tx.change(Account, {"id": "shop"}, mode="review")),
            "review_mode",
        ),
    ],
)
def test_the_world_moved_on_before_the_send(desk, name, change, reason):
    """Each change between decision and send keeps the message."""
    desk.says("小区人车分流吗")
    draft = desk.post_good()["draftId"]
    change(desk)
    desk.carry()
    assert desk.arrived == [], name
    shown = desk.draft(draft)
    assert shown["state"] == ("superseded" if reason is None else "held")
    assert reason is None or reason in shown["holdReasons"]


def test_an_approved_text_survives_review_mode_and_needs_no_second_scenario(make_desk):
    """The approval stands in review mode; a new risk since then does not."""
    desk = make_desk()
    desk.account(mode="review")
    desk.conversation()
    desk.says("小区人车分流吗")
    draft = desk.post_good()["draftId"]
    desk.approve(draft)
    desk.run(lambda tx: tx.change(DraftRow, {"id": draft}, scenarios=[]))
    desk.carry()
    assert desk.arrived == [GOOD]


def a_message(text=GOOD):
    return OutboundMessage("o-1", "shop", "wm_1", text, "dg" + "a" * 28)


def a_permit(text=GOOD, *, expires=NOW + timedelta(seconds=30), recipient="wm_1"):
    return SendPermit("o-1", recipient, text_sha256(text), 1, SendKind.AUTO, expires)


@pytest.mark.parametrize(
    "permit",
    [a_permit("别的话"), a_permit(recipient="wm_2"), a_permit(expires=NOW)],
    ids=["other bytes", "other recipient", "expired"],
)
def test_a_permit_that_does_not_fit_opens_nothing(permit):
    """The sender itself refuses."""
    channel = MemoryChannel()
    with pytest.raises(PermitRefused):
        channel.send(a_message(), permit, NOW)
    assert channel.sent == []


def test_a_permit_is_used_once(desk):
    """A row that was admitted is not admitted again."""
    desk.says("小区人车分流吗")
    draft = desk.post_good()["draftId"]
    outbound_id = desk.service.look(lambda tx: tx.one(OutboundRow, draft_id=draft)).outbound_id
    assert desk.run(lambda tx: send_entry.admit(tx, outbound_id)) is not None
    assert desk.run(lambda tx: send_entry.admit(tx, outbound_id)) is None
    desk.run(lambda tx: tx.change(OutboundRow, {"outbound_id": outbound_id}, state="queued"))
    assert desk.run(lambda tx: send_entry.admit(tx, outbound_id)) is None
    desk.carry()
    assert desk.arrived == []


@pytest.mark.parametrize("way", ["auto", "approve", "edit", "write"])
def test_a_reply_in_three_parts_leaves_whole_and_in_order(make_desk, monkeypatch, way):
    """The first part in the talk neither answers the customer for the others nor makes them stale."""
    from planner.pack import Pack

    desk = make_desk()
    desk.account(mode="auto" if way == "auto" else "review")
    desk.conversation()
    pack = desk.service.shelf.get("property")
    wide = Pack(pack.name, {**pack.sections, "maxSegments": 3}, pack.digest)
    desk.service.shelf._loaded["property"] = wide
    monkeypatch.setattr(
        "gateway.outbox.split", lambda text, most: tuple(text[i : i + 4] for i in range(0, len(text), 4))
    )
    desk.says("小区人车分流吗")
    draft = desk.post_good()["draftId"]
    if way == "approve":
        desk.approve(draft)
    elif way == "edit":
        desk.approve(draft, text="是的，人车分流的。")
    elif way == "write":
        desk.write("我是同事小林，分流的。")
    desk.carry()
    words = {"auto": GOOD, "approve": GOOD, "edit": "是的，人车分流的。", "write": "我是同事小林，分流的。"}[way]
    assert "".join(desk.arrived) == words
    assert len(desk.arrived) == 3
    assert desk.deliveries()["count"] == 3
    assert desk.draft(draft)["state"] == ("superseded" if way == "write" else "sent")


def test_a_person_may_write_several_messages_in_a_row(desk):
    """The own first message does not outdate the second; a colleague's does."""
    seen = desk.says("在吗")
    desk.write("您好，我是小林。", request="r-1")
    desk.write("您想看哪一套？", request="r-2", lastSeenMessageId=seen)
    order = ManualSendIn.model_validate(
        {"text": "我也来回复一下。", "clientRequestId": "r-3", "lastSeenMessageId": seen}
    )
    desk.run(lambda tx: approval.manual_send(tx, "c-1", order, "op-2"))
    desk.carry()
    assert desk.arrived == ["您好，我是小林。", "您想看哪一套？"]
