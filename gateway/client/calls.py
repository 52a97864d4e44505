"""The calls of the HTTP API as values: what to ask for, and how to read the answer. No I/O."""

import json
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, cast
from urllib.parse import quote

from gateway.client.answers import Answer, Deliveries, GroupAnswer, InboxRow, Json, TurnError

T = TypeVar("T")
A_TURN = 0.3  # seconds that one turn of a batch may take, on a busy machine
MOST_TURNS, MOST_BYTES = 100, 900_000  # of one batch: the API takes a hundred turns and a million bytes


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """One request. `repeatable`: the API gives a repeat the first result; `wait`: seconds it may take by intent."""

    method: str
    path: str
    read: Callable[[Any], T] = field(repr=False)
    params: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = field(default=None, repr=False)
    key: str | None = None
    repeatable: bool = True
    wait: float = 0.0

    @property
    def name(self) -> str:
        """Name it for an error."""
        return f"{self.method} {self.path}"

    @property
    def headers(self) -> dict[str, str]:
        """What it carries besides the API key."""
        kind = {"Content-Type": "application/json"} if self.body is not None else {}
        return kind | ({"Idempotency-Key": self.key} if self.key is not None else {})


def evaluate(turn: Mapping[str, Any], log: bool | None) -> Call[Answer]:
    """Evaluate a turn; with `log` a repeat would be a second row of the evaluation log, so there is none."""
    return Call("POST", "/v1/evaluate", Answer, _log(log), encoded(turn), repeatable=log is not True)


def evaluate_many(turns: Iterable[Mapping[str, Any]], log: bool | None) -> Iterator[Call[list[Answer | TurnError]]]:
    """Evaluate turns in as few calls as the API's limits allow, in their order."""
    for part in _parts(encoded(turn) for turn in turns):
        body = b'{"turns":[' + b",".join(part) + b"]}"
        wait = len(part) * A_TURN
        yield Call("POST", "/v1/evaluate", _results, _log(log), body, repeatable=log is not True, wait=wait)


def evaluation_schema() -> Call[Json]:
    """Read the JSON Schema of evaluations."""
    return Call("GET", "/v1/evaluate/schema", _document)


def post_draft(turn: Mapping[str, Any], idempotency_key: str | None) -> Call[Answer]:
    """Post a draft. Raises ValueError for a key that no header can carry."""
    key = str(uuid.uuid4()) if idempotency_key is None else idempotency_key
    if not (1 <= len(key) <= 200 and key.isascii() and key.isprintable()):
        raise ValueError("idempotency_key: must be 1 to 200 printable ASCII characters")
    return Call("POST", "/v1/drafts", Answer, body=encoded(turn), key=key)


def get_draft(draft_id: str) -> Call[Answer]:
    """Read a draft."""
    return Call("GET", f"/v1/drafts/{_segment('draft_id', draft_id)}", Answer)


def rewrite(draft_id: str, new: Mapping[str, Any] | None, error: str | None) -> Call[Answer]:
    """Answer the one rewrite; a repeat of it is no rewrite, so it is never made by itself."""
    if (new is None) == (error is None):
        raise ValueError("give the new draft, or the error that kept it from being made")
    path = f"/v1/drafts/{_segment('draft_id', draft_id)}/rewrite"
    return Call("POST", path, Answer, body=encoded({"error": error} if new is None else new), repeatable=False)


def create_conversation(
    conversation_id: str, account: str, recipient: str, chat_type: str, pack: str | None
) -> Call[bool]:
    """Register a conversation."""
    body = {"id": conversation_id, "account": account, "recipient": recipient, "chatType": chat_type}
    return Call("POST", "/v1/conversations", _created, body=encoded(body | ({"pack": pack} if pack else {})))


def get_conversation(conversation_id: str) -> Call[Json]:
    """Read a conversation."""
    return Call("GET", f"/v1/conversations/{_segment('conversation_id', conversation_id)}", _document)


def post_message(conversation_id: str, message: Mapping[str, Any]) -> Call[bool]:
    """Store a message."""
    path = f"/v1/conversations/{_segment('conversation_id', conversation_id)}/messages"
    return Call("POST", path, _created, body=encoded(message))


def inbox(wait: float, limit: int) -> Call[list[InboxRow]]:
    """List what is to be answered."""
    return Call("GET", "/v1/inbox", _inbox, {"wait": f"{wait:g}", "limit": str(limit)}, wait=wait)


def deliveries(conversation_id: str | None, state: str | None, limit: int, before: str | None) -> Call[Deliveries]:
    """List Deliveries."""
    wanted = {"conversation": conversation_id, "state": state, "limit": str(limit), "before": before}
    params = {name: value for name, value in wanted.items() if value is not None}
    return Call("GET", "/v1/deliveries", lambda found: Deliveries(found["count"], found["items"]), params)


def group_turn(turn: Mapping[str, Any]) -> Call[GroupAnswer]:
    """Post a group's primary replies; the same bytes again get the first result."""
    return Call("POST", "/v1/group-turns", GroupAnswer, body=encoded(turn))


def cross_replies(turn_id: str, replies: Sequence[Mapping[str, Any]]) -> Call[GroupAnswer]:
    """Post the planned cross replies; the same bytes again get the first result."""
    path = f"/v1/group-turns/{_segment('turn_id', turn_id)}/cross-replies"
    return Call("POST", path, GroupAnswer, body=encoded({"replies": list(replies)}))


def encoded(body: Mapping[str, Any]) -> bytes:
    """Write a body. Raises ValueError for NaN, TypeError for what is no JSON."""
    return json.dumps(dict(body), ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def _parts(turns: Iterable[bytes]) -> Iterator[list[bytes]]:
    part: list[bytes] = []
    size = 0
    for turn in turns:
        if part and (len(part) == MOST_TURNS or size + len(turn) > MOST_BYTES):
            yield part
            part, size = [], 0
        part.append(turn)
        size += len(turn) + 1
    if part:
        yield part


def _segment(name: str, value: str) -> str:
    """Write an id as one part of a path; what would make another path of it is refused."""
    if not value or "/" in value or value in (".", ".."):
        raise ValueError(f"{name}: {value!r} cannot stand in an address")
    return quote(value, safe="")


def _log(wanted: bool | None) -> dict[str, str]:
    return {} if wanted is None else {"log": "true" if wanted else "false"}


def _document(found: Any) -> Json:
    return cast("Json", found)


def _created(found: Any) -> bool:
    return bool(found["created"])


def _inbox(found: Any) -> list[InboxRow]:
    return list(found["items"])


def _results(found: Any) -> list[Answer | TurnError]:
    return [_result(row) for row in found["results"]]


def _result(row: Mapping[str, Any]) -> Answer | TurnError:
    if "error" not in row:
        return Answer(row)
    return TurnError(row.get("id"), row["error"].get("field", ""), row["error"].get("message", ""))
