"""Alerts: what operators are told, where, how often, and what no alert ever holds."""

import json
from datetime import timedelta
from urllib.parse import parse_qs

import httpx2
import pytest
from sqlalchemy import select

from gateway import aftermath, alarm, alert_targets
from gateway.bell import Bell
from gateway.tables import AuditRow, DeliveryRow, OutboundRow
from gateway.tables_calls import ALERT_KINDS, AlertPost, AlertRow, AlertTarget
from gateway.tx import table_of
from gateway.web.words import language
from outbound.errors import Action
from outbound.outcome import Rejected, Unknown
from outbound.simulator.desk import ROBOT_KEY
from outbound.simulator.run import serve
from outbound.simulator.world import CORP_ID, SECRET
from outbound.wecom.notifiers import MEMBER_PER_MINUTE, ROBOT_PER_MINUTE
from tests.gateway.desk import BAD, HANDOFF, refused


class Group:
    """The group's side of a robot: reads what came, answers as it is told to."""

    def __init__(self):
        self.texts, self.keys, self.answers = [], [], []

    def __call__(self, request):
        answer = self.answers.pop(0) if self.answers else {"errcode": 0, "errmsg": "ok"}
        if isinstance(answer, Exception):
            raise answer
        self.keys.append(parse_qs(request.url.query.decode())["key"][0])
        if answer.get("errcode") == 0:
            self.texts.append(json.loads(request.content)["text"]["content"])
        return httpx2.Response(200, json=answer)


@pytest.fixture
def group():
    return Group()


@pytest.fixture
def alarmed(make_desk, group):
    """A desk in review mode whose alerts go to one robot."""
    desk = make_desk(public_url="https://gate.example")
    desk.account(mode="review")
    desk.conversation()
    desk.target = desk.run(lambda tx: alert_targets.add_robot(tx, "shop", ROBOT_KEY, [], "test"))
    desk.bell = Bell(desk.run, desk.service.settings, desk.clock, transport=httpx2.MockTransport(group))
    yield desk
    desk.bell.close()


def named(kind):
    """Give a kind's title, Chinese first."""
    return f"{language('zh').say(f'alert.{kind}')} {language('en').say(f'alert.{kind}')}"


def posts(desk):
    return desk.service.look(lambda tx: tx.conn.execute(select(table_of(AlertPost)).order_by("seq")).all())


def held(desk, number):
    """Hold a draft of a conversation of its own."""
    cid = desk.conversation(f"c-{number}") if number != 1 else "c-1"
    desk.says("小区人车分流吗", cid)
    return desk.post_good(cid)["draftId"]


def test_a_held_draft_is_told_with_a_quote_and_a_link(alarmed, group):
    """Title, reason, account, the customer's words in brackets, the draft's address."""
    alarmed.says("小区人车分流吗")
    draft = alarmed.post_good()["draftId"]
    assert alarmed.bell.ring() == 1
    assert alarmed.bell.ring() == 0
    [text] = group.texts
    title, quote, link = text.split("\n")
    assert title == f"{named('held')} · 审核模式 · shop"
    assert (quote, link) == ("「小区人车分流吗」", f"https://gate.example/drafts/{draft}")
    assert [p.state for p in posts(alarmed)] == ["told"]
    assert group.keys == [ROBOT_KEY]


def test_no_more_of_the_customers_words_than_a_short_quote(alarmed, group):
    """Forty characters, numbers of people masked before the cut, nobody called out."""
    alarmed.says("@所有人 我电话13812345678，" + "想投诉你们" * 40)
    alarmed.post(HANDOFF, requiresHuman=True)
    alarmed.bell.ring()
    quote = group.texts[0].split("\n")[1]
    assert len(quote) <= 42
    assert "138****5678" in quote
    assert "@" not in quote
    assert alarmed.deliveries()["count"] == 0


