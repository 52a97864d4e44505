"""Labelled turns: read strictly from JSON lines, then judged by the running rules."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gateway.calibration.seen import Fate, Seen, Told
from gateway.contract import parse, to_turn
from gateway.evaluate import Evaluated, evaluate_turn
from gateway.gate import Action, Mode, Situation, decide
from gateway.jsonio import InputError, parse_json
from gateway.packs import DEFAULT_PACK, PackShelf
from gateway.wire import TurnIn
from planner.turn import Role, Turn
from verifier.verdict import Judged

PLAIN = frozenset({"turn", "right", "scenario"})
EXPECTED = frozenset({"turn", "expect", "class", "confidence"})
UNTAGGED = "untagged"
_FATES = {Action.SEND: Fate.SENT, Action.NO_REPLY: Fate.SILENT, Action.REWRITE: Fate.REFUSED}


@dataclass(frozen=True, slots=True)
class Labelled:
    """A turn with the word of somebody who knows whether its draft is right."""

    line: int
    turn: Turn
    right: bool
    scenario: str | None = None


class BadLinesError(ValueError):
    """Lines that cannot be taken; `problems` names each with its number, its field and what is wrong."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


def read_labelled(lines: Iterable[bytes]) -> list[Labelled]:
    """Read all lines, or none. Raises BadLinesError that names every bad line."""
    found: list[Labelled] = []
    problems: list[str] = []
    for number, raw in enumerate(lines, 1):
        if not raw.strip():
            continue
        try:
            found.append(read_line(number, raw))
        except InputError as error:
            problems.append(f"line {number}: {error}")
    if problems or not found:
        raise BadLinesError(problems or ["the file holds no turn"])
    return found


def read_line(number: int, raw: bytes) -> Labelled:
    """Read `{turn, right, scenario?}`, or a line of an evaluation set, `{turn, expect: {fails, scenarios?}, …}`.

    Raises InputError that names the field.
    """
    row = parse_json(raw)
    if not isinstance(row, dict):
        raise InputError("", "must be an object with turn and right")
    known = EXPECTED if "expect" in row else PLAIN
    for name in row:
        if name not in known:
            raise InputError(name, f"unknown field; a line holds {', '.join(sorted(known))}")
    right, scenario = _expected(row["expect"]) if "expect" in row else _plain(row)
    return Labelled(number, _turn(row.get("turn")), right, scenario)


def _plain(row: Mapping[str, Any]) -> tuple[bool, str | None]:
    right, scenario = row.get("right"), row.get("scenario")
    if not isinstance(right, bool):
        raise InputError("right", "must be true or false" if "right" in row else "is missing")
    if scenario is not None and not isinstance(scenario, str):
        raise InputError("scenario", "must be a text")
    return right, scenario


def _expected(expect: Any) -> tuple[bool, str | None]:
    if not isinstance(expect, dict) or not isinstance(expect.get("fails"), list):
        raise InputError("expect.fails", "must be a list of faults; an empty one says that the draft is right")
    scenarios = expect.get("scenarios") or []
    if not isinstance(scenarios, list) or not all(isinstance(name, str) for name in scenarios):
        raise InputError("expect.scenarios", "must be a list of names")
    return not expect["fails"], next(iter(scenarios), None)


def _turn(raw: Any) -> Turn:
    if not isinstance(raw, dict):
        raise InputError("turn", "is missing" if raw is None else "must be an object")
    try:
        wire = parse(TurnIn, json.dumps(raw, ensure_ascii=False).encode())
    except InputError as error:
        raise InputError(f"turn.{error.field}", error.message) from error
    if wire.now is None:
        raise InputError("turn.now", "is missing: without it the dates in the draft would be read against today")
    if wire.draft is None:
        raise InputError("turn.draft", "is missing")
    return to_turn(wire, wire.now)


def look(rows: Iterable[Labelled], shelf: PackShelf, pass_score: int = 90) -> Iterator[Seen]:
    """Judge labelled turns one by one with the running rules. Raises InputError for a pack that nobody has."""
    for row in rows:
        try:
            evaluated = evaluate_turn(row.turn, shelf, pass_score)
        except InputError as error:
            raise InputError(f"line {row.line}: turn.{error.field}", error.message) from error
        yield _seen(row, evaluated)


def _seen(row: Labelled, evaluated: Evaluated) -> Seen:
    turn, verdict = row.turn, evaluated.verdict
    judged = verdict if isinstance(verdict, Judged) else None
    asked = turn.conversation.unanswered
    heard = asked or tuple(m for m in turn.conversation.messages if m.role is Role.CUSTOMER)[-1:]
    tagged = next((risk.scenario for risk in evaluated.plan.risks), UNTAGGED)
    return Seen(
        line=row.line,
        id=turn.id,
        conversation=turn.conversation.id,
        question="\n".join(m.text for m in heard),
        subject=turn.conversation.subject or "",
        text=turn.draft.text if turn.draft is not None else "",
        right=row.right,
        fate=_fate(evaluated),
        confidence=judged.confidence if judged is not None else None,
        scene=row.scenario or tagged,
        pack=turn.pack or DEFAULT_PACK,
        rules_version=verdict.rules_version,
        claims=tuple(
            Told(c.quote, str(c.status), tuple(f"{e.id}: {e.quote}" for e in c.evidence))
            for c in (judged.claims if judged is not None else ())
        ),
    )


def _fate(evaluated: Evaluated) -> Fate:
    if not isinstance(evaluated.verdict, Judged):
        return Fate.UNJUDGED
    talk = evaluated.turn.conversation
    situation = Situation(Mode.AUTO, talk.chat_type, unanswered=bool(talk.unanswered))
    human = evaluated.draft_requires_human
    decision = decide(evaluated.plan, evaluated.verdict, situation, draft_requires_human=human)
    return _FATES.get(decision.action, Fate.PERSON)
