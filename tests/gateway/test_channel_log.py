"""The channel's log, entry by entry: taken once, in order, by one reader; nothing in it stops what comes behind."""

import threading

import pytest
from sqlalchemy import select

from gateway import channel_events, conversations, inbound, inbox
from gateway.handoff import open_handoff
from gateway.puller import Puller
from gateway.service import Service
from gateway.store import Store
from gateway.tables import Account, AuditRow, ConversationRow, InboxRow, MessageRow
from gateway.tables_calls import AlertRow, ChannelItem
from gateway.tx import table_of
from outbound.errors import Action
from outbound.outcome import Rejected, Unreachable
from outbound.session import Page
from outbound.wecom.items import item_of
from planner.turn import Role
from tests.gateway.desk import GOOD, GOOD_CITATION, refused

KF = "shop"


class Log:
    """A channel's log in memory: pages of raw entries after each cursor; `calls` are the cursors asked for."""

    def __init__(self, channel):
        self.channel = channel
        self.pages = [[]]
        self.calls = []
        self.fault = None
        self.gate = None
        channel.sync = self.sync

    def add(self, *rows, page=False):
        if page:
            self.pages.append([])
        self.pages[-1].extend(rows)

    def sync(self, account, cursor, token=None):
        self.calls.append((cursor, token))
        if self.gate is not None:
            self.gate.wait(10)
        if self.fault is not None:
            return self.fault
        number = int(cursor or 0)
        if number >= len(self.pages):
            return Page((), cursor, False)
        items = tuple(item_of(row, account) for row in self.pages[number])
        return Page(items, str(number + 1), number + 1 < len(self.pages))


@pytest.fixture
def log(desk, channel):
    made = Log(channel)
    made.desk = desk
    return made


@pytest.fixture
def desk(make_desk):
    made = make_desk()
    made.account(KF)
    return made


def said(desk, msgid, text="小区人车分流吗", *, customer="wm_1", origin=3, kind="text", ago=0, **more):
    at = int(desk.clock().timestamp()) - ago
    inside = {"content": text} if kind == "text" else {"media_id": "x"}
    return {
        "msgid": msgid,
        "open_kfid": KF,
        "external_userid": customer,
        "send_time": at,
        "origin": origin,
        "msgtype": kind,
        kind: inside,
    } | more


def event(desk, msgid, name, customer="wm_1", **fields):
    inside = {"event_type": name, "open_kfid": KF} | ({"external_userid": customer} if customer else {}) | fields
    at = int(desk.clock().timestamp())
    return {"msgid": msgid, "send_time": at, "origin": 4, "msgtype": "event", "event": inside}


def rows(desk, model, **where):
    table = table_of(model)
    query = select(table).where(*(table.c[name] == value for name, value in where.items()))
    return desk.service.look(lambda tx: tx.conn.execute(query).all())


def texts(desk):
    return [m.text for m in rows(desk, MessageRow)]


def talk_of(desk, customer="wm_1"):
    return rows(desk, ConversationRow, recipient=customer)[0].id


def asked(desk):
    return [r["momentId"] for r in desk.service.look(lambda tx: inbox.records(tx, (), 10))]


def pull(desk):
    return desk.service.pull_all()


# --- taken once, in order -----------------------------------------------------------------------------------------


def test_page_and_cursor_are_one_transaction(desk, log, monkeypatch):
    """A process that dies in the middle of a page has stored neither; the next pull asks for the same page."""
    log.add(said(desk, "a"), said(desk, "b"))
    log.add(said(desk, "c"), page=True)
    real = inbound._said

    def dies(tx, talk, item):
        if item.msgid == "c":
            raise KeyboardInterrupt
        return real(tx, talk, item)

    monkeypatch.setattr(inbound, "_said", dies)
    account = lambda: rows(desk, Account)[0].cursor  # noqa: E731
    with pytest.raises(KeyboardInterrupt):
        _in_this_thread(desk)
    assert (account(), [m.id for m in rows(desk, MessageRow)]) == ("1", ["a", "b"])
    monkeypatch.setattr(inbound, "_said", real)
    assert pull(desk) == 1
    assert (account(), [m.id for m in rows(desk, MessageRow)]) == ("2", ["a", "b", "c"])
    assert [cursor for cursor, _ in log.calls] == ["", "1", "1", "2"][: len(log.calls)]