def test_what_was_decided_meanwhile_is_not_told(alarmed, group):
    """An operator who was quicker than the alert is left alone."""
    draft = held(alarmed, 1)
    alarmed.reject(draft)
    assert alarmed.bell.ring() == 0
    assert [p.state for p in posts(alarmed)] == ["void"]


def test_a_draft_that_nobody_must_see_is_not_told(make_desk, group):
    """What is sent, or waits for its rewrite, is no alert; what fails its rewrite is."""
    desk = make_desk()
    desk.account()
    desk.conversation()
    desk.run(lambda tx: alert_targets.add_robot(tx, "shop", ROBOT_KEY, [], "test"))
    bell = Bell(desk.run, desk.service.settings, desk.clock, transport=httpx2.MockTransport(group))
    desk.says("这套挂牌多少")
    draft = desk.post(BAD)["draftId"]
    assert bell.ring() == 0
    desk.rewrite(draft, BAD)
    assert bell.ring() == 1
    assert "改写后仍未通过" in group.texts[0]
    assert "http" not in group.texts[0]  # without DRAFTGATE_PUBLIC_URL there is no link
    bell.close()


def test_a_message_that_failed_is_told(make_desk, group, channel):
    """Unknown, refused, and failed later: each once."""
    desk = make_desk()
    desk.account()
    desk.run(lambda tx: alert_targets.add_robot(tx, "shop", ROBOT_KEY, ["failed"], "test"))
    bell = Bell(desk.run, desk.service.settings, desk.clock, transport=httpx2.MockTransport(group))
    outcomes = {
        "c-1": Unknown("no usable answer"),
        "c-2": Rejected(40096, Action.PAYLOAD, "channel_rejected", "a foreign id"),
        "c-3": None,
    }
    for cid, outcome in outcomes.items():
        desk.conversation(cid)
        desk.says("小区人车分流吗", cid)
        desk.post_good(cid)
        if outcome is not None:
            channel.plan(outcome)
        desk.carry()
    assert bell.ring() == 2
    assert [t.split(" · ")[1] for t in group.texts] == ["结果不明", "渠道拒收"]
    [sent] = channel.sent[-1:]
    row = desk.service.look(lambda tx: tx.one(OutboundRow, outbound_id=sent.outbound_id))
    desk.run(lambda tx: aftermath.channel_failed(tx, row.channel_message_id, 10, "msg_send_fail, fail_type 10"))
    assert bell.ring() == 1
    assert "后来失败" in group.texts[-1]
    bell.close()


def test_a_stopped_channel_is_told_once(make_desk, group, channel):
    """One alert, with the place where it is started again."""
    desk = make_desk(public_url="https://gate.example/")
    desk.account()
    desk.conversation()
    desk.run(lambda tx: alert_targets.add_robot(tx, "shop", ROBOT_KEY, ["stopped"], "test"))
    bell = Bell(desk.run, desk.service.settings, desk.clock, transport=httpx2.MockTransport(group))
    desk.says("小区人车分流吗")
    desk.post_good()
    channel.plan(Rejected(60020, Action.CONFIG, "channel_stopped", "not a trusted address"))
    desk.carry()
    desk.carry()
    assert bell.ring() == 1
    assert group.texts[0].split("\n")[0] == f"{named('stopped')} · 60020: not a trusted address · shop"
    assert group.texts[0].endswith("https://gate.example/settings")
    bell.close()


def test_only_the_accounts_own_targets_and_kinds_are_told(alarmed, group):
    """Another account's drafts are nobody's business here; a target may leave kinds out."""
    alarmed.account("other", mode="review")
    alarmed.run(lambda tx: alert_targets.remove_target(tx, alarmed.target, "test"))
    alarmed.run(lambda tx: alert_targets.add_robot(tx, "shop", ROBOT_KEY, ["failed"], "test"))
    alarmed.conversation("c-o", account="other")
    for cid in ("c-1", "c-o"):
        alarmed.says("小区人车分流吗", cid)
        alarmed.post_good(cid)
    assert alarmed.bell.ring() == 0
    assert alarmed.service.look(lambda tx: tx.conn.execute(select(table_of(AlertRow))).all()) == []


