"""The access token in the store: one renewal for all processes, sealed, and in nothing that leaves the store."""

import threading

import pytest
from sqlalchemy import select, text

from gateway.migrate import upgrade
from gateway.settings import Settings
from gateway.store import Store
from gateway.tables_calls import ChannelToken
from gateway.token_shelf import DatabaseShelf
from gateway.tx import table_of
from gateway.wecom import wecom_client
from outbound.errors import ChannelRejected
from outbound.simulator.run import serve
from outbound.simulator.world import ACCOUNT, CORP_ID, SECRET
from outbound.wecom.token import Token, TokenCache


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, settings_of):
    """A migrated database of either kind."""
    if request.param == "sqlite":
        return settings_of().database_url
    url = request.getfixturevalue("postgres")
    store = Store(url)
    upgrade(store.engine)
    store.write(lambda c: c.execute(table_of(ChannelToken).delete()))
    store.close()
    return url


@pytest.fixture
def stores(url):
    """Four stores on one database, as four processes have them."""
    opened = [Store(url) for _ in range(4)]
    yield opened
    for store in opened:
        store.close()


def settings(url, **values):
    return Settings(database_url=url, wecom_corp_id=CORP_ID, wecom_secret=SECRET, **values)


def rows(store):
    return store.read(lambda c: c.execute(select(table_of(ChannelToken))).all())


class Platform:
    """Gives tokens T1, T2, … and counts; each fetch takes a moment, as over a network."""

    def __init__(self):
        self.fetched = 0
        self.lock = threading.Lock()

    def __call__(self):
        with self.lock:
            self.fetched += 1
            number = self.fetched
        threading.Event().wait(0.05)
        return Token(f"T{number}", 10_000.0)


def together(jobs):
    answers, threads = [], []
    for job in jobs:
        threads.append(threading.Thread(target=lambda job=job: answers.append(job())))
        threads[-1].start()
    for thread in threads:
        thread.join(30)
    return answers


def test_a_cold_start_of_four_processes_fetches_once(stores, url):
    """Sixteen threads of four processes: one gettoken."""
    platform = Platform()
    caches = [TokenCache(platform, DatabaseShelf(store, settings(url)), lambda: 0.0) for store in stores]
    assert together([cache.current for cache in caches * 4]) == ["T1"] * 16
    assert platform.fetched == 1


def test_a_refused_token_is_renewed_once_by_all(stores, url):
    """All of them are refused at the same time; and a late refusal of the old token costs no new one."""
    platform = Platform()
    caches = [TokenCache(platform, DatabaseShelf(store, settings(url)), lambda: 0.0) for store in stores]
    for cache in caches:
        assert cache.current() == "T1"
    assert together([lambda c=cache: c.renew("T1") for cache in caches * 4]) == ["T2"] * 16
    assert [cache.renew("T1") for cache in caches] == ["T2"] * 4
    assert platform.fetched == 2


def test_a_restart_uses_the_kept_token_until_it_ends(stores, url):
    platform = Platform()
    now = [0.0]
    TokenCache(platform, DatabaseShelf(stores[0], settings(url)), lambda: now[0]).current()
    again = TokenCache(platform, DatabaseShelf(stores[1], settings(url)), lambda: now[0])
    assert again.current() == "T1"
    now[0] = 10_001.0
    assert again.current() == "T2"
    assert platform.fetched == 2


def test_another_secret_or_address_is_another_token(stores, url):
    """A changed secret never meets the old token."""
    platform = Platform()
    base = settings(url)
    TokenCache(platform, DatabaseShelf(stores[0], base), lambda: 0.0).current()
    for changed in (
        Settings(database_url=url, wecom_corp_id=CORP_ID, wecom_secret="another-secret"),
        settings(url, wecom_api_base="http://127.0.0.1:1/cgi-bin"),
    ):
        assert DatabaseShelf(stores[1], changed).load() is None


def test_a_copied_row_opens_for_nobody_else(stores, url):
    """Sealed under the app's secret: moved to another app's row it is no token."""
    DatabaseShelf(stores[0], settings(url)).save(Token("T1", 10_000.0))
    other = Settings(database_url=url, wecom_corp_id=CORP_ID, wecom_secret="another-secret")
    shelf = DatabaseShelf(stores[1], other)
    stores[0].write(lambda c: c.execute(text("UPDATE channel_token SET id = :id"), {"id": shelf._id}))
    assert shelf.load() is None


def test_no_token_in_the_open(stores, url):
    """Not in the row, not in a repr, not in the shelf's own."""
    token = Token("a-token-that-opens-doors", 10_000.0)
    shelf = DatabaseShelf(stores[0], settings(url))
    shelf.save(token)
    assert "a-token-that-opens-doors" not in repr(rows(stores[0])) + repr(token) + repr(shelf)
    assert SECRET not in repr(rows(stores[0]))


def test_a_process_that_dies_with_the_lock_frees_it(stores, url):
    """Its connection or file is gone with it."""
    shelf, other = (DatabaseShelf(store, settings(url)) for store in stores[:2])
    entered = shelf.exclusive()
    entered.__enter__()
    stores[0].engine.dispose()
    if url.startswith("sqlite"):
        entered.__exit__(None, None, None)
    else:
        terminate = "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted"
        stores[2].write(lambda c: c.execute(text(terminate)).all())
    got = []
    thread = threading.Thread(target=lambda: got.append(_enter(other)))
    thread.start()
    thread.join(10)
    assert got == [True]
    if not url.startswith("sqlite"):
        with pytest.raises(Exception, match=r"terminat|closed|connection"):
            entered.__exit__(None, None, None)


def _enter(shelf):
    with shelf.exclusive():
        return True


@pytest.mark.parametrize("errcode", [40014, 42001])
def test_a_token_that_ends_early_is_renewed_once_for_all_processes(stores, url, errcode):
    """Over real HTTP: both words for it, four processes sending at once, one more gettoken, every message once."""
    with serve() as platform:
        platform.simulator.turn(expired_token_errcode=errcode)
        clients = [wecom_client(settings(url, wecom_api_base=platform.api_base), store) for store in stores]
        platform.simulator.people.says("wm_1", "在吗")
        clients[0].send_text(ACCOUNT, "wm_1", "在的", "first-1")
        platform.simulator.expire_tokens()
        sent = together(
            [lambda c=c, n=n: c.send_text(ACCOUNT, "wm_1", f"第{n}句", f"id-{n}") for n, c in enumerate(clients)]
        )
        assert sorted(answer["msgid"] for answer in sent) == [f"id-{n}" for n in range(4)]
        assert platform.simulator.world.calls["gettoken"] == 2
        assert len(platform.simulator.world.arrived("wm_1")) == 5
        for client in clients:
            client.close()


def test_a_platform_that_always_refuses_is_asked_twice(stores, url):
    """No endless renewal: two sends, two tokens, then a configuration fault."""
    with serve() as platform:
        client = wecom_client(settings(url, wecom_api_base=platform.api_base), stores[0])
        platform.simulator.people.says("wm_1", "在吗")
        platform.simulator.faults.plan("errcode", 40014, times=9)
        with pytest.raises(ChannelRejected) as caught:
            client.send_text(ACCOUNT, "wm_1", "在的", "first-1")
        assert caught.value.reason == "channel_stopped"
        assert (platform.simulator.world.calls["kf/send_msg"], platform.simulator.world.calls["gettoken"]) == (2, 2)
        client.close()


def test_without_a_corp_there_is_no_client(stores, url):
    assert wecom_client(Settings(database_url=url), stores[0]) is None
