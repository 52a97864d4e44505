"""The simulated platform keeps the rules of the real one, as far as they are documented."""

import re
import time

import httpx2
import pytest

from outbound.session import SessionState
from outbound.simulator.faults import FaultKind, Faults
from outbound.simulator.knobs import Knobs
from outbound.simulator.run import serve
from outbound.simulator.world import ACCOUNT, CORP_ID, SECRET, SERVICER
from tests.outbound.kit import CUSTOMER


class App:
    """A bare app of the platform: raw calls, raw answers."""

    def __init__(self, url: str) -> None:
        self.http = httpx2.Client(base_url=url, trust_env=False, timeout=5)
        self.token = self.http.get("/cgi-bin/gettoken", params={"corpid": CORP_ID, "corpsecret": SECRET}).json()[
            "access_token"
        ]

    def call(self, path: str, **body: object) -> dict:
        return self.http.post(f"/cgi-bin/kf/{path}", params={"access_token": self.token}, json=body).json()

    def say(self, words: str = "好的", **more: object) -> dict:
        body = {"touser": CUSTOMER, "open_kfid": ACCOUNT, "msgtype": "text", "text": {"content": words}, **more}
        return self.call("send_msg", **body)

    def trans(self, to: int, **more: object) -> dict:
        return self.call("service_state/trans", open_kfid=ACCOUNT, external_userid=CUSTOMER, service_state=to, **more)

    def act(self, action: str, **fields: object) -> httpx2.Response:
        return self.http.post(f"/_sim/{action}", json=fields)


@pytest.fixture
def app(running, sim):
    made = App(running.url)
    yield made
    made.http.close()


def test_five_messages_per_customer_message(sim, app):
    sim.people.says(CUSTOMER, "在吗")
    assert [app.say()["errcode"] for _ in range(6)] == [0, 0, 0, 0, 0, 95001]
    sim.people.says(CUSTOMER, "好")
    assert app.say()["errcode"] == 0


@pytest.mark.parametrize(("gives", "errcode"), [(True, 0), (False, 95001)])
def test_a_menu_click_may_or_may_not_give_quota(sim, app, gives, errcode):
    sim.turn(menu_click_gives_quota=gives)
    sim.people.says(CUSTOMER, "在吗")
    for _ in range(5):
        app.say()
    sim.people.sends(CUSTOMER, "text", {"content": "看房", "menu_id": "1"})
    assert app.say()["errcode"] == errcode


@pytest.mark.parametrize(("uses", "left"), [(False, 5), (True, 4)])
def test_an_event_text_may_or_may_not_use_quota(sim, app, uses, left):
    sim.turn(event_text_uses_quota=uses)
    code = sim.people.enters(CUSTOMER)
    sim.people.says(CUSTOMER, "在吗")
    greeted = app.call("send_msg_on_event", code=code, msgtype="text", text={"content": "欢迎"})
    assert greeted["errcode"] == 0
    assert [app.say()["errcode"] for _ in range(6)].count(0) == left


@pytest.mark.parametrize(
    ("state", "to", "errcode"),
    [
        (0, 2, 0), (0, 3, 0), (1, 2, 0), (1, 3, 0), (2, 3, 0), (3, 3, 0), (3, 4, 0),
        (0, 1, 95016), (2, 1, 95016), (3, 1, 95016), (3, 2, 95016), (2, 2, 95016), (1, 1, 95016),
        (0, 4, 95016), (1, 4, 95016), (2, 4, 95016), (4, 2, 95016), (4, 3, 95016), (0, 9, 40035),
    ],
)  # fmt: skip
def test_the_table_of_moves(sim, app, state, to, errcode):
    sim.people.says(CUSTOMER, "在吗")
    sim.world.talk(ACCOUNT, CUSTOMER).state = SessionState(state)
    answer = app.trans(to, servicer_userid=SERVICER)
    assert answer["errcode"] == errcode
    assert ("msg_code" in answer) == (errcode == 0)


