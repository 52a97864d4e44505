"""The services that are compared, each in a process of its own: `python -m bench.server bare|gateway|echo URL COUNT`."""

import json
import sys

import uvicorn
from fastapi import FastAPI, Request, Response
from sqlalchemy import Connection, text

from bench.served import AES_KEY, TOKEN
from gateway import conversations, people
from gateway.app import create_app
from gateway.contract import parse
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


def bare(url: str) -> FastAPI:
    """A FastAPI service that validates the draft model and inserts the payload durably through the same writer."""
    store = emptied(url)
    app = FastAPI()

    @app.post("/v1/drafts")
    async def post(request: Request) -> Response:
        raw = await request.body()
        parse(TurnIn, raw)
        values = {"key": new_id("x"), "value": json.loads(raw), "updated_at": _now()}

        def insert(connection: Connection) -> None:
            connection.execute(table_of(SettingRow).insert().values(values))

        await store.awrite(insert)
        return Response(raw, media_type="application/json")

    return app


def _now():
    from datetime import UTC, datetime

    return datetime.now(UTC)


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
    import socket

    which, url, count, *base = sys.argv[1:]
    app = {"bare": lambda: bare(url), "gateway": lambda: gateway(url, int(count), "".join(base)), "echo": echo}[which]()
    sock = socket.create_server(("127.0.0.1", 0))
    print(sock.getsockname()[1], flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False)).run(sockets=[sock])


if __name__ == "__main__":
    main()