def _in_this_thread(desk):
    """Run the pull's transactions here: the store's writer thread must survive what the test lets die."""

    def run(job):
        with desk.service.store.engine.connect() as connection, connection.begin():
            return desk.service._in_tx(job)(connection)

    Puller(run, desk.service.look, desk.service.channel).pull(None)


def test_what_another_process_read_meanwhile_stays_read(desk, log):
    """A reader that comes late takes nothing twice and does not set the cursor back."""
    log.add(said(desk, "a"))
    log.add(said(desk, "b"), page=True)
    old = log.sync("shop", "")
    assert pull(desk) == 2
    assert desk.run(lambda tx: inbound.take_page(tx, KF, old, "")) == (0, False)
    assert rows(desk, Account)[0].cursor == "2"


def test_a_burst_of_callbacks_is_one_reader_and_one_more_round(desk, log):
    """While the log is read, all further callbacks together make one more round, with the newest token."""
    log.gate = threading.Event()
    log.add(said(desk, "a"))
    threads = [threading.Thread(target=desk.service.pull, args=(KF, f"token-{n}")) for n in range(8)]
    threads[0].start()
    while not log.calls:
        pass
    for thread in threads[1:]:
        thread.start()
        thread.join(10)
    log.gate.set()
    threads[0].join(10)
    assert log.calls == [("", "token-0"), ("1", "token-7")]
    assert texts(desk) == ["小区人车分流吗"]


def test_a_reader_that_failed_does_not_keep_others_out(desk, log):
    log.fault = Unreachable("no connection")
    assert pull(desk) == 0
    log.fault = None

    def boom(*_args):
        raise RuntimeError

    real, desk.service.channel.sync = desk.service.channel.sync, boom
    with pytest.raises(RuntimeError):
        pull(desk)
    desk.service.channel.sync = real
    log.add(said(desk, "a"))
    assert pull(desk) == 1


# --- what cannot be taken stops nothing ---------------------------------------------------------------------------


def test_an_entry_that_cannot_be_read_is_kept_and_told(desk, log):
    """Another text under a known id, a NUL, half a character, a customer's id beyond all bounds: the others arrive."""
    log.add(said(desk, "a", "第一句"))
    pull(desk)
    log.add(
        said(desk, "a", "改过的第一句"),
        said(desk, "b", "有\x00和\ud83d的字"),
        said(desk, "c", "最后一句"),
        page=True,
    )
    assert pull(desk) == 2
    assert texts(desk) == ["第一句", "有和?的字", "最后一句"]
    [kept] = rows(desk, ChannelItem)
    assert (kept.msgid, kept.note) == ("a", "could not be read: Conflict")
    [alert] = rows(desk, AlertRow)
    assert (alert.kind, alert.account_id, alert.conversation_id) == ("unanswered", KF, talk_of(desk))
    desk.run(lambda tx: tx.change(Account, {"id": KF}, cursor=""))
    assert pull(desk) == 0
    assert len(rows(desk, AlertRow)) == 1


def test_kinds_that_nobody_knows_are_kept_and_go_to_a_person(desk, log):
    """Stored as they came, shown by name, never guessed at; a repeat is none."""
    log.add(said(desk, "a", kind="channels_shop_product"), said(desk, "b", kind="../../odd kind"))
    assert pull(desk) == 2
    assert texts(desk) == ["[未知消息] channels_shop_product", "[未知消息] ....oddkind"]
    assert rows(desk, ChannelItem)[0].raw["channels_shop_product"] == {"media_id": "x"}
    answer = desk.post("好的，收到了。", talk_of(desk))
    assert answer["requiresHuman"]
    assert answer["state"] != "queued"
    desk.run(lambda tx: tx.change(Account, {"id": KF}, cursor=""))
    assert pull(desk) == 0


