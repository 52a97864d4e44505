"""The services that are compared, each in a process of its own: `python -m bench.server bare|judging|gateway|echo URL COUNT`."""

import json
import socket
import sys
from collections.abc import Callable
from datetime import UTC, datetime

import uvicorn
from fastapi import FastAPI, Request, Response
from sqlalchemy import Connection, text

from bench.served import AES_KEY, TOKEN
from gateway import conversations, people
from gateway.app import create_app
from gateway.contract import parse, to_turn
from gateway.evaluate import SHELF, evaluate_turn, stateless_record, warm_up
from gateway.migrate import upgrade
from gateway.server import build_service
from gateway.settings import load_settings
from gateway.store import Store
from gateway.tables import SettingRow
from gateway.tx import Tx, new_id, table_of
from gateway.wire import TurnIn
from outbound.simulator.world import ACCOUNT, CORP_ID
from outbound.simulator.world import SECRET as CHANNEL_SECRET

SECRET = "dg_bench_key"  # noqa: S105  # opens nothing but this benchmark


def echo() -> FastAPI:
    """A FastAPI service that reads a body and answers at once."""
    app = FastAPI()

    @app.post("/wecom/callback")
    async def post(request: Request) -> Response:
        await request.body()
        return Response("success", media_type="text/plain")

    return app


def bare(url: str, *, judging: bool = False) -> FastAPI:
    """A FastAPI service that validates the draft model and inserts the payload durably through the same writer.

    `judging`: it plans and verifies the turn as well, and keeps the evaluation with it: the bare parts together.
    """
    store = emptied(url)
    app = FastAPI()
    zone = load_settings(database_url=url).zone
    if judging:
        warm_up(SHELF)

    @app.post("/v1/drafts")
    async def post(request: Request) -> Response:
        raw = await request.body()
        wire = parse(TurnIn, raw)

        def insert(connection: Connection) -> bytes:
            now = datetime.now(UTC)
            record = stateless_record(evaluate_turn(to_turn(wire, now.astimezone(zone)))) if judging else None
            values = {"key": new_id("x"), "value": [json.loads(raw), record], "updated_at": now}
            connection.execute(table_of(SettingRow).insert().values(values))
            return json.dumps(record, ensure_ascii=False).encode() if judging else raw

        return Response(await store.awrite(insert), media_type="application/json")

    return app


def emptied(url: str) -> Store:
    """Open a database with empty tables."""
    store = Store(load_settings(database_url=url).database_url)
    if not store.is_sqlite:
        store.write(lambda c: c.execute(text("DROP SCHEMA public CASCADE; CREATE SCHEMA public")))
    upgrade(store.engine)
    return store


def gateway(url: str, count: int, api_base: str) -> FastAPI:
    """The gateway with one conversation per turn, and a callback address."""
    emptied(url).close()
    told = {"wecom_callback_token": TOKEN, "wecom_callback_aes_key": AES_KEY, "wecom_corp_id": CORP_ID}
    told |= {"wecom_secret": CHANNEL_SECRET, "wecom_api_base": api_base} if api_base else {"wecom_corp_id": ""}
    service = build_service(load_settings(database_url=url, **told))

    def prepare(tx: Tx) -> None:
        people.add_account(
            tx, account_id="shop", name="shop", actor="bench", mode="review", allowlist=["*"], channel_account=ACCOUNT
        )
        people.add_key(tx, name="bench", scopes=["agent", "channel"], actor="bench", secret=SECRET)
        for number in range(count):
            conversations.create(
                tx,
                conversation_id=f"c-{number}",
                account="shop",
                recipient=f"w-{number}",
                chat_type="private",
                pack=None,
            )

    service.run(prepare)
    return create_app(service, scheduler=False)


def main() -> None:
    """Serve on a free port and print it."""
    which, url, count, *base = sys.argv[1:]
    services: dict[str, Callable[[], FastAPI]] = {
        "bare": lambda: bare(url),
        "judging": lambda: bare(url, judging=True),
        "gateway": lambda: gateway(url, int(count), "".join(base)),
        "echo": echo,
    }
    app = services[which]()
    sock = socket.create_server(("127.0.0.1", 0))
    print(sock.getsockname()[1], flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False)).run(sockets=[sock])


if __name__ == "__main__":
    main()
