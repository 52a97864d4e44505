"""The HTTP API: keys and scopes, errors that name their field, repeats, and nothing stored when something is wrong."""

import json
import threading

import pytest

from gateway import people
from gateway.examples import EXAMPLES
from gateway.tables import AuditRow, DraftRow, MessageRow
from tests.gateway.desk import BAD, GOOD, GOOD_CITATION


def post_draft(api, turn=None, key="i-1", **headers):
    body = turn if turn is not None else api.desk.turn(GOOD, citations=[GOOD_CITATION])
    return api.post("/v1/drafts", json=body, headers=api.agent | {"Idempotency-Key": key} | headers)


def count(desk, model):
    return len(desk.service.look(lambda tx: tx.conn.execute(model.__table__.select()).all()))


def test_the_whole_way_over_http(api):
    """Register, write, post, approve, deliver, list."""
    headers = api.agent
    made = {"id": "c-9", "account": "shop", "recipient": "wm_9", "chatType": "private"}
    assert api.post("/v1/conversations", json=made, headers=headers).status_code == 201
    assert api.post("/v1/conversations", json=made, headers=headers).json() == {"id": "c-9", "created": False}
    message = {"id": "m-9", "role": "customer", "text": "我要投诉", "at": "2026-11-30T02:00:00Z"}
    assert api.post("/v1/conversations/c-9/messages", json=message, headers=headers).status_code == 201
    asked = api.get("/v1/inbox", headers=headers).json()["items"]
    assert [item["conversationId"] for item in asked] == ["c-9"]
    talk = api.get("/v1/conversations/c-9", headers=headers).json()
    turn = {
        "id": "t-9",
        "conversation": {"id": "c-9", "chatType": "private", "messages": talk["messages"]},
        "draft": {"text": "我这就把您转给店长处理。", "requiresHuman": True, "inboxId": asked[0]["id"]},
    }
    draft = post_draft(api, turn).json()
    assert (draft["state"], draft["fallbackReason"]) == ("held", "requires_human")
    shown = api.get(f"/v1/drafts/{draft['draftId']}", headers=headers).json()
    order = {"version": 1, "textSha256": shown["textSha256"], "lastSeenMessageId": "m-9"}
    approved = api.post(f"/v1/drafts/{draft['draftId']}/approve", json=order, headers=api.operator)
    assert approved.json()["state"] == "queued", approved.text
    api.desk.carry()
    listed = api.get("/v1/deliveries?conversation=c-9", headers=headers).json()
    assert (listed["count"], len(listed["items"])) == (1, 1)


def test_a_repeat_gets_the_first_result(api):
    """One draft, whatever the line does."""
    api.desk.says("小区人车分流吗")
    turn = api.desk.turn(GOOD, citations=[GOOD_CITATION])
    first, second = post_draft(api, turn), post_draft(api, turn)
    assert first.json() == second.json()
    assert count(api.desk, DraftRow) == 1
    other = post_draft(api, turn | {"id": "t-2"})
    assert (other.status_code, other.json()["error"]["code"]) == (422, "idempotency_key_reused")


def test_parallel_repeats_make_one(api):
    """Five at once with one key: the database decides, not luck."""
    api.desk.says("小区人车分流吗")
    turn = api.desk.turn(GOOD, citations=[GOOD_CITATION])
    got = []
    threads = [threading.Thread(target=lambda: got.append(post_draft(api, turn).json()["draftId"])) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(set(got)), len(got), count(api.desk, DraftRow)) == (1, 5, 1)


