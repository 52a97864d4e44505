import time

import pytest

from outbound.errors import CallbackRefused
from outbound.wecom.callback import (
    AUTH_CHANGED,
    LOG_CHANGED,
    MAX_AGE,
    MAX_BODY,
    MAX_PART,
    Answer,
    Notice,
    answer,
    read_notice,
    verify_address,
)
from outbound.wecom.crypto import callback_keys, encrypt, signature
from tests.outbound.test_crypto import KEYS, VECTORS, keys_of

NOW = 1_777_000_000


def query(encrypted: str, timestamp: object = NOW, **more: str) -> dict[str, str]:
    signed = signature(KEYS, str(timestamp), "n-1", encrypted)
    return {"msg_signature": signed, "timestamp": str(timestamp), "nonce": "n-1", **more}


def post(xml: str, *, timestamp: object = NOW, now: float = NOW) -> Notice:
    encrypted = encrypt(KEYS, xml, b"0123456789abcdef")
    body = f"<xml><ToUserName>x</ToUserName><Encrypt><![CDATA[{encrypted}]]></Encrypt><AgentID></AgentID></xml>"
    return read_notice(KEYS, query(encrypted, timestamp), body.encode(), now)


def refusal(call, *args: object, **named: object) -> str:
    with pytest.raises(CallbackRefused) as refused:
        call(*args, **named)
    return refused.value.reason


INNER = (
    "<xml><ToUserName>ww</ToUserName><CreateTime>1777000000</CreateTime><MsgType>event</MsgType>"
    "<Event>kf_msg_or_event</Event><Token>ENCtoken</Token><OpenKfId>wk1</OpenKfId></xml>"
)


@pytest.mark.parametrize("name", ["A_get", "B_get", "D_get"])
def test_the_console_gets_its_words_back(name):
    row = VECTORS[name]
    asked = {key: row[key] for key in ("msg_signature", "timestamp", "nonce")} | {"echostr": row["encrypt"]}
    assert verify_address(keys_of(row), asked, int(row["timestamp"])) == row["plaintext"]


def test_a_plus_that_arrived_as_space_is_put_back():
    row = VECTORS["A_get"]
    assert "+" in row["encrypt"]
    asked = {key: row[key] for key in ("msg_signature", "timestamp", "nonce")}
    asked["echostr"] = row["encrypt"].replace("+", " ")
    assert verify_address(keys_of(row), asked, int(row["timestamp"])) == row["plaintext"]


def test_a_notice_names_account_and_token():
    assert post(INNER) == Notice(LOG_CHANGED, "wk1", "ENCtoken", NOW)
    assert "ENCtoken" not in repr(post(INNER))


def test_the_older_form_names_no_account():
    assert post(INNER.replace("<OpenKfId>wk1</OpenKfId>", "")).account is None


def test_changes_of_rights_list_accounts():
    xml = (
        "<xml><MsgType>event</MsgType><Event>kf_account_auth_change</Event>"
        "<AuthAddOpenKfId>wk1</AuthAddOpenKfId><AuthAddOpenKfId>wk2</AuthAddOpenKfId>"
        "<AuthDelOpenKfId>wk3</AuthDelOpenKfId></xml>"
    )
    assert post(xml) == Notice(AUTH_CHANGED, added=("wk1", "wk2"), removed=("wk3",))


@pytest.mark.parametrize(
    "xml", ["<xml><MsgType>event</MsgType><Event>brand_new</Event></xml>", "<xml><MsgType>brand_new</MsgType></xml>"]
)
def test_unknown_events_are_kept_by_name(xml):
    assert post(xml).event == "brand_new"


@pytest.mark.parametrize("created", ["", "x", "9" * 30, "-5", "１２"])
def test_an_odd_creation_time_is_none(created):
    assert post(f"<xml><Event>e</Event><CreateTime>{created}</CreateTime></xml>").created_at == 0


@pytest.mark.parametrize("skew", [0, MAX_AGE, -MAX_AGE])
def test_ten_minutes_of_skew_are_taken(skew):
    assert post(INNER, now=NOW + skew).account == "wk1"


@pytest.mark.parametrize("skew", [MAX_AGE + 1, -MAX_AGE - 1, 10**9])
def test_an_old_or_future_callback_is_refused(skew):
    assert refusal(post, INNER, now=NOW + skew) == "bad_time"


@pytest.mark.parametrize("timestamp", ["abc", "-1", "1" * 13, "1.5", "１２３", ""])
def test_an_odd_timestamp_is_refused(timestamp):
    assert refusal(post, INNER, timestamp=timestamp) == "bad_query"


