"""Open pages stay current: events when something is stored, hints about colleagues, counters."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

from gateway import people
from gateway.web import live
from gateway.web.live import Pulse, changes
from gateway.web.presence import KEPT, Presence


def test_a_page_hears_that_something_changed(desk, add_person, monkeypatch):
    monkeypatch.setattr(live, "LOOK_EVERY", 0.01)
    add_person()
    secret = desk.run(lambda tx: people.open_session(tx, "lin"))

    async def listen():
        stream = changes(desk.service, Pulse(desk.service), secret, longest=5.0)
        first = await anext(stream)
        desk.says("在吗")
        return first, await anext(stream)

    first, second = asyncio.run(listen())
    assert first.startswith("retry:")
    assert "event: changed\n" in second and second.endswith("\n\n")


def test_a_page_hears_what_changed_before_its_stream_was_open(desk, lin, monkeypatch):
    """The page carries the mark of the moment in which it was made."""
    monkeypatch.setattr(live, "LOOK_EVERY", 0.01)
    connect = next(a["hx-sse:connect"] for tag, a in lin.get("/").tags if a.get("id") == "live")
    since = connect.partition("since=")[2]
    assert since
    desk.says("在吗")

    async def listen():
        stream = changes(desk.service, Pulse(desk.service), "", since, longest=5.0)
        return [await anext(stream), await anext(stream)][1]

    event = asyncio.run(listen())
    assert "event: changed" in event and f"id: {since}\n" not in event


def test_a_stream_ends_when_its_reader_signs_out(desk, add_person, monkeypatch):
    monkeypatch.setattr(live, "LOOK_EVERY", 0.01)
    monkeypatch.setattr(live, "BREATHE_EVERY", 0.02)
    add_person()
    secret = desk.run(lambda tx: people.open_session(tx, "lin"))
    desk.run(lambda tx: people.close_session(tx, secret))

    async def listen():
        pulse = Pulse(desk.service)
        return [line async for line in changes(desk.service, pulse, secret, longest=5.0) if "still here" in line]

    assert asyncio.run(listen()) == []


def test_a_stream_ends_after_a_while(desk, monkeypatch):
    monkeypatch.setattr(live, "LOOK_EVERY", 0.01)

    async def listen():
        return [line async for line in changes(desk.service, Pulse(desk.service), "", longest=0.05)]

    assert asyncio.run(listen()) == ["retry: 2000\n\n"]


def test_many_pages_look_once_a_second_together(desk):
    looks = []

    class Counting:
        async def alook(self, job):
            looks.append(1)
            return desk.service.look(job)

    async def ask():
        pulse = Pulse(Counting())
        return {await mark for mark in [pulse.mark() for _ in range(50)]}

    assert len(asyncio.run(ask())) == 1 and len(looks) == 1


def test_presence_is_forgotten():
    now = [0.0]
    presence = Presence(lambda: now[0])
    presence.note("d", "lin")
    presence.note("d", "wang")
    presence.note("other", "zhao")
    assert presence.others("d", "lin") == ["wang"]
    now[0] = KEPT + 1
    assert presence.others("d", "lin") == []


def test_a_colleague_who_looks_at_the_same_draft_is_named(lin, browser_of, held):
    draft = held()
    assert "也在看这条草稿" not in lin.draft(draft).text
    page = browser_of("wang", "operator", "王建").draft(draft)
    assert "林小月也在看这条草稿" in page.text
    assert "王建也在看这条草稿" in lin.get(f"/drafts/{draft['draftId']}/standing").text


def test_advice_judges_what_is_being_written_and_gates_nothing(desk, lin, held):
    draft = held()
    csrf = dict(lin.get("/").form("/sign-out").fields)["csrf"]
    where = f"/drafts/{draft['draftId']}/advice"
    good = lin.post(where, {"csrf": csrf, "text": "是的，小区人车分流。"})
    assert good.status_code == 200 and "质检没有意见" in good.text
    bad = lin.post(where, {"csrf": csrf, "text": "地下车位有 900 个。"})
    assert "未通过：" in bad.text and "事实有依据" in bad.text and "900" in bad.text
    long = lin.post(where, {"csrf": csrf, "text": "长" * 900})
    assert "文字太长" in long.text
    assert desk.draft(draft["draftId"])["state"] == "held"


def test_a_decision_does_not_cross_a_colleagues_pen(desk, lin, browser_of, held):
    """While a colleague writes in the conversation, approving needs a word that it is ours to decide."""
    draft = held()
    form = lin.draft(draft).form("/approve")
    wang = browser_of("wang", "operator", "王建")
    csrf = dict(wang.get("/").form("/sign-out").fields)["csrf"]
    assert wang.post("/conversations/c-1/writing", {"csrf": csrf}).status_code == 204
    refused = lin.submit(form)
    assert "王建正在写这个会话的回复" in refused.text
    desk.carry()
    assert desk.arrived == []
    again = refused.form("/approve")
    assert ("confirmTogether", "on") not in again.fields
    lin.submit(again, confirmTogether="on")
    desk.carry()
    assert len(desk.arrived) == 1


def test_nobody_stands_in_their_own_way(desk, lin, held):
    draft = held()
    csrf = dict(lin.get("/").form("/sign-out").fields)["csrf"]
    lin.post("/conversations/c-1/writing", {"csrf": csrf})
    assert "已通过" in lin.press(f"/drafts/{draft['draftId']}", "/approve").text


def test_readers_of_several_event_loops_never_wait_for_each_other(desk):
    """The first ones look by themselves, whoever comes while somebody looks is given the last mark."""
    desk.says("小区有没有人车分流")
    pulse, both = Pulse(desk.service), threading.Barrier(8, timeout=10)

    def read(_number):
        both.wait()
        return asyncio.run(asyncio.wait_for(pulse.mark(), 10))

    with ThreadPoolExecutor(8) as pool:
        marks = list(pool.map(read, range(8)))
    assert len(set(marks)) == 1 and marks[0]
