"""Queue, deliveries, conversations, statistics and settings: what each shows and changes."""

import csv
import io
import json

from gateway import aftermath
from gateway.tables import Account, ApiKeyRow, OperatorRow
from tests.gateway.desk import BAD, GOOD
from tests.gateway.web.browser import PASSWORD, Browser


def order(page):
    return [a["href"].rsplit("/", 1)[1] for tag, a in page.tags if tag == "a" and "data-link" in a]


def test_queue_goes_by_deadline_and_within_a_minute_by_risk(desk, lin, held):
    plain = held()["draftId"]
    desk.clock.forward(seconds=20)
    desk.conversation("c-2")
    desk.says("等了三天没人理我", "c-2")
    risky = desk.post("我这就把您转给负责的同事处理。", "c-2", requiresHuman=True)["draftId"]
    desk.clock.forward(minutes=5)
    later = held("c-3")["draftId"]
    assert order(lin.get("/")) == [risky, plain, later]


def test_queue_tabs_count_and_hold_their_states(desk, lin, held):
    waiting = held()
    failing = held("c-2", text=BAD)
    page = lin.get("/")
    assert "待决定 1" in page.text and "等待改写 1" in page.text
    assert order(lin.get("/?tab=rewrite")) == [failing["draftId"]]
    desk.reject(waiting["draftId"])
    assert order(lin.get("/?tab=closed")) == [waiting["draftId"]]


def test_filters_narrow_the_queue(desk, lin, held):
    first = held(agentId="ag-1")["draftId"]
    desk.clock.forward(seconds=1)
    second = held("c-2", agentId="ag-2")["draftId"]
    desk.says("在吗", "c-2")
    for query, expected in {
        "agent=ag-2": [second],
        "stale=yes": [second],
        "stale=no": [first],
        "reason=review_mode": [first, second],
        "reason=quota_used": [],
        "fallback=none": [first, second],
        "fallback=requires_human": [],
        "scenario=pricing": [],
        "account=shop": [first, second],
        "account=other": [],
        "search=wm_c-2": [second],
        "search=%25": [],
        "assignee=lin": [],
        f"search={first}": [first],
    }.items():
        assert order(lin.get(f"/?{query}")) == expected, query


def test_a_long_queue_is_read_page_by_page_without_gaps(desk, lin, held, monkeypatch):
    from gateway.web import queue_rows

    monkeypatch.setattr(queue_rows.page_of, "__defaults__", ("", 3))
    ids = [held(f"c-{number}")["draftId"] for number in range(2, 10)]
    seen, where = [], "/"
    while where:
        page = lin.get(where)
        seen += order(page)
        where = next((a["href"] for tag, a in page.tags if tag == "a" and a.get("rel") == "next"), None)
    assert sorted(seen) == sorted(ids) and len(seen) == len(set(seen))


def test_deliveries_count_only_what_the_channel_accepted(desk, lin, held):
    from outbound.outcome import Unknown

    draft = held()
    desk.channel.plan(Unknown("lost"))
    desk.approve(draft["draftId"])
    desk.carry()
    page = lin.get("/deliveries")
    assert "已送达 0" in page.text and "结果不明 1" in page.text
    other = held("c-2")
    desk.approve(other["draftId"])
    desk.carry()
    page = lin.get("/deliveries")
    assert "已送达 1" in page.text and GOOD in page.text
    sent = desk.draft(other["draftId"])["messages"][0]["channelMessageId"]
    desk.run(lambda tx: aftermath.channel_failed(tx, sent, 3, "msg_send_fail, fail_type 3"))
    page = lin.get("/deliveries?tab=failed_later")
    assert "已送达 0" in page.text and "msg_send_fail, fail_type 3" in page.text


def test_conversations_can_be_found_and_written_to(desk, lin, held):
    held()
    page = lin.get("/conversations?search=c-1")
    assert order(page) == ["c-1"]
    told = lin.press("/conversations/c-1", "/send", text="您好，我是小林。")
    assert "您的文字已排队" in told.text
    desk.carry()
    assert desk.arrived == ["您好，我是小林。"]
    assert order(lin.get("/conversations?mine=yes")) == []
    lin.press("/conversations/c-1", "/take")
    assert order(lin.get("/conversations?mine=yes")) == ["c-1"] == order(lin.get("/conversations?mine=people"))


