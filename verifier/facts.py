"""check_facts(reading) -> Facts: each asserting clause of the draft against what the sources say."""

from planner.reading import Reading
from verifier.claims import Facts


def check_facts(reading: Reading) -> Facts:
    """Judge every fact that the draft asserts against the evidence of its turn."""
    raise NotImplementedError
