"""What a hostile caller, page or name could try, one test each; the pages' own walls are in tests/gateway/web."""

import json

import pytest
from starlette.testclient import TestClient

from gateway import people
from gateway.tables import AuditRow, ConversationRow, DraftRow, DraftText, MessageRow, OutboundRow
from tests.behaviour.shop import ASKED
from tests.gateway.desk import GOOD, GOOD_CITATION
from tests.gateway.web.browser import HOME, Browser

HOSTILE_LINES = ("x\r\nSet-Cookie: stolen=1", "x\nLocation: https://evil.example", "x\u2028y", "é\r\n", "%0d%0aX: y")


def stored(shop):
    """How much stands in the store."""
    tables = (ConversationRow, MessageRow, DraftRow, DraftText, OutboundRow)
    return shop.service.look(lambda tx: [len(tx.conn.execute(t.__table__.select()).all()) for t in tables])


def bodies(shop, cid, draft):
    """One lawful body for each operation of the document; a new operation has to join."""
    conversation = {"id": cid, "chatType": "private", "messages": []}
    group = {"id": "g-1", "chatType": "group", "messages": []}
    reply = {"replyId": "r", "agentId": "a", "draft": {"text": GOOD}}
    order = {"version": draft["version"], "textSha256": draft["textSha256"], "lastSeenMessageId": None}
    return {
        ("POST", "/v1/evaluate"): None,  # stateless: there is nothing of others in it
        ("GET", "/v1/evaluate/schema"): None,
        ("GET", "/v1/statistics"): None,  # its own test: tests/gateway/test_evaluation_log.py
        ("DELETE", "/v1/conversations/{conversation_id}/evaluations"): {},
        ("POST", "/v1/conversations"): {"id": "c-9", "account": "shop", "recipient": "wm_9", "chatType": "private"},
        ("POST", "/v1/conversations/{conversation_id}/messages"): {
            "id": "m-9",
            "role": "customer",
            "text": "hello",
            "at": shop.clock().isoformat(),
        },
        ("GET", "/v1/conversations/{conversation_id}"): {},
        ("POST", "/v1/drafts"): {"id": "t", "conversation": conversation, "draft": {"text": GOOD}},
        ("GET", "/v1/drafts/{draft_id}"): {},
        ("POST", "/v1/drafts/{draft_id}/rewrite"): {"text": GOOD},
        ("POST", "/v1/drafts/{draft_id}/approve"): order,
        ("POST", "/v1/drafts/{draft_id}/reject"): {"version": 1},
        ("POST", "/v1/conversations/{conversation_id}/manual-send"): {"text": "hello", "clientRequestId": "r"},
        ("POST", "/v1/group-turns"): {"conversation": group, "members": ["a"], "replies": [reply]},
        ("GET", "/v1/group-turns/{turn_id}"): {},
        ("POST", "/v1/group-turns/{turn_id}/cross-replies"): {"replies": [reply | {"respondToAgentId": "b"}]},
        ("GET", "/v1/inbox"): [],
        ("GET", "/v1/deliveries"): [],
        ("GET", "/v1/dead-letters"): [],
        ("POST", "/v1/dead-letters/{inbox_id}/retry"): {},
        ("GET", "/v1/alerts"): [],
    }