def test_statistics_count_verdicts_and_decisions(desk, lin, held):
    good = held()
    held("c-2", text=BAD)
    rejected = held("c-3")
    desk.approve(good["draftId"])
    desk.carry()
    desk.reject(rejected["draftId"])
    page = lin.get("/statistics")
    assert "通过 2" in page.text and "不通过 1" in page.text
    assert "原样通过 1" in page.text and "驳回 1" in page.text
    rows = list(csv.reader(io.StringIO(lin.client.get("/statistics.csv").text.lstrip("\ufeff"))))
    assert rows[0][:3] == ["group", "name", "drafts"]
    assert ["agent", "ag-1", "3", "2", "0", "1", "0", "1", "0", "1", "0"] in rows


def test_statistics_of_nothing(lin):
    assert "没有数据" in lin.get("/statistics").text


def boss(browser_of):
    return browser_of("boss", "admin", "店长")


def test_account_settings_are_changed_and_recorded(desk, browser_of):
    admin = boss(browser_of)
    page = admin.press("/settings", "/settings/accounts/shop", mode="autopilot", allowlist="wm_a\r\n\r\n wm_b \r\n")
    assert "账号 shop 已保存，模式为自动回复和跟进" in page.text and "店长 修改账号" in page.text
    row = desk.service.look(lambda tx: tx.one(Account, id="shop"))
    assert (row.mode, row.allowlist) == ("autopilot", ["wm_a", "wm_b"])
    form = admin.get("/settings").form("/settings/accounts/shop")
    for changed in ({"mode": "yolo"}, {"pack": "../../etc"}, {"pack": "none"}):
        admin.submit(form, **changed)
    assert desk.service.look(lambda tx: tx.one(Account, id="shop")).mode == "autopilot"


def test_a_new_account_writes_to_nobody(desk, browser_of):
    page = boss(browser_of).press("/settings", "/settings/accounts", id="shop-2", name="二店", channel_account="wk_2")
    assert "白名单为空" in page.text
    row = desk.service.look(lambda tx: tx.one(Account, id="shop-2"))
    assert (row.mode, row.allowlist, row.channel_account) == ("review", [], "wk_2")


def test_stopped_channel_is_restarted(desk, browser_of):
    desk.run(lambda tx: tx.change(Account, {"id": "shop"}, stopped_reason="40001: bad secret"))
    admin = boss(browser_of)
    assert "40001: bad secret" in admin.get("/settings").text
    assert "已重新启用" in admin.press("/settings", "/restart").text
    assert desk.service.look(lambda tx: tx.one(Account, id="shop")).stopped_reason is None


def test_a_key_is_shown_once_and_revoked(desk, browser_of, app):
    admin = boss(browser_of)
    form = admin.get("/settings").form("/settings/keys")
    made = admin.post(form.action, form.data(name="agent-1", scope=["agent"]))
    secret = next(a["value"] for tag, a in Browser.page(made.text).tags if a.get("class") == "secret")
    assert secret.startswith("dg_") and secret not in admin.get("/settings").html
    call = {"authorization": f"Bearer {secret}"}
    assert admin.client.get("/v1/inbox", headers=call).status_code == 200
    admin.press("/settings", "/revoke")
    assert admin.client.get("/v1/inbox", headers=call).status_code == 401
    assert desk.service.look(lambda tx: tx.one(ApiKeyRow, name="agent-1")).sha256 != secret


def test_a_key_needs_a_known_scope_and_account(browser_of):
    admin = boss(browser_of)
    form = admin.get("/settings").form("/settings/keys")
    assert admin.post(form.action, form.data(name="k", scope=None)).status_code == 422
    assert admin.post(form.action, form.data(name="k", scope=["root"])).status_code == 422
    assert admin.post(form.action, form.data(name="k", account=["none"])).status_code == 404
    assert admin.post(form.action, form.data(name="")).status_code == 422


def test_operators_are_added_and_can_sign_in(browser_of, visitor):
    admin = boss(browser_of)
    new = {"id": "wang", "name": "王建", "role": "operator", "password": PASSWORD}
    assert "已新增操作员 王建" in admin.press("/settings", "/settings/operators", **new).text
    assert visitor.post("/sign-in", {"name": "wang", "password": PASSWORD}).status_code == 303
    form = admin.get("/settings").form("/settings/operators")
    assert admin.post(form.action, form.data(id="x", password="short")).status_code == 422


