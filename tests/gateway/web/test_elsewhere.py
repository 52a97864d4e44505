"""Signing in with WeCom and OpenID Connect, against stand-ins: only whom the other side vouches for, only this browser."""

from urllib.parse import parse_qs, urlsplit

import pytest
from joserfc.jwk import RSAKey
from starlette.testclient import TestClient

from gateway import people
from gateway.app import create_app
from gateway.web import identities
from gateway.web.elsewhere import COOKIE
from tests.gateway.web.browser import HOME, Browser
from tests.gateway.web.strangers import CLIENT, SECRET, OidcProvider, WeComLogin


@pytest.fixture
def provider(clock):
    with OidcProvider(clock) as running:
        yield running


@pytest.fixture
def wecom():
    with WeComLogin() as running:
        yield running


@pytest.fixture
def site_with(make_desk, password_hash):
    """Open a gateway with these settings and one operator; gives the desk and a maker of browsers."""

    def make(**settings):
        desk = make_desk(public_url=HOME, **settings)
        desk.account()
        desk.run(
            lambda tx: people.add_operator(
                tx, operator_id="lin", name="林小月", password_hash=password_hash, role="operator", actor="test"
            )
        )
        app = create_app(desk.service, scheduler=False)
        return desk, lambda **headers: Browser(TestClient(app, follow_redirects=False, headers=headers))

    return make


@pytest.fixture
def oidc(site_with, provider):
    desk, browser = site_with(oidc_issuer=provider.url, oidc_client_id=CLIENT, oidc_client_secret=SECRET)
    desk.run(lambda tx: identities.bind(tx, "oidc", "user-17", "lin", "test"))
    return desk, browser


def signed_in(browser):
    return browser.client.get("/").status_code == 200


def test_the_sign_in_page_offers_what_is_set_up(oidc):
    _, browser = oidc
    page = browser().get("/sign-in?next=/conversations")
    assert "/sign-in/oidc?next=/conversations" in page.links and "企业微信登录" not in page.text
    assert "没有开通" in browser().get("/sign-in/wecom", 403).text


def test_nothing_else_is_offered_where_nothing_is_set_up(visitor):
    assert "单点登录" not in visitor.get("/sign-in").text
    for path in ("/sign-in/oidc", "/sign-in/wecom", "/sign-in/oidc/back?code=1&state=2", "/sign-in/wecom/back"):
        assert "没有开通" in visitor.get(path, 403).text


def test_single_sign_on_opens_a_session_and_goes_where_one_wanted(oidc, provider):
    _, make = oidc
    browser = make()
    away = browser.client.get("/sign-in/oidc?next=/conversations")
    assert away.status_code == 303
    back = browser.client.get(provider.visit(away.headers["location"]))
    assert (back.status_code, back.headers["location"]) == (303, "/conversations")
    assert signed_in(browser) and "林小月" in browser.get("/conversations").text
    assert COOKIE not in browser.client.cookies


def test_an_unbound_identity_is_named_and_let_in_nowhere(oidc, provider):
    _, make = oidc
    provider.subject = "<b>stranger</b>"
    browser = make()
    way_back = provider.visit(browser.client.get("/sign-in/oidc").headers["location"])
    page = browser.get(way_back, 403)
    assert "还没有绑定操作员" in page.text and "<b>stranger" not in page.html
    assert not signed_in(browser)


def test_a_way_back_is_good_once_and_in_its_own_browser(oidc, provider):
    _, make = oidc
    mine, others = make(), make()
    way_back = provider.visit(mine.client.get("/sign-in/oidc").headers["location"])
    assert "没有登录" in others.get(way_back, 403).text, "a link cannot sign somebody in as somebody else"
    assert mine.client.get(way_back).status_code == 303
    mine.client.cookies.set(COOKIE, parse_qs(urlsplit(way_back).query)["state"][0], path="/sign-in")
    assert "没有登录" in mine.get(way_back, 403).text


def test_a_way_back_grows_old(oidc, provider):
    desk, make = oidc
    browser = make()
    way_back = provider.visit(browser.client.get("/sign-in/oidc").headers["location"])
    desk.clock.forward(minutes=11)
    assert "没有登录" in browser.get(way_back, 403).text


@pytest.mark.parametrize(
    "claims",
    [
        {"nonce": "another"},
        {"aud": "another-client"},
        {"aud": [CLIENT, "another"], "azp": "another"},
        {"iss": "https://evil.example"},
        {"exp": 1},
        {"sub": None},
        {"iat": 4_000_000_000},
    ],
)
def test_a_token_must_be_right_in_every_claim(oidc, provider, claims):
    _, make = oidc
    provider.claims = claims
    browser = make()
    page = browser.get(provider.visit(browser.client.get("/sign-in/oidc").headers["location"]), 403)
    assert "没有确认您的身份" in page.text and not signed_in(browser)


