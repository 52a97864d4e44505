"""The address that WeCom calls: answered at once, the log is pulled in the background."""

import asyncio
import time

import structlog
from fastapi import APIRouter, Request, Response

from gateway.http import body_of
from gateway.service import Service
from gateway.settings import Settings
from outbound.wecom.callback import LOG_CHANGED, MAX_BODY, Answer
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
    if told.notice is None or told.notice.event != LOG_CHANGED:
        return
    service: Service = request.app.state.service
    notice = told.notice
    work = asyncio.get_running_loop().run_in_executor(None, service.pull, notice.account, notice.sync_token)
    running: set[asyncio.Future[int]] = request.app.state.pulls
    running.add(work)
    work.add_done_callback(running.discard)
    work.add_done_callback(_tell)


def _tell(work: "asyncio.Future[int]") -> None:
    if not work.cancelled() and work.exception() is not None:
        log.error("pull_failed", error=repr(work.exception()))  # the poller will pull the same page again