def test_a_new_password_ends_all_sessions_of_that_person(browser_of, visitor):
    admin, wang = boss(browser_of), browser_of("wang")
    wang.get("/")
    admin.press("/settings", "/settings/operators/wang", password="another long one")
    wang.get("/", 303)
    assert visitor.post("/sign-in", {"name": "wang", "password": PASSWORD}).status_code == 403


def test_somebody_remains_who_may_change_settings(desk, browser_of):
    admin = boss(browser_of)
    for changed in ({"role": "viewer"}, {"disabled": "on"}):
        page = admin.press("/settings", "/settings/operators/boss", **changed)
        assert "至少要留一位" in page.text
    row = desk.service.look(lambda tx: tx.one(OperatorRow, id="boss"))
    assert (row.role, row.disabled) == ("admin", False)


def test_a_conversation_gets_a_mode_of_its_own(desk, browser_of, lin):
    admin = boss(browser_of)
    assert "会话的模式已保存" in admin.press("/conversations/c-1", "/mode", mode="review").text
    assert desk.conversation_row().mode == "review"
    admin.press("/conversations/c-1", "/mode", mode="yolo")
    assert desk.conversation_row().mode == "review"
    admin.press("/conversations/c-1", "/mode", mode="")
    assert desk.conversation_row().mode is None
    assert not lin.get("/conversations/c-1").has_form("/mode")


def test_an_operator_says_at_which_stage_a_conversation_is(desk, lin):
    assert "先当第一个阶段" in lin.get("/conversations/c-1").text
    assert "会话的阶段已保存" in lin.press("/conversations/c-1", "/stage", stage="viewing").text
    assert desk.conversation_row().stage == "viewing"
    page = lin.get("/conversations/c-1")
    assert "确定看房时间" in page.text
    assert "先当第一个阶段" not in page.text
    assert "没有这个阶段" in lin.press("/conversations/c-1", "/stage", stage="moon").text
    assert desk.conversation_row().stage == "viewing"


def test_people_change_their_own_password(lin, visitor):
    wrong = lin.press("/me", "/me/password", old="guess", new="a new long one")
    assert "现在的密码不对" in wrong.text
    assert "密码已修改" in lin.press("/me", "/me/password", old=PASSWORD, new="a new long one").text
    assert visitor.post("/sign-in", {"name": "lin", "password": PASSWORD}).status_code == 403
    assert visitor.post("/sign-in", {"name": "lin", "password": "a new long one"}).status_code == 303


def test_the_sandbox_judges_and_stores_nothing(desk, lin):
    page = lin.get("/sandbox")
    form = page.form("/sandbox")
    told = Browser.page(lin.post(form.action, form.data()).text)
    assert "有依据" in told.text and "自动回复 发送" in told.text and "全部审核 暂留 审核模式" in told.text
    bad = json.loads(dict(form.fields)["turn"])
    bad["draft"]["text"] = "地下车位有 900 个。"
    told = Browser.page(lin.post(form.action, form.data(turn=json.dumps(bad))).text)
    assert "与来源矛盾" in told.text and "请改写" in told.text
    del bad["draft"]
    assert lin.post(form.action, form.data(turn=json.dumps(bad))).status_code == 200
    for broken in (
        "{",
        "[]",
        '{"id": 1}',
        json.dumps(bad | {"surprise": 1}),
        "<script>alert(1)</script>",
        "x" * 200_000,
    ):
        answer = lin.post(form.action, form.data(turn=broken))
        assert answer.status_code in (400, 422) and "<script>alert" not in answer.text
    assert order(lin.get("/")) == []


def test_figures_lead_to_the_drafts_behind_them(desk, lin, held):
    good = held()
    held("c-2", text=BAD)
    desk.approve(good["draftId"])
    desk.account("other")
    page = lin.get("/statistics")
    assert "各账号" in page.text and "account=shop" in page.html
    behind = {link for link in page.links if "mark=" in link}
    assert behind
    for link in behind:
        assert order(lin.get(link)), link
    unchanged = next(link for link in behind if "decision~unchanged" in link)
    assert order(lin.get(unchanged)) == [good["draftId"]]