def test_a_token_must_be_signed_by_the_providers_key(oidc, provider):
    _, make = oidc
    browser = make()
    provider.key = RSAKey.generate_key(2048, {"kid": "first"})
    assert "没有确认" in browser.get(provider.visit(browser.client.get("/sign-in/oidc").headers["location"]), 403).text


def test_changed_keys_are_fetched_anew(oidc, provider):
    _, make = oidc
    browser = make()
    location = browser.client.get("/sign-in/oidc").headers["location"]
    provider.key = provider.shown = RSAKey.generate_key(2048, {"kid": "second"})
    assert browser.client.get(provider.visit(location)).status_code == 303


@pytest.mark.parametrize(
    "described",
    [{"issuer": "https://evil.example"}, {"token_endpoint": "http://evil.example/token"}, {"jwks_uri": None}],
)
def test_a_description_must_be_believable(oidc, provider, described):
    _, make = oidc
    provider.described = described
    assert "没有确认" in make().get("/sign-in/oidc", 403).text


def test_a_disabled_operator_stays_out(oidc, provider):
    from gateway.tables import OperatorRow

    desk, make = oidc
    desk.run(lambda tx: tx.change(OperatorRow, {"id": "lin"}, disabled=True))
    browser = make()
    assert (
        "还没有绑定" in browser.get(provider.visit(browser.client.get("/sign-in/oidc").headers["location"]), 403).text
    )


def test_next_stays_on_the_site(oidc, provider):
    _, make = oidc
    browser = make()
    way_back = provider.visit(browser.client.get("/sign-in/oidc?next=//evil.example").headers["location"])
    assert browser.client.get(way_back).headers["location"] == "/"


@pytest.fixture
def wecom_site(site_with, wecom):
    desk, browser = site_with(
        wecom_corp_id="ww1",
        wecom_secret="s3cret",
        wecom_api_base=f"{wecom.url}/cgi-bin",
        sign_in_wecom_agent_id="1000002",
    )
    desk.run(lambda tx: identities.bind(tx, "wecom", "LinXiaoYue", "lin", "test"))
    return desk, browser


@pytest.mark.parametrize(
    ("agent", "start", "asked"),
    [
        ("Mozilla/5.0", "https://login.work.weixin.qq.com/wwlogin/sso/login?", {"login_type": "CorpApp"}),
        ("Mozilla/5.0 wxwork/4.1", "https://open.weixin.qq.com/connect/oauth2/authorize?", {"scope": "snsapi_base"}),
    ],
)
def test_wecom_by_scanning_and_inside_its_browser(wecom_site, agent, start, asked):
    _, make = wecom_site
    browser = make(**{"user-agent": agent})
    location = browser.client.get("/sign-in/wecom?next=/me").headers["location"]
    assert location.startswith(start)
    told = {k: v[0] for k, v in parse_qs(urlsplit(location).query).items()}
    assert told | asked | {"appid": "ww1", "agentid": "1000002"} == told
    assert told["redirect_uri"] == f"{HOME}/sign-in/wecom/back"
    back = browser.client.get(f"/sign-in/wecom/back?code=code-lin&state={told['state']}")
    assert back.headers["location"] == "/me" and signed_in(browser)


@pytest.mark.parametrize("code", ["code-guest", "code-nobody", ""])
def test_wecom_lets_only_bound_members_in(wecom_site, code):
    _, make = wecom_site
    browser = make()
    state = parse_qs(urlsplit(browser.client.get("/sign-in/wecom").headers["location"]).query)["state"][0]
    assert "没有登录" in browser.get(f"/sign-in/wecom/back?code={code}&state={state}", 403).text
    assert not signed_in(browser)


def test_administrators_bind_and_loosen(desk, browser_of, lin):
    boss = browser_of("boss", "admin", "店长")
    told = boss.press("/settings", "/settings/identities", operator="lin", provider="oidc", subject="user-17")
    assert "身份已绑定" in told.text
    again = boss.press("/settings", "/settings/identities", operator="boss", provider="oidc", subject="user-17")
    assert "已经绑定了" in again.text
    lin.get("/")
    gone = boss.press("/settings", "/settings/identities/loosen")
    assert "身份已解除" in gone.text
    lin.get("/", 303)
    history = boss.get("/settings/history")
    assert "绑定登录身份" in history.text and "解除登录身份" in history.text
