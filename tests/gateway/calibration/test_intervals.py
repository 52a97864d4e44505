"""Exact intervals: against the binomial sums that define them, and against published values."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.calibration.intervals import Share, beta_share, lower_bound, needed, upper_bound


def at_most(count, total, p):
    return sum(math.comb(total, k) * p**k * (1 - p) ** (total - k) for k in range(count + 1))


@pytest.mark.parametrize(
    ("count", "total", "low", "high"),
    [
        (0, 10, 0.0, 0.3085),
        (1, 10, 0.0025, 0.4450),
        (5, 10, 0.1871, 0.8129),
        (10, 10, 0.6915, 1.0),
        (0, 149, 0.0, 0.0245),
        (20, 400, 0.0308, 0.0762),
    ],
)
def test_the_interval_is_the_published_one(count, total, low, high):
    assert Share(count, total).interval == pytest.approx((low, high), abs=1e-4)


@given(st.integers(1, 120).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
@settings(max_examples=40, deadline=None)
def test_a_bound_is_where_the_binomial_sum_meets_its_level(pair):
    count, total = pair
    if count < total:
        assert at_most(count, total, upper_bound(count, total)) == pytest.approx(0.05, abs=1e-9)
    if count:
        assert 1 - at_most(count - 1, total, lower_bound(count, total)) == pytest.approx(0.05, abs=1e-9)


@given(st.integers(0, 60), st.integers(1, 60))
@settings(max_examples=40, deadline=None)
def test_the_interval_holds_the_measured_share(count, more):
    share = Share(count, count + more)
    low, high = share.interval
    assert 0 <= low <= share.value <= high <= 1


def test_large_counts_are_as_exact():
    assert upper_bound(2000, 100_000) == pytest.approx(0.02 + 1.645 * math.sqrt(0.02 * 0.98 / 100_000), abs=2e-5)
    assert beta_share(0.5, 50_000, 50_000) == pytest.approx(0.5)


def test_nothing_seen_says_nothing():
    assert (Share(0, 0).value, Share(0, 0).interval) == (None, (0.0, 1.0))


@pytest.mark.parametrize(("most", "count"), [(0.02, 0), (0.02, 1), (0.02, 5), (0.1, 2), (0.5, 0), (0.001, 0)])
def test_the_needed_number_is_the_least_that_proves(most, count):
    total = needed(most, count)
    assert upper_bound(count, total) <= most < upper_bound(count, total - 1)


def test_two_in_a_hundred_need_149_without_a_wrong_one():
    assert needed(0.02) == 149
