"""Requests made up from the OpenAPI document, right and wrong ones: whatever comes, the API answers and never breaks."""

import json
from contextlib import suppress

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode

from tests.behaviour.shop import ASKED, CUSTOMER
from tests.security.routes import routes_of

EXAMPLES = 10  # for each operation, with right data and again with wrong data
CALM = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
JSON_KINDS = ("application/json",)


@pytest.fixture
def target(shop):
    """A shop in which something has happened, so that paths and bodies can name what exists."""
    shop.says()
    draft = shop.post_bad()
    shop.ok(
        "channel",
        "POST",
        "/v1/conversations",
        json={"id": "g-1", "account": "shop", "recipient": "wr_1", "chatType": "group"},
    )
    shop.known = {
        "draft_id": draft["draftId"],
        "conversation_id": shop.conversation(CUSTOMER),
        "turn_id": "g_nothing",
        "inbox_id": "in_nothing",
    }
    return shop


def operations(shop):
    schema = schemathesis.openapi.from_dict(shop.app.openapi())
    return [found.ok() for found in schema.get_all_operations()]


def made_real(shop, path):
    """Put what exists into a path's places."""
    for name, value in shop.known.items():
        path = path.replace(f"{{{name}}}", value)
    return path


def in_place(shop, body):
    """Let a body speak of the conversation that exists."""
    if isinstance(body, dict) and isinstance(body.get("conversation"), dict):
        return body | {"conversation": body["conversation"] | {"id": shop.known["conversation_id"]}}
    return body


def tried(shop, operation, case, real):
    query = {name: value for name, value in dict(case.query or {}).items() if name != "wait"}  # nobody waits in a test
    headers = {"Authorization": f"Bearer {shop.keys['root']}", "Idempotency-Key": f"k-{case.id}"}
    path = made_real(shop, operation.path) if real else case.formatted_path
    sent = in_place(shop, case.body) if real else case.body
    given_body = {}
    if operation.method.upper() == "POST" and operation.body:
        plain = json.dumps(sent, ensure_ascii=False, default=str).encode("utf-8", "replace")
        given_body = {"content": plain, "headers": headers | {"Content-Type": "application/json"}}
    return shop.client.request(operation.method.upper(), path, params=query, **({"headers": headers} | given_body))


def must_be_answered(response):
    assert response.status_code < 500, (response.request.method, response.request.url.path, response.text[:400])
    if response.status_code in (307, 404, 405) and not response.content:
        return
    assert response.headers["content-type"].startswith(JSON_KINDS), response.request.url
    answer = json.loads(response.text)
    if response.status_code >= 400:
        assert set(answer) == {"error"} and answer["error"]["code"] and answer["error"]["message"]
        assert "Traceback" not in response.text and "sqlalchemy" not in response.text


def _fuzz(shop, operation, strategy, answered):
    @CALM
    @given(case=strategy, real=st.booleans())
    def run(case, real):
        response = tried(shop, operation, case, real)
        must_be_answered(response)
        answered.append((operation.label, response.status_code))

    with suppress(Unsatisfiable):  # no wrong data exists for an operation that takes anything
        run()


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=["right data", "wrong data"])
def test_no_request_breaks_the_api(target, mode):
    """Every operation of the document, about paths that exist and paths that do not; afterwards all is as before."""
    from gateway import people

    root = target.service.run(lambda tx: people.add_key(tx, name="root", scopes=["admin"], actor="t"))[1]
    target.keys["root"] = root
    answered = []
    for operation in operations(target):
        _fuzz(target, operation, operation.as_strategy(generation_mode=mode), answered)
    target.carry()
    assert {label for label, _ in answered} >= {operation.label for operation in operations(target) if operation.body}
    if mode is GenerationMode.POSITIVE:
        assert {status for _, status in answered} >= {200, 404}
    assert target.talk()["messages"][0]["text"] == ASKED
    assert target.client.get("/readyz").json()["status"] == "ready"


def test_every_route_of_the_api_is_in_the_document(shop):
    """What is not in the document would not be tried."""
    served = {(m, path) for path, route in routes_of(shop.app) if path.startswith("/v1") for m in route.methods}
    assert {(operation.method.upper(), operation.path) for operation in operations(shop)} == served
