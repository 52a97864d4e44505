"""Which rules judged: a digest of the code that reads, plans and verifies.

A number that people must remember to raise is forgotten once; the bytes of the code are not. The digest covers the
planner and, where it is installed beside it, the verifier, since one name stands for both in every record.
"""

import functools
import hashlib
from pathlib import Path

from planner.pack import Pack

RELEASE = "0.1.0"
_ROOMS = ("planner", "verifier")


@functools.cache
def code_version() -> str:
    """Give the release and the digest of the code, `0.1.0-1a2b3c4d`; it changes with every byte of either room."""
    return f"{RELEASE}-{digest_of(Path(__file__).parent.parent)}"


def rules_version(pack: Pack) -> str:
    """Name the rules by which a pack judges: the code's version and the pack's digest."""
    return f"{code_version()}+{pack.digest}"


def digest_of(home: Path) -> str:
    """Digest the code of both rooms under a folder; neither file order nor line ends count."""
    digest = hashlib.sha256()
    for room in _ROOMS:
        for path in sorted((home / room).rglob("*.py")):
            digest.update(path.relative_to(home).as_posix().encode() + b"\0")
            digest.update(path.read_bytes().replace(b"\r\n", b"\n") + b"\0")
    return digest.hexdigest()[:8]
