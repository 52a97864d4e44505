"""`draftgate quality-smoke`: fixed turns through the public evaluate and decide, and the acceptance table they give."""

from gateway.smoke.fixtures import Fixture, load_fixtures
from gateway.smoke.table import Line, run_smoke

__all__ = ["Fixture", "Line", "load_fixtures", "run_smoke"]