@pytest.mark.parametrize("state", [0, 1, 2])
def test_ending_by_the_api_is_a_knob(sim, app, state):
    sim.turn(api_may_end=True)
    sim.people.says(CUSTOMER, "在吗")
    sim.world.talk(ACCOUNT, CUSTOMER).state = SessionState(state)
    assert app.trans(4)["errcode"] == 0


def test_a_servicer_must_receive(sim, app):
    sim.people.says(CUSTOMER, "在吗")
    assert app.trans(3, servicer_userid="nobody")["errcode"] == 95014
    sim.people.sets_status(SERVICER, receiving=False)
    assert app.trans(3, servicer_userid=SERVICER)["errcode"] == 95019


@pytest.mark.parametrize(("wait", "errcode"), [(19, 0), (21, 41050)])
def test_a_welcome_code_lives_twenty_seconds(sim, app, wait, errcode):
    code = sim.people.enters(CUSTOMER)
    sim.world.advance(wait)
    assert app.call("send_msg_on_event", code=code, msgtype="text", text={"content": "欢迎"})["errcode"] == errcode


def test_a_code_needs_its_state_and_is_spent_once(sim, app):
    sim.people.says(CUSTOMER, "在吗")
    code = app.trans(2)["msg_code"]
    menu = {"msgtype": "msgmenu", "msgmenu": {"head_content": "选一个"}}
    assert app.call("send_msg_on_event", code=code, **menu)["errcode"] == 40008
    sim.people.takes(SERVICER, CUSTOMER)
    assert app.call("send_msg_on_event", code=code, msgtype="text", text={"content": "转接"})["errcode"] == 41050


def test_entering_opens_no_window_and_greets_once(sim, app):
    assert sim.people.enters(CUSTOMER)
    assert sim.people.enters(CUSTOMER) is None
    assert app.say()["errcode"] == 95018


@pytest.mark.parametrize(
    ("fields", "errcode"),
    [
        ({"msgid": ""}, 40058),
        ({"msgid": "x" * 33}, 40058),
        ({"msgid": "a.b"}, 40058),
        ({"touser": "wm_stranger"}, 40096),
        ({"touser": 5}, 40096),
        ({"open_kfid": "wk_none"}, 95004),
        ({"open_kfid": ""}, 95000),
        ({"msgtype": "markdown"}, 40008),
        ({"text": {"content": " \n"}}, 44004),
        ({"text": {}}, 44004),
        ({"text": "x"}, 40008),
        ({"text": {"content": "好" * 683}}, 40058),
    ],
)
def test_wrong_requests_are_refused(sim, app, fields, errcode):
    sim.people.says(CUSTOMER, "在吗")
    assert app.say(**fields)["errcode"] == errcode
    assert sim.world.arrived(CUSTOMER) == []


def test_a_long_text_may_be_cut_silently(sim, app):
    sim.turn(long_text="cut")
    sim.people.says(CUSTOMER, "在吗")
    assert app.say("好" * 700)["errcode"] == 0
    assert sim.world.arrived(CUSTOMER)[0].startswith("好" * 682)


def test_an_account_that_is_not_ours_is_refused(sim, app):
    sim.people.open_account("wk_foreign", manageable=False)
    sim.people.says(CUSTOMER, "在吗", "wk_foreign")
    assert app.say(open_kfid="wk_foreign")["errcode"] == 48007
    rows = app.call("account/list", offset=0, limit=10)["account_list"]
    assert [row["manage_privilege"] for row in rows] == [True, False]


def test_people_first_accounts_refuse_the_api(sim, app):
    sim.turn(people_first=True)
    sim.people.says(CUSTOMER, "在吗")
    assert sim.world.talk(ACCOUNT, CUSTOMER).state is SessionState.HUMAN
    assert app.say()["errcode"] == 95018
    sim.people.sets_status(SERVICER, receiving=False)
    sim.people.says("wm_late", "在吗")
    assert sim.world.talk(ACCOUNT, "wm_late").state is SessionState.POOL


