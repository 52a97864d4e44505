"""A real process killed at a commit or around a call, then started again: nothing lost, nothing twice, no false Delivery.

A part of the matrix that `make crash` runs whole.
"""

import pytest

from bench.crash import matrix

# mode, database, the kind of point, which of that kind (from the end with a minus), messages of unknown end; None where
# the number of a commit says nothing about which of them it is
CASES = [
    ("auto", "sqlite", "before kf/send_msg", 0, 1),
    ("auto", "sqlite", "after kf/send_msg", 0, 1),
    ("auto", "sqlite", "after kf/send_msg", 1, 1),
    ("auto", "sqlite", "before commit", 3, None),
    ("auto", "sqlite", "after kf/sync_msg", -1, 0),
    ("review", "sqlite", "after kf/service_state/trans", 0, 1),
    ("review", "sqlite", "before kf/send_msg_on_event", 0, 1),
    ("review", "sqlite", "after commit", 4, None),
    ("review", "postgresql", "after kf/send_msg", 0, 1),
    ("review", "postgresql", "after commit", 5, None),
    ("autopilot", "postgresql", "after kf/send_msg", -1, 1),
    ("autopilot", "postgresql", "before commit", 4, None),
]


@pytest.fixture(scope="module")
def crashes(postgres):
    with matrix(postgres) as found:
        yield found


@pytest.fixture(scope="module")
def points(crashes):
    """The points of a mode are the same on both databases; found by living once."""
    known = {}

    def of(mode, database):
        if mode not in known:
            known[mode] = crashes.points(mode, database)
        return known[mode]

    return of


@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(map(str, case[:4])))
def test_a_killed_process_loses_and_repeats_nothing(crashes, points, case):
    """Whatever cannot be decided ends as unknown, for a person."""
    mode, database, name, which, unknown = case
    number = [place for place, point in enumerate(points(mode, database), 1) if point == name][which]
    result = crashes.run(mode, database, number, name)
    assert result.wrong == []
    assert unknown is None or result.ends["unknown"] == unknown