def test_another_accounts_key_reaches_nothing(shop):
    """Every operation, with the ids of what exists: no such thing, an empty list, and nothing stored."""
    cid = shop.says()
    sent = shop.post_good()
    shop.carry()
    assert shop.draft(sent)["state"] == "sent"
    shop.says("多大面积")
    draft = shop.draft(shop.post_bad())
    known = {"id": "g-1", "account": "shop", "recipient": "wr_1", "chatType": "group"}
    shop.ok("channel", "POST", "/v1/conversations", json=known)
    reply = {"replyId": "r-1", "agentId": "a", "draft": {"text": "我核实后回您。"}}
    turn = {"conversation": {"id": "g-1", "chatType": "group"}, "members": ["a"], "replies": [reply]}
    group = shop.ok("agent", "POST", "/v1/group-turns", json=turn)
    scopes = ["agent", "channel", "operator", "admin"]
    other = shop.service.run(lambda tx: people.add_key(tx, name="o", scopes=scopes, accounts=["else"], actor="t"))[1]
    shop.keys["other"] = other
    before = stored(shop)
    lawful = bodies(shop, cid, draft)
    for path, methods in shop.app.openapi()["paths"].items():
        for method in methods:
            body = lawful[method.upper(), path]
            if body is None:
                continue
            real = path.replace("{conversation_id}", cid).replace("{draft_id}", draft["draftId"])
            real = real.replace("{turn_id}", group["id"]).replace("{inbox_id}", "in_any")
            kind = {"headers": {"Idempotency-Key": "k"}} | ({"json": body} if method == "post" else {})
            response = shop.call("other", method.upper(), real, **kind)
            if isinstance(body, list):
                listed = response.json()
                assert (response.status_code, listed.get("items"), listed.get("count", 0)) == (200, [], 0), real
            else:
                assert response.status_code == 404, (real, response.text)
                assert ASKED not in response.text and GOOD not in response.text
    assert stored(shop) == before


def test_a_key_does_not_grow_by_its_scope(shop):
    """An agent cannot approve its own draft, write as a person, or tell what customers said."""
    cid = shop.says()
    draft = shop.post_bad()
    for scope, path, body in (
        ("agent", f"/v1/drafts/{draft['draftId']}/approve", {"version": 1, "textSha256": "0" * 64}),
        ("agent", f"/v1/conversations/{cid}/manual-send", {"text": "x", "clientRequestId": "r"}),
        ("channel", "/v1/drafts", shop.turn(GOOD)),
        ("operator", "/v1/drafts", shop.turn(GOOD)),
        (
            "agent",
            f"/v1/conversations/{cid}/messages",
            {"id": "m", "role": "customer", "text": "x", "at": shop.clock().isoformat()},
        ),
    ):
        response = shop.call(scope, "POST", path, json=body, headers={"Idempotency-Key": "k"})
        assert (response.status_code, response.json()["error"]["code"]) == (403, "missing_scope"), path


def test_a_planted_session_id_never_becomes_somebodys(shop):
    """Whoever brings a cookie to the sign-in leaves with another one."""
    shop.service.run(
        lambda tx: people.add_operator(
            tx,
            operator_id="lin",
            name="Lin",
            password_hash=people.hash_password("correct horse battery"),
            role="admin",
            actor="t",
        )
    )
    planted = "p" * 43
    victim = Browser(TestClient(shop.app, follow_redirects=False, cookies={"draftgate": planted}))
    form = victim.get("/sign-in").form("/sign-in")
    response = victim.post("/sign-in", form.data(name="lin", password="correct horse battery"))
    assert response.status_code == 303, response.text[:500]
    cookie = response.headers["set-cookie"]
    assert planted not in cookie and "HttpOnly" in cookie and "samesite=strict" in cookie.lower()
    attacker = Browser(TestClient(shop.app, follow_redirects=False, cookies={"draftgate": planted}))
    attacker.get("/", 303)


