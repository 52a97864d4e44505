"""The version of the rules follows the code that judges."""

import re

from planner.version import code_version, digest_of


def room(home, name: str, code: str) -> None:
    (home / name).mkdir(parents=True, exist_ok=True)
    (home / name / "rules.py").write_bytes(code.encode())


def test_every_byte_of_either_room_counts(tmp_path) -> None:
    """The planner's code, the verifier's, a new file; not how lines end, and not other rooms."""
    room(tmp_path, "planner", "LIMIT = 1\n")
    first = digest_of(tmp_path)
    room(tmp_path, "gateway", "LIMIT = 1\n")
    room(tmp_path, "planner", "LIMIT = 1\r\n")
    assert digest_of(tmp_path) == first
    room(tmp_path, "verifier", "LIMIT = 1\n")
    second = digest_of(tmp_path)
    room(tmp_path, "planner", "LIMIT = 2\n")
    assert len({first, second, digest_of(tmp_path)}) == 3


def test_the_version_names_release_and_code() -> None:
    """It reads like 0.1.0-1a2b3c4d."""
    assert re.fullmatch(r"\d+\.\d+\.\d+-[0-9a-f]{8}", code_version())
