"""The webhook: signed, retried from the store, and a dead letter that people see; never a customer's message lost."""

import hashlib
import hmac
import json
import logging
import threading
import time

import httpx2
import pytest
from sqlalchemy import select

from gateway import agent_calls, hooks, inbox, people
from gateway.caller import Caller
from gateway.conversations import load
from gateway.handoff import close_handoff, open_handoff
from gateway.tables import AuditRow
from gateway.tables_calls import AgentCall, AgentHook, AlertRow
from gateway.tx import table_of
from tests.gateway.desk import refused

URL = "https://agent.example/hook?x=hidden"


class Agent:
    """The agent's side: keeps what it got, answers as it is told to."""

    def __init__(self):
        self.got, self.answers, self.block = [], [], None

    def __call__(self, request):
        if self.block is not None:
            self.block.wait(10)
        answer = self.answers.pop(0) if self.answers else 200
        if isinstance(answer, Exception):
            raise answer
        self.got.append(request)
        status, given = answer if isinstance(answer, tuple) else (answer, {})
        return httpx2.Response(status, headers=given, text="whatever the agent says")

    @property
    def bodies(self):
        return [json.loads(r.content) for r in self.got]


@pytest.fixture
def agent():
    return Agent()


@pytest.fixture
def hooked(make_desk, agent, clock):
    """A desk whose account's agent is called."""
    desk = make_desk()
    desk.account()
    desk.conversation()
    desk.secret = desk.run(lambda tx: hooks.set_hook(tx, "shop", URL, "test"))
    desk.caller = Caller(desk.run, desk.service.settings, clock, httpx2.MockTransport(agent))

    def call():
        count = desk.caller.call_due()
        desk.caller.finish()
        return count

    desk.call = call
    yield desk
    desk.caller.close()


def calls(desk):
    return desk.service.look(lambda tx: tx.conn.execute(select(table_of(AgentCall))).all())


def test_a_customers_message_is_called_out_once_and_signed(hooked, agent, clock):
    """Row and conversation in the body; the signature is over timestamp, full stop, body."""
    moment = hooked.says("小区人车分流吗")
    assert hooked.call() == 1
    assert hooked.call() == 0
    [request], [body] = agent.got, agent.bodies
    assert (body["event"], body["attempt"], body["account"]) == ("inbox", 1, "shop")
    assert body["item"]["momentId"] == moment
    assert body["item"]["playbook"]["stage"] == "first_contact"
    assert [m["text"] for m in body["conversation"]["messages"]] == ["小区人车分流吗"]
    stamp = request.headers[hooks.TIMESTAMP]
    assert stamp == str(int(clock().timestamp()))
    signed = hmac.new(hooked.secret.encode(), stamp.encode() + b"." + request.content, hashlib.sha256).hexdigest()
    assert request.headers[hooks.SIGNATURE] == f"v1={signed}"
    assert request.headers[hooks.CALL_ID] == body["id"] == body["item"]["id"]
    assert [c.state for c in calls(hooked)] == ["done"]
    assert hooked.service.look(lambda tx: inbox.records(tx, (), 5))[0]["id"] == body["id"]  # asking still works


def test_a_failed_call_is_repeated_with_pauses_and_the_same_id(hooked, agent, clock):
    """Server errors, lost answers, redirects: again after 5 s, 30 s, two minutes, …"""
    agent.answers = [500, httpx2.ConnectError("no"), (302, {"location": "https://elsewhere.example"}), 200]
    hooked.says("小区人车分流吗")
    pauses = []
    while calls(hooked) == [] or calls(hooked)[0].state == "waiting":
        if hooked.call():
            pauses.append(0)
        clock.forward(seconds=1)
        pauses[-1] += 1
    assert pauses == [5, 30, 120, 1]
    assert [b["attempt"] for b in agent.bodies] == [1, 3, 4]
    assert len({r.headers[hooks.CALL_ID] for r in agent.got}) == 1


def test_an_agent_may_say_how_long_to_wait(hooked, agent, clock):
    agent.answers = [(429, {"retry-after": "90"}), (503, {"retry-after": "soon"})]
    hooked.says("小区人车分流吗")
    assert [hooked.call(), hooked.call()] == [1, 0]
    clock.forward(seconds=89)
    assert hooked.call() == 0
    clock.forward(seconds=1)
    assert hooked.call() == 1
    clock.forward(seconds=30)
    assert hooked.call() == 1


