import pytest

from outbound.errors import Action, OutcomeUnknown, SyncStalled
from outbound.session import EventKind, Origin, SessionState
from outbound.simulator.world import ACCOUNT, SERVICER
from outbound.wecom.events import (
    FAIL_TYPES,
    Entered,
    OtherEvent,
    Recalled,
    Refusing,
    SendFailed,
    ServicerChanged,
    SessionChanged,
    event_of,
    fail_action,
)
from outbound.wecom.items import item_of, page_of
from tests.outbound.kit import CUSTOMER


def event(event_type: object, **fields: object):
    inside = {"event_type": event_type, "open_kfid": "wk1", "external_userid": "wm1", **fields}
    return item_of({"msgid": "e1", "send_time": 5, "origin": 4, "msgtype": "event", "event": inside}, "wk?")


def test_a_text_is_the_customers_own_words():
    row = {
        "msgid": "m1",
        "open_kfid": "wk1",
        "external_userid": "wm1",
        "send_time": 7,
        "origin": 3,
        "msgtype": "text",
        "text": {"content": "还有车位吗"},
    }
    item = item_of(row, "wk?")
    assert (item.msgid, item.account, item.customer, item.sent_at, item.text) == ("m1", "wk1", "wm1", 7, "还有车位吗")
    assert item.from_customer
    assert not item.by_person
    assert item.raw == row


def test_a_servicers_words_are_a_persons_not_the_customers():
    row = {
        "msgid": "m2",
        "external_userid": "wm1",
        "origin": 5,
        "servicer_userid": "li",
        "msgtype": "text",
        "text": {"content": "我来"},
    }
    item = item_of(row, "wk1")
    assert item.by_person
    assert not item.from_customer
    assert (item.servicer, item.account) == ("li", "wk1")


def test_an_events_account_and_customer_sit_inside_it():
    item = event("enter_session", scene="s")
    assert (item.account, item.customer, item.event) == ("wk1", "wm1", EventKind.ENTER)
    assert not item.from_customer


@pytest.mark.parametrize("kind", ["image", "channels_shop_order", "brand_new", ""])
def test_other_kinds_are_kept(kind):
    item = item_of({"msgid": "m", "origin": 3, "msgtype": kind, "external_userid": "wm1"}, "wk1")
    assert item.text is None
    assert item.kind == (kind or "unknown")
    assert item.from_customer


@pytest.mark.parametrize("origin", [0, 1, 9, "3", None, [3], True])
def test_an_origin_nobody_knows_is_never_the_customer(origin):
    item = item_of({"msgid": "m", "origin": origin, "msgtype": "text", "text": {"content": "x"}}, "wk1")
    assert item.origin is Origin.UNKNOWN
    assert not item.from_customer


@pytest.mark.parametrize("text", [None, "x", {"content": 5}, {}])
def test_odd_texts_are_no_crash(text):
    assert item_of({"msgid": "m", "msgtype": "text", "text": text}, "wk1").text in (None, "")


