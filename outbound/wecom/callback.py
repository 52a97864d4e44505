"""Read the platform's callbacks: pure functions from a request's parts to what it tells us.

A kf callback carries no message, only a token and an account: the log is pulled afterwards. Whatever happens, the
caller answers at once: 200 with the echo (verification), 200 with `success` (notice), 4xx only for what is not the
platform's. Callbacks are never dropped as repeats here; what the log holds is known by its own ids.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException  # type: ignore[import-untyped]  # ships no type information
from defusedxml.ElementTree import fromstring  # type: ignore[import-untyped]

from outbound.errors import CallbackRefused
from outbound.wecom.crypto import CallbackKeys, check_signature, decrypt

MAX_BODY = 65_536
MAX_PART = 8_192
MAX_AGE = 600  # seconds by which the platform's clock may differ from ours
LOG_CHANGED = "kf_msg_or_event"
AUTH_CHANGED = "kf_account_auth_change"
ANSWER = "success"


@dataclass(frozen=True, slots=True)
class Notice:
    """What a callback tells: `kf_msg_or_event` asks to pull the log of `account` with `sync_token`.

    `account` is None in the form of 2021 (then every account is pulled). `added` and `removed` are the accounts of a
    `kf_account_auth_change`. Other events are kept by name.
    """

    event: str
    account: str | None = None
    sync_token: str | None = field(default=None, repr=False)
    created_at: int = 0
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What to answer a request on the callback address; `notice` is set when there is work to do afterwards."""

    status: int
    text: str
    notice: Notice | None = None


def answer(keys: CallbackKeys, method: str, query: Mapping[str, str], body: bytes, now: float) -> Answer:
    """Answer a GET or POST on the callback address, never with an exception.

    Send the answer first and work on its `notice` in the background: the platform waits five seconds, and asks for
    nothing twice because of a 4xx.
    """
    try:
        if method == "GET":
            return Answer(200, verify_address(keys, query, now))
        return Answer(200, ANSWER, read_notice(keys, query, body, now))
    except CallbackRefused as refused:
        return Answer(413 if refused.reason == "too_large" else 403, refused.reason)


def verify_address(keys: CallbackKeys, query: Mapping[str, str], now: float) -> str:
    """Answer the console's GET: give the words to send back as they are, without quotes or newline.

    `query` is url-decoded; `now` is Unix time. Raises CallbackRefused.
    """
    # a plus that was not escaped arrives as a space
    sealed = _part(query, "echostr").replace(" ", "+")
    _check(keys, query, sealed, now)
    return decrypt(keys, sealed)


def read_notice(keys: CallbackKeys, query: Mapping[str, str], body: bytes, now: float) -> Notice:
    """Read a POST: size, time, signature, cipher and receiver are checked in this order.

    Raises CallbackRefused.
    """
    if len(body) > MAX_BODY:
        raise CallbackRefused("too_large", f"a callback has at most {MAX_BODY} bytes")
    sealed = _only(_xml(body), "Encrypt")
    _check(keys, query, sealed, now)
    return _notice(_xml(decrypt(keys, sealed).encode()))


def _check(keys: CallbackKeys, query: Mapping[str, str], sealed: str, now: float) -> None:
    timestamp = _part(query, "timestamp")
    if not (timestamp.isascii() and timestamp.isdecimal() and len(timestamp) <= 12):
        raise CallbackRefused("bad_query", "timestamp is no number of seconds")
    if abs(now - int(timestamp)) > MAX_AGE:
        raise CallbackRefused("bad_time", f"the callback is more than {MAX_AGE} seconds away from our clock")
    check_signature(keys, _part(query, "msg_signature"), timestamp, _part(query, "nonce"), sealed)


def _part(query: Mapping[str, str], name: str) -> str:
    value = query.get(name, "")
    if not value or len(value) > MAX_PART:
        raise CallbackRefused("bad_query", f"{name} is missing or too long")
    return value


def _xml(raw: bytes) -> Element:
    try:
        root: Element = fromstring(raw, forbid_dtd=True)
    except (ParseError, DefusedXmlException, LookupError, ValueError):
        raise CallbackRefused("bad_body", "the body is no plain XML") from None
    return root


def _only(root: Element, name: str) -> str:
    found = root.findall(name)
    if len(found) != 1 or not found[0].text:
        raise CallbackRefused("bad_body", f"the body needs exactly one {name}")
    return found[0].text.strip()


def _notice(root: Element) -> Notice:
    created = root.findtext("CreateTime", "0").strip()
    return Notice(
        event=root.findtext("Event", "").strip() or root.findtext("MsgType", "").strip(),
        account=root.findtext("OpenKfId", "").strip() or None,
        sync_token=root.findtext("Token", "").strip() or None,
        created_at=int(created) if created.isascii() and created.isdecimal() and len(created) <= 12 else 0,
        added=_all(root, "AuthAddOpenKfId"),
        removed=_all(root, "AuthDelOpenKfId"),
    )


def _all(root: Element, name: str) -> tuple[str, ...]:
    return tuple(node.text.strip() for node in root.iter(name) if node.text)
