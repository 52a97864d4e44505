"""The stored reply: a turn with its draft, what a person said about it, and what an earlier audit or gate had said.

A row is `{turn, right?, passed?, failedCheckIds?, rulesVersion?}`, or a turn with those names beside its own. What
`draftgate calibrate` reads are rows too: a `scenario` is passed over, and in the lines of the evaluation sets
(`{turn, expect}`) a reply whose `expect.fails` names nothing is right.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gateway.contract import parse, to_turn
from gateway.jsonio import InputError, parse_json
from gateway.wire import TurnIn
from planner.turn import Turn

LABEL = "right"
BEFORE = ("passed", "failedCheckIds", "rulesVersion")
EVALUATION_SET = ("expect", "class", "confidence")
ENVELOPE = (LABEL, *BEFORE)
IGNORED = "scenario"  # what `draftgate calibrate` groups by


@dataclass(frozen=True, slots=True)
class Before:
    """What was decided about a reply when it was stored; `failed` is None when that is not known."""

    passed: bool
    failed: tuple[str, ...] | None
    rules_version: str


@dataclass(frozen=True, slots=True)
class StoredReply:
    """A turn to judge again. `key` is the same for the same turn, wherever it is stored; `right` is a person's word."""

    turn: Turn
    key: str
    right: bool | None
    before: Before | None


def read_stored(raw: bytes) -> StoredReply:
    """Read a line. Raises InputError that names the field, in the spelling of the row."""
    document = parse_json(raw)
    if not isinstance(document, dict):
        raise InputError("body", "must be an object")
    return from_document(document)


def from_document(document: Mapping[str, Any]) -> StoredReply:
    """Read a row that was parsed already. Raises InputError."""
    row = dict(document)
    given = {name: row.pop(name, None) for name in ENVELOPE}
    beside = {name: value for name, value in given.items() if value is not None}
    if "turn" in row:
        turn, beside = _wrapped(row, beside)
    elif "conversation" in row:
        turn = row
    else:
        raise InputError("turn", "is missing: a stored reply is {turn, right?} or a turn of the contract")
    raw = json.dumps(turn, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode(errors="surrogatepass")
    return StoredReply(_turn(parse(TurnIn, raw)), hashlib.sha256(raw).hexdigest()[:32], *_beside(beside))


def _wrapped(row: dict[str, Any], beside: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    turn = row.pop("turn")
    row.pop(IGNORED, None)
    if isinstance(turn, str):  # a column of JSON text
        turn = parse_json(turn.encode())
    if not isinstance(turn, dict):
        raise InputError("turn", "must be an object")
    if "expect" in row:
        faults = row["expect"].get("fails") if isinstance(row["expect"], dict) else None
        if not isinstance(faults, list):
            raise InputError("expect.fails", "must be a list")
        beside = {LABEL: not faults} | beside
    unknown = [name for name in row if name not in EVALUATION_SET or "expect" not in row]
    if unknown:
        raise InputError(unknown[0], "unknown field")
    return turn, beside


def _turn(wire: TurnIn) -> Turn:
    """Take a turn without `now` at the moment of its newest message: the clock would judge it otherwise every day."""
    if wire.draft is None:
        raise InputError("draft", "is missing")
    if wire.now is not None:
        return to_turn(wire, wire.now)
    if not wire.conversation.messages:
        raise InputError("now", "is missing, and there is no message to take the time from")
    return to_turn(wire, max(message.at for message in wire.conversation.messages))


def _beside(given: Mapping[str, Any]) -> tuple[bool | None, Before | None]:
    for name in (LABEL, "passed"):
        if not isinstance(given.get(name, True), bool):
            raise InputError(name, "must be true, false or null")
    failed = given.get("failedCheckIds", [])
    if not isinstance(failed, list) or not all(isinstance(check, str) for check in failed):
        raise InputError("failedCheckIds", "must be a list of check ids, or null")
    if not isinstance(given.get("rulesVersion", ""), str):
        raise InputError("rulesVersion", "must be a text or null")
    if "passed" not in given:
        return given.get(LABEL), None
    known = tuple(failed) if "failedCheckIds" in given else None
    return given.get(LABEL), Before(given["passed"], known, given.get("rulesVersion", ""))


def id_of(raw: bytes) -> str | None:
    """Give the id of a row that could not be read, if one can be found."""
    try:
        row = json.loads(raw)
        turn = row.get("turn", row)
        found = (json.loads(turn) if isinstance(turn, str) else turn)["id"]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return found[:200] if isinstance(found, str) else None
