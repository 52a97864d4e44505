import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from outbound.errors import ChannelUnreachable
from outbound.wecom.token import ECHO, MemoryShelf, Token, TokenCache


class Clock:
    def __init__(self, now: float = 1000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


class Source:
    """Hands out token-1, token-2, … valid for 100 seconds, or fails."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.fetched = 0
        self.fails = False

    def __call__(self) -> Token:
        self.fetched += 1
        if self.fails:
            raise ChannelUnreachable("no line")
        return Token(f"token-{self.fetched}", self.clock.now + 100)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def source(clock):
    return Source(clock)


@pytest.fixture
def cache(source, clock):
    return TokenCache(source, MemoryShelf(), clock)


def test_one_fetch_serves_until_the_end(cache, source, clock):
    assert [cache.current() for _ in range(5)] == ["token-1"] * 5
    clock.now += 99
    assert cache.current() == "token-1"
    clock.now += 1
    assert cache.current() == "token-2"
    assert source.fetched == 2


def test_a_late_refusal_of_an_older_token_fetches_nothing(cache, source):
    old = cache.current()
    new = cache.renew(old)
    assert new == "token-2"
    assert cache.renew(old) == new
    assert source.fetched == 2


def test_many_threads_with_one_refused_token_fetch_once(cache, source):
    old = cache.current()
    gate = threading.Barrier(16)

    def renew(_: int) -> str:
        gate.wait()
        return cache.renew(old)

    with ThreadPoolExecutor(16) as pool:
        assert set(pool.map(renew, range(16))) == {"token-2"}
    assert source.fetched == 2


def test_many_threads_from_cold_fetch_once(cache, source):
    with ThreadPoolExecutor(16) as pool:
        assert set(pool.map(lambda _: cache.current(), range(64))) == {"token-1"}
    assert source.fetched == 1


def test_waiting_callers_share_one_failure(cache, source, clock):
    source.fails = True
    for _ in range(4):
        with pytest.raises(ChannelUnreachable):
            cache.current()
    assert source.fetched == 1
    clock.now += ECHO
    source.fails = False
    assert cache.current() == "token-2"


def test_two_caches_on_one_shelf_are_one(source, clock):
    shelf = MemoryShelf()
    first, second = (TokenCache(source, shelf, clock) for _ in range(2))
    used = first.current()
    assert second.current() == used
    assert second.renew(used) == first.renew(used) == "token-2"
    assert source.fetched == 2


def test_a_token_is_not_shown():
    assert "token-1" not in repr(Token("token-1", 5.0))
