"""The web view as one piece: its routes, its static files, and what they share."""

from collections.abc import MutableMapping
from importlib.util import find_spec
from typing import Any

from fastapi import FastAPI, Response
from starlette.staticfiles import StaticFiles

from gateway.service import Service
from gateway.settings import SettingsError
from gateway.web import (
    acts,
    admin,
    agents,
    alerts,
    deliveries,
    draft,
    history,
    live,
    log_deletion,
    me,
    oidc,
    packs,
    queue,
    sandbox,
    signin,
    statistics,
    talks,
    wecom_sign_in,
)
from gateway.web.elsewhere import offered
from gateway.web.live import Pulse
from gateway.web.page import HEADERS, HERE, install_error_pages
from gateway.web.presence import Presence
from gateway.web.signin import Hasher

PARTS = (
    signin,
    oidc,
    wecom_sign_in,
    queue,
    acts,
    draft,
    talks,
    log_deletion,
    deliveries,
    statistics,
    sandbox,
    me,
    packs,
    history,
    alerts,
    admin,
    agents,
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
    app.state.oidc = oidc.Provider()
    if "oidc" in offered(service.settings):
        _must_have_joserfc()
    for part in PARTS:
        app.include_router(part.router)
    install_error_pages(app)
    app.mount("/static", Files(directory=HERE / "static"), name="static")


def _must_have_joserfc() -> None:
    if find_spec("joserfc") is None:
        raise SettingsError("DRAFTGATE_OIDC_ISSUER: signing in there needs the extra: pip install 'draftgate[oidc]'")
