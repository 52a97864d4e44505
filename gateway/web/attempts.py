"""Sign-in attempts: whoever guesses is slowed down, and nobody can lock somebody else out.

Failures are counted per address and name together, and per address alone. A wrong password typed elsewhere therefore
never blocks the right person at their own place. Counts are kept in the database: all workers see the same ones.
"""

import hashlib
from datetime import datetime, timedelta
from ipaddress import IPv6Address, ip_address

from sqlalchemy import delete

from gateway.tables import SignInAttempt
from gateway.tx import Tx, table_of

WINDOW = timedelta(minutes=15)
PER_NAME = 5  # failures of one address for one name within the window
PER_ADDRESS = 40  # failures of one address for any names: an office behind one address still gets in


def wait_for(tx: Tx, address: str, name: str) -> int:
    """Give the seconds until this address may try this name again; 0 is now."""
    return max(_left(tx, key, most) for key, most in _keys(address, name))


def note_failure(tx: Tx, address: str, name: str) -> None:
    """Count a failed attempt, and forget what is older than the window."""
    table = table_of(SignInAttempt)
    tx.conn.execute(delete(table).where(table.c.since < tx.now - WINDOW))
    for key, _ in _keys(address, name):
        row = tx.one(SignInAttempt, lock=True, key=key)
        if row is None:
            tx.add(SignInAttempt, key=key, failures=1, since=tx.now)
        else:
            tx.change(SignInAttempt, {"key": key}, failures=row.failures + 1)


def note_success(tx: Tx, address: str, name: str) -> None:
    """Forget the failures of this address for this name."""
    table = table_of(SignInAttempt)
    tx.conn.execute(delete(table).where(table.c.key == _keys(address, name)[0][0]))


def _left(tx: Tx, key: str, most: int) -> int:
    row = tx.one(SignInAttempt, key=key)
    if row is None or row.failures < most:
        return 0
    until: datetime = row.since + WINDOW
    return max(0, int((until - tx.now).total_seconds()) + 1) if until > tx.now else 0


def _keys(address: str, name: str) -> tuple[tuple[str, int], tuple[str, int]]:
    # Hashed: the table must not become a list of who signs in from where.
    place = _place(address)
    both = hashlib.sha256(f"name\n{place}\n{name}".encode()).hexdigest()
    alone = hashlib.sha256(f"address\n{place}".encode()).hexdigest()
    return (both, PER_NAME), (alone, PER_ADDRESS)


def _place(address: str) -> str:
    """An IPv6 user owns a whole /64."""
    try:
        parsed = ip_address(address.split("%", maxsplit=1)[0])
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address):
        return str(parsed.ipv4_mapped or int(parsed) >> 64)
    return str(parsed)
