"""Hostile words and hostile sites: nothing runs, nothing is posted by others, nobody does more than the role allows."""

import re
from pathlib import Path

import pytest

import gateway.web
from gateway.tables import ConversationRow
from tests.gateway.desk import GOOD

EVIL = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'><svg/onload=alert(1)>",
    "</textarea><script>alert(1)</script>",
    "{{7*7}}{% raw %}",
    "javascript:alert(1)",
    "</title><script>alert(1)</script>",
    "<!--<script>",
)
POSTS = (
    "/drafts/d/approve",
    "/drafts/d/edit",
    "/drafts/d/reject",
    "/drafts/d/undo",
    "/drafts/d/reopen",
    "/drafts/d/advice",
    "/drafts/reject-many",
    "/drafts/assign-many",
    "/conversations/c-1/send",
    "/conversations/c-1/take",
    "/conversations/c-1/give-back",
    "/conversations/c-1/writing",
    "/conversations/c-1/hand-over",
    "/conversations/c-1/stage",
    "/messages/o-1/settle",
    "/messages/o-1/again",
)
ANYBODYS_POSTS = ("/sandbox", "/me/password")
ADMIN_POSTS = (
    "/conversations/c-1/mode",
    "/conversations/c-1/forget-log",
    "/settings/accounts",
    "/settings/accounts/shop",
    "/settings/accounts/shop/restart",
    "/settings/keys",
    "/settings/keys/k/revoke",
    "/settings/operators",
    "/settings/operators/lin",
    "/settings/packs/property/check",
    "/settings/alerts",
    "/settings/alerts/al/remove",
    "/settings/limits",
    "/settings/agents/hooks",
    "/settings/agents/hooks/shop/remove",
    "/settings/agents/letters/d/retry",
    "/settings/identities",
    "/settings/identities/loosen",
)
WEB = Path(gateway.web.__file__).parent


def harmless(page):
    """No tag, attribute or link of the page comes from data."""
    for tag, attrs in page.tags:
        assert tag != "script" or set(attrs) == {"src", "defer"}, attrs
        assert not [name for name in attrs if name.startswith("on") or name == "style"], (tag, attrs)
        for name in ("href", "src", "action"):
            assert attrs.get(name, "/")[:1] in "/#?", (tag, attrs)
    assert page.html.count("<script") == 3, "our three files and nothing else"


@pytest.mark.parametrize("evil", EVIL)
def test_words_from_outside_are_only_words(desk, browser_of, held, evil):
    lin = browser_of("lin", "admin", name=evil)
    tool = {"id": "t-1", "tool": evil, "status": "ok", "data": {evil: evil}, "text": evil}
    citation = {
        "id": "doc-9",
        "text": evil + "，小区人车分流。",
        "title": evil,
        "subject": "松月里 5-1602",
        "url": evil,
    }
    held()
    desk.run(lambda tx: tx.change(ConversationRow, {"id": "c-1"}, display_name=evil, subject=evil, assigned_to=evil))
    desk.says(evil)
    draft = desk.post(
        GOOD + evil, citations=[citation], toolResults=[tool], agentId=evil[:90], model=evil[:90], grounding=[]
    )
    desk.run(lambda tx: tx.audit(evil, "state", draft_id=draft["draftId"], why=evil, to_state=evil))
    for path in (
        "/",
        f"/drafts/{draft['draftId']}",
        "/conversations",
        "/conversations/c-1",
        "/deliveries",
        "/settings",
        "/statistics",
        f"/drafts/{draft['draftId']}?r=" + evil,
        "/?search=" + evil.replace("{", "%7B"),
        "/?tab=" + evil.replace("{", "%7B"),
    ):
        harmless(lin.get(path))
    page = lin.draft(draft)
    fields = dict(page.form("/edit").fields) if page.has_form("/edit") else {"text": GOOD + evil}
    assert fields["text"] == GOOD + evil, "an edit box holds the very text"
    assert evil in page.text or "<!--" in evil or "  " in evil


def test_script_link_in_a_draft_is_plain_text(desk, lin, held):
    page = lin.draft(held(text="点这里 [详情](javascript:alert(1)) 或 https://evil.example/x"))
    assert "[详情](javascript:alert(1))" in page.text
    assert not [link for link in page.links if "javascript" in link or "evil" in link]


def test_typed_words_come_back_as_words(desk, lin, held):
    page = lin.press(
        f"/drafts/{held()['draftId']}", "/send", text="</textarea><script>alert(1)</script>\u200b" + "长" * 900
    )
    harmless(page)
    assert dict(page.form("/send").fields)["text"].startswith("</textarea><script>")


def test_every_answer_lets_no_foreign_code_run(lin):
    for path in (
        "/",
        "/sign-in",
        "/drafts/nothing",
        "/static/app.css",
        "/deliveries",
        "/queue/rows",
        "/statistics.csv",
    ):
        _safe_headers(path, lin.client.get(path).headers)


def _safe_headers(path, headers):
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "base-uri 'none'" in policy
    assert "form-action 'self'" in policy and "unsafe" not in policy and "http" not in policy
    assert headers["x-content-type-options"] == "nosniff" and headers["x-frame-options"] == "DENY"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert headers["referrer-policy"] == "same-origin", "with no-referrer browsers send Origin: null with our own forms"
    assert path.startswith("/static") or headers["cache-control"] == "no-store"