@pytest.mark.parametrize(("token", "errcode"), [("", 41001), ("nonsense", 40014)])
def test_calls_need_a_token(app, token, errcode):
    answer = app.http.post("/cgi-bin/kf/send_msg", params={"access_token": token}, json={}).json()
    assert answer["errcode"] == errcode


def test_odd_requests_do_not_break_it(app):
    for content in (b"", b"[]", b"{", b"null", b'"x"', b"\xff"):
        answer = app.http.post("/cgi-bin/kf/send_msg", params={"access_token": app.token}, content=content)
        assert answer.json()["errcode"] != 0
    assert app.call("no_such_call")["errcode"] == 48002


def test_the_control_plane_acts_and_shows(sim, app):
    assert app.act("says", customer=CUSTOMER, text="在吗").json()["result"]
    app.say("您好")
    app.act("advance", seconds=60)
    state = app.http.get("/_sim/state").json()
    assert [bubble["text"] for bubble in state["talks"][0]["bubbles"]] == ["在吗", "您好"]
    assert state["talks"][0]["used"] == 1
    assert state["calls"]["kf/send_msg"] == 1
    app.act("reset")
    assert app.http.get("/_sim/state").json()["talks"] == []


@pytest.mark.parametrize(
    ("action", "fields", "status", "told"),
    [
        ("dances", {}, 404, "servicer_says"),
        ("says", {"customer": "c"}, 422, "text"),
        ("says", {"customer": "c", "text": "t", "loud": True}, 422, "loud"),
        ("says", {"customer": "c", "text": "t", "account": "wk_none"}, 422, "open it first"),
        ("knobs", {"no_such": 1}, 422, "no_such"),
        ("knobs", {"page_size": "many"}, 422, "page_size"),
        ("knobs", {"long_text": "shrug"}, 422, "long_text"),
        ("fault", {"kind": "explode"}, 422, "timeout_after"),
        ("callback_fate", {"fate": "burn"}, 422, "drop"),
    ],
)
def test_a_wrong_control_call_says_what_there_is(app, action, fields, status, told):
    answer = app.act(action, **fields)
    assert answer.status_code == status
    assert told in answer.json()["error"]


def test_knobs_turn_over_http(sim, app):
    assert app.act("knobs", page_size=2, hang_seconds=1).status_code == 200
    assert sim.world.knobs == Knobs(page_size=2, hang_seconds=1)


def test_faults_skip_count_down_and_keep_to_their_call():
    faults = Faults()
    faults.plan("errcode", 1, times=2, skip=1)
    assert faults.take("kf/sync_msg") is None
    assert [bool(faults.take("kf/send_msg")) for _ in range(4)] == [False, True, True, False]
    assert {kind for kind in FaultKind if kind.before} == {FaultKind.ERRCODE, FaultKind.HTTP, FaultKind.TIMEOUT_BEFORE}


def test_the_demo_page_needs_no_other_host(app):
    answer = app.http.get("/")
    assert "客户手机" in answer.text
    assert "//" not in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_every_button_of_the_demo_page_is_an_action(app, sim):
    page = app.http.get("/").text
    named = set(re.findall(r'data-act="(\w+)"', page)) | set(re.findall(r'act\("(\w+)"', page))
    named |= set(re.findall(r'send\("\w+", "\w+", "(\w+)"', page))
    assert named <= set(sim._actions())
    assert {"says", "servicer_says", "takes", "ends", "fault", "advance", "recalls"} <= named


def test_it_stops_with_a_caller_still_waiting(sim):
    with serve(knobs=Knobs(hang_seconds=30)) as other:
        other.simulator.faults.plan("timeout_before", call="gettoken")
        with pytest.raises(httpx2.ReadTimeout), httpx2.Client(timeout=0.2, trust_env=False) as http:
            http.get(f"{other.url}/cgi-bin/gettoken")
        started = time.monotonic()
    assert time.monotonic() - started < 5
