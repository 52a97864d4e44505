"""Strict JSON at the door: no duplicate names, no NaN, no unbounded depth or size."""

import json
import math
from typing import Any, NoReturn

MAX_BODY = 1_000_000  # bytes; a turn with a long conversation and forty passages stays below a tenth of it
MAX_DEPTH = 64


class InputError(ValueError):
    """Input that cannot be taken; `field` is the path of the offending name in the caller's own spelling."""

    def __init__(self, field: str, message: str, status: int = 422) -> None:
        super().__init__(f"{field}: {message}" if field else message)
        self.field = field
        self.message = message
        self.status = status


def parse_json(raw: bytes, limit: int = MAX_BODY) -> Any:
    """Parse a JSON document strictly.

    Raises InputError (413 too large, 400 unreadable) that names the field where one can be named.
    """
    if len(raw) > limit:
        raise InputError("body", f"larger than {limit} bytes", 413)
    try:
        document = json.loads(raw, object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite)
    except InputError:
        raise
    except RecursionError as error:
        raise InputError("body", "nested too deeply", 400) from error
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise InputError("body", f"not JSON: {error}", 400) from error
    if raw.count(b"[") + raw.count(b"{") > MAX_DEPTH and _deeper_than(document, MAX_DEPTH):
        raise InputError("body", f"nested deeper than {MAX_DEPTH}", 400)
    if b"\\u0000" in raw and (path := _nul_in(document, "")) is not None:
        raise InputError(path or "body", "holds a NUL character, which no text needs and no database keeps", 400)
    return document


def _nul_in(node: Any, path: str) -> str | None:
    """Find the first text with a NUL; gives its path."""
    if isinstance(node, str):
        return path if "\0" in node else None
    children: list[tuple[str, Any]] = []
    if isinstance(node, dict):
        children = [(f"{path}.{name}".lstrip("."), value) for name, value in node.items()]
        if any("\0" in name for name in node):
            return path
    elif isinstance(node, list):
        children = [(f"{path}[{number}]", value) for number, value in enumerate(node)]
    return next((found for name, value in children if (found := _nul_in(value, name)) is not None), None)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise InputError(name, "given twice", 400)
            seen.add(name)
    return found


def _no_constant(name: str) -> NoReturn:
    raise InputError("body", f"{name} is no JSON number", 400)


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise InputError("body", f"{digits[:40]} is no finite number", 400)
    return value


def _deeper_than(document: Any, depth: int) -> bool:
    level = [document]
    for _ in range(depth):
        level = [
            child
            for node in level
            if isinstance(node, dict | list)
            for child in (node.values() if isinstance(node, dict) else node)
        ]
        if not level:
            return False
    return any(isinstance(node, dict | list) for node in level)
