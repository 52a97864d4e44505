"""Forms and addresses made up at random, sent by somebody who is signed in as an administrator: no page ever breaks."""

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import gateway.web
from tests.gateway.web.browser import HOME
from tests.security.routes import routes_of

WEB = Path(gateway.web.__file__).parent
TEMPLATES = "".join(path.read_text("utf-8") for path in sorted((WEB / "templates").glob("*.html")))
CODE = "".join(path.read_text("utf-8") for path in sorted(WEB.glob("*.py")))
FIELDS = sorted({*re.findall(r'\bname="(\w+)"', TEMPLATES)} - {"csrf"})
QUERIES = sorted({*re.findall(r'query(?:_params)?\.get\("(\w+)"', CODE), "after", "tab", "r", "lang"})
ENDLESS = {"/events"}
# the page that signs its own administrator out would end the run
LEFT_OUT = {"/sign-out", "/me/password", "/sign-in"}
CALM = settings(
    max_examples=6,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
WORDS = st.one_of(
    st.text(max_size=40),
    st.integers(-(10**20), 10**20).map(str),
    st.sampled_from(
        ["", "1", "on", "yes", "held", "auto", "shop", "lin", "*", "property", "2026-11-30", "9999-99-99", "null"]
    ),
    st.sampled_from(
        ["\x00", "\r\n", "\u202e", "%", "'", '"', "../..", "9" * 400, "\U0001f468\u200d\U0001f469" * 30, "١٢"]
    ),
)
POSTED = st.dictionaries(st.sampled_from(FIELDS), st.lists(WORDS, min_size=1, max_size=2), max_size=8)
ASKED = st.dictionaries(st.sampled_from(QUERIES), WORDS, max_size=4)


@pytest.fixture
def busy(review):
    """A shop with a held draft, a sent message and an administrator at the browser."""
    review.says()
    sent = review.post_good()
    review.approve(sent)
    review.carry()
    review.says("再问一下，有电梯吗")
    draft = review.post_bad()
    review.browser("lin")
    review.places = {
        "draft_id": draft["draftId"],
        "conversation_id": review.conversation(),
        "outbound_id": review.draft(sent)["messages"][0]["outboundId"],
        "account_id": "shop",
        "operator_id": "lin",
    }
    return review


def routes(shop, method):
    for path, route in routes_of(shop.app):
        fits = method in route.methods and not route.include_in_schema and not path.startswith("/wecom")
        if fits and path not in ENDLESS | LEFT_OUT:
            yield re.sub(r"\{(\w+)\}", lambda m: shop.places.get(m[1], "nothing"), path)


def must_hold(path, response):
    assert response.status_code < 500, (path, response.status_code, response.text[:300])
    assert "Traceback" not in response.text
    if response.headers.get("content-type", "").startswith("text/html"):
        assert "frame-ancestors 'none'" in response.headers["content-security-policy"], path


def test_no_form_breaks_a_page(busy):
    """Every button of the site with fields that no page of ours would send."""
    boss = busy.browser("boss", "admin")
    csrf = dict(boss.get("/").form("/sign-out").fields)["csrf"]
    paths = sorted(routes(busy, "POST"))
    assert len(paths) > 20

    @CALM
    @given(fields=POSTED)
    def run(fields):
        for path in paths:
            response = boss.client.post(path, data=fields | {"csrf": csrf}, headers={"origin": HOME})
            must_hold(path, response)

    run()
    busy.carry()
    boss.get("/")


def test_no_address_breaks_a_page(busy):
    """Every page with queries that no link of ours holds."""
    boss = busy.browser("boss", "admin")
    paths = sorted(routes(busy, "GET"))
    assert len(paths) > 10

    @CALM
    @given(query=ASKED)
    def run(query):
        for path in paths:
            must_hold(path, boss.client.get(path, params=query))

    run()
