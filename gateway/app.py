"""The ASGI app: API, health, metrics and the web view over one service."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Response
from prometheus_client import CollectorRegistry, generate_latest
from sqlalchemy import text

from gateway import api_calls, api_evaluate, api_groups, api_log, callback
from gateway.api import router
from gateway.callback import keys_of
from gateway.http import answer, install_errors
from gateway.logs import configure_logs
from gateway.metrics import Stored
from gateway.openapi import install_openapi
from gateway.service import Service
from gateway.waiters import Waiters
from gateway.web.site import install_web


def create_app(service: Service, *, scheduler: bool = True) -> FastAPI:
    """Build the app of a service; `scheduler=False` leaves the timed work to the caller (tests)."""
    configure_logs()

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        if scheduler:
            service.start()
        yield
        service.stop()

    app = FastAPI(title="draftgate", version="0.1.0", lifespan=lifespan, docs_url=None, redoc_url=None)
    app.state.service = service
    install_errors(app)
    install_openapi(app)
    app.state.pulls = set()
    keys_of(service.settings)  # a bad key stops the start
    app.include_router(router)
    app.include_router(api_evaluate.router)
    app.include_router(api_groups.router)
    app.include_router(api_calls.router)
    app.include_router(api_log.router)
    app.include_router(callback.router)
    install_web(app, service)
    app.state.waiters = Waiters()
    service.store.signals.on("inbox", app.state.waiters.wake)
    registry = CollectorRegistry()
    registry.register(Stored(service))

    @app.get("/healthz", include_in_schema=False)
    async def healthz() -> Response:
        return answer({"status": "ok"})

    @app.get("/readyz", include_in_schema=False)
    async def readyz() -> Response:
        await service.alook(lambda tx: tx.conn.execute(text("SELECT 1")).scalar())
        return answer({"status": "ready", "channel": service.channel is not None})

    @app.get("/metrics", include_in_schema=False)
    async def metrics() -> Response:
        return Response(generate_latest(registry), media_type="text/plain; version=0.0.4")

    return app
