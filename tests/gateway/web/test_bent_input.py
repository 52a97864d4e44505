"""Forms and addresses that were tampered with: a page that says so, never an error, never a message."""

from starlette.testclient import TestClient

from tests.gateway.web.browser import Browser


def test_bent_forms_are_refused_without_an_error(desk, lin, held):
    draft = held()
    bent = [
        ("version", "1; drop table"),
        ("version", "-1"),
        ("version", "９"),
        ("version", ""),
        ("textSha256", "x" * 64),
        ("textSha256", ""),
        ("lastSeenMessageId", "m" * 300),
        ("request", "r" * 500),
    ]
    for field, value in bent:
        form = lin.draft(draft).form("/approve")
        response = lin.post(form.action, form.data(**{field: value}))
        assert response.status_code in (303, 422), (field, value)
    desk.carry()
    assert desk.arrived == []


def test_bodies_that_are_no_form_are_refused(lin):
    form = "application/x-www-form-urlencoded"
    for body, kind, status in (
        (b"{}", "application/json", 415),
        (b"a" * 500_000, form, 413),
        (b"csrf=%ff%fe", form, 400),
        (b"&".join(b"a=1" for _ in range(500)), form, 400),
    ):
        headers = {"content-type": kind, "origin": "http://testserver"}
        assert lin.client.post("/drafts/d/approve", content=body, headers=headers).status_code == status, body[:20]


def test_forms_lead_back_to_this_site_only(lin, held):
    form = lin.draft(held()).form("/take")
    for back in ("//evil.example", "https://evil.example", "/\\evil", "javascript:alert(1)", "/\r\nX: y"):
        location = lin.post(form.action, form.data(back=back)).headers["location"]
        assert location.startswith("/?r=take"), location


def test_one_person_cannot_read_anothers_outcomes(lin, browser_of, held):
    form = lin.draft(held()).form("/take")
    location = lin.post(form.action, form.data()).headers["location"]
    assert "您已接手" in lin.get(location).text
    assert "您已接手" not in browser_of("wang").get(location).text


def test_unknown_things_are_pages_that_say_so(lin):
    for path in (
        "/drafts/none",
        "/conversations/none",
        "/drafts/" + "x" * 3000,
        "/drafts/%00",
        "/conversations/%F0%9F%98%80",
    ):
        assert "没有" in lin.get(path, 404).text, path


def test_bent_addresses_show_a_page(lin, held):
    held()
    for query in (
        "after=zzz",
        "after=2026-01-01~x",
        "after=~",
        "after=%00",
        "tab=none",
        "fallback='--",
        "search=%25%27%22",
        "stale=maybe",
        "lang=xx",
        "days=-1",
    ):
        for page in ("/", "/queue/rows", "/conversations", "/deliveries", "/statistics"):
            lin.get(f"{page}?{query}")


def test_framing_another_origin_gets_no_cookie(app):
    assert "set-cookie" not in TestClient(app).get("/sign-in").headers
    Browser(TestClient(app, follow_redirects=False)).get("/", 303)
