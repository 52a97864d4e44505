"""Check a pack with the row models of every room that reads it."""

from pathlib import Path

from planner.pack import Pack
from planner.pack_check import PLAIN_SECTIONS, PLANNER_SECTIONS, check_pack
from verifier.sections import VERIFIER_PLAIN, VERIFIER_SECTIONS


def problems_of(path: Path | Pack) -> list[str]:
    """List what is wrong with a pack or its file, one line each; empty when it is sound."""
    return check_pack(path, {**PLANNER_SECTIONS, **VERIFIER_SECTIONS}, {*PLAIN_SECTIONS, *VERIFIER_PLAIN})
