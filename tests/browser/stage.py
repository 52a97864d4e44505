"""What a browser journey finds: a gateway with a memory channel, two colleagues and ten drafts that wait."""

from datetime import UTC, datetime

from gateway import people
from gateway.migrate import upgrade
from gateway.service import Service
from gateway.settings import Settings
from gateway.store import Store
from tests.gateway.desk import GOOD, Desk, MemoryChannel

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
WAITING = 10


def stage(folder):
    """Build it."""
    settings = Settings(database_url=f"sqlite:///{folder / 'gate.sqlite3'}", tick_seconds=0.2)
    store = Store(settings.database_url)
    upgrade(store.engine)
    channel = MemoryChannel()
    desk = Desk(Service(settings, store, channel), lambda: datetime.now(UTC), channel)
    desk.account(mode="review")
    hashed = people.hash_password("correct horse battery")
    for who, name in (("lin", "林小月"), ("wang", "王建")):
        desk.run(
            lambda tx, who=who, name=name: people.add_operator(
                tx, operator_id=who, name=name, password_hash=hashed, role="operator", actor="test"
            )
        )
    for number in range(1, WAITING + 1):
        cid = desk.conversation(f"c-{number}")
        desk.says("小区有没有人车分流", cid)
        desk.post_good(cid)
    return desk


__all__ = ["ARGUMENTS", "GOOD", "WAITING", "stage"]
