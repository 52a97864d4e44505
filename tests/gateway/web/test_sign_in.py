"""Signing in: who gets in, who is slowed down, and that nobody can lock somebody else out."""

import re

import pytest
from starlette.testclient import TestClient

from gateway import people
from gateway.app import create_app
from gateway.web import attempts
from tests.gateway.web.browser import PASSWORD, Browser


def sign_in(browser, name="lin", password=PASSWORD, **kind):
    return browser.post("/sign-in", {"name": name, "password": password, "next": kind.pop("next", "/")}, **kind)


def test_right_password_opens_the_queue(visitor, add_person):
    add_person()
    response = sign_in(visitor)
    assert (response.status_code, response.headers["location"]) == (303, "/")
    cookie = response.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=strict" in cookie and "path=/" in cookie
    assert "待处理" in visitor.get("/").text


def test_over_https_the_cookie_is_bound_to_the_host(make_desk, password_hash):
    desk = make_desk(public_url="https://gate.example")
    desk.run(
        lambda tx: people.add_operator(
            tx, operator_id="lin", name="Lin", password_hash=password_hash, role="admin", actor="test"
        )
    )
    app = create_app(desk.service, scheduler=False)
    browser = Browser(TestClient(app, base_url="https://gate.example", follow_redirects=False))
    assert sign_in(browser).status_code == 403  # posted from another origin than the public one
    assert sign_in(browser, origin="http://gate.example").status_code == 403
    assert sign_in(browser, origin="https://GATE.example:443").status_code == 303  # the same place, spelled otherwise
    response = sign_in(browser, origin="https://gate.example")
    cookie = response.headers["set-cookie"]
    assert cookie.startswith("__Host-draftgate=") and "Secure" in cookie and "Domain" not in cookie


@pytest.mark.parametrize(("name", "password"), [("lin", "wrong"), ("nobody", PASSWORD), ("", ""), ("lin", "")])
def test_wrong_words_get_the_same_page(visitor, add_person, name, password):
    add_person()
    response = sign_in(visitor, name, password)
    assert response.status_code == 403
    assert "用户名或密码不对" in response.text
    assert "set-cookie" not in response.headers


def test_disabled_person_stays_out(visitor, add_person, desk):
    from gateway.tables import OperatorRow

    add_person()
    desk.run(lambda tx: tx.change(OperatorRow, {"id": "lin"}, disabled=True))
    assert sign_in(visitor).status_code == 403


def test_guessing_is_slowed_down_for_that_place_and_name_alone(desk, monkeypatch, add_person, app):
    add_person("lin")
    add_person("wang")
    monkeypatch.setattr(attempts, "PER_NAME", 2)
    guesser = Browser(TestClient(app, follow_redirects=False, client=("203.0.113.9", 1)))
    elsewhere = Browser(TestClient(app, follow_redirects=False, client=("198.51.100.7", 1)))
    for _ in range(2):
        assert sign_in(guesser, "lin", "guess").status_code == 403
    blocked = sign_in(guesser, "lin")
    assert blocked.status_code == 429 and "错误次数太多" in blocked.text
    assert sign_in(guesser, "wang").status_code == 303  # another name from the same place
    assert sign_in(elsewhere, "lin").status_code == 303  # the right person at their own place
    desk.clock.forward(minutes=16)
    assert sign_in(guesser, "lin").status_code == 303


def test_one_place_cannot_try_name_after_name(desk, monkeypatch, add_person, app):
    add_person()
    monkeypatch.setattr(attempts, "PER_ADDRESS", 3)
    sprayer = Browser(TestClient(app, follow_redirects=False, client=("2001:db8:1:2::3", 1)))
    neighbour = Browser(TestClient(app, follow_redirects=False, client=("2001:db8:1:2:ffff::9", 1)))
    for number in range(3):
        assert sign_in(sprayer, f"name-{number}").status_code == 403
    assert sign_in(neighbour, "lin").status_code == 429, "one IPv6 customer owns a whole /64"


def test_session_gets_a_new_id_at_each_sign_in(app, add_person):
    add_person()
    planted = Browser(TestClient(app, follow_redirects=False, cookies={"draftgate": "planted-by-somebody"}))
    first = session_id(sign_in(planted))
    assert first != "planted-by-somebody"
    own = Browser(TestClient(app, follow_redirects=False, cookies={"draftgate": first}))
    second = session_id(sign_in(own))
    assert second != first
    Browser(TestClient(app, follow_redirects=False, cookies={"draftgate": first})).get("/", 303)
    Browser(TestClient(app, follow_redirects=False, cookies={"draftgate": second})).get("/")