def test_after_a_month_an_entry_is_forgotten_and_its_repeat_still_known(desk, log):
    """What it held goes, who and when stays: the platform may repeat it after any time."""
    log.add(said(desk, "a", kind="channels_shop_product"))
    assert pull(desk) == 1
    desk.clock.forward(days=29)
    assert desk.run(inbound.tidy) == 0
    desk.clock.forward(days=2)
    assert (desk.run(inbound.tidy), desk.run(inbound.tidy)) == (1, 0)
    [kept] = rows(desk, ChannelItem)
    assert (kept.msgid, kept.kind, kept.raw) == ("a", "channels_shop_product", None)
    desk.run(lambda tx: tx.change(Account, {"id": KF}, cursor=""))
    assert pull(desk) == 0


def test_events_that_nobody_knows_are_kept_and_shown_once(desk, log):
    """By their own name; those without a customer in the audit trail."""
    log.add(event(desk, "a", "brand_new_event"), event(desk, "b", "servicer_status_change", None, status=1))
    assert pull(desk) == 2
    assert texts(desk) == ["[brand_new_event]"]
    assert rows(desk, MessageRow)[0].role == "system"
    desk.run(lambda tx: tx.change(Account, {"id": KF}, cursor=""))
    assert pull(desk) == 0
    assert len(rows(desk, AuditRow, event="event")) == 1
    assert asked(desk) == []


def test_what_is_not_the_customers_never_reaches_the_agent(desk, log):
    """Origin 4, 5, or one that nobody knows."""
    for number, origin in enumerate((4, 5, 0, 9)):
        log.add(said(desk, f"m{number}", f"第{number}句", customer=f"wm_{number}", origin=origin))
    assert pull(desk) == 4
    assert [m.role for m in rows(desk, MessageRow)] == ["system", "human", "system", "system"]
    assert asked(desk) == []


def test_another_accounts_entry_is_kept_and_not_acted_on(desk, log):
    log.add(said(desk, "a") | {"open_kfid": "somebody-else"})
    assert pull(desk) == 1
    assert rows(desk, MessageRow) == []
    assert rows(desk, ChannelItem)[0].note == "of another account"


def test_an_entry_without_a_customer_is_kept(desk, log):
    log.add(said(desk, "a", customer="", kind="image"))
    assert pull(desk) == 1
    assert len(rows(desk, AuditRow, event="item_kept")) == 1


# --- starting up --------------------------------------------------------------------------------------------------


def test_the_first_start_records_all_and_answers_only_what_is_fresh(desk, log):
    """Three days of talk, and the message that brought the first callback."""
    log.add(said(desk, "old", "昨天问的", ago=86_400), said(desk, "late", "刚才问的", customer="wm_2", ago=900))
    log.add(said(desk, "new", "现在问的", customer="wm_3", ago=5), page=True)
    assert pull(desk) == 3
    assert asked(desk) == ["new"]


def test_an_old_message_behind_a_fresh_one_of_the_same_customer_asks_once(desk, log):
    log.add(said(desk, "old", "昨天问的", ago=86_400), said(desk, "new", "还在吗", ago=5))
    pull(desk)
    assert asked(desk) == ["new"]
    assert [m.text for m in desk.talk(talk_of(desk)).messages] == ["昨天问的", "还在吗"]


# --- faults of the pull -------------------------------------------------------------------------------------------


