"""How a call goes over the wire, for both faces: request, answer, trouble, and whether to try again. No I/O."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx2

from gateway.client.calls import Call, T
from gateway.client.errors import GateError, GateTimeout, GateUnreachable

AGAIN = (429, 502, 503, 504)
FIRST_PAUSE, LONGEST_PAUSE = 0.25, 30.0  # seconds
CONNECT = 5.0
# an idle connection is dropped before common servers drop it, so that a call never meets a closing one
KEEP_ALIVE = 4.0
NEVER_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.ProxyError)


@dataclass(frozen=True, slots=True)
class Manner:
    """How patiently to call: seconds for an answer, and how often at most."""

    timeout: float
    tries: int

    def request(self, call: Call[Any]) -> dict[str, Any]:
        """Give the arguments of the HTTP library's `request`."""
        return {
            "method": call.method,
            "url": call.path,
            "params": dict(call.params) or None,
            "content": call.body,
            "headers": call.headers,
            "timeout": httpx2.Timeout(self.timeout + call.wait, connect=CONNECT),
        }

    def pause(self, call: Call[Any], failure: GateError, tried: int) -> float:
        """Give the seconds until the next try. Raises the failure when there must be none.

        What never left is tried again; what may have taken effect only if the API gives a repeat the first result.
        """
        passing = failure.status is None or failure.status in AGAIN
        if tried >= self.tries or not passing or (failure.maybe_done and not call.repeatable):
            raise failure
        pause = failure.retry_after if failure.retry_after is not None else FIRST_PAUSE * 4 ** (tried - 1)
        if pause > LONGEST_PAUSE:
            raise failure
        return pause


def connection(url: str, key: str) -> dict[str, Any]:
    """Give the arguments of the HTTP library's clients. Raises ValueError for an address or key that cannot be used."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("url: must be the gateway's address, like https://gate.example")
    try:
        _ = parts.port
    except ValueError as error:
        raise ValueError("url: its port is no port") from error
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError("url: must hold no user, password, query or fragment; the key is given by itself")
    if not (key and key.isascii() and key.isprintable()):
        raise ValueError("key: must be an API key: draftgate add-key my-agent --scope agent")
    return {
        "base_url": url.rstrip("/"),
        "headers": {"Authorization": f"Bearer {key}", "User-Agent": "draftgate-client"},
        "limits": httpx2.Limits(keepalive_expiry=KEEP_ALIVE),
        "follow_redirects": False,
    }


def environment() -> tuple[str, str]:
    """Give address and key from GATE_URL and GATE_KEY. Raises ValueError that says what to set."""
    key = os.environ.get("GATE_KEY", "")
    if not key:
        raise ValueError("set GATE_KEY to a key with the scope agent: draftgate add-key my-agent --scope agent")
    return os.environ.get("GATE_URL") or "http://127.0.0.1:8080", key


def read(call: Call[T], response: httpx2.Response) -> T:
    """Read the answer of a call. Raises GateError when it is none."""
    if not response.is_success:
        raise _declined(call, response)
    try:
        return call.read(json.loads(response.content))
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise GateError(
            "bad_answer",
            f"the answer is not a gateway's ({type(error).__name__}); is this its address?",
            call=call.name,
            status=response.status_code,
            maybe_done=True,
            idempotency_key=call.key,
        ) from None


def unanswered(call: Call[Any], error: httpx2.RequestError) -> GateError:
    """Say that no answer came. The HTTP library's own error is left behind: it holds the request with the API key."""
    kind = GateTimeout if isinstance(error, httpx2.TimeoutException) else GateUnreachable
    sent = not isinstance(error, NEVER_SENT)
    if kind is GateTimeout:
        code, message = "timed_out", "no answer came in time" if sent else "no connection was made in time"
    else:
        code, message = "unreachable", "the connection broke" if sent else "no connection could be made"
    told = f"{message} ({type(error).__name__})"
    return kind(code, told, call=call.name, maybe_done=sent, idempotency_key=call.key)


def _declined(call: Call[Any], response: httpx2.Response) -> GateError:
    record = _error_in(response)
    status = response.status_code
    if response.is_redirect:
        record = {"message": "the address leads elsewhere; give the gateway's own"}
    failure = GateError(
        str(record.get("code", f"http_{status}")),
        str(record.get("message", "no gateway answered; is this its address?")),
        call=call.name,
        status=status,
        field=record.get("field"),
        maybe_done=status >= httpx2.codes.INTERNAL_SERVER_ERROR,
        idempotency_key=call.key,
        record=record,
    )
    after = response.headers.get("retry-after", "")
    failure.retry_after = float(after) if after.isascii() and after.isdecimal() and len(after) <= 6 else None
    return failure


def _error_in(response: httpx2.Response) -> Mapping[str, Any]:
    try:
        error = json.loads(response.content)["error"]
    except (ValueError, LookupError, TypeError):
        return {}
    return error if isinstance(error, dict) else {}
