"""The JSON Schema document of `/v1/evaluate`: made from the shapes, so that it says what the code reads and writes."""

import functools
from typing import Any

from pydantic.json_schema import models_json_schema

from gateway.shapes import JudgedShape, RefusedTurnShape, ResultsShape, UnavailableShape
from gateway.wire import TurnIn, TurnsIn

DIALECT = "https://json-schema.org/draft/2020-12/schema"
SHAPES = (TurnIn, TurnsIn, JudgedShape, UnavailableShape, RefusedTurnShape, ResultsShape)


@functools.cache
def evaluation_schema() -> dict[str, Any]:
    """Give the schema of a pair `{request, answer}`; `$defs` names each of their parts."""
    _, made = models_json_schema([(shape, "validation") for shape in SHAPES])
    parts: dict[str, Any] = made["$defs"]
    parts["TurnIn"]["required"].append("draft")
    parts["TurnIn"]["properties"]["draft"] = _ref("DraftIn")  # without a draft there is only a plan
    parts["TurnsIn"]["properties"]["turns"]["items"] = _ref("TurnIn")
    parts["Request"] = {"anyOf": [_ref("TurnIn"), _ref("TurnsIn")]}
    parts["Evaluation"] = {"anyOf": [_ref("JudgedShape"), _ref("UnavailableShape")]}
    parts["Answer"] = {"anyOf": [_ref("Evaluation"), _ref("ResultsShape")]}
    return {
        "$schema": DIALECT,
        "title": "What POST /v1/evaluate takes and answers",
        "type": "object",
        "properties": {"request": _ref("Request"), "answer": _ref("Answer")},
        "additionalProperties": False,
        "$defs": {name: _untitled(part) for name, part in parts.items()},
    }


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/$defs/{name}"}


def _untitled(node: Any) -> Any:
    """Leave out the titles that are only a field's name again."""
    if isinstance(node, list):
        return [_untitled(child) for child in node]
    if not isinstance(node, dict):
        return node
    return {name: _untitled(child) for name, child in node.items() if name != "title" or not isinstance(child, str)}