def test_a_stuck_log_is_told_once_an_hour(desk, log, clock):
    """Never a loop, and sending goes on."""
    log.fault = Rejected(None, Action.CONFIG, "sync_stalled", "the log's cursor does not move", alert=True)
    for _ in range(3):
        pull(desk)
    assert [a.kind for a in rows(desk, AlertRow)] == ["stopped"]
    assert rows(desk, Account)[0].stopped_reason is None
    clock.forward(minutes=61)
    pull(desk)
    assert len(rows(desk, AlertRow)) == 2


def test_a_pull_that_may_not_be_made_stops_the_channel_once(desk, log):
    log.fault = Rejected(60020, Action.CONFIG, "channel_stopped", "60020 not a trusted address")
    for _ in range(3):
        pull(desk)
    assert rows(desk, Account)[0].stopped_reason == "60020 not a trusted address"
    assert [a.kind for a in rows(desk, AlertRow)] == ["stopped"]


@pytest.mark.parametrize("fault", [Unreachable("no"), Rejected(45009, Action.RATE, "rate_limited", "slow down")])
def test_a_passing_fault_stops_nothing(desk, log, fault):
    log.fault = fault
    pull(desk)
    assert rows(desk, Account)[0].stopped_reason is None
    assert rows(desk, AlertRow) == []


@pytest.mark.parametrize(("fail_type", "stops"), [(1, True), (2, True), (8, True), (11, True), (4, False), (10, False)])
def test_a_later_failure_of_the_account_stops_it(desk, log, channel, fail_type, stops):
    """The Delivery leaves the count in any case, the draft is a person's task, and operators are told."""
    log.add(said(desk, "a"))
    pull(desk)
    draft = desk.post_good(talk_of(desk))["draftId"]
    desk.carry()
    assert desk.deliveries()["count"] == 1
    log.add(event(desk, "f", "msg_send_fail", fail_msgid=channel.sent[0].msgid, fail_type=fail_type), page=True)
    pull(desk)
    assert desk.deliveries()["count"] == 0
    assert desk.draft(draft)["state"] == "send_failed"
    assert (rows(desk, Account)[0].stopped_reason is not None) is stops
    assert sorted(a.kind for a in rows(desk, AlertRow)) == (["failed", "stopped"] if stops else ["failed"])


@pytest.mark.parametrize("fail_type", ["ten", None, 99, [1]])
def test_a_failure_of_an_odd_type_is_a_failure(desk, log, channel, fail_type):
    log.add(said(desk, "a"))
    pull(desk)
    desk.post_good(talk_of(desk))
    desk.carry()
    log.add(event(desk, "f", "msg_send_fail", fail_msgid=channel.sent[0].msgid, fail_type=fail_type), page=True)
    assert pull(desk) == 1
    assert desk.deliveries()["count"] == 0


def test_a_failure_of_a_message_that_is_not_ours_changes_nothing(desk, log):
    log.add(event(desk, "f", "msg_send_fail", fail_msgid="somebody-elses", fail_type=10))
    assert pull(desk) == 1
    assert rows(desk, AlertRow) == []


# --- from people back to the agent --------------------------------------------------------------------------------


def hand_over_in_the_client(desk, log):
    log.add(said(desk, "a", "想看看合同"))
    pull(desk)
    log.add(event(desk, "t", "session_status_change", change_type=1, new_servicer_userid="lin"), page=True)
    log.add(said(desk, "h", "我来答您", origin=5, servicer_userid="lin"))
    pull(desk)
    return talk_of(desk)


def end_in_the_client(desk, log, who="lin"):
    log.add(event(desk, "e", "session_status_change", change_type=3, old_servicer_userid=who), page=True)
    pull(desk)