def test_beyond_the_robots_limit_the_rest_is_one_summary(alarmed, group, clock):
    """Twenty a minute: nineteen by themselves, one for all others; the next minute starts anew."""
    for number in range(1, 51):
        held(alarmed, number)
    assert alarmed.bell.ring() == ROBOT_PER_MINUTE
    assert len(group.texts) == ROBOT_PER_MINUTE
    assert group.texts[-1].split("\n") == [
        f"{language('zh').say('alert.summary', count=31)} {language('en').say('alert.summary', count=31)}",
        "https://gate.example/",
    ]
    held(alarmed, 51)
    clock.forward(seconds=30)
    assert alarmed.bell.ring() == 0
    clock.forward(seconds=31)
    assert alarmed.bell.ring() == 1
    states = [p.state for p in posts(alarmed)]
    assert (states.count("told"), states.count("collapsed")) == (ROBOT_PER_MINUTE + 1, 30)


def test_two_processes_share_one_limit(alarmed, group):
    """The minute is counted in the store, not in a process."""
    other = Bell(alarmed.run, alarmed.service.settings, alarmed.clock, transport=httpx2.MockTransport(group))
    for number in range(1, 31):
        held(alarmed, number)
        if number % 3 == 0:
            (alarmed.bell if number % 2 else other).ring()
    assert len(group.texts) <= ROBOT_PER_MINUTE
    other.close()


def test_one_group_that_hears_several_accounts_has_one_limit(alarmed, group):
    """The limit is the robot's, however many accounts tell it."""
    alarmed.account("other", mode="review")
    alarmed.run(lambda tx: alert_targets.add_robot(tx, "other", ROBOT_KEY, [], "test"))
    for number in range(1, 16):
        held(alarmed, number)
        cid = alarmed.conversation(f"o-{number}", account="other")
        alarmed.says("小区人车分流吗", cid)
        alarmed.post_good(cid)
    for _ in range(3):
        alarmed.bell.ring()
    assert len(group.texts) == ROBOT_PER_MINUTE
    assert "另有" in group.texts[-1]


def test_members_share_their_limit_only_with_those_who_tell_them_too(alarmed):
    """Two targets with a common member are one; a third without is not."""
    ids = [
        alarmed.run(lambda tx, m=members: alert_targets.add_members(tx, "shop", 7, m, [], "test"))
        for members in (["lin", "chen"], ["Chen"], ["wu"])
    ]

    def ends(tx):
        return {t.id: alert_targets.ends_of(tx, t) for t in alarm.targets(tx)}

    found = alarmed.service.look(ends)
    assert found[ids[0]] & found[ids[1]] == {"7:chen"}
    assert not found[ids[0]] & found[ids[2]]


def test_a_failing_robot_is_tried_three_times_and_shown(alarmed, group, clock):
    """Bounded, with pauses, the last fault kept; nothing of it reaches the log but the fault."""
    group.answers = [httpx2.ConnectError("refused"), {"errcode": -1, "errmsg": "busy"}, httpx2.ReadTimeout("slow")]
    held(alarmed, 1)
    assert alarmed.bell.ring() == 1
    assert alarmed.bell.ring() == 0
    clock.forward(seconds=70)
    assert alarmed.bell.ring() == 1
    clock.forward(minutes=6)
    assert alarmed.bell.ring() == 1
    clock.forward(hours=1)
    assert alarmed.bell.ring() == 0
    [post] = posts(alarmed)
    assert (post.state, post.attempts) == ("failed", 3)
    [record] = alarmed.service.look(lambda tx: alarm.records(tx, ["shop"], 10))
    assert (record["state"], record["account"], record["target"]) == ("failed", "shop", alarmed.target)
    assert "ReadTimeout" in record["error"]
    assert ROBOT_KEY not in json.dumps(record)