def test_a_filter_looks_through_a_stretch_and_goes_on(desk, lin, held, monkeypatch):
    from gateway.web import queue_rows

    monkeypatch.setattr(queue_rows, "SCAN", 3)
    wanted = held(agentId="rare")["draftId"]
    for number in range(7):
        desk.clock.forward(seconds=1)
        held(f"k-{number}")
    last = held("k-9", agentId="rare")["draftId"]
    for tab in ("held", "all"):
        found, where, pages = [], f"/?tab={tab}&agent=rare", 0
        while where:
            page = lin.get(where)
            found += order(page)
            where = next((link for link in page.links if "after=" in link), None)
            pages += 1
            assert pages < 9
        assert sorted(found) == sorted([wanted, last]) and pages in (3, 4), tab
    assert "只找了一部分" in lin.get("/?agent=rare").text


def test_the_queue_filters_by_failed_check_age_and_day(desk, lin, held):
    old = held("c-2", text=BAD)
    desk.rewrite(old["draftId"], BAD)
    desk.clock.forward(minutes=20)
    young = held()["draftId"]
    for query, expected in {
        "check=fact_evidence": [old["draftId"]],
        "check=privacy": [],
        "age=15": [old["draftId"]],
        "age=nonsense": [old["draftId"], young],
        "tab=all&since=2026-11-30&until=2026-11-30": [young, old["draftId"]],
        "tab=all&since=2026-12-01": [],
        "since=notaday": [old["draftId"], young],
    }.items():
        assert order(lin.get(f"/?{query}")) == expected, query


def test_the_queue_shows_who_looks_and_what_the_channel_allows(lin, browser_of, held):
    draft = held()
    browser_of("wang", "operator", "王建").draft(draft)
    page = lin.get("/")
    assert "王建在看" in page.text and "还可发 5 条" in page.text and "可回复 47:" in page.text


def test_the_whole_of_an_id_finds_a_customer_everywhere(desk, lin, held, monkeypatch):
    """However many others there are: by an index, not by looking through them."""
    from gateway.web import queue_rows, talks

    monkeypatch.setattr(queue_rows, "SEARCH_SCAN", 1)
    monkeypatch.setattr(talks, "SCAN", 1)
    wanted = held()
    desk.approve(wanted["draftId"])
    desk.carry()
    for number in range(3):
        desk.clock.forward(seconds=1)
        held(f"k-{number}")
    for search in ("c-1", "wm_c-1"):
        assert order(lin.get(f"/?tab=all&search={search}")) == [wanted["draftId"]]
        talks_found = lin.get(f"/conversations?search={search}")
        assert [link for link in talks_found.links if link.startswith("/conversations/")] == ["/conversations/c-1"]
    assert lin.get("/deliveries?tab=accepted&search=nobody").text
    part = lin.get("/conversations?search=m_c-1")
    assert "只找了一部分" in part.text and any("after=" in link for link in part.links)


def test_very_many_are_not_counted_to_the_end(lin, held, monkeypatch):
    from gateway.web import page, queue_rows

    for module in (page, queue_rows):
        monkeypatch.setattr(module, "COUNTS_TO", 2)
    for number in range(4):
        held(f"k-{number}")
    assert "待决定 2+" in lin.get("/").text


def test_several_are_given_to_a_colleague(desk, lin, add_person, held):
    add_person("wang", name="王建")
    drafts = [held(f"k-{number}") for number in range(2)]
    form = lin.get("/").form("/drafts/reject-many")
    data = form.data(draft=[f"{d['draftId']}~1" for d in drafts], to="wang")
    answer = lin.post("/drafts/assign-many", data)
    assert "已把 2 个会话转给王建" in lin.get(answer.headers["location"].replace("http://testserver", "")).text
    assert {desk.conversation_row(f"k-{n}").assigned_to for n in range(2)} == {"wang"}
    assert order(lin.get("/?assignee=wang"))
    nobody = lin.post("/drafts/assign-many", form.data(draft=[f"{drafts[0]['draftId']}~1"], to="nobody", request="r2"))
    assert "请选择一位" in lin.get(nobody.headers["location"]).text


def test_a_stored_draft_is_picked_for_the_sandbox(desk, lin, held):
    draft = held(text=BAD)
    link = next(link for link in lin.draft(draft).links if link.startswith("/sandbox?draft="))
    form = lin.get(link).form("/sandbox")
    turn = json.loads(dict(form.fields)["turn"])
    assert turn["draft"]["text"] == BAD and turn["conversation"]["messages"][0]["text"] == "小区有没有人车分流"
    tried = lin.post(form.action, form.data())
    assert tried.status_code == 200 and "事实有依据" in tried.text
    lin.get("/sandbox?draft=nothing", 404)