def test_what_nobody_takes_is_a_dead_letter_that_people_see(hooked, agent, clock):
    """Operators are told after the third try; at the end it is listed, and can be tried anew."""
    agent.answers = [500] * 7
    hooked.says("小区人车分流吗")
    alerts = []
    for _ in range(40):
        hooked.call()
        alerts.append(hooked.service.look(lambda tx: tx.conn.execute(select(table_of(AlertRow))).all()))
        clock.forward(minutes=10)
    assert [len(a) for a in alerts[:3]] == [0, 0, 1]
    assert len(alerts[-1]) == 1
    assert (alerts[-1][0].kind, alerts[-1][0].account_id) == ("unanswered", "shop")
    [letter] = hooked.service.look(lambda tx: agent_calls.dead_letters(tx, (), 10))
    assert (letter["attempts"], letter["status"], letter["error"], letter["open"]) == (7, 500, "HTTP 500", True)
    assert len(agent.got) == 7
    hooked.run(lambda tx: agent_calls.call_again(tx, letter["id"], "op-1"))
    hooked.call()
    assert [c.state for c in calls(hooked)] == ["done"]
    assert len(agent.got) == 8
    refused(lambda: hooked.run(lambda tx: agent_calls.call_again(tx, letter["id"], "op-1")), "unknown_dead_letter")


def test_gone_is_final(hooked, agent):
    """410 says that nobody lives there: no further tries, and operators know at once."""
    agent.answers = [410]
    hooked.says("小区人车分流吗")
    hooked.call()
    assert [(c.state, c.attempts) for c in calls(hooked)] == [("dead", 1)]
    assert len(hooked.service.look(lambda tx: tx.conn.execute(select(table_of(AlertRow))).all())) == 1


def test_a_row_that_is_settled_is_not_called_again(hooked, agent, clock):
    """Answered, written again, taken by people: the waiting call is void."""
    agent.answers = [500, 500]
    hooked.says("小区人车分流吗")
    hooked.call()
    hooked.post_good()
    clock.forward(minutes=1)
    assert hooked.call() == 0
    assert [c.state for c in calls(hooked)] == ["void"]
    hooked.says("几楼")
    hooked.call()
    second = hooked.says("算了，多大")
    clock.forward(minutes=1)
    hooked.call()
    assert [b["item"]["momentId"] for b in agent.bodies][-1] == second
    assert sorted(c.state for c in calls(hooked)) == ["done", "void", "void"]


def test_what_people_hold_is_not_called(hooked, agent, clock):
    """And a fresh question is when they give it back; an old one is not replayed, operators are told instead."""
    hooked.run(lambda tx: open_handoff(tx, load(tx, "c-1"), actor="op-1", why="taken"))
    hooked.says("小区人车分流吗")
    assert hooked.call() == 0
    hooked.run(lambda tx: close_handoff(tx, "c-1", actor="op-1", why="given back"))
    assert hooked.call() == 1
    hooked.run(lambda tx: open_handoff(tx, load(tx, "c-1"), actor="op-1", why="taken"))
    hooked.says("那几楼")
    clock.forward(minutes=30)
    hooked.run(lambda tx: close_handoff(tx, "c-1", actor="op-1", why="given back"))
    assert hooked.call() == 0
    events = [r.event for r in hooked.service.look(lambda tx: tx.conn.execute(select(table_of(AuditRow))).all())]
    assert events[-1] == "left_unanswered"


def test_the_burst_is_waited_for(make_desk, agent, clock):
    desk = make_desk(debounce_seconds=3)
    desk.account()
    desk.conversation()
    desk.run(lambda tx: hooks.set_hook(tx, "shop", URL, "test"))
    caller = Caller(desk.run, desk.service.settings, clock, httpx2.MockTransport(agent))
    desk.says("你好")
    desk.says("几楼")
    assert caller.call_due() == 0
    clock.forward(seconds=3)
    assert caller.call_due() == 1
    caller.close()
    assert len(agent.got) == 1


