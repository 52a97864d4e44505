"""Signing in with WeCom: by scanning a code in any browser, or at once inside the WeCom browser.

Sources: document/path/98152 (scan), 91022 (inside), 91023 (auth/getuserinfo), as of 2024-12.
"""

from urllib.parse import urlencode

import structlog
from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool

from gateway.errors import Forbidden
from gateway.settings import Settings
from gateway.web.elsewhere import come_back, enter, leave, must_offer, new_state, return_address
from gateway.web.page import PageRoute, service_of
from gateway.wecom import wecom_client
from outbound.errors import ChannelFault

router = APIRouter(route_class=PageRoute, include_in_schema=False)
log = structlog.get_logger(__name__)


@router.get("/sign-in/wecom")
async def begin(request: Request) -> Response:
    """Send the browser to WeCom."""
    settings = must_offer(request, "wecom")
    state = new_state()
    inside = "wxwork" in request.headers.get("user-agent", "").lower()
    return await leave(request, "wecom", {}, state, address_of(settings, state, inside=inside))


@router.get("/sign-in/wecom/back")
async def back(request: Request) -> Response:
    """Ask WeCom whose code this is."""
    settings = must_offer(request, "wecom")
    begun = await come_back(request, "wecom")
    code = request.query_params.get("code", "")[:512]
    if not code:
        raise Forbidden("not_vouched", "WeCom did not sign you in")
    try:
        member = await run_in_threadpool(_member, request, code)
    except ChannelFault as fault:
        log.warning("sign_in_elsewhere_failed", provider="wecom", fault=repr(fault))
        raise Forbidden("not_vouched", "WeCom did not sign you in") from fault
    if not member:
        raise Forbidden("not_vouched", f"only members of {settings.wecom_corp_id} can sign in")
    return await enter(request, "wecom", member, begun.wanted)


def address_of(settings: Settings, state: str, *, inside: bool) -> str:
    """Give the address of WeCom's own sign-in: a code to scan, or none inside the WeCom browser."""
    asked = {
        "appid": settings.wecom_corp_id,
        "redirect_uri": return_address(settings, "wecom"),
        "state": state,
        "agentid": settings.sign_in_wecom_agent_id,
    }
    if inside:
        query = urlencode(asked | {"response_type": "code", "scope": "snsapi_base"})
        return f"{settings.wecom_inside_url}?{query}#wechat_redirect"
    return f"{settings.wecom_scan_url}?{urlencode(asked | {'login_type': 'CorpApp'})}"


def _member(request: Request, code: str) -> str:
    """Give the member's user id, empty for somebody from outside the corp."""
    service = service_of(request)
    client = wecom_client(service.settings, service.store)
    if client is None:
        return ""
    try:
        return str(client.call("GET", "auth/getuserinfo", {"code": code}).get("userid") or "")
    finally:
        client.close()