@pytest.mark.parametrize(
    ("change", "status", "field"),
    [
        (lambda t: t["draft"].update(requireHuman=True), 422, "draft.requireHuman"),
        (lambda t: t.pop("draft"), 422, "draft"),
        (lambda t: t["conversation"].update(id=""), 422, "conversation.id"),
        (lambda t: t.update(pack="no_such_pack"), 422, "pack"),
        (lambda t: t.update(pack="../../etc/passwd"), 422, "pack"),
        (lambda t: t["conversation"]["messages"].append(t["conversation"]["messages"][0]), 422, "conversation"),
    ],
)
def test_bad_drafts_store_nothing(api, change, status, field):
    """4xx with the field, and the store is as it was."""
    api.desk.says("小区人车分流吗")
    turn = api.desk.turn(GOOD)
    change(turn)
    before = [count(api.desk, m) for m in (DraftRow, MessageRow, AuditRow)]
    response = post_draft(api, turn)
    assert (response.status_code, response.json()["error"]["field"]) == (status, field)
    assert [count(api.desk, m) for m in (DraftRow, MessageRow, AuditRow)] == before


@pytest.mark.parametrize(
    ("body", "status"),
    [(b"{" + b" " * 5_000_000, 413), (b'{"a": NaN}', 400), (b'{"id":1,"id":2}', 400), (b"", 400), (b"null", 422)],
)
def test_bad_bodies_at_every_post(api, body, status):
    """No endpoint answers 500 to what it cannot read."""
    paths = [
        "evaluate",
        "drafts",
        "conversations",
        "conversations/c-1/messages",
        "drafts/d/rewrite",
        "drafts/d/approve",
        "drafts/d/reject",
        "conversations/c-1/manual-send",
    ]
    for path in paths:
        response = api.post(f"/v1/{path}", content=body, headers=api.operator | {"Idempotency-Key": "x"})
        assert response.status_code == status, (path, response.text)
        assert response.json()["error"]["code"] == "bad_input"
    assert count(api.desk, DraftRow) == 0


def test_a_body_without_a_length_is_limited_too(api):
    """Chunks are counted as they come."""

    def chunks():
        for _ in range(40):
            yield b" " * 50_000

    response = api.post("/v1/drafts", content=chunks(), headers=api.agent | {"Idempotency-Key": "x"})
    assert response.status_code == 413


def test_keys_and_scopes(api):
    """No key 401, a wrong one 401, a wrong scope 403, a revoked one 401."""
    assert api.get("/v1/inbox").status_code == 401
    assert api.get("/v1/inbox", headers={"Authorization": "Bearer dg_guess"}).status_code == 401
    assert api.get("/v1/inbox", headers={"Authorization": "Basic eA=="}).status_code == 401
    approve = {"version": 1, "textSha256": "0" * 64}
    denied = api.post("/v1/drafts/d-1/approve", json=approve, headers=api.agent)
    assert (denied.status_code, denied.json()["error"]["code"]) == (403, "missing_scope")
    headers = api.key("agent")
    key_id = api.desk.service.look(lambda tx: tx.conn.execute(people.ApiKeyRow.__table__.select()).all())[-1].id
    api.desk.run(lambda tx: people.revoke_key(tx, key_id, "test"))
    assert api.get("/v1/inbox", headers=headers).status_code == 401


def test_a_key_of_one_account_does_not_see_another(api):
    """Not even that it exists."""
    api.desk.account("other")
    api.desk.conversation("c-other", account="other")
    headers = api.key("agent", "operator", "channel", accounts=["shop"])
    assert api.get("/v1/conversations/c-other", headers=headers).status_code == 404
    assert api.get("/v1/conversations/c-1", headers=headers).status_code == 200
    api.desk.says("小区人车分流吗", "c-other")
    turn = api.desk.turn(GOOD, "c-other")
    assert api.post("/v1/drafts", json=turn, headers=headers | {"Idempotency-Key": "z"}).status_code == 404
    draft = api.desk.post(BAD, "c-other")["draftId"]
    for path, body in (
        ("approve", {"version": 1, "textSha256": "0" * 64}),
        ("reject", {"version": 1}),
        ("rewrite", {"text": "x"}),
    ):
        assert api.post(f"/v1/drafts/{draft}/{path}", json=body, headers=headers).status_code == 404
    assert api.get(f"/v1/drafts/{draft}", headers=headers).status_code == 404
    assert api.get("/v1/inbox", headers=headers).json()["items"] == []