def test_a_process_that_died_in_a_call_loses_nothing(hooked, agent, clock, settings_of):
    """Its lease ends, and another process calls with the same id."""
    hooked.says("小区人车分流吗")
    taken = hooked.run(lambda tx: agent_calls.claim(tx, 5, agent_calls.Counter()))
    assert len(taken) == 1
    assert hooked.call() == 0
    clock.forward(seconds=61)
    assert hooked.call() == 1
    assert agent.bodies[0]["id"] == taken[0].id
    assert agent.bodies[0]["attempt"] == 2


def test_two_processes_call_once(hooked, agent, clock):
    """Claims are taken in the store."""
    other = Caller(hooked.run, hooked.service.settings, clock, httpx2.MockTransport(agent))
    for number in range(20):
        cid = hooked.conversation(f"c-x{number}")
        hooked.says("小区人车分流吗", cid)
    threads = [threading.Thread(target=c.call_due) for c in (hooked.caller, other) * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for caller in (hooked.caller, other):
        caller.finish()
        caller.call_due()
        caller.close()
    assert len(agent.got) == len({r.headers[hooks.CALL_ID] for r in agent.got}) == 20


def test_a_slow_agent_holds_no_other_up(make_desk, clock):
    """Each account has its share of the calls at the same time; no request waits for any of them."""
    slow, quick = Agent(), Agent()
    slow.block = threading.Event()
    desk = make_desk()

    def answer(request):
        return (slow if request.url.host == "slow.example" else quick)(request)

    for name in ("slow", "quick"):
        desk.account(name)
        desk.run(lambda tx, name=name: hooks.set_hook(tx, name, f"https://{name}.example/", "test"))
    for number in range(30):
        desk.conversation(f"s-{number}", account="slow")
        desk.says("在吗", f"s-{number}")
    desk.conversation("q-1", account="quick")
    desk.says("在吗", "q-1")
    caller = Caller(desk.run, desk.service.settings, clock, httpx2.MockTransport(answer))
    assert caller.call_due() == agent_calls.PER_ACCOUNT + 1
    end = time.monotonic() + 5
    while not quick.got:
        assert time.monotonic() < end
        time.sleep(0.01)
    assert slow.got == []
    slow.block.set()
    caller.close()


def test_secrets_and_hidden_parts_stand_nowhere_in_the_open(hooked, agent, capfd, caplog):
    """Sealed in the row; absent from audit, dead letters and logs, whatever fails."""
    caplog.set_level(logging.DEBUG)
    agent.answers = [httpx2.ConnectError(f"cannot reach {URL}"), 410]
    hooked.says("小区人车分流吗")
    hooked.call()
    hooked.clock.forward(seconds=5)
    hooked.call()
    rows = hooked.service.look(
        lambda tx: [
            tuple(r)
            for m in (AgentHook, AuditRow, AgentCall, AlertRow)
            for r in tx.conn.execute(select(table_of(m))).all()
        ]
    )
    letters = hooked.service.look(lambda tx: agent_calls.dead_letters(tx, (), 10))
    assert hooked.secret not in repr(rows) + repr(letters)
    assert "hidden" not in repr([r for r in rows if URL not in r]) + repr(letters)
    told = capfd.readouterr()
    for text in (told.out, told.err, caplog.text):
        assert hooked.secret not in text
        assert "hidden" not in text


def test_a_changed_secret_key_is_said(hooked, clock, agent):
    settings = hooked.service.settings
    other = settings.model_copy(update={"secret_key": type(settings.secret_key)("z" * 40)})
    caller = Caller(hooked.run, other, clock, httpx2.MockTransport(agent))
    hooked.says("小区人车分流吗")
    caller.call_due()
    caller.close()
    assert agent.got == []
    assert "DRAFTGATE_SECRET_KEY" in calls(hooked)[0].error


def signatures(request):
    return request.headers[hooks.SIGNATURE].split(",")


def test_a_secret_is_changed_without_a_gap(hooked, agent):
    """Both secrets sign until the agent has the new one; then the earlier one signs no more."""
    new = hooked.run(lambda tx: hooks.rotate(tx, "shop", "test"))
    refused(lambda: hooked.run(lambda tx: hooks.rotate(tx, "shop", "test")), "rotation_open")
    hooked.says("小区人车分流吗")
    hooked.call()
    hooked.run(lambda tx: hooks.finish_rotation(tx, "shop", "test"))
    refused(lambda: hooked.run(lambda tx: hooks.finish_rotation(tx, "shop", "test")), "no_rotation")
    hooked.says("几楼")
    hooked.call()
    during, after = agent.got
    known = {
        secret: [hooks.signature(secret, r.headers[hooks.TIMESTAMP], r.content) for r in agent.got]
        for secret in (new, hooked.secret)
    }
    assert signatures(during) == [known[new][0], known[hooked.secret][0]]
    assert signatures(after) == [known[new][1]]


def test_only_a_webhook_that_is_set_has_a_secret_to_change(hooked):
    """Setting it again ends a change that is under way."""
    refused(lambda: hooked.run(lambda tx: hooks.rotate(tx, "nobody", "test")), "unknown_hook")
    hooked.run(lambda tx: hooks.rotate(tx, "shop", "test"))
    hooked.run(lambda tx: hooks.set_hook(tx, "shop", "http://localhost:9/hook", "test"))
    refused(lambda: hooked.run(lambda tx: hooks.finish_rotation(tx, "shop", "test")), "no_rotation")


def test_a_new_secret_takes_the_old_ones_place(hooked, agent):
    """Setting the webhook again is how a secret is changed; removing it ends the calls, and the inbox stays."""
    again = hooked.run(lambda tx: hooks.set_hook(tx, "shop", "http://localhost:9/hook", "test"))
    assert again != hooked.secret
    hooked.says("小区人车分流吗")
    hooked.call()
    request = agent.got[0]
    stamp = request.headers[hooks.TIMESTAMP]
    assert request.headers[hooks.SIGNATURE] == hooks.signature(again, stamp, request.content)
    hooked.run(lambda tx: hooks.remove_hook(tx, "shop", "test"))
    refused(lambda: hooked.run(lambda tx: hooks.remove_hook(tx, "shop", "test")), "unknown_hook")
    hooked.says("几楼")
    assert hooked.call() == 0


URLS = [
    ("https://agent.example/hook", True),
    ("https://agent.example:8443/hook?key=1", True),
    ("http://localhost:9000/", True),
    ("http://agent:9000/hook", True),
    ("http://10.1.2.3/hook", True),
    ("http://agent.example/hook", False),
    ("http://8.8.8.8/hook", False),
    ("https://user:word@agent.example/", False),
    ("https://agent.example/#part", False),
    ("ftp://agent.example/", False),
    ("https:///hook", False),
    ("agent.example/hook", False),
    ("https://agent.example/\nX: y", False),
    ("https://例子.example/", False),
    ("https://agent.example/" + "a" * 600, False),
]


@pytest.mark.parametrize(("url", "fine"), URLS, ids=[u[:40] for u, _ in URLS])
def test_an_address_is_checked(url, fine):
    if fine:
        hooks.check_url(url)
    else:
        refused(lambda: hooks.check_url(url), "bad_url")


def test_who_may_set_a_hook(make_desk):
    desk = make_desk(secret_key="")
    refused(lambda: desk.run(lambda tx: hooks.set_hook(tx, "shop", URL, "t")), "unknown_account")
    desk.account()
    refused(lambda: desk.run(lambda tx: hooks.set_hook(tx, "shop", URL, "t")), "no_secret_key")


def test_the_scheduler_calls_by_itself(make_desk, agent, clock):
    """The customer's message itself calls nobody; the timed work does."""
    desk = make_desk(tick_seconds=0.05)
    desk.account()
    desk.conversation()
    desk.run(lambda tx: hooks.set_hook(tx, "shop", URL, "test"))
    desk.service.caller.close()
    desk.service.caller = Caller(desk.run, desk.service.settings, clock, httpx2.MockTransport(agent))
    desk.says("小区人车分流吗")
    assert agent.got == []
    desk.service.start()
    end = time.monotonic() + 10
    while not agent.got:
        assert time.monotonic() < end
        time.sleep(0.02)
    assert people.SCOPES
