"""OpenAPI for routes that read their bodies themselves: schema and example from the wire shapes."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from gateway import wire
from gateway.examples import EXAMPLES

REF = "#/components/schemas/{model}"
ERROR = {
    "type": "object",
    "properties": {
        "error": {
            "type": "object",
            "properties": {"code": {"type": "string"}, "field": {"type": "string"}, "message": {"type": "string"}},
        }
    },
}


def documented(model: type[BaseModel], summary: str, *others: type[BaseModel]) -> dict[str, Any]:
    """Give a route's documentation: its body's schema (one of several), an example, and what errors look like."""
    refs = [{"$ref": REF.format(model=kind.__name__)} for kind in (model, *others)]
    content: dict[str, Any] = {"schema": {"anyOf": refs} if others else refs[0]}
    if model.__name__ in EXAMPLES:
        content["example"] = EXAMPLES[model.__name__]
    body = {"required": True, "content": {"application/json": content}}
    error = {"description": "the error names its field", "content": {"application/json": {"schema": ERROR}}}
    return {
        "summary": summary,
        "openapi_extra": {"requestBody": body},
        "responses": dict.fromkeys((400, 401, 403, 404, 409, 413, 422), error),
    }


def install_openapi(app: FastAPI) -> None:
    """Let the app's OpenAPI document carry the wire shapes."""
    models = [m for m in vars(wire).values() if isinstance(m, type) and issubclass(m, wire.Wire) and m is not wire.Wire]

    def document() -> dict[str, Any]:
        if app.openapi_schema is None:
            schema = get_openapi(title=app.title, version=app.version, routes=app.routes)
            _, definitions = models_json_schema([(m, "validation") for m in models], ref_template=REF)
            schema.setdefault("components", {}).setdefault("schemas", {}).update(definitions.get("$defs", {}))
            app.openapi_schema = schema
        return app.openapi_schema

    app.openapi = document  # type: ignore[method-assign]  # FastAPI's documented way
