"""The HTTP routes of evaluation as a service: one turn, or several, and the JSON Schema of both.

Nothing is stored, unless the caller or a setting asks for a row of the evaluation log.
"""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.concurrency import run_in_threadpool

from gateway import evaluation_log
from gateway.api import look, service_of
from gateway.contract import parse, to_turn
from gateway.evaluate import Evaluated, evaluate_turn, stateless_record
from gateway.http import answer, bearer, body_of
from gateway.jsonio import InputError, parse_json
from gateway.openapi import documented
from gateway.people import Caller, key_caller
from gateway.schema import evaluation_schema
from gateway.service import Service
from gateway.tx import Tx
from gateway.wire import TurnIn, TurnsIn
from verifier.counsel import Counsel

router = APIRouter(prefix="/v1/evaluate")
Result = tuple[Evaluated | None, dict[str, Any]]  # what was found out, if the turn could be read, and the answer


@router.post("", **documented(TurnIn, "Evaluate one turn, or several, without storing anything", TurnsIn))
async def evaluate(request: Request, log: Annotated[bool | None, Query()] = None) -> Response:
    """Evaluate a turn, or each of `turns` in their order; `log=true` keeps a row of the log for each."""
    secret = bearer(request)
    raw = await body_of(request)
    several = await run_in_threadpool(_turns_of, raw) if b'"turns"' in raw else None
    wire = parse(TurnIn, raw) if several is None else None
    service = service_of(request)
    caller = await service.alook(lambda tx: _agent(tx, secret))
    # Off the event loop: a very long text takes a moment, and nobody else should wait for it. Several turns go there
    # one after the other, so that others get in between.
    if wire is not None:
        results = [await run_in_threadpool(_judged, service, wire, alone=True)]
    else:
        results = [await run_in_threadpool(_tried, service, turn) for turn in several or ()]
    judged = [evaluated for evaluated, _ in results if evaluated is not None]
    if judged and (service.settings.log_evaluate if log is None else log):
        await service.arun(lambda tx: evaluation_log.note_stateless(tx, judged, caller))
    return answer(results[0][1] if several is None else {"results": [record for _, record in results]})


@router.get("/schema")
async def schema(request: Request) -> Response:
    """Give the JSON Schema (2020-12) of what `/v1/evaluate` takes and answers."""
    return answer(await look(request, "agent", lambda _tx, _caller: evaluation_schema()))


def _agent(tx: Tx, secret: str) -> Caller:
    caller = key_caller(tx, secret)
    caller.must("agent")
    return caller


def _turns_of(raw: bytes) -> tuple[Any, ...] | None:
    """Read the turns of a body that names several; None for a body that is one turn."""
    document = parse_json(raw)
    return parse(TurnsIn, raw).turns if isinstance(document, dict) and "turns" in document else None


def _tried(service: Service, turn: Any) -> Result:
    """Evaluate one of several turns; what is wrong with it is its own answer."""
    try:
        return _judged(service, parse(TurnIn, json.dumps(turn).encode()))
    except InputError as error:
        told = turn.get("id") if isinstance(turn, Mapping) else None
        return None, {"id": told, "error": {"field": error.field, "message": error.message}}


def _judged(service: Service, wire: TurnIn, *, alone: bool = False) -> Result:
    """Evaluate a turn; one that comes alone may be judged a second time, several would wait for minutes."""
    turn = to_turn(wire, datetime.now(UTC).astimezone(service.settings.zone))
    asks = alone and service.judge is not None
    counsel = Counsel(service.judge, from_clauses=service.settings.judge_from_clauses) if asks else None
    evaluated = evaluate_turn(turn, service.shelf, service.settings.pass_score, counsel=counsel)
    return evaluated, stateless_record(evaluated)
