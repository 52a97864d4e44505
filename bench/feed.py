"""What customers, an agent and an operator do to a gateway in the long runs: short questions with one true answer."""

import json
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from gateway import approval, conversations, flow, inbox, people
from gateway.contract import parse
from gateway.errors import Conflict
from gateway.service import Service
from gateway.wire import ManualSendIn, TurnIn
from outbound.simulator.world import ACCOUNT

SAID = (
    ("小区人车分流吗", "是的，小区人车分流。"),
    ("车位有多少", "小区有地下车位620个。"),
    ("绿化率多少", "小区的绿化率是35%。"),
    ("物业费多少", "物业费是每平方米3.5元。"),
)
PASSAGE = {
    "id": "doc-1",
    "text": "松月里小区人车分流，地下车位620个，绿化率35%，物业费每平方米3.5元。",
    "subject": "松月里 5-1602",
}


class Desk:
    """An agent and an operator at a service that only decides; others carry."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self._pool = ThreadPoolExecutor(4, thread_name_prefix="agent")
        self._lock = threading.Lock()
        self.posted = 0
        self.written = 0

    def open_shop(self, mode: str = "auto") -> None:
        """Make the account."""
        self.service.run(
            lambda tx: people.add_account(
                tx, account_id="shop", name="shop", actor="t", mode=mode, allowlist=["*"], channel_account=ACCOUNT
            )
        )

    def answer_inbox(self) -> int:
        """Answer what is asked for now; gives how much that was."""
        rows = self.service.look(lambda tx: inbox.records(tx, (), 100))
        list(self._pool.map(self._answer, rows))
        with self._lock:
            self.posted += len(rows)
        return len(rows)

    def write(self, cid: str, texts: Sequence[str]) -> None:
        """Write several messages in a row to one customer; what came meanwhile is looked at again first."""
        for told in texts:
            while not self._written(cid, told):
                pass
            self.written += 1

    def _written(self, cid: str, told: str) -> bool:
        seen = self.service.look(lambda tx: conversations.load(tx, cid)).newest_heard
        order = ManualSendIn.model_validate(
            {"text": told, "clientRequestId": told, "lastSeenMessageId": seen.id if seen else None}
        )
        try:
            self.service.run(lambda tx: approval.manual_send(tx, cid, order, "op-1"))
        except Conflict:
            return False
        return True

    def close(self) -> None:
        """Let the threads go."""
        self._pool.shutdown()

    def _answer(self, row: dict[str, Any]) -> None:
        cid = row["conversationId"]
        asked = self.service.look(lambda tx: conversations.load(tx, cid)).latest_customer
        told = dict(SAID).get(asked.text if asked else "", SAID[0][1])
        wire = parse(TurnIn, json.dumps(body_of(cid, row["id"], told)).encode())
        if wire.draft is not None:
            draft = wire.draft
            self.service.run(lambda tx: flow.post_draft(tx, wire, draft))


def body_of(cid: str, inbox_id: str | None, told: str) -> dict[str, Any]:
    """Give a turn for the API with a passing draft."""
    draft = {"text": told, "agentId": "ag-1", "citations": [PASSAGE]} | ({"inboxId": inbox_id} if inbox_id else {})
    conversation = {"id": cid, "chatType": "private", "subject": "松月里 5-1602", "messages": []}
    return {"id": inbox_id or cid, "conversation": conversation, "draft": draft}
