"""Both faces against a running gateway: every call of the API that an agent or a channel makes."""

import logging
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import func, select

from gateway.client import Client, GateError
from gateway.tables_log import EvaluationRow
from gateway.tx import table_of

RECORD = {"id": "record-1", "subject": "松月里 5-1602", "text": "建筑面积89平，朝南。"}


def callers(face, gateway):
    """Give what makes each call with a client of its own, with the key of a scope."""

    def scoped(scope):
        def ask(method, *args, **given):
            return face(gateway.url, gateway.secrets[scope])(method, *args, **given)

        return ask

    return scoped


@pytest.fixture
def as_scope(face, live):
    return callers(face, live)


@pytest.fixture
def asking(face, standing):
    """The agent's caller, for what leaves nothing behind."""
    return callers(face, standing)("agent")


def turn(cid="c-1", text="这套建筑面积89平。", chat_type="private", **draft):
    talk = {"id": cid, "chatType": chat_type, "subject": "松月里 5-1602"}
    return {"id": f"turn-{cid}", "conversation": talk, "draft": {"text": text, "citations": [RECORD]} | draft}


def said(live, text, mid="m-1"):
    return {"id": mid, "role": "customer", "text": text, "at": live.service.clock().isoformat()}


def test_a_whole_conversation(as_scope, live):
    """Registered, asked, drafted, refused, rewritten, delivered."""
    channel, agent = as_scope("channel"), as_scope("agent")
    known = {"account": "shop-1", "recipient": "wm_1"}
    assert [channel("create_conversation", "c-1", **known) for _ in range(2)] == [True, False]
    message = said(live, "这套建筑面积多大")
    assert [channel("post_message", "c-1", message) for _ in range(2)] == [True, False]
    [row] = agent("inbox", wait=5)
    assert (row["conversationId"], row["momentId"]) == ("c-1", "m-1")
    assert [m["text"] for m in agent("get_conversation", "c-1")["messages"]] == ["这套建筑面积多大"]
    wrong = turn(text="这套建筑面积98平。", inboxId=row["id"])
    first, again = (agent("post_draft", wrong, idempotency_key=row["id"]) for _ in range(2))
    assert (first.action, first.state, first.passed) == ("rewrite", "awaiting_rewrite", False)
    assert again.draft_id == first.draft_id
    [fix] = [f for f in first.fix_actions if f.type == "correct_value"]
    assert fix.target == "这套建筑面积98平" and "89" in fix.detail
    mended = agent("rewrite", first.draft_id, turn()["draft"])
    assert (mended.action, mended.state, mended.passed) == ("send", "queued", True)
    end = time.monotonic() + 15
    while agent("get_draft", first.draft_id).state != "sent":
        assert time.monotonic() < end
        time.sleep(0.05)
    sent = agent("deliveries", conversation_id="c-1", state="accepted", limit=5)
    assert (sent.count, sent.items[0]["conversationId"]) == (1, "c-1")
    with pytest.raises(GateError) as late:
        agent("rewrite", first.draft_id, error="again")
    assert (late.value.code, late.value.status) == ("rewrite_not_awaited", 409)


def test_a_rewrite_that_cannot_be_made(as_scope, live):
    live.says("这套建筑面积多大")
    agent = as_scope("agent")
    first = agent("post_draft", turn(text="这套建筑面积98平。"))
    assert agent("rewrite", first.draft_id, error="the model gave nothing").fallback_reason == "rewrite_limit_reached"


def test_an_evaluation(asking):
    good, bad = (asking("evaluate", turn(text=f"这套建筑面积{size}平。")) for size in (89, 98))
    assert (good.passed, good.action, good.state, good.band) == (True, "send", None, "high")
    assert (bad.passed, bad.action) == (False, "rewrite")


