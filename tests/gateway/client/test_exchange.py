"""The way to the gateway: what is tried again, what never is, and what an error tells. Both faces alike."""

import inspect
import json
import logging
import pickle
import traceback

import httpx2
import pytest

from gateway.client import AsyncClient, Client, GateError, GateTimeout, GateUnreachable
from tests.gateway.client.conftest import KEY, URL

TURN = {"id": "t-1", "conversation": {"id": "c-1", "chatType": "private"}, "draft": {"text": "好的。"}}
EVALUATION = {"id": "t-1", "qualityPassed": True, "requiresHuman": False}


class Wire:
    """Answers what is scripted, one after the other; keeps the requests."""

    def __init__(self, *script):
        self.script, self.requests = list(script), []

    def __call__(self, request):
        self.requests.append(request)
        step = self.script.pop(0)
        if isinstance(step, Exception):
            raise step
        status, body, headers = (*step, {})[:3] if isinstance(step, tuple) else (200, step, {})
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return httpx2.Response(status, content=content, headers=headers)


def refusal(code, **more):
    return {"error": {"code": code, "message": f"told: {code}"} | more}


def test_a_call_carries_key_and_body(face):
    wire = Wire(EVALUATION)
    assert face(handler=wire)("evaluate", TURN).passed is True
    [request] = wire.requests
    assert (request.method, str(request.url)) == ("POST", f"{URL}/v1/evaluate")
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert json.loads(request.content) == TURN
    assert "好" in request.content.decode()


def test_an_address_may_have_a_path(face):
    wire = Wire({"id": "c"})
    face(url="https://shop.example/gate/", handler=wire)("get_conversation", "c")
    assert str(wire.requests[0].url) == "https://shop.example/gate/v1/conversations/c"


def test_an_error_is_told_whole(face):
    wire = Wire((409, refusal("already_decided", field="version", state="sent")))
    with pytest.raises(GateError) as caught:
        face(handler=wire)("evaluate", TURN)
    error = caught.value
    assert (error.code, error.status, error.field, error.message) == (
        "already_decided",
        409,
        "version",
        "told: already_decided",
    )
    assert error.record["state"] == "sent"
    assert not error.maybe_done
    assert str(error) == "POST /v1/evaluate: 409: already_decided: version: told: already_decided"
    assert len(wire.requests) == 1


READS = [("get_draft", "d-1"), ("get_conversation", "c-1"), ("inbox",), ("deliveries",), ("evaluation_schema",)]
WRITES = [
    ("evaluate", TURN),
    ("post_draft", TURN),
    ("post_message", "c-1", {"id": "m"}),
    ("group_turn", {}),
    ("cross_replies", "g-1", []),
]
GOOD = {"created": True, "items": [], "count": 0, "results": [], "replies": []}


@pytest.mark.parametrize("call", READS + WRITES, ids=lambda call: call[0])
@pytest.mark.parametrize(
    "trouble",
    [httpx2.ReadTimeout("late"), httpx2.ConnectError("no"), httpx2.RemoteProtocolError("gone"), (503, b"busy")],
    ids=["late", "away", "broken", "busy"],
)
def test_what_may_be_repeated_is_repeated(face, pauses, call, trouble):
    """The same bytes and the same key go again after a pause."""
    wire = Wire(trouble, trouble, GOOD)
    face(handler=wire)(*call)
    assert len({(r.method, str(r.url), r.content, r.headers.get("idempotency-key")) for r in wire.requests}) == 1
    assert (len(wire.requests), pauses) == (3, [0.25, 1.0])


@pytest.mark.parametrize(
    ("trouble", "kind", "tried"),
    [
        (httpx2.ReadTimeout("late"), GateTimeout, 1),
        (httpx2.WriteTimeout("late"), GateTimeout, 1),
        (httpx2.ReadError("gone"), GateUnreachable, 1),
        (httpx2.RemoteProtocolError("gone"), GateUnreachable, 1),
        ((503, b"busy"), GateError, 1),
        (httpx2.ConnectTimeout("late"), GateTimeout, 3),
        (httpx2.ConnectError("no"), GateUnreachable, 3),
        ((429, refusal("slow_down")), GateError, 3),
    ],
    ids=["late", "slow to take", "broken", "half", "busy", "no line in time", "no line", "too many"],
)
def test_a_rewrite_that_may_have_arrived_is_not_made_again(face, pauses, trouble, kind, tried):
    """The API takes one rewrite: only what certainly did not arrive goes again."""
    wire = Wire(*[trouble] * 3)
    with pytest.raises(GateError) as caught:
        face(handler=wire)("rewrite", "d-1", {"text": "好的。"})
    assert type(caught.value) is kind
    assert len(wire.requests) == tried
    assert caught.value.maybe_done is (tried == 1)


def test_it_gives_up_after_its_tries(face, pauses):
    wire = Wire(*[httpx2.ReadTimeout("late")] * 2)
    with pytest.raises(GateTimeout) as caught:
        face(handler=wire, tries=2)("post_draft", TURN)
    assert (caught.value.code, caught.value.status, len(wire.requests)) == ("timed_out", None, 2)
    assert caught.value.idempotency_key == wire.requests[0].headers["idempotency-key"]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 413, 422, 500, 501])
