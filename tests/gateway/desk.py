"""A desk for tests: what agents, customers and operators do, in one line each, with a memory channel at the end."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from gateway import approval, conversations, flow, people, views
from gateway.contract import parse
from gateway.errors import GatewayError
from gateway.tables import ConversationRow, DraftRow
from gateway.wire import ApproveIn, DraftIn, ManualSendIn, RejectIn, TurnIn
from outbound.memory import MemorySender
from outbound.outcome import Rejected
from outbound.session import Moved, Page, Servicer, Session, SessionState
from planner.turn import Role

NOW = datetime(2026, 11, 30, 2, 0, tzinfo=UTC)  # ten in the morning in the shop
GOOD = "是的，小区人车分流。"
GOOD_CITATION = {"id": "doc-1", "text": "松月里小区人车分流，地下车位 620 个。", "subject": "松月里 5-1602"}
BAD = "这套挂牌价289万。"
HANDOFF = "我这就把您转给负责的同事处理。"


class Clock:
    """A clock that stands still until a test moves it."""

    def __init__(self, now=NOW):
        self.now = now

    def __call__(self):
        return self.now

    def forward(self, **span):
        self.now += timedelta(**span)


class MemoryChannel(MemorySender):
    """The memory sender with sessions: every session may move unless `refuse_moves` says no."""

    def __init__(self):
        super().__init__()
        self.moves = []
        self.refuse_moves = None
        self.receiving = ("servicer_lin",)
        self.codes = True

    def servicers(self, account):
        return tuple(Servicer(user, True) for user in self.receiving)

    def session_state(self, account, recipient):
        return Session(SessionState.UNHANDLED)

    def move_session(self, account, recipient, to, servicer=None):
        self.moves.append((recipient, to, servicer))
        if self.refuse_moves is not None:
            return self.refuse_moves
        return Moved(to, "CODE-1" if self.codes else None, servicer)

    def close(self):
        pass

    def resume(self, account=None):
        self.resumed = account

    def sync(self, account, cursor, token=None):
        return Page((), cursor, False)


REFUSED_MOVE = Rejected(95016, "handoff", "channel_handoff_failed", "the session cannot move")


class Desk:
    """Does what agents, customers and operators do, in one line each."""

    def __init__(self, service, clock, channel):
        self.service, self.clock, self.channel = service, clock, channel
        self.run = service.run
        self._count = 0

    def account(self, name="shop", **values):
        given = {"mode": "auto", "pack": "property", "allowlist": ["*"]} | values
        self.run(lambda tx: people.add_account(tx, account_id=name, name=name, actor="test", **given))

    def conversation(self, cid="c-1", account="shop", recipient=None, chat_type="private"):
        self.run(
            lambda tx: conversations.create(
                tx,
                conversation_id=cid,
                account=account,
                recipient=recipient or f"wm_{cid}",
                chat_type=chat_type,
                pack=None,
            )
        )
        return cid

    def says(self, text, cid="c-1", role=Role.CUSTOMER, mid=None):
        self._count += 1
        mid = mid or f"m-{self._count}"

        def job(tx):
            talk = conversations.load(tx, cid)
            conversations.record(tx, talk, message_id=mid, role=role, text=text, at=self.clock(), author="test")

        self.run(job)
        return mid

    def talk(self, cid="c-1"):
        return self.service.look(lambda tx: conversations.load(tx, cid))

    def turn(self, text, cid="c-1", *, chat_type="private", shown=None, **draft):
        body = {"text": text, "agentId": "ag-1"} | draft
        messages = self.service.look(lambda tx: views.conversation_record(conversations.load(tx, cid)))["messages"]
        return {
            "id": "t-1",
            "conversation": {
                "id": cid,
                "chatType": chat_type,
                "subject": "松月里 5-1602",
                "messages": messages if shown is None else shown,
            },
            "draft": body,
        }

    def post(self, text=GOOD, cid="c-1", **kind):
        wire = parse(TurnIn, json.dumps(self.turn(text, cid, **kind)).encode())
        return self.run(lambda tx: flow.post_draft(tx, wire, wire.draft))

    def post_in_the_dark(self, cid, chat_type):
        body = {"id": "t", "conversation": {"id": cid, "chatType": chat_type}, "draft": {"text": GOOD}}
        wire = parse(TurnIn, json.dumps(body).encode())
        return self.run(lambda tx: flow.post_draft(tx, wire, wire.draft))

    def post_good(self, cid="c-1", **kind):
        return self.post(GOOD, cid, citations=[GOOD_CITATION], **kind)

    def rewrite(self, draft_id, text=GOOD, error=None, **draft):
        wire = None if error else DraftIn.model_validate({"text": text, "agentId": "ag-1"} | draft, strict=False)
        return self.run(lambda tx: flow.post_rewrite(tx, draft_id, wire, error))

    def draft(self, draft_id):
        return self.service.look(lambda tx: views.draft_record(tx, tx.one(DraftRow, id=draft_id)))

    def approve(self, draft_id, **order):
        shown = self.draft(draft_id)
        newest = self.talk(shown["conversationId"]).newest_heard
        given = {
            "version": shown["version"],
            "textSha256": shown["textSha256"],
            "lastSeenMessageId": newest.id if newest else None,
        } | order
        wire = ApproveIn.model_validate(given)
        return self.run(lambda tx: approval.approve(tx, draft_id, wire, "op-1"))

    def reject(self, draft_id, version=1):
        order = RejectIn(version=version, reason="no")
        return self.run(lambda tx: approval.reject(tx, draft_id, order, "op-1"))

    def write(self, text, cid="c-1", request="r-1", **order):
        newest = self.talk(cid).newest_heard
        given = {"text": text, "clientRequestId": request, "lastSeenMessageId": newest.id if newest else None} | order
        wire = ManualSendIn.model_validate(given)
        return self.run(lambda tx: approval.manual_send(tx, cid, wire, "op-1"))

    def carry(self):
        return self.service.carry_all()

    def deliveries(self, **want):
        caller = people.Caller("t", "t", frozenset({"admin"}))
        given = {"conversation": None, "state": None, "limit": 100, "before": None} | want
        return self.service.look(lambda tx: views.delivery_records(tx, caller, **given))

    def conversation_row(self, cid="c-1"):
        return self.service.look(lambda tx: tx.one(ConversationRow, id=cid))

    @property
    def arrived(self):
        return [m.text for m in self.channel.sent]


def refused(job, code):
    """Run a job that must fail with a gateway error of this code; gives the error."""
    with pytest.raises(GatewayError) as caught:
        job()
    assert caught.value.code == code, caught.value.record()
    return caught.value
