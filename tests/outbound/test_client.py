import logging

import pytest

from outbound.errors import Action
from outbound.outcome import Accepted, Rejected, Unknown, Unreachable
from outbound.session import Moved, Session, SessionState
from outbound.simulator.world import ACCOUNT, SECRET, SERVICER
from outbound.wecom.client import WeComClient
from outbound.wecom.sender import WeComSender
from outbound.wecom.settings import WeComSettings
from outbound.wecom.token import MemoryShelf
from tests.outbound.kit import CUSTOMER, NOW, message, permit_for


@pytest.fixture(autouse=True)
def _customer(sim):
    sim.people.says(CUSTOMER, "请问还在吗")


def send(sender: WeComSender, number: int = 1, text: str = "在的，您请说。", **changes: object):
    sent = message(text, f"out-{number}", **changes)
    return sender.send(sent, permit_for(sent), NOW)


@pytest.mark.parametrize("kind", ["timeout_after", "not_json", "no_errcode", "no_msgid"])
def test_created_without_a_usable_answer_is_unknown_and_called_once(sim, sender, kind):
    sim.faults.plan(kind)
    assert isinstance(send(sender), Unknown)
    assert sim.world.calls["kf/send_msg"] == 1
    assert len(sim.world.arrived(CUSTOMER)) == 1


@pytest.mark.parametrize(("kind", "value"), [("timeout_before", 0), ("http", 503), ("http_after", 502)])
def test_lost_answers_are_unknown_whether_or_not_it_was_created(sim, sender, kind, value):
    sim.faults.plan(kind, value)
    assert isinstance(send(sender), Unknown)
    assert sim.world.calls["kf/send_msg"] == 1


def test_a_closed_port_is_unreachable(running):
    settings = WeComSettings("ww", "s", "http://127.0.0.1:9/cgi-bin", connect_timeout=0.5)
    client = WeComClient(settings)
    assert isinstance(send(WeComSender(client)), Unreachable)
    client.close()


@pytest.mark.parametrize("kind", ["timeout_before", "http", "not_json", "no_errcode"])
def test_no_token_means_that_nothing_was_written(sim, sender, kind):
    sim.faults.plan(kind, 500, call="gettoken")
    assert isinstance(send(sender), Unreachable)
    assert sim.world.calls["kf/send_msg"] == 0


def test_a_busy_token_service_means_that_nothing_was_written(sim, sender):
    sim.faults.plan("errcode", -1, call="gettoken")
    assert isinstance(send(sender), Unreachable)


@pytest.mark.parametrize("errcode", [40014, 42001, 40001])
def test_a_refused_token_is_renewed_once_and_the_same_id_sent_again(sim, sender, errcode):
    assert isinstance(send(sender, 1), Accepted)
    sim.faults.plan("errcode", errcode)
    assert isinstance(send(sender, 2), Accepted)
    assert sim.world.calls == {"gettoken": 2, "kf/send_msg": 3}


@pytest.mark.parametrize("errcode", [40014, 42001])
def test_an_expired_token_costs_one_fetch(sim, sender, errcode):
    sim.turn(expired_token_errcode=errcode)
    send(sender, 1)
    sim.expire_tokens()
    assert isinstance(send(sender, 2), Accepted)
    assert sim.world.calls["gettoken"] == 2


def test_the_same_token_while_valid_is_no_trap(sim, sender):
    sim.turn(same_token_while_valid=True)
    sim.faults.plan("errcode", 42001)
    send(sender, 1)
    assert sim.world.calls["gettoken"] <= 2
    assert sim.world.calls["kf/send_msg"] <= 2


def test_a_wrong_secret_is_tried_once(running, sim):
    client = WeComClient(WeComSettings("ww_simulated_corp", "wrong", running.api_base))
    sender = WeComSender(client)
    for number in range(5):
        outcome = send(sender, number)
        assert isinstance(outcome, Rejected)
        assert (outcome.errcode, outcome.action, outcome.reason) == (40001, Action.CONFIG, "channel_stopped")
    assert sim.world.calls == {"gettoken": 1}
    client.close()


@pytest.mark.parametrize("errcode", [60020, 48007, 95017, 50003])
def test_a_configuration_fault_stops_the_account(sim, sender, errcode):
    sim.faults.plan("errcode", errcode)
    first, second = send(sender, 1), send(sender, 2)
    assert isinstance(first, Rejected)
    assert isinstance(second, Rejected)
    assert first.action is second.action is Action.CONFIG
    assert second.retry_after
    assert sim.world.calls["kf/send_msg"] == 1
    sender.resume(ACCOUNT)
    assert isinstance(send(sender, 2), Accepted)


def test_a_rate_limit_pauses_without_hammering(sim, sender):
    sim.faults.plan("errcode", 45009)
    assert send(sender, 1).retry_after == 60  # type: ignore[union-attr]
    paused = send(sender, 1)
    assert isinstance(paused, Rejected)
    assert (paused.action, paused.errcode) == (Action.RATE, None)
    assert sim.world.calls["kf/send_msg"] == 1


@pytest.mark.parametrize(
    ("state", "action", "reason"),
    [
        (SessionState.POOL, Action.HUMAN, "human_owns"),
        (SessionState.HUMAN, Action.HUMAN, "human_owns"),
        (SessionState.ENDED, Action.REOPEN, "window_closed"),
    ],
)
def test_a_refusing_session_is_looked_at(sim, sender, state, action, reason):
    sim.world.talk(ACCOUNT, CUSTOMER).state = state
    outcome = send(sender)
    assert isinstance(outcome, Rejected)
    assert (outcome.errcode, outcome.action, outcome.reason) == (95018, action, reason)
    assert sim.world.calls["kf/send_msg"] == 1


