"""The pages on PostgreSQL: every query runs there, and eight clicks at once are one message."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.testclient import TestClient

from gateway import people
from gateway.app import create_app
from gateway.migrate import upgrade
from gateway.service import Service
from gateway.settings import Settings
from gateway.store import Store
from tests.gateway.desk import BAD, GOOD, Clock, Desk, MemoryChannel
from tests.gateway.web.browser import Browser


def order(page):
    return [a["href"].rsplit("/", 1)[1] for tag, a in page.tags if tag == "a" and "data-link" in a]


@pytest.fixture
def pg_desk(postgres):
    from sqlalchemy import create_engine, make_url, text

    name = "web_pages"
    admin = create_engine(postgres, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    admin.dispose()
    url = make_url(postgres).set(database=name).render_as_string(hide_password=False)
    settings = Settings(database_url=url)
    store = Store(settings.database_url)
    upgrade(store.engine)
    clock, channel = Clock(), MemoryChannel()
    desk = Desk(Service(settings, store, channel, clock), clock, channel)
    desk.account(mode="review")
    desk.conversation()
    yield desk
    desk.service.stop()


def test_pages_and_clicks_on_postgresql(pg_desk, password_hash):
    desk = pg_desk
    desk.says("小区有没有人车分流")
    good = desk.post_good()
    desk.conversation("c-2")
    desk.says("价格多少", "c-2")
    failing = desk.post(BAD, "c-2")
    desk.run(
        lambda tx: people.add_operator(
            tx, operator_id="lin", name="林小月", password_hash=password_hash, role="admin", actor="test"
        )
    )
    secret = desk.run(lambda tx: people.open_session(tx, "lin"))
    app = create_app(desk.service, scheduler=False)

    def browser():
        return Browser(TestClient(app, follow_redirects=False, cookies={"draftgate": secret}))

    lin = browser()
    key = "2026-11-30T02:00:00%2B00:00~x"
    for path in (
        "/",
        "/?reason=review_mode&scenario=pricing&stale=no&search=%25",
        f"/?after={key}",
        f"/?tab=closed&after={key}",
        "/?tab=rewrite",
        "/?check=fact_evidence&age=5&since=2026-11-01&until=2026-12-01",
        f"/?tab=all&mark=verdict~fail&model=m&agent=ag-1&after={key}",
        "/?search=wm_c-2",
        "/deliveries?search=wm_c-2&kind=human&since=2026-11-01&until=2026-12-01&account=shop",
        "/conversations?search=wm_c-2",
        "/conversations?search=nobody",
        "/settings/history",
        "/settings/history?tab=sign_ins&after=9",
        "/settings/packs",
        f"/deliveries?after={key}",
        "/deliveries?tab=unknown",
        f"/conversations?search=c&mine=people&after={key}",
        "/conversations/c-1",
        "/statistics?days=30&account=shop",
        "/statistics.csv",
        "/settings",
        "/sandbox",
        "/me",
        f"/drafts/{good['draftId']}",
        f"/drafts/{failing['draftId']}/standing",
        "/?search=%00&agent=a%00b&after=%%0000",
    ):
        lin.get(path)
    lin.get("/drafts/%00", 404)
    assert order(lin.get("/?tab=rewrite&check=fact_evidence")) == [failing["draftId"]]
    desk.clock.forward(seconds=11)  # what is younger may still be followed by an older row
    desk.service.tally()
    assert order(lin.get("/?tab=all&mark=verdict~fail")) == [failing["draftId"]]
    assert "不通过 1" in lin.get("/statistics").text
    desk.clock.forward(seconds=-11)
    take = lin.get("/conversations/c-2").form("/send")
    assert lin.post(take.action, take.data(text="a\x00b")).status_code == 422
    assert lin.post(take.action, take.data(request="\x00\x01", lastSeenMessageId="\x00")).status_code == 303
    form = lin.draft(good).form("/approve")
    data = form.data()
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: browser().post(form.action, data), range(8)))
    assert {answer.status_code for answer in answers} == {303}
    assert len({answer.headers["location"] for answer in answers}) == 1
    assert "已通过，正在发送" in lin.get(answers[0].headers["location"]).text
    desk.carry()
    assert desk.arrived == [GOOD]
