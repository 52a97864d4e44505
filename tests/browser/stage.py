"""What the journeys find: a gateway with a memory channel, colleagues, and customers with drafts of every kind."""

import json
import time
from datetime import UTC, datetime

from gateway import flow, people
from gateway.contract import parse
from gateway.migrate import upgrade
from gateway.service import Service
from gateway.settings import Settings
from gateway.store import Store
from gateway.wire import TurnIn
from tests.gateway.desk import GOOD, GOOD_CITATION, HANDOFF, Desk, MemoryChannel

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
PASSWORD = "correct horse battery"
ASKED = "小区有没有人车分流"
LISTING = {
    "id": "doc-7",
    "title": "房源说明",
    "text": "松月里 5-1602：建筑面积 89.6 平方米，挂牌价 298 万元，满五唯一，2016 年建成。地下车位 620 个，人车分流。",
    "subject": "松月里 5-1602",
    "publishedAt": "2026-11-20T09:00:00+08:00",
}
SIZE = "这套多大？小区有多少个车位？"
WRONG = "松月里这套建筑面积 98.6 平方米。地下车位 620 个。"
COLLEAGUES = (("lin", "林小月", "operator"), ("wang", "王建", "operator"), ("zhao", "赵敏", "admin"))


class Stage(Desk):
    """A desk with a running clock. Each customer has a name of their own, so that journeys do not meet."""

    def __init__(self, folder, **settings):
        folder.mkdir(parents=True, exist_ok=True)
        told = Settings(database_url=f"sqlite:///{folder / 'gate.sqlite3'}", **{"tick_seconds": 0.1} | settings)
        store = Store(told.database_url)
        upgrade(store.engine)
        channel = MemoryChannel()
        super().__init__(Service(told, store, channel), lambda: datetime.now(UTC), channel)
        self.url, self._customers = "", 0
        self.account(mode="review")
        hashed = people.hash_password(PASSWORD)
        for who, name, role in COLLEAGUES:
            self.run(
                lambda tx, who=who, name=name, role=role: people.add_operator(
                    tx, operator_id=who, name=name, password_hash=hashed, role=role, actor="test"
                )
            )

    def customer(self, asked=ASKED, **kind):
        """A new customer who has asked something; gives the conversation's id."""
        self._customers += 1
        cid = f"c-{self._customers}"
        self.conversation(cid, **kind)
        self.says(asked, cid)
        return cid

    def good(self, cid=None):
        """A draft that passes."""
        return self.post(GOOD, cid or self.customer(), citations=[GOOD_CITATION])

    def wrong(self, cid=None):
        """A draft with a wrong area, rewritten once in vain: it waits for a person."""
        cid = cid or self.customer(SIZE)
        first = self.post("松月里这套 96 平。地下车位 620 个。", cid, citations=[LISTING])
        self.rewrite(first["draftId"], WRONG, citations=[LISTING])
        return first

    def handing_over(self):
        """A draft that hands an angry customer to a person."""
        return self.post(HANDOFF, self.customer("等了三天没人理我，你们到底管不管"), requiresHuman=True)

    def hidden_characters(self):
        """A draft with characters that nobody sees."""
        return self.post("是的，\u200b小区人车分流。\n\n\u3000欢迎来看。", self.customer(), citations=[GOOD_CITATION])

    def group(self):
        """A draft in a group: advice for people, never sent."""
        cid = self.customer(chat_type="group")
        turn = self.turn(GOOD, cid, chat_type="group", citations=[GOOD_CITATION])
        wire = parse(TurnIn, json.dumps(turn).encode())
        return self.run(lambda tx: flow.post_draft(tx, wire, wire.draft))

    def arrives(self, cid, count=1, seconds=60.0):
        """Wait until a customer got so many messages; gives them all."""
        end = time.monotonic() + seconds
        while len(self.got(cid)) < count and time.monotonic() < end:
            time.sleep(0.03)
        return self.got(cid)

    def got(self, cid):
        return [m.text for m in self.channel.sent if m.recipient == f"wm_{cid}"]