def test_a_refusing_session_that_cannot_be_read_goes_to_a_person(sim, sender):
    sim.world.talk(ACCOUNT, CUSTOMER).state = SessionState.HUMAN
    sim.faults.plan("http", 500, call="kf/service_state/get")
    outcome = send(sender)
    assert isinstance(outcome, Rejected)
    assert (outcome.action, outcome.reason) == (Action.HUMAN, "channel_refused")


def test_a_partly_read_request_is_logged_as_our_fault(sim, sender, caplog):
    sim.faults.plan("partly_read")
    assert isinstance(send(sender), Accepted)
    assert "fault in this program" in caplog.text


def test_an_unknown_code_is_refused_with_an_alert(sim, sender):
    sim.faults.plan("errcode", 987654)
    outcome = send(sender)
    assert isinstance(outcome, Rejected)
    assert (outcome.action, outcome.alert) == (Action.PAYLOAD, True)


def test_sessions_are_read_and_moved(sim, sender):
    assert sender.session_state(ACCOUNT, CUSTOMER) == Session(SessionState.UNHANDLED)
    moved = sender.move_session(ACCOUNT, CUSTOMER, SessionState.HUMAN, SERVICER)
    assert isinstance(moved, Moved)
    assert moved.event_code
    assert sender.session_state(ACCOUNT, CUSTOMER) == Session(SessionState.HUMAN, SERVICER)
    refused = sender.move_session(ACCOUNT, CUSTOMER, SessionState.POOL)
    assert isinstance(refused, Rejected)
    assert (refused.errcode, refused.action) == (95016, Action.HANDOFF)


def test_an_event_text_goes_out_once_after_the_move(sim, sender):
    moved = sender.move_session(ACCOUNT, CUSTOMER, SessionState.POOL)
    assert isinstance(moved, Moved)
    assert isinstance(send(sender, 1, "已为您转接同事。", event_code=moved.event_code), Accepted)
    late = send(sender, 2, "还有一句。", event_code=moved.event_code)
    assert isinstance(late, Rejected)
    assert late.errcode == 41050
    assert sim.world.arrived(CUSTOMER) == ["已为您转接同事。"]


@pytest.mark.parametrize("state", [7, "3", None, True])
def test_a_state_nobody_knows_is_no_state(client, monkeypatch, state):
    monkeypatch.setattr(client, "session", lambda *_: {"errcode": 0, "service_state": state})
    found = WeComSender(client).session_state(ACCOUNT, CUSTOMER)
    assert isinstance(found, Unknown) or (state is True and found == Session(SessionState.ASSISTANT))


def test_servicers_with_status_zero_receive(sim, sender):
    sim.world.accounts[ACCOUNT].servicers = {"a": True, "b": False}
    sim.world.accounts[ACCOUNT].departments = [7]
    people = sender.servicers(ACCOUNT)
    assert isinstance(people, tuple)
    assert [(person.user_id, person.receiving) for person in people] == [("a", True), ("b", False)]


@pytest.mark.parametrize("rows", [None, "x", [1, None, {}], [{"userid": ""}]])
def test_an_odd_list_of_servicers_is_empty(client, monkeypatch, rows):
    monkeypatch.setattr(client, "servicers", lambda *_: {"errcode": 0, "servicer_list": rows})
    assert WeComSender(client).servicers(ACCOUNT) == ()


def test_the_other_calls_reach_the_platform(sim, client):
    assert client.accounts()["account_list"][0]["open_kfid"] == ACCOUNT
    assert client.customers([CUSTOMER, "wm_nobody"])["invalid_external_userid"] == ["wm_nobody"]


def test_no_log_line_shows_a_token_or_a_secret(sim, sender, caplog):
    caplog.set_level(logging.DEBUG)
    send(sender, 1)
    sim.faults.plan("timeout_before")
    send(sender, 2)
    sim.faults.plan("errcode", 60020)
    send(sender, 3)
    secrets = [SECRET, *sim.world.tokens]
    assert len(secrets) > 1
    assert not any(secret in caplog.text for secret in secrets)


def test_a_client_never_sends_an_empty_field(client, monkeypatch):
    seen = []
    monkeypatch.setattr(client, "call", lambda *args, **kwargs: seen.append(kwargs["json"]) or {"errcode": 0})
    client.sync(ACCOUNT)
    client.sync(ACCOUNT, "c", "t")
    client.move(ACCOUNT, CUSTOMER, SessionState.POOL)
    assert seen == [
        {"open_kfid": ACCOUNT, "limit": 1000},
        {"open_kfid": ACCOUNT, "limit": 1000, "cursor": "c", "token": "t"},
        {"open_kfid": ACCOUNT, "external_userid": CUSTOMER, "service_state": 2},
    ]


def test_two_clients_on_one_shelf_do_not_end_each_others_tokens(running, sim):
    sim.turn(new_token_ends_old=True)
    shelf = MemoryShelf()
    clients = [WeComClient(running.settings(), shelf=shelf) for _ in range(2)]
    senders = [WeComSender(client) for client in clients]
    outcomes = [
        send(senders[number % 2], number, recipient=f"wm_{number}")
        for number in range(6)
        if sim.people.says(f"wm_{number}", "在")
    ]
    assert all(isinstance(outcome, Accepted) for outcome in outcomes)
    assert sim.world.calls["gettoken"] == 1
    for client in clients:
        client.close()


def test_two_clients_without_a_common_shelf_still_send(running, sim):
    sim.turn(new_token_ends_old=True)
    clients = [WeComClient(running.settings()) for _ in range(2)]
    outcomes = [send(WeComSender(clients[number % 2]), number) for number in range(4)]
    assert all(isinstance(outcome, Accepted) for outcome in outcomes)
    for client in clients:
        client.close()
