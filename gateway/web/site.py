"""The web view as one piece: its routes, its static files, and what they share."""

from collections.abc import MutableMapping
from typing import Any

from fastapi import FastAPI, Response
from starlette.staticfiles import StaticFiles

from gateway.service import Service
from gateway.web import (
    acts,
    admin,
    alerts,
    deliveries,
    draft,
    history,
    live,
    me,
    packs,
    queue,
    sandbox,
    signin,
    statistics,
    talks,
)
from gateway.web.live import Pulse
from gateway.web.page import HEADERS, HERE, install_error_pages
from gateway.web.presence import Presence
from gateway.web.signin import Hasher

PARTS = (
    signin,
    queue,
    acts,
    draft,
    talks,
    deliveries,
    statistics,
    sandbox,
    me,
    packs,
    history,
    alerts,
    admin,
    live,
)


class Files(StaticFiles):
    """Our own files; their addresses carry a fingerprint, so browsers may keep them."""

    async def get_response(self, path: str, scope: MutableMapping[str, Any]) -> Response:
        """Answer with a file under the safety headers."""
        response = await super().get_response(path, scope)
        for name, value in HEADERS.items():
            response.headers[name] = value
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return response


def install_web(app: FastAPI, service: Service) -> None:
    """Add the web view to an app."""
    app.state.hasher = Hasher()
    app.state.pulse = Pulse(service)
    app.state.presence = Presence()
    for part in PARTS:
        app.include_router(part.router)
    install_error_pages(app)
    app.mount("/static", Files(directory=HERE / "static"), name="static")