def test_templates_never_switch_escaping_off():
    for template in (WEB / "templates").glob("*.html"):
        source = template.read_text("utf-8")
        assert not re.search(r"\|\s*safe|autoescape|Markup|<script(?! src=\"\{\{ static)|\son\w+=|style=", source), (
            template
        )


def test_vendored_files_are_those_that_were_noted():
    import hashlib

    noted = (WEB / "static" / "VENDORED.txt").read_text("utf-8")
    for name in ("htmx.min.js", "hx-sse.min.js"):
        assert hashlib.sha256((WEB / "static" / name).read_bytes()).hexdigest() in noted


def test_pages_name_no_other_host(lin, held):
    page = lin.draft(held())
    for _, attrs in page.tags:
        for name in ("href", "src", "action", "hx-get", "hx-post", "hx-sse:connect"):
            assert "//" not in attrs.get(name, "")


def test_posts_from_elsewhere_do_nothing(browser_of):
    admin = browser_of("boss", "admin")
    csrf = token(admin)
    elsewhere = (
        "https://evil.example",
        "null",
        "http://testserver.evil.example",
        "http://testserver:81",
        "http://[bad",
        "http://testserver:port",
        "file://testserver",
        "https://",
        None,
    )
    for path in POSTS + ADMIN_POSTS + ANYBODYS_POSTS:
        for origin in elsewhere:
            assert admin.post(path, {"csrf": csrf, "version": "1"}, origin=origin).status_code == 403, (path, origin)
        for wrong in ({"version": "1"}, {"csrf": ""}, {"csrf": "guess"}, {"csrf": csrf[:-1]}):
            assert admin.post(path, wrong).status_code == 403, (path, wrong)


def test_another_sessions_token_does_not_fit(browser_of, held):
    lin, wang = browser_of("lin"), browser_of("wang")
    response = wang.post(f"/drafts/{held()['draftId']}/approve", {"csrf": token(lin), "version": "1"})
    assert response.status_code == 403


def test_nobody_posts_without_a_session(visitor):
    for path in POSTS + ADMIN_POSTS + ANYBODYS_POSTS:
        response = visitor.post(path, {"csrf": "x"})
        assert (response.status_code, response.headers["location"]) == (303, "/sign-in"), path


def test_viewers_change_nothing(browser_of):
    viewer = browser_of("zhao", "viewer")
    csrf = token(viewer)
    for path in POSTS + ADMIN_POSTS:
        assert viewer.post(path, {"csrf": csrf, "version": "1"}).status_code == 403, path


def test_every_post_of_the_site_is_in_these_lists():
    """A new button must join the tests above."""
    from gateway.web import oidc, signin, wecom_sign_in
    from gateway.web.site import PARTS

    known = {
        re.sub(r"/(d|c-1|o-1|shop|k|lin|al|property)(?=/|$)", "/{}", path)
        for path in POSTS + ADMIN_POSTS + ANYBODYS_POSTS
    }
    for part in PARTS:
        for route in part.router.routes:
            if "POST" in route.methods and part not in (signin, oidc, wecom_sign_in):
                assert re.sub(r"\{[a-z_]+\}", "{}", route.path) in known, route.path


def test_operators_do_not_change_settings(lin):
    csrf = token(lin)
    for path in ADMIN_POSTS:
        assert lin.post(path, {"csrf": csrf}).status_code == 403, path
    lin.get("/settings", 403)


def test_viewers_see_no_buttons(browser_of, held):
    viewer = browser_of("zhao", "viewer")
    page = viewer.draft(held())
    assert {form.action for form in page.forms if form.method == "post"} == {"/sign-out"}
    assert "您可以查看，不能决定" in page.text
    viewer.get("/conversations/c-1")
    viewer.get("/settings", 403)


def test_an_operator_who_was_demoted_loses_the_buttons_at_once(desk, lin, held):
    from gateway.tables import OperatorRow

    form = lin.draft(held()).form("/approve")
    desk.run(lambda tx: tx.change(OperatorRow, {"id": "lin"}, role="viewer"))
    assert lin.post(form.action, form.data()).status_code == 403
    desk.run(lambda tx: tx.change(OperatorRow, {"id": "lin"}, disabled=True))
    lin.get("/", 303)


def token(browser):
    return dict(browser.get("/").form("/sign-out").fields)["csrf"]


def test_an_address_that_nothing_answers_shows_a_page_of_ours(lin, visitor):
    for browser in (lin, visitor):
        page = browser.get("/no-such-page", 404, headers={"accept": "text/html"})
        assert "没有这个页面" in page.text and "404" in page.text
    assert "林小月" in lin.get("/no-such-page", 404, headers={"accept": "text/html"}).text
    answer = visitor.client.get("/no-such-page", headers={"accept": "text/html"})
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert visitor.client.get("/v1/nothing").json()["error"]["code"] == "http_404"


def test_a_page_that_breaks_says_so_and_nothing_else(lin, monkeypatch):
    from gateway.web import statistics

    def breaks(*_given):
        raise RuntimeError("secret inside")

    monkeypatch.setattr(statistics, "figures_of", breaks)
    page = lin.get("/statistics", 500)
    assert "这一页出了错" in page.text and "secret inside" not in page.html
    assert "frame-ancestors 'none'" in lin.client.get("/statistics").headers["content-security-policy"]