def test_a_robot_that_does_not_answer_is_waited_for_once_a_round(alarmed, group, clock):
    """Ten alerts do not wait ten times; all of them are tried again later."""
    group.answers = [httpx2.ReadTimeout("slow")]
    for number in range(1, 11):
        held(alarmed, number)
    assert alarmed.bell.ring() == 10
    assert (group.answers, group.texts) == ([], [])
    assert {(p.state, p.attempts) for p in posts(alarmed)} == {("waiting", 1)}
    clock.forward(seconds=70)
    alarmed.bell.ring()
    assert len(group.texts) == 10


def test_a_lasting_refusal_is_final_at_once(alarmed, group):
    """A key that no longer opens anything is not tried again."""
    group.answers = [{"errcode": 93000, "errmsg": "invalid webhook url"}]
    held(alarmed, 1)
    alarmed.bell.ring()
    assert [(p.state, p.attempts) for p in posts(alarmed)] == [("failed", 1)]


def test_a_rate_limit_waits_and_is_told_later(alarmed, group, clock):
    """45009 costs time, not the alert; but nobody is told of what is two hours old."""
    group.answers = [{"errcode": 45009, "errmsg": "api freq out of limit"}]
    held(alarmed, 1)
    alarmed.bell.ring()
    bell = Bell(alarmed.run, alarmed.service.settings, alarmed.clock, transport=httpx2.MockTransport(group))
    clock.forward(seconds=61)
    assert bell.ring() == 1
    assert [p.state for p in posts(alarmed)] == ["told"]
    held(alarmed, 2)
    alarmed.run(alarm.spread)
    clock.forward(hours=3)
    assert bell.ring() == 0
    assert posts(alarmed)[-1].state == "failed"
    bell.close()


def test_a_process_that_died_with_a_claim_loses_nothing(alarmed, group, clock):
    """After the lease another process tells it."""
    held(alarmed, 1)
    alarmed.run(alarm.spread)
    assert len(alarmed.run(alarm.claim)) == 1
    assert alarmed.bell.ring() == 0
    clock.forward(minutes=3)
    assert alarmed.bell.ring() == 1
    assert len(group.texts) == 1


def test_a_removed_target_is_told_no_more(alarmed, group):
    """What waits for it stays untold."""
    held(alarmed, 1)
    alarmed.run(alarm.spread)
    alarmed.run(lambda tx: alert_targets.remove_target(tx, alarmed.target, "test"))
    assert alarmed.bell.ring() == 0
    refused(lambda: alarmed.run(lambda tx: alert_targets.remove_target(tx, alarmed.target, "test")), "unknown_target")


def test_the_robots_key_stands_nowhere_in_the_open(alarmed, caplog):
    """Sealed in its row, absent from audit and records; another key opens nothing and says what to do."""
    rows = alarmed.service.look(
        lambda tx: [tuple(r) for m in (AlertTarget, AuditRow) for r in tx.conn.execute(select(table_of(m))).all()]
    )
    assert ROBOT_KEY not in repr(rows)
    settings = alarmed.service.settings.model_copy(
        update={"secret_key": type(alarmed.service.settings.secret_key)("z" * 40)}
    )
    bell = Bell(alarmed.run, settings, alarmed.clock)
    held(alarmed, 1)
    bell.ring()
    assert "DRAFTGATE_SECRET_KEY" in posts(alarmed)[0].error


BAD_TARGETS = [
    (lambda tx: alert_targets.add_robot(tx, "nobody", ROBOT_KEY, [], "t"), "unknown_account"),
    (lambda tx: alert_targets.add_robot(tx, "shop", "key with spaces", [], "t"), "bad_robot_key"),
    (lambda tx: alert_targets.add_robot(tx, "shop", ROBOT_KEY, ["helt"], "t"), "unknown_kind"),
    (lambda tx: alert_targets.add_members(tx, "shop", 7, [], [], "t"), "bad_members"),
    (lambda tx: alert_targets.add_members(tx, "shop", 7, ["lin|all"], [], "t"), "bad_members"),
]


