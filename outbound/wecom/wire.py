"""One HTTP exchange with the platform: what was provably not written is told apart from what may have happened."""

import json
import logging
import re
from collections.abc import Mapping
from typing import Any, Protocol

import httpx2

from outbound.errors import ChannelUnreachable, OutcomeUnknown

Json = dict[str, Any]
MAX_ANSWER = 16_000_000  # a page of 1,000 log entries with room to spare
# an idle connection is dropped before common servers drop it, so that a send never meets a closing one
KEEP_ALIVE = 4.0

NOTHING_WRITTEN = (
    httpx2.ConnectError,
    httpx2.ConnectTimeout,
    httpx2.PoolTimeout,
    httpx2.ProxyError,
    httpx2.UnsupportedProtocol,
    httpx2.InvalidURL,
)
_SECRET = re.compile(r"(?i)\b(access_token|corpsecret|secret|token|key|code)=[^&\s'\"<>]{1,2000}")


def redact(text: str, limit: int = 300) -> str:
    """Strip what opens doors from an error's words, and keep them short."""
    return _SECRET.sub(r"\1=***", text[:4000])[:limit]


def quiet_http_logs() -> None:
    """Keep the HTTP library from logging addresses: they carry the access token and the secret."""
    for name in ("httpx2", "httpcore2", "httpx", "httpcore"):
        logging.getLogger(name).setLevel(logging.WARNING)


class Reachable(Protocol):
    """Where and how patiently to call: the settings of an app or a robot."""

    @property
    def base_url(self) -> str:
        """Address without the call's path."""
        ...

    @property
    def connect_timeout(self) -> float:
        """Seconds."""
        ...

    @property
    def read_timeout(self) -> float:
        """Seconds."""
        ...

    @property
    def proxy(self) -> str | None:
        """Address of a proxy, used only when given."""
        ...


class Wire:
    """An HTTP client for one app; safe to share between threads.

    `transport` replaces the network in tests.
    """

    def __init__(self, settings: Reachable, transport: httpx2.BaseTransport | None = None) -> None:
        quiet_http_logs()
        self._http = httpx2.Client(
            base_url=settings.base_url,
            timeout=httpx2.Timeout(settings.read_timeout, connect=settings.connect_timeout),
            limits=httpx2.Limits(max_connections=64, keepalive_expiry=KEEP_ALIVE),
            transport=transport,
            proxy=settings.proxy,
            trust_env=False,
            follow_redirects=False,
        )

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def exchange(self, method: str, path: str, params: Mapping[str, str], **content: Any) -> Json:
        """Make one request and give the answer's JSON object, whose `errcode` is an integer.

        Raises ChannelUnreachable when nothing was written, OutcomeUnknown for everything else that is no such object.
        """
        try:
            with self._http.stream(method, path, params=dict(params), **content) as response:
                return _answer(response)
        except NOTHING_WRITTEN as error:
            raise ChannelUnreachable(_told("no connection", error)) from None
        except httpx2.HTTPError as error:
            raise OutcomeUnknown(_told("no usable answer", error)) from None


def _answer(response: httpx2.Response) -> Json:
    if response.status_code != httpx2.codes.OK:
        raise OutcomeUnknown(f"HTTP {response.status_code} instead of an answer")
    raw = bytearray()
    for chunk in response.iter_bytes():
        raw += chunk
        if len(raw) > MAX_ANSWER:
            raise OutcomeUnknown("the answer is too long to be one")
    try:
        answer = json.loads(bytes(raw))
    except (ValueError, RecursionError):
        raise OutcomeUnknown("the answer is not JSON") from None
    if not isinstance(answer, dict) or type(answer.get("errcode")) is not int:
        raise OutcomeUnknown("the answer has no errcode")
    return answer


def _told(what: str, error: Exception) -> str:
    return f"{what} ({type(error).__name__}: {redact(str(error))})"