def test_a_no_is_not_asked_again(face, status):
    wire = Wire((status, refusal("no")))
    with pytest.raises(GateError):
        face(handler=wire)("evaluate", TURN)
    assert len(wire.requests) == 1


@pytest.mark.parametrize(
    ("told", "pause"), [("7", [7.0]), ("0", [0.0]), ("soon", [0.25]), ("9" * 5000, [0.25]), ("²", [0.25])]
)
def test_it_waits_as_long_as_it_is_asked_to(face, pauses, told, pause):
    wire = Wire((429, refusal("slow_down"), {"Retry-After": told.encode()}), EVALUATION)
    face(handler=wire)("evaluate", TURN)
    assert pauses == pause


def test_it_does_not_wait_for_ever(face, pauses):
    wire = Wire((503, b"", {"Retry-After": "3600"}))
    with pytest.raises(GateError) as caught:
        face(handler=wire)("evaluate", TURN)
    assert (caught.value.retry_after, pauses) == (3600.0, [])


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>", b"[]", b'"text"', b"null", b'{"error": "no"}', b'{"error": {"code": 5}}', b"\xff\xfe"],
)
def test_an_error_that_is_not_a_gateways_is_an_error_all_the_same(face, pauses, body):
    with pytest.raises(GateError) as caught:
        face(handler=Wire((404, body)))("evaluate", TURN)
    assert caught.value.status == 404
    assert caught.value.code in ("http_404", "5")


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b"{}", b'{"items": 5}'])
def test_an_answer_that_is_not_a_gateways_is_an_error(face, body):
    with pytest.raises(GateError) as caught:
        face(handler=Wire((200, body)))("inbox")
    assert (caught.value.code, caught.value.maybe_done) == ("bad_answer", True)


def test_a_redirect_is_not_followed(face):
    """The key goes to the address that was given, and nowhere else."""
    wire = Wire((307, b"", {"Location": "http://elsewhere.example/"}))
    with pytest.raises(GateError, match="leads elsewhere"):
        face(handler=wire)("evaluate", TURN)
    assert len(wire.requests) == 1


def test_a_long_poll_is_waited_for(face):
    wire = Wire({"items": []}, EVALUATION)
    assert face(handler=wire, timeout=3)("inbox", wait=20, limit=5) == []
    assert wire.requests[0].extensions["timeout"]["read"] == 23
    assert str(wire.requests[0].url).endswith("/v1/inbox?wait=20&limit=5")
    face(handler=wire, timeout=3)("evaluate", TURN)
    assert wire.requests[1].extensions["timeout"]["read"] == 3


BAD = [
    ("ftp://gate.example", KEY),
    ("gate.example", KEY),
    ("http://", KEY),
    ("http://user:word@gate.example", KEY),
    ("http://gate.example?key=1", KEY),
    ("http://gate.example:99999", KEY),
    (URL, ""),
    (URL, "密钥"),
    (URL, "a\nb"),
]


@pytest.mark.parametrize(("url", "key"), BAD)
def test_an_address_or_key_that_cannot_be_used_is_refused_at_once(face, url, key):
    with pytest.raises(ValueError, match=r"url: |key: ") as caught:
        face(url=url, key=key)
    assert not key or key not in str(caught.value)


def test_the_environment_says_where(face, monkeypatch):
    monkeypatch.setenv("GATE_KEY", KEY)
    monkeypatch.delenv("GATE_URL", raising=False)
    assert "127.0.0.1:8080" in repr(face.kind.from_environment())
    monkeypatch.setenv("GATE_URL", URL)
    assert repr(face.kind.from_environment()) == f"{face.kind.__name__}('{URL}')"
    monkeypatch.delenv("GATE_KEY")
    with pytest.raises(ValueError, match="add-key"):
        face.kind.from_environment()


def test_the_key_is_told_to_nobody(face, pauses, caplog):
    """Not by repr, an error's words, its chain and traceback, its pickle, or any log."""
    caplog.set_level(logging.DEBUG)
    for trouble in (httpx2.ReadTimeout("late"), (401, refusal("bad_key"))):
        ask = face(handler=Wire(*[trouble] * 3))
        with pytest.raises(GateError) as caught:
            ask("post_draft", TURN)
        error = caught.value
        told = [repr(ask.client), str(vars(ask.client)), repr(error), str(error), str(vars(error))]
        told.append("".join(traceback.format_exception(error)))
        assert error.__cause__ is None and error.__context__ is None
        again = pickle.loads(pickle.dumps(error))  # noqa: S301  # made here
        assert (type(again), str(again), again.maybe_done) == (type(error), str(error), error.maybe_done)
        assert all(KEY not in words for words in [*told, caplog.text])


def test_both_faces_have_the_same_calls():
    """Name by name: parameters, answers and words; one awaits, the other does not."""
    blocking, awaiting = (dict(inspect.getmembers(c, inspect.isfunction)) for c in (Client, AsyncClient))
    own = {name for name in blocking if not name.startswith("__")}
    assert own == {name for name in awaiting if not name.startswith("__")}
    for name in own:
        assert inspect.signature(blocking[name]) == inspect.signature(awaiting[name]), name
        assert blocking[name].__doc__ == awaiting[name].__doc__, name
        assert inspect.iscoroutinefunction(awaiting[name]) and not inspect.iscoroutinefunction(blocking[name])