@pytest.mark.parametrize(("job", "code"), BAD_TARGETS, ids=[code for _, code in BAD_TARGETS])
def test_a_wrong_target_is_refused(alarmed, job, code):
    refused(lambda: alarmed.run(job), code)


def test_an_account_has_a_bounded_number_of_targets(alarmed):
    """And a whole webhook address will do for a key."""
    address = f"https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key={ROBOT_KEY}"
    for _ in range(alert_targets.MOST - 1):
        alarmed.run(lambda tx: alert_targets.add_robot(tx, "shop", address, ["held"], "t"))
    job = lambda: alarmed.run(lambda tx: alert_targets.add_robot(tx, "shop", address, [], "t"))  # noqa: E731
    refused(job, "too_many_targets")
    kinds = alarmed.service.look(lambda tx: [t.kinds for t in alarm.targets(tx)])
    assert list(ALERT_KINDS) in kinds


def test_without_a_secret_key_no_robot_can_be_added(make_desk):
    desk = make_desk(secret_key="")
    desk.account()
    refused(lambda: desk.run(lambda tx: alert_targets.add_robot(tx, "shop", ROBOT_KEY, [], "t")), "no_secret_key")


def test_members_are_told_by_the_app_against_the_simulator(make_desk):
    """Real HTTP, the shared token, nobody of whom the directory knows nothing; never a Delivery."""
    with serve() as platform:
        desk = make_desk(
            wecom_api_base=platform.api_base, wecom_corp_id=CORP_ID, wecom_secret=SECRET, public_url="https://g.example"
        )
        desk.account(mode="review")
        desk.conversation()
        desk.run(lambda tx: alert_targets.add_members(tx, "shop", 1000002, ["lin", "gone"], [], "test"))
        desk.run(lambda tx: alert_targets.add_robot(tx, "shop", ROBOT_KEY, [], "test"))
        desk.says("能不能约周六看房")
        desk.post(HANDOFF, requiresHuman=True)
        assert desk.service.bell.ring() == 2
        read = platform.simulator.platform.desk.read
        assert sorted(who for who, _ in read) == ["group", "lin"]
        assert all("需要人来决定" in text for _, text in read)
        for number in range(2, 40):
            held(desk, number)
        desk.service.bell.ring()
        assert sum(who == "lin" for who, _ in read) == MEMBER_PER_MINUTE
        assert sum(who == "group" for who, _ in read) == ROBOT_PER_MINUTE
        assert desk.service.look(lambda tx: tx.conn.execute(select(table_of(DeliveryRow))).all()) == []
        assert platform.simulator.world.calls["gettoken"] == 1


def test_the_scheduler_rings_by_itself(make_desk, group):
    """Nobody has to ask: the alert comes from the timed work, not from the request that held the draft."""
    import time

    desk = make_desk(tick_seconds=0.05)
    desk.account(mode="review")
    desk.conversation()
    desk.run(lambda tx: alert_targets.add_robot(tx, "shop", ROBOT_KEY, [], "test"))
    desk.service.bell = Bell(desk.run, desk.service.settings, desk.clock, transport=httpx2.MockTransport(group))
    desk.service.start()
    held(desk, 1)
    end = time.monotonic() + 10
    while not group.texts:
        assert time.monotonic() < end
        time.sleep(0.02)


def test_old_alerts_are_forgotten(alarmed, clock):
    held(alarmed, 1)
    alarmed.bell.ring()
    clock.now += timedelta(days=31)
    assert alarmed.run(alarm.tidy) == 1
    assert posts(alarmed) == []
