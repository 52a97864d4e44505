"""The two services that are compared, each in a process of its own: `python -m bench.server bare|gateway FOLDER`."""

import json
import sys
from pathlib import Path

import uvicorn
from fastapi import FastAPI, Request, Response
from sqlalchemy import Connection

from gateway import conversations, people
from gateway.app import create_app
from gateway.contract import parse
from gateway.migrate import upgrade
from gateway.server import build_service, sqlite_url
from gateway.settings import load_settings
from gateway.store import Store
from gateway.tables import SettingRow
from gateway.tx import Tx, new_id, table_of
from gateway.wire import TurnIn

SECRET = "dg_bench_key"  # noqa: S105  # opens nothing but this benchmark


def bare(folder: Path) -> FastAPI:
    """A FastAPI service that validates the draft model and inserts the payload durably through the same writer."""
    store = Store(sqlite_url(folder))
    upgrade(store.engine)
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


def gateway(folder: Path, count: int) -> FastAPI:
    """The gateway with one conversation per turn."""
    service = build_service(load_settings(database_url=sqlite_url(folder)))

    def prepare(tx: Tx) -> None:
        people.add_account(tx, account_id="shop", name="shop", actor="bench", mode="review", allowlist=["*"])
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

    which, folder, count = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    app = bare(folder) if which == "bare" else gateway(folder, count)
    sock = socket.create_server(("127.0.0.1", 0))
    print(sock.getsockname()[1], flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False)).run(sockets=[sock])


if __name__ == "__main__":
    main()