def test_a_colleague_who_ends_the_session_gives_the_talk_back(desk, log):
    """Taken in the client, answered there, ended there; the next question is the agent's again, the old ones are not."""
    cid = hand_over_in_the_client(desk, log)
    assert desk.talk(cid).with_people
    log.add(said(desk, "b", "好的，那税费呢"), page=True)
    pull(desk)
    desk.clock.forward(minutes=30)
    end_in_the_client(desk, log)
    assert not desk.talk(cid).with_people
    assert asked(desk) == []
    assert [a.kind for a in rows(desk, AlertRow)][-1] == "unanswered"
    log.add(said(desk, "c", "小区人车分流吗"), page=True)
    pull(desk)
    assert asked(desk) == ["c"]
    assert desk.post_good(cid)["state"] == "queued"
    desk.carry()
    assert desk.arrived == [GOOD]


def test_a_fresh_question_at_the_end_is_the_agents(desk, log):
    cid = hand_over_in_the_client(desk, log)
    log.add(said(desk, "b", "小区人车分流吗"), page=True)
    pull(desk)
    assert asked(desk) == []
    end_in_the_client(desk, log)
    assert asked(desk) == ["b"]
    assert desk.conversation_row(cid).session_state == 4


def test_an_operators_take_outlasts_the_session(desk, log):
    """Who took the talk in the web view gives it back there."""
    log.add(said(desk, "a"))
    pull(desk)
    cid = talk_of(desk)
    desk.run(lambda tx: open_handoff(tx, conversations.load(tx, cid), actor="op-1", why="taken", to="op-1"))
    log.add(event(desk, "t", "session_status_change", change_type=1, new_servicer_userid="lin"), page=True)
    pull(desk)
    end_in_the_client(desk, log)
    assert desk.talk(cid).with_people


def test_a_taken_session_stops_what_waits_to_leave(desk, log):
    """Seen from the client's side between decision and sending."""
    log.add(said(desk, "a"))
    pull(desk)
    cid = talk_of(desk)
    draft = desk.post_good(cid)["draftId"]
    log.add(event(desk, "t", "session_status_change", change_type=1, new_servicer_userid="lin"), page=True)
    pull(desk)
    assert asked(desk) == []
    desk.carry()
    assert desk.arrived == []
    assert desk.draft(draft)["holdReasons"] == ["human_owns"]


# --- recalls ------------------------------------------------------------------------------------------------------


def test_a_recalled_question_is_asked_of_nobody(desk, log):
    """Its row closes, agents and operators no longer see it, the record keeps it."""
    log.add(said(desk, "a", "你们老板电话多少"))
    pull(desk)
    assert asked(desk) == ["a"]
    log.add(event(desk, "r", "user_recall_msg", recall_msgid="a"), page=True)
    assert pull(desk) == 1
    assert asked(desk) == []
    assert [m.text for m in desk.talk(talk_of(desk)).messages] == ["[user_recall_msg]"]
    assert rows(desk, MessageRow, id="a")[0].recalled_at is not None
    desk.run(lambda tx: tx.change(Account, {"id": KF}, cursor=""))
    assert pull(desk) == 0
    assert asked(desk) == []


def test_the_question_before_a_recalled_one_is_asked_again(desk, log):
    log.add(said(desk, "a", "小区人车分流吗"), said(desk, "b", "打错了"))
    pull(desk)
    log.add(event(desk, "r", "user_recall_msg", recall_msgid="b"), page=True)
    pull(desk)
    assert asked(desk) == ["a"]
    assert desk.post_good(talk_of(desk))["state"] == "queued"


def test_a_draft_that_waits_is_stale_after_a_recall(desk, log):
    """Held drafts want a second look, queued ones do not leave, approved ones neither."""
    log.add(said(desk, "a", "小区人车分流吗"), said(desk, "z", "我要投诉", customer="wm_2"))
    pull(desk)
    queued = desk.post_good(talk_of(desk))["draftId"]
    approved = desk.post("我这就把您转给负责的同事。", talk_of(desk, "wm_2"), requiresHuman=True)["draftId"]
    desk.approve(approved)
    log.add(
        event(desk, "r1", "user_recall_msg", recall_msgid="a"),
        event(desk, "r2", "user_recall_msg", "wm_2", recall_msgid="z"),
        page=True,
    )
    pull(desk)
    desk.carry()
    assert desk.arrived == []
    for draft in (queued, approved):
        shown = desk.draft(draft)
        assert (shown["state"], shown["stale"]) == ("held", True)
        assert "stale" in shown["holdReasons"]
    refused(lambda: desk.approve(queued), "stale")


