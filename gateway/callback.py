"""The address that WeCom calls: answered at once, the log is pulled in the background."""

import asyncio
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import structlog
from fastapi import APIRouter, Request, Response

from gateway import channel_events
from gateway.http import body_of
from gateway.service import Service
from gateway.settings import Settings
from outbound.wecom.callback import AUTH_CHANGED, LOG_CHANGED, MAX_BODY, Answer, Notice
from outbound.wecom.callback import answer as answer_callback
from outbound.wecom.crypto import CallbackKeys, callback_keys

router = APIRouter()
log = structlog.get_logger(__name__)


def keys_of(settings: Settings) -> CallbackKeys | None:
    """Read the callback's secrets, or None when no callback is set up. Raises ValueError for a bad key."""
    token = settings.wecom_callback_token.get_secret_value()
    if not token:
        return None
    return callback_keys(token, settings.wecom_callback_aes_key.get_secret_value(), settings.wecom_corp_id)


@router.api_route("/wecom/callback", methods=["GET", "POST"], include_in_schema=False)
async def callback(request: Request) -> Response:
    """Answer WeCom and pull what it tells of."""
    service: Service = request.app.state.service
    keys = keys_of(service.settings)
    if keys is None:
        return Response("no callback is set up", 404)
    body = await body_of(request, MAX_BODY) if request.method == "POST" else b""
    told = answer_callback(keys, request.method, dict(request.query_params), body, time.time())
    _pull_later(request, told)
    return Response(told.text, told.status, media_type="text/plain")


def _pull_later(request: Request, told: Answer) -> None:
    service: Service = request.app.state.service
    job = _job(service, told.notice)
    if job is None:
        return
    work = asyncio.get_running_loop().run_in_executor(None, job)
    running: set[asyncio.Future[Any]] = request.app.state.pulls
    running.add(work)
    work.add_done_callback(running.discard)
    work.add_done_callback(_tell)


def _job(service: Service, notice: Notice | None) -> Callable[[], Any] | None:
    """Give the work that a notice asks for; a callback carries no message, so most ask for a pull."""
    if notice is None:
        return None
    if notice.event == LOG_CHANGED:
        if notice.account is not None and service.puller.left_to_a_reader(notice.account, notice.sync_token):
            return None
        return partial(service.pull, notice.account, notice.sync_token)
    if notice.event == AUTH_CHANGED:
        return partial(service.run, partial(channel_events.authorised, added=notice.added, removed=notice.removed))
    log.info("callback_not_known", kind=notice.event[:60])
    return None


def _tell(work: "asyncio.Future[Any]") -> None:
    if not work.cancelled() and work.exception() is not None:
        log.error("pull_failed", error=repr(work.exception()))  # the poller will pull the same page again
