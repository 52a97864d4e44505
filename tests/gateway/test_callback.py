"""The callback address: answered at once, pulled in the background, closed to strangers."""

import time

import pytest
from fastapi.testclient import TestClient

from gateway.app import create_app
from gateway.server import wecom_channel
from gateway.service import Service
from gateway.settings import SettingsError, load_settings
from gateway.store import Store
from gateway.tables import MessageRow
from outbound.simulator.run import serve
from outbound.simulator.world import ACCOUNT, CORP_ID, SECRET
from outbound.wecom.crypto import callback_keys, encrypt, signature
from tests.gateway.desk import Desk

TOKEN, AES_KEY = "callback-token", "a" * 42 + "E"


@pytest.fixture
def wired(settings_of):
    """An app with a callback, against a simulated platform."""
    with serve() as platform:
        settings = settings_of(
            wecom_api_base=platform.api_base,
            wecom_corp_id=CORP_ID,
            wecom_secret=SECRET,
            wecom_callback_token=TOKEN,
            wecom_callback_aes_key=AES_KEY,
        )
        store = Store(settings.database_url)
        service = Service(settings, store, wecom_channel(settings, store))
        desk = Desk(service, service.clock, None)
        desk.account(channel_account=ACCOUNT)
        desk.world = platform.simulator
        with TestClient(create_app(service, scheduler=False)) as client:
            desk.client = client
            yield desk


def call(desk, text, *, method="POST", key=AES_KEY, spoil=False):
    keys = callback_keys(TOKEN, key, CORP_ID)
    sealed = encrypt(keys, text, b"0123456789abcdef")
    stamp = str(int(time.time()))
    signed = signature(keys, stamp, "n", sealed)
    if spoil:
        signed = ("1" if signed[0] == "0" else "0") + signed[1:]
    query = {"msg_signature": signed, "timestamp": stamp, "nonce": "n"}
    if method == "GET":
        return desk.client.get("/wecom/callback", params=query | {"echostr": sealed})
    body = f"<xml><ToUserName>{CORP_ID}</ToUserName><Encrypt>{sealed}</Encrypt></xml>"
    return desk.client.post("/wecom/callback", params=query, content=body.encode())


def test_the_console_verifies_the_address(wired):
    """The plain echo, nothing around it."""
    response = call(wired, "1616140317555161061", method="GET")
    assert (response.status_code, response.text) == (200, "1616140317555161061")


def test_a_notice_pulls_the_log(wired):
    """Answered with success; the message is in the store shortly after."""
    wired.world.people.says("wm_1", "小区人车分流吗")
    token = wired.world.world.sync_token(ACCOUNT)
    notice = (
        f"<xml><ToUserName>{CORP_ID}</ToUserName><CreateTime>1</CreateTime><MsgType>event</MsgType>"
        f"<Event>kf_msg_or_event</Event><Token>{token}</Token><OpenKfId>{ACCOUNT}</OpenKfId></xml>"
    )
    for _ in range(3):
        response = call(wired, notice)
        assert (response.status_code, response.text) == (200, "success")
    end = time.monotonic() + 10
    while not (rows := wired.service.look(lambda tx: tx.conn.execute(MessageRow.__table__.select()).all())):
        assert time.monotonic() < end
        time.sleep(0.02)
    assert [r.text for r in rows] == ["小区人车分流吗"]


def test_strangers_are_refused(wired):
    """A wrong signature or a large body does nothing."""
    assert call(wired, "<xml/>", spoil=True).status_code == 403
    assert wired.client.post("/wecom/callback", content=b"x" * 70_000).status_code == 413
    assert wired.client.get("/wecom/callback").status_code == 403


def test_without_a_token_there_is_no_address(desk):
    """Polling only."""
    with TestClient(create_app(desk.service, scheduler=False)) as client:
        assert client.get("/wecom/callback").status_code == 404


def test_a_bad_key_stops_the_start(desk, monkeypatch):
    """One clear line at the start instead of a failing address later."""
    settings = load_settings(wecom_callback_token=TOKEN, wecom_callback_aes_key="short")
    monkeypatch.setattr(desk.service, "settings", settings)
    with pytest.raises(ValueError, match="EncodingAESKey"):
        create_app(desk.service)
    assert issubclass(SettingsError, ValueError)
