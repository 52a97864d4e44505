import json
import logging
import traceback

import httpx2
import pytest

from outbound.errors import ChannelUnreachable, OutcomeUnknown
from outbound.wecom.settings import WeComSettings
from outbound.wecom.wire import Wire, redact

SETTINGS = WeComSettings("ww_1", "corp-secret-value", "http://platform.test/cgi-bin")


def wire(handler) -> Wire:
    return Wire(SETTINGS, httpx2.MockTransport(handler))


def raising(error: type[Exception]):
    def handler(request: httpx2.Request) -> httpx2.Response:
        raise error(f"failed at {request.url}")

    return wire(handler)


@pytest.mark.parametrize(
    "error",
    [httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.ProxyError, httpx2.UnsupportedProtocol],
)
def test_nothing_written_is_unreachable(error):
    with pytest.raises(ChannelUnreachable):
        raising(error).exchange("POST", "kf/send_msg", {})


@pytest.mark.parametrize(
    "error",
    [
        httpx2.ReadTimeout,
        httpx2.WriteTimeout,
        httpx2.ReadError,
        httpx2.WriteError,
        httpx2.CloseError,
        httpx2.RemoteProtocolError,
        httpx2.LocalProtocolError,
        httpx2.DecodingError,
    ],
)
def test_whatever_may_have_been_written_is_unknown(error):
    with pytest.raises(OutcomeUnknown):
        raising(error).exchange("POST", "kf/send_msg", {})


@pytest.mark.parametrize(
    "answer",
    [
        httpx2.Response(500, json={"errcode": 0}),
        httpx2.Response(502, text="bad gateway"),
        httpx2.Response(302, headers={"location": "http://elsewhere.test/"}),
        httpx2.Response(404, json={"errcode": 0}),
        httpx2.Response(204),
        httpx2.Response(200, text=""),
        httpx2.Response(200, text="<html>"),
        httpx2.Response(200, text="null"),
        httpx2.Response(200, json=[]),
        httpx2.Response(200, json={}),
        httpx2.Response(200, json={"errcode": "0"}),
        httpx2.Response(200, json={"errcode": None}),
        httpx2.Response(200, json={"errcode": False}),
        httpx2.Response(200, json={"errcode": 0.0}),
        httpx2.Response(200, content=b'{"errcode": 0, "x": "\xff"}'),
        httpx2.Response(200, text="[" * 100_000),
    ],
    ids=lambda answer: f"{answer.status_code}-{answer.headers.get('content-type')}",
)
def test_no_usable_answer_is_unknown(answer):
    with pytest.raises(OutcomeUnknown):
        wire(lambda _request: answer).exchange("POST", "kf/send_msg", {})


def test_an_endless_answer_is_cut_off(monkeypatch):
    monkeypatch.setattr("outbound.wecom.wire.MAX_ANSWER", 1000)
    with pytest.raises(OutcomeUnknown):
        wire(lambda _request: httpx2.Response(200, content=b" " * 5000)).exchange("POST", "kf/sync_msg", {})


def test_json_travels_as_plain_utf8():
    seen = []

    def handler(request: httpx2.Request) -> httpx2.Response:
        seen.append(request)
        return httpx2.Response(200, json={"errcode": 0})

    wire(handler).exchange("POST", "kf/send_msg", {"access_token": "t"}, json={"text": "面积<90㎡ & 满五"})
    assert str(seen[0].url) == "http://platform.test/cgi-bin/kf/send_msg?access_token=t"
    assert seen[0].content.decode() == json.dumps(
        {"text": "面积<90㎡ & 满五"}, ensure_ascii=False, separators=(",", ":")
    )


def test_no_error_shows_a_token_or_a_secret(caplog):
    caplog.set_level(logging.DEBUG)
    query = {"corpsecret": "corp-secret-value", "access_token": "tok-value"}
    for error in (httpx2.ConnectError, httpx2.ReadTimeout):
        with pytest.raises((ChannelUnreachable, OutcomeUnknown)) as found:
            raising(error).exchange("GET", "gettoken", query)
        told = "".join(traceback.format_exception(found.value)) + repr(found.value)
        assert "corp-secret-value" not in told
        assert "tok-value" not in told
    assert "tok-value" not in caplog.text


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("GET /x?access_token=abc&y=1", "GET /x?access_token=***&y=1"),
        ("corpsecret=abc", "corpsecret=***"),
        ("webhook/send?key=0-1-2 failed", "webhook/send?key=*** failed"),
        ("from ip: 203.0.113.9, hint", "from ip: 203.0.113.9, hint"),
        ("x" * 1000, "x" * 300),
    ],
)
def test_redact(text, clean):
    assert redact(text) == clean


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"base_url": "platform.test"}, "https://"),
        ({"base_url": "ftp://platform.test"}, "https://"),
        ({"base_url": "https://platform.test/cgi-bin?debug=1"}, "without"),
        ({"corp_id": ""}, "corp id"),
        ({"secret": ""}, "secret"),
    ],
)
def test_settings_that_cannot_work_are_refused(fields, told):
    with pytest.raises(ValueError, match=told):
        WeComSettings(**{"corp_id": "ww", "secret": "s", **fields})


def test_settings_do_not_show_the_secret():
    assert "corp-secret-value" not in repr(SETTINGS)