def session_id(response):
    return response.headers["set-cookie"].split(";")[0].partition("=")[2]


def test_sign_out_ends_the_session_on_the_server(lin):
    kept = dict(lin.client.cookies)
    lin.post("/sign-out", lin.get("/").form("/sign-out").data())
    stolen = Browser(TestClient(lin.client.app, follow_redirects=False, cookies=kept))
    stolen.get("/", 303)


def test_sign_out_everywhere_ends_every_session(desk, lin):
    other = Browser(
        TestClient(
            lin.client.app,
            follow_redirects=False,
            cookies={"draftgate": desk.run(lambda tx: people.open_session(tx, "lin"))},
        )
    )
    other.get("/")
    lin.post("/sign-out", lin.get("/").form("/sign-out").data(everywhere="yes"))
    other.get("/", 303)


def test_session_ends_after_its_hours(desk, lin):
    lin.get("/")
    desk.clock.forward(hours=8, minutes=1)
    lin.get("/", 303)


def test_every_page_asks_for_a_sign_in(visitor):
    from gateway.web import oidc, signin, wecom_sign_in
    from gateway.web.site import PARTS

    for part in PARTS:
        for route in part.router.routes:
            if "GET" in route.methods and part not in (signin, oidc, wecom_sign_in):
                response = visitor.client.get(re.sub(r"\{[a-z_]+\}", "x", route.path))
                assert response.status_code == 303, route.path
                assert response.headers["location"].startswith("/sign-in"), route.path


def test_fragments_send_the_whole_page_to_sign_in(visitor):
    response = visitor.client.get("/queue/rows", headers={"hx-request": "true"})
    assert (response.status_code, response.headers["hx-redirect"]) == (204, "/sign-in")


def test_next_never_leaves_the_site(visitor, add_person):
    add_person()
    for target in (
        "//evil.example",
        "https://evil.example/",
        "/\\evil.example",
        "javascript:alert(1)",
        "/\r\nSet-Cookie: a=b",
        "/\t/evil.example",
        "\\\\evil.example",
        "",
        "/" + "a" * 2000,
        "/路",
    ):
        page = visitor.get("/sign-in", params={"next": target})
        assert ("next", "/") in page.form("/sign-in").fields, target
    for target in ("//evil.example", "/\r\nSet-Cookie: a=b"):
        assert sign_in(visitor, next=target).headers["location"] == "/", target


def test_next_leads_back_to_the_page_that_was_wanted(visitor, add_person):
    add_person()
    response = visitor.client.get("/conversations?mine=yes")
    page = visitor.get(response.headers["location"])
    wanted = dict(page.form("/sign-in").fields)["next"]
    assert sign_in(visitor, next=wanted).headers["location"] == "/conversations?mine=yes"


def test_a_link_in_a_chat_opens_the_page_of_whoever_is_signed_in(visitor):
    """The strict cookie does not come with a link of another site; one step on our own ground brings it."""
    answer = visitor.client.get("/conversations/c-1?a=b&c=%22", headers={"sec-fetch-site": "cross-site"})
    assert answer.status_code == 200 and "location" not in answer.headers
    assert 'content="0; url=/conversations/c-1?a=b&amp;c=%22"' in answer.text
    evil = visitor.client.get("//evil.example/drafts", headers={"sec-fetch-site": "cross-site"})
    assert "evil" not in evil.text or evil.status_code == 404
    after = visitor.client.get("/conversations/c-1", headers={"sec-fetch-site": "same-origin"})
    assert after.status_code == 303


def test_failures_are_audited_without_what_was_typed(desk, visitor, add_person):
    from sqlalchemy import select

    from gateway.tables import AuditRow
    from gateway.tx import table_of

    add_person()
    sign_in(visitor, "my-secret-typed-into-the-wrong-field", "x")
    rows = desk.service.look(lambda tx: tx.conn.execute(select(table_of(AuditRow))).all())
    assert any(row.event == "sign_in_failed" for row in rows)
    assert not re.search("my-secret", str([tuple(row) for row in rows]))
