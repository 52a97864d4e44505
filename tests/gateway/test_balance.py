"""Two and four workers on one PostgreSQL, with faults: the sums balance to the message, and customers read in order.

A small part of what `make balance` runs with 5,000 drafts.
"""

import pytest

from bench.balance import FAULTS, balance


@pytest.mark.parametrize(("workers", "kill"), [(2, False), (4, True)])
def test_the_sums_balance(postgres, workers, kill):
    """Lost answers, refusals, pauses, expired tokens, a killed worker: nothing lost, nothing twice, nothing miscounted."""
    found = balance(postgres, workers=workers, drafts=112, waves=2, fault_every=14, kill=kill)
    assert found.wrong == []
    assert found.drafts == 112
    assert found.faults.total() >= len(FAULTS)