def test_rewrite_over_http(api):
    """Success, a second one, and an error body."""
    api.desk.says("小区人车分流吗")
    draft = post_draft(api, api.desk.turn(BAD)).json()
    assert draft["action"] == "rewrite"
    path = f"/v1/drafts/{draft['draftId']}/rewrite"
    good = {"text": GOOD, "citations": [GOOD_CITATION], "agentId": "ag-1"}
    assert api.post(path, json={"text": GOOD, "surprise": 1}, headers=api.agent).status_code == 422
    assert api.post(path, json=good, headers=api.agent).json()["version"] == 2
    again = api.post(path, json=good, headers=api.agent)
    assert (again.status_code, again.json()["error"]["code"]) == (409, "rewrite_not_awaited")


def test_evaluate_is_stateless_and_honours_now(api):
    """Nothing is stored; the caller's now decides freshness."""
    turn = json.loads(json.dumps(EXAMPLES["TurnIn"]))
    record = api.post("/v1/evaluate", json=turn, headers=api.agent).json()
    assert record["id"] == turn["id"]
    assert record["rewriteCount"] == 0
    turn["draft"]["citations"][0]["validUntil"] = "2026-01-01T00:00:00+08:00"
    del turn["draft"]["grounding"]
    for now, stale in (("2025-12-01T00:00:00+08:00", False), ("2026-12-01T00:00:00+08:00", True)):
        checked = api.post("/v1/evaluate", json=turn | {"now": now}, headers=api.agent).json()
        assert ("evidence_freshness" in checked["hardFailureIds"]) is stale
    assert count(api.desk, DraftRow) == 0


def test_openapi_shows_every_body(api):
    """The document carries the wire's schemas and examples that the API takes."""
    document = api.get("/openapi.json").json()
    bare = "/v1/dead-letters/{inbox_id}/retry"
    posts = [route["post"] for path, route in document["paths"].items() if "post" in route and path != bare]
    assert len(posts) == 10
    for post in posts:
        content = post["requestBody"]["content"]["application/json"]
        kinds = content["schema"].get("anyOf", [content["schema"]])
        names = [kind["$ref"].rsplit("/", 1)[-1] for kind in kinds]
        assert set(names) <= set(document["components"]["schemas"])
        assert content["example"] == EXAMPLES[names[0]]


def test_health_and_metrics(api):
    """Probes answer without a key and tell nothing of customers."""
    assert api.get("/healthz").json() == {"status": "ok"}
    assert api.get("/readyz").json()["status"] == "ready"
    api.desk.says("小区人车分流吗")
    api.desk.post_good()
    api.desk.carry()
    assert 'draftgate_deliveries{state="accepted"} 1.0' in api.get("/metrics").text


def test_an_unexpected_error_says_nothing_of_the_inside(api, monkeypatch):
    """500 with a fixed text."""

    def boom(*_args, **_more):
        raise RuntimeError("secret path /srv/x")

    monkeypatch.setattr("gateway.api.inbox_rows.records", boom)
    response = api.get("/v1/inbox", headers=api.agent)
    assert response.status_code == 500
    assert "secret" not in response.text


@pytest.mark.parametrize(
    ("path", "field"),
    [("/v1/inbox?limit=many", "limit"), ("/v1/inbox?wait=-1", "wait"), ("/v1/deliveries?limit=0", "limit")],
)
def test_a_wrong_query_is_told_like_a_wrong_body(api, path, field):
    """One shape for every error: the code, the field, what is wrong with it."""
    response = api.get(path, headers=api.key("agent"))
    assert response.status_code == 422
    error = response.json()["error"]
    assert (error["code"], error["field"]) == ("bad_input", field) and error["message"]
