"""A gateway process that may be killed at any commit and around any call: what it does between start and end.

It runs in a process of its own (forked from a small server process, so that hundreds of them start quickly). Nothing in
the product knows of it: the store's commit and the client's exchange are wrapped from outside.
"""

import gc
import json
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import SecretStr

import gateway.outbox
from gateway import approval, conversations, flow, followups, jobs, views
from gateway.api import once
from gateway.contract import parse
from gateway.errors import GatewayError
from gateway.evaluate import SHELF, warm_up
from gateway.packs import PackShelf
from gateway.service import Service
from gateway.settings import Settings
from gateway.store import Store
from gateway.tables import DraftRow, InboxRow
from gateway.token_shelf import DatabaseShelf
from gateway.tx import Tx, table_of
from gateway.wire import ApproveIn, DraftIn, ManualSendIn, TurnIn
from outbound.simulator.world import CORP_ID, SECRET
from outbound.wecom.client import WeComClient
from outbound.wecom.sender import WeComSender
from outbound.wecom.settings import WeComSettings
from planner.pack import Pack

ASKED = "小区人车分流吗"
GOOD = "是的，小区人车分流。"
BAD = "这套挂牌价289万。"
HANDOFF = "我这就把您转给负责的同事处理。"
EDITED = "是的，小区是人车分流的，您放心。"
WRITTEN = "您好，我是店里的小林，我来跟您说。"
FOLLOW_UP = "您看资料方便吗，有想了解的随时问我。"
PASSAGE = {"id": "doc-1", "text": "松月里小区人车分流，地下车位 620 个。", "subject": "松月里 5-1602"}
PART = 4  # characters of one part where replies have three

_pack = SHELF.get("property")
WIDE = PackShelf(None, {"property": Pack(_pack.name, {**_pack.sections, "maxSegments": 3}, _pack.digest)})
for _shelf in (SHELF, WIDE):
    warm_up(_shelf)  # once, before the fork


@dataclass(frozen=True)
class Case:
    """One life of a process: where it works, as what, and at which point it is killed (None: at none)."""

    url: str
    api_base: str
    mode: str
    kill_at: int | None
    later: float  # seconds by which its clock is ahead
    report: str | None = None


class Points:
    """Counts the points at which a process could die, writes them down, and dies at one."""

    def __init__(self, case: Case) -> None:
        self._kill_at = case.kill_at
        self._file = os.open(case.report, os.O_WRONLY | os.O_CREAT | os.O_APPEND) if case.report else None
        self._count = 0

    def at(self, name: str) -> None:
        """Pass a point, or not."""
        if self._file is None:
            return
        self._count += 1
        os.write(self._file, f"{name}\n".encode())
        if self._count == self._kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    @contextmanager
    def around(self, name: str) -> Iterator[None]:
        """Pass a point before and one after."""
        self.at(f"before {name}")
        yield
        self.at(f"after {name}")