@pytest.mark.parametrize("name", ["msg_signature", "timestamp", "nonce"])
def test_a_missing_part_is_refused(name):
    encrypted = encrypt(KEYS, INNER, b"0123456789abcdef")
    asked = query(encrypted)
    del asked[name]
    body = f"<xml><Encrypt>{encrypted}</Encrypt></xml>".encode()
    assert refusal(read_notice, KEYS, asked, body, NOW) == "bad_query"


def test_a_long_part_is_refused():
    asked = query("x", echostr="A" * 10_000)
    assert refusal(verify_address, KEYS, asked, NOW) == "bad_query"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"not xml",
        b"<xml/>",
        b"<xml><Encrypt/></xml>",
        b"<xml><Encrypt>a</Encrypt><Encrypt>b</Encrypt></xml>",
        b"<!DOCTYPE xml><xml><Encrypt>a</Encrypt></xml>",
        b'<!DOCTYPE xml [<!ENTITY q "Z">]><xml><Encrypt>&q;</Encrypt></xml>',
        b'<!DOCTYPE xml [<!ENTITY q SYSTEM "file:///etc/hostname">]><xml><Encrypt>&q;</Encrypt></xml>',
        b'<?xml version="1.0" encoding="nonsense"?><xml><Encrypt>a</Encrypt></xml>',
        b"<xml><Encrypt>\xff\xfe</Encrypt></xml>",
        b"<x>" * 15_000,
        b"\x00" * 100,
    ],
    ids=lambda body: body[:30].decode("latin1"),
)
def test_a_body_that_is_no_callback_is_refused(body):
    assert refusal(read_notice, KEYS, query("a"), body, NOW) == "bad_body"


def test_a_large_body_is_refused_unread():
    assert refusal(read_notice, KEYS, query("a"), b"<" * (MAX_BODY + 1), NOW) == "too_large"


def test_an_inner_document_with_a_dtd_is_refused():
    assert refusal(post, '<!DOCTYPE xml [<!ENTITY q "wk9">]><xml><OpenKfId>&q;</OpenKfId></xml>') == "bad_body"


def test_a_foreign_signature_is_refused_before_decryption():
    stranger = callback_keys("other", "x" * 43, KEYS.receive_id)
    encrypted = encrypt(stranger, INNER, b"0123456789abcdef")
    asked = query(encrypted) | {"msg_signature": signature(stranger, str(NOW), "n-1", encrypted)}
    body = f"<xml><Encrypt>{encrypted}</Encrypt></xml>".encode()
    assert refusal(read_notice, KEYS, asked, body, NOW) == "bad_signature"


def test_hostile_bodies_are_refused_quickly():
    started = time.perf_counter()
    for body in (b"<a>" * 21_000, b"<a " + b"b='c' " * 10_000, b"&" * 65_000, b"]]>" * 20_000):
        assert refusal(read_notice, KEYS, query("a"), body, NOW) == "bad_body"
    assert time.perf_counter() - started < 2


def test_requests_are_answered_with_exactly_the_platforms_words():
    row = VECTORS["A_get"]
    asked = {key: row[key] for key in ("msg_signature", "timestamp", "nonce")} | {"echostr": row["encrypt"]}
    assert answer(keys_of(row), "GET", asked, b"", int(row["timestamp"])) == Answer(200, row["plaintext"])
    encrypted = encrypt(KEYS, INNER, b"0123456789abcdef")
    body = f"<xml><Encrypt>{encrypted}</Encrypt></xml>".encode()
    told = answer(KEYS, "POST", query(encrypted), body, NOW)
    assert (told.status, told.text) == (200, "success")
    assert told.notice == Notice(LOG_CHANGED, "wk1", "ENCtoken", NOW)


def test_strangers_are_answered_shortly():
    assert answer(KEYS, "GET", {}, b"", NOW) == Answer(403, "bad_query")
    assert answer(KEYS, "POST", query("a"), b"?", NOW) == Answer(403, "bad_body")
    assert answer(KEYS, "POST", query("a"), b"<" * (MAX_BODY + 1), NOW) == Answer(413, "too_large")


def test_limits_are_inclusive():
    assert refusal(read_notice, KEYS, query("a"), b"<" * MAX_BODY, NOW) == "bad_body"
    asked = query("x", echostr="A" * MAX_PART)
    assert refusal(verify_address, KEYS, asked, NOW) == "bad_signature"
    assert refusal(verify_address, KEYS, asked | {"echostr": "A" * (MAX_PART + 1)}, NOW) == "bad_query"
    assert refusal(post, INNER, timestamp="1" * 12) == "bad_time"
    assert post("<xml><Event>e</Event><CreateTime>" + "1" * 12 + "</CreateTime></xml>").created_at == int("1" * 12)
    assert post("<xml><Event>e</Event><CreateTime>" + "1" * 13 + "</CreateTime></xml>").created_at == 0