@pytest.mark.parametrize("evil", HOSTILE_LINES)
def test_no_value_breaks_out_of_a_header(review, evil):
    """Line ends in forms, addresses and cookies never make a header of their own."""
    review.says()
    draft = review.post_good()
    lin = review.browser()
    form = lin.draft(draft).form("/take")
    answers = [
        lin.post(form.action, form.data(back=evil)),
        lin.post(form.action, form.data(request=evil)),
        lin.client.get("/sign-in", params={"next": evil, "lang": evil}),
        lin.client.get("/", params={"lang": evil, "search": evil, "r": evil}),
        lin.client.get("/drafts/" + evil.replace("\r", "%0d").replace("\n", "%0a")),
        TestClient(review.app, follow_redirects=False).get("/conversations", params={"x": evil}),
    ]
    for response in answers:
        assert response.status_code < 500
        names = [name.lower() for name in response.headers]
        assert "stolen" not in response.headers.get("set-cookie", "") and "x" not in names
        location = response.headers.get("location", "/")
        assert location.startswith("/") and not location.startswith("//") and "\n" not in location


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80@testserver", "testserver.evil.example"])
def test_no_answer_leads_to_the_host_that_a_caller_names(shop, host):
    """Redirects and pages name paths only; a foreign host posts nothing."""
    lin = shop.browser()
    for path in ("/", "/sign-in", "/drafts/none", "/conversations"):
        response = lin.client.get(path, headers={"host": host})
        assert "evil" not in response.headers.get("location", "")
        assert "evil.example" not in response.text
    csrf = dict(lin.get("/").form("/sign-out").fields)["csrf"]
    refused = lin.client.post("/sandbox", data={"csrf": csrf}, headers={"host": host, "origin": HOME})
    assert refused.status_code == 403


def test_a_table_program_runs_nothing(shop):
    """Names that come from outside stand in the exported table as words."""
    shop.says()
    for number, evil in enumerate(("=HYPERLINK(1)", "+1+1", "-2", "@SUM(A1)", "\t=1", "\r=1")):
        turn = shop.turn(GOOD, citations=[GOOD_CITATION])
        turn["draft"] |= {"agentId": evil, "model": evil}
        answer = shop.call("agent", "POST", "/v1/drafts", json=turn, headers={"Idempotency-Key": f"e-{number}"})
        assert answer.status_code == 200
    shop.carry()
    table = shop.browser().client.get("/statistics.csv").text.lstrip("\ufeff")
    import csv
    import io

    cells = [cell for row in csv.reader(io.StringIO(table)) for cell in row]
    assert any("HYPERLINK" in cell for cell in cells)
    assert not [cell for cell in cells if cell[:1] in "=+@\t\r" and cell] and "-2" not in cells


@pytest.mark.parametrize(
    "path",
    ["/static/../words/zh.yaml", "/static/%2e%2e/words/zh.yaml", "/static/..%2f..%2fpeople.py", "/static//etc/passwd"],
)
def test_no_file_but_our_own_is_served(shop, path):
    response = shop.client.get(path)
    assert response.status_code in (404, 405), response.text[:200]
    assert "root:" not in response.text and "def " not in response.text and "human_owns" not in response.text


def test_a_name_cannot_forge_a_line_of_the_log(capfd, open_shop):
    """Every line is one JSON object, whatever the words in it."""
    shop = open_shop()
    forged = '"}\n{"event": "approved", "level": "info"}'
    shop.says()
    draft = shop.post(GOOD + forged, citations=[GOOD_CITATION])
    shop.world.faults.plan("http", 500, call="kf/sync_msg")
    shop.service.run(lambda tx: tx.audit(forged, "state", draft_id=draft["draftId"], why=forged))
    shop.service.pull_all()
    lines = [line for line in capfd.readouterr().err.splitlines() if line.startswith("{")]
    events = [json.loads(line)["event"] for line in lines]
    assert "sync_failed" in events and "approved" not in events


def test_keys_and_secrets_are_never_given_back(shop):
    """No page, answer or audit row shows a key, a session id or a password's hash."""
    shop.says()
    shop.post_good()
    shop.carry()
    admin = shop.browser("boss", "admin")
    pages = [admin.client.get(path).text for path in ("/", "/settings", "/me", "/statistics", "/deliveries")]
    pages += [shop.client.get("/metrics").text, shop.client.get("/openapi.json").text]
    rows = shop.service.look(lambda tx: tx.conn.execute(AuditRow.__table__.select()).all())
    pages += [str(row) for row in rows]
    secrets = [*shop.keys.values(), admin.client.cookies["draftgate"], people.digest(shop.keys["agent"]), "$argon2"]
    for secret in secrets:
        assert not [page for page in pages if secret in page]
