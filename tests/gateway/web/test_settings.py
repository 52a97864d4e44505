"""Settings beyond accounts and keys: packs and their check, alert targets, follow-up limits, the record of changes."""

import shutil

import pytest
from starlette.testclient import TestClient

from gateway import followups, people, touches
from gateway.app import create_app
from gateway.packs import PackShelf
from gateway.web.history import changed
from gateway.web.packs import differences, report_of
from planner.pack import BUILT_IN
from tests.gateway.web.browser import Browser

LONG_SECRET = "a-long-secret-for-tests-0123456789"


@pytest.fixture
def boss(browser_of):
    return browser_of("boss", "admin", "店长")


@pytest.fixture
def own_packs(tmp_path):
    """A shop's own copy of the built-in pack, in a folder that can be changed."""
    folder = tmp_path / "packs"
    shutil.copytree(BUILT_IN / "property", folder / "property")
    if (BUILT_IN / "common").is_dir():
        shutil.copytree(BUILT_IN / "common", folder / "common")
    return folder


def test_the_packs_are_listed_with_their_accounts(boss):
    page = boss.get("/settings/packs")
    assert "property" in page.text and "自带的" in page.text and "shop" in page.text


def test_a_changed_pack_is_checked_and_compared_with_the_running_one(own_packs):
    shelf = PackShelf(own_packs)
    running = shelf.get("property")
    clean = report_of(shelf, "property")
    assert (clean.against, clean.differences, clean.on_disk) == ("running", (), running.digest)
    file = own_packs / "property" / "pack.yaml"
    file.write_text(file.read_text("utf-8") + "\nno_such_section:\n- {id: x}\n", encoding="utf-8")
    report = report_of(shelf, "property")
    assert report.on_disk != running.digest and shelf.get("property") is running
    assert [part.section for part in report.differences] == ["no_such_section"]
    assert report.differences[0].added == ("x",)
    assert any("no_such_section" in problem for problem in report.problems)
    file.write_text("not: [a pack", encoding="utf-8")
    broken = report_of(shelf, "property")
    assert broken.problems and not broken.differences


def test_rows_are_compared_by_their_ids():
    before = {"a": [{"id": "x", "v": 1}, {"id": "y"}], "b": {"k": 1}, "c": 1}
    after = {"a": [{"id": "x", "v": 2}, {"id": "z"}], "b": {"k": 1}, "c": 2}
    found = {part.section: (part.added, part.removed, part.changed) for part in differences(before, after)}
    assert found == {"a": (("z",), ("y",), ("x",)), "c": ((), (), ())}


def test_the_check_is_one_button(boss):
    form = boss.get("/settings/packs").form("/settings/packs/property/check")
    answer = boss.post(form.action, form.data())
    assert answer.status_code == 200 and "检查结果" in answer.text
    unknown = boss.post("/settings/packs/nothing/check", form.data())
    assert unknown.status_code == 422


@pytest.fixture
def boss_with(make_desk, password_hash):
    """Open an administrator's browser at a gateway with settings of its own."""

    def make(**settings):
        desk = make_desk(**settings)
        desk.account()
        desk.run(
            lambda tx: people.add_operator(
                tx, operator_id="boss", name="店长", password_hash=password_hash, role="admin", actor="test"
            )
        )
        secret = desk.run(lambda tx: people.open_session(tx, "boss"))
        app = create_app(desk.service, scheduler=False)
        return Browser(TestClient(app, follow_redirects=False, cookies={"draftgate": secret}))

    return make


def test_alerts_get_a_target_and_lose_it(boss_with):
    boss = boss_with(secret_key=LONG_SECRET)
    told = boss.press("/settings", "/settings/alerts", how="robot", key="693a91f6-7xxx-4bc4-97a0-0ec2sifa5aaa")
    assert "提醒已新增" in told.text and "693a91f6" not in told.html
    app_target = boss.press("/settings", "/settings/alerts", how="app", agent_id="1000002", members="ZhangSan，LiSi")
    assert "ZhangSan, LiSi" in app_target.text
    refused = boss.press("/settings", "/settings/alerts", how="app", agent_id="x", members="")
    assert "AgentId" in refused.text
    gone = boss.press("/settings", "/remove")
    assert "提醒已移除" in gone.text
    history = boss.get("/settings/history")
    assert "新增提醒" in history.text and "移除提醒" in history.text and "693a91f6" not in history.html


def test_without_a_secret_key_no_robot_is_kept(boss_with):
    told = boss_with(secret_key="").press(
        "/settings", "/settings/alerts", how="robot", key="693a91f6-7xxx-4bc4-97a0-0ec2sifa5aaa"
    )
    assert "DRAFTGATE_SECRET_KEY" in told.text


def test_follow_up_limits_hold_from_now_on_and_are_recorded(desk, boss):
    told = boss.press("/settings", "/settings/limits", **{"from": "10:00", "until": "18:30", "touches": "1"})
    assert "已保存" in told.text
    assert desk.service.look(touches.touch_rules).record() == {"from": "10:00", "until": "18:30", "touches": 1}
    assert desk.run(followups.ask_due) == 0
    page = boss.get("/settings/history")
    assert "修改跟进限制" in page.text and "20:30 → 18:30" in page.text
    for bad in ({"from": "19:00"}, {"touches": "11"}, {"until": "later"}):
        assert "没有改动" in boss.press("/settings", "/settings/limits", **bad).text
    assert desk.service.look(touches.touch_rules).most == 1


def test_the_record_of_changes_goes_page_by_page(desk, boss):
    for number in range(60):
        desk.run(lambda tx, n=number: tx.audit("boss", "account_changed", why=f"change-{n}"))
    first = boss.get("/settings/history")
    assert "change-59" in first.text and "change-5 " not in first.text
    older = next(link for link in first.links if "after=" in link)
    assert "change-5 " in boss.get(older).text
    assert "登录" in boss.get("/settings/history?tab=sign_ins").text
    boss.get("/settings/history?after=nonsense&tab=nothing")


def test_only_what_changed_is_told():
    detail = {
        "before": {"mode": "review", "pack": "a", "list": ["x"]},
        "after": {"mode": "auto", "pack": "a", "list": []},
    }
    assert changed(detail) == [("mode", "review", "auto"), ("list", '["x"]', "[]")]
    assert changed(None) == [] and changed({"clauses": []}) == []


def test_operators_see_none_of_it(lin):
    for path in ("/settings/packs", "/settings/history"):
        lin.get(path, 403)
