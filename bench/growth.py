"""What a posted draft and the look for the next message cost with 10,000 and with 1,000,000 stored drafts."""

import json
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from bench.feed import SAID, body_of
from bench.storehouse import fill
from gateway import conversations, flow, waiting
from gateway.contract import parse
from gateway.service import Service
from gateway.tx import Tx
from gateway.wire import TurnIn
from planner.turn import Role

FEW, MANY = 10_000, int(os.environ.get("BENCH_DRAFTS", "1000000"))
ROUNDS = 200


def run(console: Console) -> None:
    """Print the p50 of both at both sizes, in CPU milliseconds of this process, and their ratio."""
    found = []
    for count in (FEW, MANY):
        with tempfile.TemporaryDirectory() as folder:
            service = fill(Path(folder), count)
            found.append((_posting(service), _looking(service)))
            service.stop()
            console.print(f"{count:,} drafts: posting {found[-1][0]:.2f} ms, looking {found[-1][1]:.2f} ms")
    ratios = [many / few for few, many in zip(*found, strict=True)]
    console.print(f"ratio: posting {ratios[0]:.2f}, looking {ratios[1]:.2f} (aim 2)")


def _posting(service: Service) -> float:
    def one(tx: Tx, cid: str) -> None:
        conversations.create(
            tx, conversation_id=cid, account="shop", recipient=f"wm_{cid}", chat_type="private", pack=None
        )
        talk = conversations.load(tx, cid)
        conversations.record(tx, talk, message_id=cid, role=Role.CUSTOMER, text=SAID[0][0], at=tx.now, author="t")
        wire = parse(TurnIn, json.dumps(body_of(cid, None, SAID[0][1])).encode())
        if wire.draft is not None:
            flow.post_draft(tx, wire, wire.draft)

    return _median(lambda number: service.run(lambda tx: one(tx, f"g-{number}")))


def _looking(service: Service) -> float:
    return _median(lambda _: service.look(waiting.first))


def _median(job: Callable[[int], object]) -> float:
    times = []
    for number in range(ROUNDS):
        began = time.process_time()
        job(number)
        times.append((time.process_time() - began) * 1000)
    return sorted(times)[ROUNDS // 2]