@pytest.mark.parametrize(
    ("item", "told"),
    [
        (event("msg_send_fail", fail_msgid="x", fail_type=6), SendFailed("x", *FAIL_TYPES[6], 6)),
        (
            event("session_status_change", change_type=1, new_servicer_userid="li", msg_code="c"),
            SessionChanged(SessionState.HUMAN, "li", "c"),
        ),
        (
            event("session_status_change", change_type=2, new_servicer_userid="li"),
            SessionChanged(SessionState.HUMAN, "li", None),
        ),
        (event("session_status_change", change_type=3, msg_code="c"), SessionChanged(SessionState.ENDED, None, "c")),
        (
            event("session_status_change", change_type=4, new_servicer_userid="li"),
            SessionChanged(SessionState.HUMAN, "li", None),
        ),
        (event("user_recall_msg", recall_msgid="x"), Recalled("x", by_customer=True)),
        (event("servicer_recall_msg", recall_msgid="x"), Recalled("x", by_customer=False)),
        # here 1 is receiving and 2 is stopped
        (event("servicer_status_change", servicer_userid="li", status=1), ServicerChanged("li", receiving=True)),
        (event("servicer_status_change", servicer_userid="li", status=2), ServicerChanged("li", receiving=False)),
        (event("servicer_status_change", servicer_userid="li", status=0), ServicerChanged("li", receiving=False)),
        (event("enter_session", scene="s", welcome_code="w"), Entered("s", "w")),
        (event("enter_session", scene="s"), Entered("s", None)),
        (event("reject_customer_msg_switch_change", reject_switch=1), Refusing(refuses=True)),
        (event("reject_customer_msg_switch_change", reject_switch=0), Refusing(refuses=False)),
        (event("brand_new"), OtherEvent("brand_new")),
        (event("msg_send_fail", fail_type=4), OtherEvent("msg_send_fail")),
        (event("session_status_change", change_type=9), OtherEvent("session_status_change")),
        (event("session_status_change", change_type=[3]), OtherEvent("session_status_change")),
        (event(None), OtherEvent("None")),
    ],
)
def test_events_say_what_they_ask_for(item, told):
    assert event_of(item) == told


def test_a_message_is_no_event():
    assert event_of(item_of({"msgid": "m", "msgtype": "text"}, "wk1")) is None


@pytest.mark.parametrize(
    ("fail_type", "action"),
    [
        (4, Action.REOPEN), (5, Action.REOPEN), (6, Action.REOPEN),
        (0, Action.HUMAN), (10, Action.HUMAN), (13, Action.HUMAN),
        (1, Action.CONFIG), (2, Action.CONFIG), (8, Action.CONFIG), (11, Action.CONFIG),
        (12, Action.PAYLOAD),
        (7, Action.HUMAN), (99, Action.HUMAN), (None, Action.HUMAN), ("4", Action.HUMAN), ([], Action.HUMAN),
    ],
)  # fmt: skip
def test_each_fail_type_has_its_action(fail_type, action):
    assert fail_action(fail_type)[0] is action


def test_a_page_without_a_place_to_go_on_is_a_stall():
    with pytest.raises(SyncStalled):
        page_of({"errcode": 0, "has_more": 1, "msg_list": []}, "wk1")
    with pytest.raises(OutcomeUnknown):
        page_of({"errcode": 0, "msg_list": "x"}, "wk1")
    assert page_of({"errcode": 0}, "wk1").items == ()


def test_a_missing_cursor_keeps_the_old_one():
    """An empty cursor would replay three days."""
    assert page_of({"errcode": 0, "has_more": 0}, "wk1", "c-7").next_cursor == "c-7"
    assert page_of({"errcode": 0, "next_cursor": "c-8"}, "wk1", "c-7").next_cursor == "c-8"


@pytest.mark.parametrize("sent", [None, "5", -1, 10**12, 1.5, True])
def test_an_odd_time_is_long_ago(sent):
    assert item_of({"msgid": "m", "send_time": sent}, "wk1").sent_at == 0


def test_everything_people_do_arrives_through_the_log(sim, sender):
    first = sim.people.says(CUSTOMER, "看中一套")
    sim.people.sends(CUSTOMER, "location", {"latitude": 31.2, "longitude": 121.4, "name": "家"})
    sim.people.recalls(CUSTOMER, first)
    sim.people.takes(SERVICER, CUSTOMER)
    sim.people.servicer_says(SERVICER, CUSTOMER, "我来跟进")
    sim.people.ends(CUSTOMER)
    sim.people.refuses(CUSTOMER)
    sim.people.sets_status(SERVICER, receiving=False)
    items = sender.sync(ACCOUNT, "").items
    assert [item.kind for item in items] == ["text", "location", "event", "event", "text", "event", "event", "event"]
    assert [type(event_of(item)).__name__ for item in items if item.event] == [
        "Recalled", "SessionChanged", "SessionChanged", "Refusing", "ServicerChanged",
    ]  # fmt: skip
    assert [item.from_customer for item in items[:2]] == [True, True]
    assert items[4].by_person
