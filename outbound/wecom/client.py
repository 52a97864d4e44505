"""The calls of the WeCom customer-service API, with token, guards and error codes taken care of.

Every method makes at most two requests (the second only after a refused token, with the same body) and raises a
ChannelFault for everything but success. Sources: document/path/94691, 94698, 96427, 96428, 96420, 31078 as of 2024-12.
"""

import logging
import time
from collections.abc import Callable, Mapping
from typing import Any

import httpx2

from outbound.errors import Action, ChannelRejected, ChannelUnreachable, OutcomeUnknown, rule_for
from outbound.outcome import reason_for
from outbound.session import SessionState
from outbound.wecom.guard import Guard
from outbound.wecom.settings import WeComSettings
from outbound.wecom.token import EARLY, MemoryShelf, Token, TokenCache, TokenShelf
from outbound.wecom.wire import Json, Wire, redact

log = logging.getLogger(__name__)

GETTOKEN = "gettoken"
WRONG_CREDENTIAL = 40001  # at gettoken a wrong secret; on any other call a token that no longer counts
PARTLY_READ = "Warning: wrong json format."


class WeComClient:
    """Talk to one WeCom app; safe to share between threads. `clock` gives Unix time."""

    def __init__(
        self,
        settings: WeComSettings,
        *,
        shelf: TokenShelf | None = None,
        clock: Callable[[], float] = time.time,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._wire = Wire(settings, transport)
        self.guard = Guard(clock, per_minute=settings.calls_per_minute, rests={GETTOKEN: settings.secret_rest})
        self._tokens = TokenCache(self._fetch_token, shelf or MemoryShelf(), clock)

    def close(self) -> None:
        """Close the connections."""
        self._wire.close()

    def send_text(self, account: str, customer: str, text: str, msgid: str) -> Json:
        """Send a text to a customer; the answer's `msgid` is the channel's id."""
        body = {"touser": customer, "open_kfid": account, "msgid": msgid, **_text(text)}
        return self._post("kf/send_msg", body, scope=account)

    def send_event_text(self, account: str, code: str, text: str, msgid: str) -> Json:
        """Send the one text that an event's code allows."""
        body = {"code": code, "msgid": msgid, **_text(text)}
        return self._post("kf/send_msg_on_event", body, scope=account)

    def sync(self, account: str, cursor: str = "", token: str | None = None, limit: int = 1000) -> Json:
        """Pull one page of the account's log; the account is always named, else the call is refused for many."""
        body = {"open_kfid": account, "limit": limit} | _given(cursor=cursor, token=token)
        return self._post("kf/sync_msg", body, scope=account)

    def session(self, account: str, customer: str) -> Json:
        """Read a session's `service_state` and, in state 3, `servicer_userid`."""
        body = {"open_kfid": account, "external_userid": customer}
        return self._post("kf/service_state/get", body, scope=account)

    def move(self, account: str, customer: str, to: SessionState, servicer: str | None = None) -> Json:
        """Move a session; the answer may hold a `msg_code`."""
        body = {"open_kfid": account, "external_userid": customer, "service_state": int(to)}
        return self._post("kf/service_state/trans", body | _given(servicer_userid=servicer), scope=account)

    def servicers(self, account: str) -> Json:
        """List the servicers; here status 0 means receiving."""
        return self.call("GET", "kf/servicer/list", {"open_kfid": account}, scope=account)

    def add_servicers(self, account: str, user_ids: list[str]) -> Json:
        """Add up to 100 servicers; `result_list` has an errcode for each."""
        return self._post("kf/servicer/add", {"open_kfid": account, "userid_list": user_ids})

    def remove_servicers(self, account: str, user_ids: list[str]) -> Json:
        """Remove up to 100 servicers; `result_list` has an errcode for each."""
        return self._post("kf/servicer/del", {"open_kfid": account, "userid_list": user_ids})

    def customers(self, customer_ids: list[str]) -> Json:
        """Read up to 100 customers' names and pictures."""
        return self._post("kf/customer/batchget", {"external_userid_list": customer_ids})

    def accounts(self, offset: int = 0, limit: int = 100) -> Json:
        """List kf accounts; without `manage_privilege` we may not send for one."""
        return self._post("kf/account/list", {"offset": offset, "limit": limit})

    def upload(self, kind: str, name: str, content: bytes) -> Json:
        """Upload a picture, voice, video or file; its `media_id` lives three days."""
        return self.call("POST", "media/upload", {"type": kind}, files={"media": (name, content)})

    def call(self, method: str, path: str, params: Mapping[str, str], *, scope: str = "", **content: Any) -> Json:
        """Make one call under the token, and once more if the token was refused."""
        scope = scope or path
        self.guard.admit(path, scope)
        token = self._tokens.current()
        answer = self._exchange(method, path, params, token, content)
        if _token_refused(answer):
            answer = self._exchange(method, path, params, self._tokens.renew(token), content)
        return self._judge(answer, path, scope)

    def _post(self, path: str, body: Json, scope: str = "") -> Json:
        return self.call("POST", path, {}, scope=scope, json=body)

    def _exchange(self, method: str, path: str, params: Mapping[str, str], token: str, content: Json) -> Json:
        return self._wire.exchange(method, path, {**params, "access_token": token}, **content)

    def _judge(self, answer: Json, path: str, scope: str) -> Json:
        if answer["errcode"] == 0:
            self.guard.succeeded(path, scope)
            _warn_partly_read(answer, path)
            return answer
        fault = _config_fault(answer) if _token_refused(answer) else rejection(answer)
        self.guard.note(fault, path, scope)
        raise fault

    def _fetch_token(self) -> Token:
        self.guard.admit(GETTOKEN, GETTOKEN)
        params = {"corpid": self._settings.corp_id, "corpsecret": self._settings.secret}
        try:
            answer = self._wire.exchange("GET", GETTOKEN, params)
        except OutcomeUnknown as fault:  # the message itself was never written
            raise ChannelUnreachable(fault.detail) from None
        token = self._judge_token(answer)
        return Token(token, self._clock() + _lifetime(answer))

    def _judge_token(self, answer: Json) -> str:
        if answer["errcode"] != 0:
            fault = rejection(answer)
            self.guard.note(fault, GETTOKEN, GETTOKEN)
            if fault.action is Action.RETRY:  # the message itself was never written
                raise ChannelUnreachable(fault.detail)
            raise fault
        self.guard.succeeded(GETTOKEN, GETTOKEN)
        token = answer.get("access_token")
        if not isinstance(token, str) or not token:
            raise ChannelUnreachable("gettoken answered without a token")
        return token


def rejection(answer: Json) -> ChannelRejected:
    """Read an answer with an error code as the fault it stands for; its words are for people and never decide."""
    rule = rule_for(answer["errcode"])
    said = redact(str(answer.get("errmsg", "")))
    return ChannelRejected(
        rule.errcode,
        rule.action,
        reason=reason_for(rule.errcode, rule.action),
        detail=f"{rule.errcode} {rule.meaning} ({said})",
        alert=rule.alert,
    )


def _config_fault(answer: Json) -> ChannelRejected:
    return ChannelRejected(
        answer["errcode"],
        Action.CONFIG,
        reason="channel_stopped",
        detail=f"{answer['errcode']} the platform refuses a fresh access token too: check the app's secret and rights",
    )


def _token_refused(answer: Json) -> bool:
    return answer["errcode"] == WRONG_CREDENTIAL or rule_for(answer["errcode"]).action is Action.TOKEN


def _lifetime(answer: Json) -> float:
    """Seconds for which a new token is used: renewed early, but never fetched again at once."""
    given = answer.get("expires_in")
    seconds = float(given) if isinstance(given, int) and given > 0 else 7200.0
    return seconds - min(EARLY, seconds / 2)


def _text(text: str) -> Json:
    return {"msgtype": "text", "text": {"content": text}}


def _given(**fields: str | None) -> Json:
    """Keep only fields with a value: the platform refuses empty ones."""
    return {name: value for name, value in fields.items() if value}


def _warn_partly_read(answer: Json, path: str) -> None:
    if PARTLY_READ in str(answer.get("errmsg", "")):
        log.error("%s: the platform read only part of our request; this is a fault in this program", path)