def test_a_draft_made_with_a_recalled_message_in_mind_is_stale(desk, log):
    """The agent was slower than the customer: what it was shown is gone, in autopilot too."""
    log.add(said(desk, "a", "小区人车分流吗"))
    pull(desk)
    cid = talk_of(desk)
    shown = desk.turn("x", cid)["conversation"]["messages"]
    log.add(event(desk, "r", "user_recall_msg", recall_msgid="a"), page=True)
    pull(desk)
    desk.run(lambda tx: tx.change(Account, {"id": KF}, mode="autopilot"))
    late = desk.post(GOOD, cid, shown=shown, citations=[GOOD_CITATION])
    assert (late["action"], late["stale"]) == ("hold", True)


def test_a_persons_own_words_are_not_held_by_a_recall(desk, log):
    log.add(said(desk, "a", "几点关门"), said(desk, "b", "算了"))
    pull(desk)
    cid = talk_of(desk)
    desk.write("晚上八点半。", cid)
    log.add(event(desk, "r", "user_recall_msg", recall_msgid="a"), page=True)
    pull(desk)
    desk.carry()
    assert desk.arrived == ["晚上八点半。"]


def test_a_recall_of_nothing_we_know_is_noted(desk, log):
    log.add(said(desk, "a"), event(desk, "r", "user_recall_msg", recall_msgid="never-seen"))
    assert pull(desk) == 2
    assert asked(desk) == ["a"]


# --- the app's rights ---------------------------------------------------------------------------------------------


def test_an_account_taken_from_the_app_is_stopped(desk):
    """`kf_account_auth_change`: noted with its lists, and the account that is gone stops."""
    desk.run(lambda tx: channel_events.authorised(tx, ("wk_new",), (KF,)))
    assert "taken away" in rows(desk, Account)[0].stopped_reason
    [note] = rows(desk, AuditRow, event="account_rights_changed")
    assert note.detail == {"added": ["wk_new"], "removed": [KF], "unknown": ["wk_new"]}
    assert [a.kind for a in rows(desk, AlertRow)] == ["stopped"]


def test_two_processes_on_one_log_take_each_entry_once(desk, log, channel, clock, settings_of):
    """Callbacks reach any process: whatever the order, one row a message, and the cursor at the end."""
    given = settings_of()
    other = Service(given, Store(given.database_url), channel, clock)
    for number in range(30):
        log.add(said(desk, f"m{number}", f"第{number}句", customer=f"wm_{number % 5}"), page=number % 3 == 0)
    threads = [threading.Thread(target=s.pull_all) for s in (desk.service, other) * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert pull(desk) == 0
    assert sorted(m.id for m in rows(desk, MessageRow)) == sorted(f"m{n}" for n in range(30))
    assert rows(desk, Account)[0].cursor == str(len(log.pages))
    for customer in range(5):
        cid = talk_of(desk, f"wm_{customer}")
        order = [int(m.id[1:]) for m in rows(desk, MessageRow, conversation_id=cid)]
        assert order == sorted(order)
    other.stop()


def test_a_talk_says_what_was_taken_back(desk, log):
    log.add(said(desk, "a"), said(desk, "b", "还有"))
    pull(desk)
    log.add(event(desk, "r", "user_recall_msg", recall_msgid="a"), page=True)
    pull(desk)
    talk = desk.talk(talk_of(desk))
    assert talk.recalled == frozenset({"a"})
    assert [m.role for m in talk.messages] == [Role.CUSTOMER, Role.SYSTEM]
    assert len(rows(desk, InboxRow, state="open")) == 1
