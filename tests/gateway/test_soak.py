"""A short soak of a gateway as it is served; `make soak` runs half an hour."""

from bench.soak import Slot, judge, picture, soak


def test_mixed_traffic_leaves_nothing_behind():
    """Callbacks, answers, rewrites, complaints and approvals: answered all the time, nothing piles up."""
    found, wrong = soak(0.3, slots=6)
    assert wrong == []
    assert sum(slot.answered for slot in found) > 10


def slots(**last):
    usual = {"memory": 100.0, "threads": 20, "files": 20, "waiting": 3, "answered": 9, "p50": 0.1, "p95": 0.2}
    return [Slot(**usual)] * 4 + [Slot(**(usual | last))] * 2


def test_what_would_be_found():
    """Each kind of growth alone."""
    assert judge(slots()) == []
    assert judge(slots(memory=110.0)) == ["memory grew by 10 MB"]
    assert judge(slots(waiting=30)) == ["rows pile up"]
    assert judge(slots(p95=1.5)) == ["answers become slow"]
    assert judge(slots(files=40)) == ["open files or threads grow"]
    assert judge(slots(answered=0)) == ["nobody was answered for a while"]


def test_the_picture():
    """From nothing to the largest."""
    assert picture([0, 1, 2]) == "▁▅█"