class Life:
    """A service in this process, and what agents and operators ask of it; they repeat what was not answered."""

    def __init__(self, case: Case) -> None:
        points = Points(case)
        self.shift = timedelta(seconds=case.later)
        settings = Settings(
            database_url=case.url,
            rewrite_seconds=3600,
            follow_up_from=time(0),
            follow_up_until=time(23, 59, 59),
            wecom_secret=SecretStr(SECRET),
        )
        store = Store(settings.database_url)
        _wrap(store.engine.dialect, "do_commit", lambda *_: "commit", points)
        told = WeComSettings(CORP_ID, SECRET, case.api_base, read_timeout=10.0, calls_per_minute=0)
        client = WeComClient(told, shelf=DatabaseShelf(store, settings))
        _wrap(client._wire, "exchange", lambda _method, path, *_: path, points)  # noqa: SLF001
        self.service = Service(settings, store, WeComSender(client), lambda: datetime.now(UTC) + self.shift)
        self.service.shelf = SHELF  # read before the fork

    def run(self, job: Callable[[Tx], Any]) -> Any:
        return self.service.run(job)

    def post(self, cid: str, text: str, key: str, **draft: Any) -> dict[str, Any]:
        body = {"text": text, "agentId": "ag-1", "citations": [PASSAGE]} | draft
        raw = json.dumps(
            {
                "id": key,
                "conversation": {"id": cid, "chatType": "private", "subject": "松月里 5-1602", "messages": []},
                "draft": body,
            }
        ).encode()
        wire = parse(TurnIn, raw)
        given = wire.draft
        assert given is not None  # noqa: S101
        digest = sha256(raw).hexdigest()
        return self.run(lambda tx: once(tx, "drafts:k", key, digest, lambda: flow.post_draft(tx, wire, given)))

    def rewrite(self, draft_id: str, text: str) -> None:
        draft = DraftIn.model_validate({"text": text, "agentId": "ag-1", "citations": [PASSAGE]}, strict=False)
        self.run(lambda tx: flow.post_rewrite(tx, draft_id, draft, None))

    def approve(self, posted: dict[str, Any], text: str | None = None) -> None:
        shown = self.service.look(lambda tx: views.draft_record(tx, tx.one(DraftRow, id=posted["draftId"])))
        newest = self._newest(shown["conversationId"])
        order = ApproveIn.model_validate(
            {"version": shown["version"], "textSha256": shown["textSha256"], "lastSeenMessageId": newest, "text": text}
        )
        with suppress(GatewayError):  # it was decided before the operator's first click got its answer
            self.run(lambda tx: approval.approve(tx, shown["draftId"], order, "op-1"))

    def write(self, cid: str, text: str) -> None:
        order = ManualSendIn.model_validate(
            {"text": text, "clientRequestId": "r-1", "lastSeenMessageId": self._newest(cid)}
        )
        self.run(lambda tx: approval.manual_send(tx, cid, order, "op-1"))

    def follow_up_row(self) -> str | None:
        self.run(followups.ask_due)
        table = table_of(InboxRow)
        query = table.select().where(table.c.kind == "follow_up")
        row = self.service.look(lambda tx: tx.conn.execute(query).first())
        return row.id if row else None

    def _newest(self, cid: str) -> str | None:
        newest = self.service.look(lambda tx: conversations.load(tx, cid)).newest_heard
        return newest.id if newest else None


def review(life: Life) -> None:
    """Unchanged, with a handoff, edited, and a person's own words."""
    life.approve(life.post("c-1", GOOD, "k-1"))
    life.service.carry_all()
    life.approve(life.post("c-2", HANDOFF, "k-2", requiresHuman=True))
    life.service.carry_all()
    life.approve(life.post("c-3", GOOD, "k-3"), EDITED)
    life.service.carry_all()
    life.write("c-4", WRITTEN)
    life.service.carry_all()


def auto(life: Life) -> None:
    """A passing answer, one in three parts, one after its rewrite, and one that the customer's phone refuses."""
    life.post("c-1", GOOD, "k-1")
    life.service.carry_all()
    gateway.outbox.split = lambda text, _most: tuple(text[i : i + PART] for i in range(0, len(text), PART))  # type: ignore[assignment]
    life.service.shelf = WIDE
    life.post("c-2", GOOD, "k-2")
    life.service.carry_all()
    life.service.shelf = SHELF
    gateway.outbox.split = lambda text, _most: (text,)  # type: ignore[assignment]
    life.rewrite(life.post("c-3", BAD, "k-3", citations=[])["draftId"], GOOD)
    life.service.carry_all()
    life.post("c-4", GOOD, "k-4")
    life.service.carry_all()


def autopilot(life: Life) -> None:
    """A passing answer, and a follow-up a day later."""
    life.post("c-1", GOOD, "k-1")
    life.service.carry_all()
    life.shift += timedelta(hours=26)
    row = life.follow_up_row()
    if row is not None:  # none is asked for while nobody knows whether the answer arrived
        life.post("c-1", FOLLOW_UP, "k-2", inboxId=row)
    life.service.carry_all()


SCENES: dict[str, Callable[[Life], None]] = {"review": review, "auto": auto, "autopilot": autopilot}


def live(case: Case) -> None:
    """Live one life: take up what was left, pull, decide, carry, pull again, and look back once more."""
    gc.disable()  # it would touch, and so copy, all memory that came with the fork
    life = Life(case)
    life.service.courier.recover()
    life.service.pull_all()
    SCENES[case.mode](life)
    life.service.pull_all()
    life.run(jobs.expire)
    life.shift += timedelta(minutes=10)
    life.service.courier.recover()
    life.service.carry_all()
    life.service.stop()


def _wrap(owner: Any, name: str, label: Callable[..., str], points: Points) -> None:
    real = getattr(owner, name)

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        with points.around(label(*args)):
            return real(*args, **kwargs)

    setattr(owner, name, wrapped)


def report_of(case: Case) -> list[str]:
    """Give the points that a life passed."""
    return Path(case.report).read_text("utf-8").splitlines() if case.report else []
