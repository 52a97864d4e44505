"""Group turns over HTTP: each reply its own draft, cross replies as planned, nothing ever sent."""

import pytest
from fastapi.testclient import TestClient

from gateway import people
from gateway.app import create_app
from gateway.tables import DraftRow, DraftText
from gateway.tables_groups import GroupTurn

QUESTION = "这栋楼有电梯吗"


@pytest.fixture
def group(desk):
    """A group with a question, and a way to call the API as its agent."""
    desk.conversation("g-1", chat_type="group")
    desk.says(QUESTION, "g-1", mid="m-1")
    desk.key = desk.run(lambda tx: people.add_key(tx, name="a", scopes=["agent"], actor="t"))[1]
    client = TestClient(create_app(desk.service, scheduler=False))

    def call(path, body, status=200, key=None):
        headers = {"Authorization": f"Bearer {key or desk.key}"}
        response = client.post(f"/v1/group-turns{path}", json=body, headers=headers)
        assert response.status_code == status, response.text
        return response.json()

    desk.call, desk.client = call, client
    return desk


def turn(*replies, plans=(), cid="g-1", chat_type="group", members=("host", "lawyer", "lender")):
    message = {"id": "m-1", "role": "customer", "text": QUESTION, "at": "2026-11-30T10:00:00+08:00"}
    return {
        "conversation": {"id": cid, "chatType": chat_type, "messages": [message]},
        "members": list(members),
        "replies": [
            {"replyId": f"r-{number}", "agentId": who, "draft": {"text": text}}
            for number, (who, text) in enumerate(replies)
        ],
        "crossReplyPlan": {
            "enabled": True,
            "plans": [{"agentId": who, "respondToAgentId": whom, "angle": "more"} for who, whom in plans],
        },
    }


def cross(who, whom, text="我补充一句，我也去核实。", reply_id="x-1"):
    return {"replies": [{"replyId": reply_id, "agentId": who, "respondToAgentId": whom, "draft": {"text": text}}]}


def rows(desk, model):
    return desk.service.look(lambda tx: tx.conn.execute(model.__table__.select()).all())


HONEST, INVENTED = "有没有电梯我核实后回您。", "有两部电梯，去年刚换的。"


def test_every_reply_is_judged_on_its_own(group):
    """One passes and waits for people, the other is sent back to its agent: quality is the reply's, not the group's."""
    answer = group.call("", turn(("host", HONEST), ("lawyer", INVENTED)))
    good, bad = answer["replies"]
    assert (good["state"], good["holdReasons"], good["rewriteCount"]) == ("held", ["group_chat"], 0)
    assert (bad["state"], bad["hardFailureIds"]) == ("awaiting_rewrite", ["fact_evidence"])
    rewritten = group.rewrite(bad["draftId"], "电梯的情况我也核实一下。")
    assert (rewritten["state"], rewritten["rewriteCount"]) == ("held", 1)
    assert group.draft(good["draftId"])["rewriteCount"] == 0
    group.carry()
    assert group.arrived == []


def test_a_reply_knows_its_place(group):
    """Whatever the draft says of itself, it is stored as what it is."""
    body = turn(("host", HONEST), plans=[("lawyer", "host")])
    body["replies"][0]["draft"] |= {"replyKind": "cross_agent", "respondToAgentId": "x", "replyId": "y", "agentId": "z"}
    made = group.call("", body)
    group.call(f"/{made['id']}/cross-replies", cross("lawyer", "host"))
    first, second = [row.draft for row in rows(group, DraftText)]
    assert (first["replyKind"], first["replyId"], first["agentId"], first["crossReplyRound"]) == (
        "primary",
        "r-0",
        "host",
        0,
    )
    assert (second["replyKind"], second["respondToAgentId"], second["crossReplyRound"]) == ("cross_agent", "host", 1)
    assert second["crossReplyReason"] == "more"
    assert [row.reply_id for row in rows(group, DraftRow)] == ["r-0", "x-1"]


def test_repeats_get_the_first_result(group):
    """The same bytes twice: one turn, one draft each."""
    body = turn(("host", HONEST), plans=[("lawyer", "host")])
    first = group.call("", body)
    assert group.call("", body) == first
    path = f"/{first['id']}/cross-replies"
    assert group.call(path, cross("lawyer", "host")) == group.call(path, cross("lawyer", "host"))
    assert (len(rows(group, GroupTurn)), len(rows(group, DraftRow))) == (1, 2)


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (cross("lender", "host"), "not_planned"),
        (cross("lawyer", "lender"), "not_planned"),
        (cross("lawyer", "host", "我说第一句。我说第二句。我说第三句。"), "too_many_sentences"),
        (cross("lawyer", "host", ""), "too_many_sentences"),
        (cross("lawyer", "host", "长" * 801), "too_long"),
        (cross("lawyer", "host", HONEST + "！"), "repeats"),
        (cross("lawyer", "host", reply_id="r-0"), "reply_id_used"),
    ],
)
def test_a_cross_reply_beyond_its_limits_is_dropped_and_may_come_again(group, reply, why):
    """It is not stored; a proper one for the same place still stands."""
    made = group.call("", turn(("host", HONEST), plans=[("lawyer", "host")]))
    path = f"/{made['id']}/cross-replies"
    answer = group.call(path, reply)
    assert (answer["replies"], [d["why"] for d in answer["dropped"]]) == ([], [why])
    assert len(rows(group, DraftRow)) == 1
    assert len(group.call(path, cross("lawyer", "host"))["replies"]) == 1
    assert [d["why"] for d in group.call(path, cross("lawyer", "host", reply_id="x-2"))["dropped"]] == ["already_given"]


def test_a_broken_proposal_leaves_the_primary_replies(group):
    body = turn(("host", HONEST)) | {"crossReplyPlan": "everybody may talk"}
    made = group.call("", body)
    assert len(made["replies"]) == 1 and made["crossReplyPlan"]["plans"] == []
    assert made["crossReplyPlan"]["dropped"] == [{"plan": "everybody may talk", "why": "broken"}]


def test_strangers_and_private_talks_are_refused(group):
    """Nothing is stored for an unknown group, a private conversation, a reply by a stranger, or another account's key."""
    assert group.call("", turn(("host", HONEST), cid="g-x"), 403)["error"]["code"] == "unknown_group"
    private = turn(("host", HONEST), cid="c-1", chat_type="private")
    private["conversation"]["messages"] = []
    assert group.call("", private, 422)["error"]["code"] == "not_a_group"
    stranger = group.call("", turn(("nobody", HONEST)), 422)["error"]
    assert stranger["field"] == "replies[0].agentId"
    twice = turn(("host", HONEST), ("lawyer", HONEST))
    twice["replies"][1]["replyId"] = "r-0"
    assert group.call("", twice, 422)["error"]["code"] == "bad_input"
    other = group.run(lambda tx: people.add_key(tx, name="b", scopes=["agent"], accounts=["else"], actor="t"))[1]
    assert group.call("", turn(("host", HONEST)), 404, key=other)["error"]["code"] == "unknown_conversation"
    assert group.call("/g_none/cross-replies", cross("a", "b"), 404)["error"]["code"] == "unknown_group_turn"
    assert rows(group, DraftRow) == rows(group, GroupTurn) == []
    made = group.call("", turn(("host", HONEST), plans=[("lawyer", "host")]))
    assert group.call(f"/{made['id']}/cross-replies", cross("lawyer", "host"), 404, key=other)["error"]["code"]