def test_many_evaluations(asking):
    """More than one call takes; bad turns stand in their places."""
    turns = [turn(text=f"这套建筑面积{89 if number % 2 else 98}平。") for number in range(101)]
    turns[7] = {"id": "bad", "conversation": {"id": "c", "chatType": "secret"}}
    results = asking("evaluate_many", iter(turns))
    assert [getattr(r, "passed", None) for r in results] == [None if n == 7 else bool(n % 2) for n in range(101)]
    assert (results[7].id, results[7].field) == ("bad", "conversation.chatType")
    assert asking("evaluate_many", []) == []
    assert "2020-12" in asking("evaluation_schema")["$schema"]


def test_a_logged_evaluation(as_scope, live):
    as_scope("agent")("evaluate", turn())
    as_scope("agent")("evaluate", turn(), log=True)
    kept = live.service.look(
        lambda tx: tx.conn.execute(select(func.count()).select_from(table_of(EvaluationRow))).scalar_one()
    )
    assert kept == 1


def test_threads_may_share_a_client(standing):
    with Client(standing.url, standing.secrets["agent"]) as client, ThreadPoolExecutor(8) as threads:
        sizes = [89, 98] * 12
        answers = list(threads.map(client.evaluate, [turn(text=f"这套建筑面积{size}平。") for size in sizes]))
    assert [answer.passed for answer in answers] == [size == 89 for size in sizes]


def test_errors_name_the_field(face, standing):
    as_scope = callers(face, standing)
    with pytest.raises(GateError) as caught:
        as_scope("agent")("evaluate", turn(requireHuman=True))
    assert (caught.value.code, caught.value.status, caught.value.field) == ("bad_input", 422, "draft.requireHuman")
    with pytest.raises(GateError) as caught:
        as_scope("channel")("evaluate", turn())
    assert (caught.value.code, caught.value.record["scope"]) == ("missing_scope", "agent")
    with pytest.raises(GateError) as caught:
        as_scope("agent")("get_conversation", "nothing")
    assert caught.value.code == "unknown_conversation"


def test_a_group(as_scope, live):
    channel, agent = as_scope("channel"), as_scope("agent")
    channel("create_conversation", "g-1", account="shop-1", recipient="wr_1", chat_type="group")
    channel("post_message", "g-1", said(live, "这栋楼有电梯吗"))
    asked = {
        "conversation": {"id": "g-1", "chatType": "group"},
        "members": ["host", "lawyer"],
        "replies": [{"replyId": "r-1", "agentId": "host", "draft": {"text": "有没有电梯我核实后回您。"}}],
        "crossReplyPlan": {
            "enabled": True,
            "reason": "two views",
            "plans": [
                {"agentId": "lawyer", "respondToAgentId": "host", "angle": "papers"},
                {"agentId": "host", "respondToAgentId": "host", "angle": "more"},
            ],
        },
    }
    first = agent("group_turn", asked)
    assert [(r.record["replyId"], r.state, r.hold_reasons) for r in first.replies] == [("r-1", "held", ("group_chat",))]
    assert [p["agentId"] for p in first.plans] == ["lawyer"]
    assert [d["why"] for d in first.dropped] == ["answers_itself"]
    assert agent("group_turn", asked).id == first.id
    cross = {"agentId": "lawyer", "respondToAgentId": "host", "draft": {"text": "产权证上写没写，我也核实一下。"}}
    second = agent("cross_replies", first.id, [cross | {"replyId": "x-1"}, cross | {"replyId": "x-2"}])
    assert [r.record["replyId"] for r in second.replies] == ["x-1"]
    assert len(second.dropped) == 1


def test_no_log_holds_the_key(asking, standing, caplog):
    """Not even the HTTP library's own, at their most talkative."""
    for name in ("httpx2", "httpcore2"):
        caplog.set_level(logging.DEBUG, logger=name)
    asking("inbox", wait=0)
    assert f"{standing.url}/v1/inbox" in caplog.text
    assert standing.secrets["agent"] not in caplog.text
