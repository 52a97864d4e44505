"""Turns of arbitrary shape and words from a string of bytes, and what must hold for every one of them.

The same bytes give the same turn, so that a failure can be played again. Half of the shapes keep to the contract, with
hostile words inside; the others break it in one place.
"""

import functools
import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from bench.answers import EvaluationOut, PlanOut, ReadOut
from gateway.contract import parse, plan_record, to_turn
from gateway.evaluate import SHELF, Evaluated, evaluate_turn, stateless_record
from gateway.gate import Action, Mode, Situation, decide
from gateway.jsonio import InputError
from gateway.jsonlines import read_line
from gateway.wire import TurnIn
from planner.turn import ChatType
from verifier.lexicon import lexicon_of
from verifier.verdict import Judged, Unavailable


class BrokenError(AssertionError):
    """Something that must hold for every input does not."""


def must(holds: object, what: object) -> None:
    """Raise when something does not hold."""
    if not holds:
        raise BrokenError(what)


T = TypeVar("T")
Json = Any
START = datetime(2026, 1, 1, tzinfo=UTC)
PACKS = ("property", "used_car")
PIECES = (
    *"0123456789一二两三十百千万亿零半几多来不没有无是吗呢的了，。、；：！？,.!?:;()（）[]{}<>|/\\\"'%℃㎡²½①⑩~-–—+=*&@#$¥￥…",
    *(
        "😀",
        "👨‍👩‍👧",
        "\u200b",
        "\u202e",
        "e\u0301\u0301",
        "\ufeff",
        "ﷺ",
        "İ",
        "ß",
        "\u3000",
        "\n",
        "\t",
        "\r",
        "𠮷",
        "\ud83d",
    ),
    *(
        "押一付三",
        "有没有",
        "不是不",
        "从3到",
        "1-",
        "3.",
        "比",
        "约",
        "左右",
        "满五唯一",
        "2026-02-30",
        "25:61",
        "13月40号",
    ),
    *(
        "[c1]",
        "{{name}}",
        "http://a.b/c?d=1",
        "13800138000",
        "沪A12345",
        "-0",
        "1e309",
        "９９９",
        "十十十",
        "万万",
        "０",
    ),
)


class Dice:
    """Choices read off a string of bytes; when it is used up, always the first."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def byte(self) -> int:
        """Give the next byte."""
        self._at += 1
        return self._data[self._at - 1] if self._at <= len(self._data) else 0

    def below(self, count: int) -> int:
        """Give a number from 0 to count - 1."""
        return (self.byte() << 8 | self.byte()) % count if count > 256 else self.byte() % count

    def pick(self, items: Sequence[T]) -> T:
        """Choose one."""
        return items[self.below(len(items))]

    def chance(self, one_in: int) -> bool:
        """Say yes once in so many times; never when the bytes are used up."""
        return self.byte() % one_in == one_in - 1


@functools.cache
def words() -> tuple[str, ...]:
    """Give the words of both packs, in a fixed order."""
    rows = [row for name in PACKS for row in lexicon_of(SHELF.get(name)).concepts.values()]
    options = (word for row in rows for held in row.options.values() for word in held)
    return tuple(sorted({*options, *(word for row in rows for word in (*row.words, *row.absent, *row.keys))}))


def text(dice: Dice, most: int = 12) -> str:
    """Write some words: of the packs, of numbers, and of what breaks readers."""
    out = []
    for _ in range(dice.below(most + 1)):
        piece = dice.pick(words()) if dice.chance(2) else dice.pick(PIECES)
        out.append(piece * (1 + dice.below(40)) if dice.chance(12) else piece)
    return "".join(out)


_SCALARS = (0, -1, 1, 89, 3_500_000, 10**30, -(2**63), 2026, 0.0, -0.0, 1e-9, 1e300, 3.14, 0.1 + 0.2, True, False, None)
_STRINGS = ("有", "无", "否", "", "2026-03-05", "5%", "null")


def value(dice: Dice, depth: int = 0) -> Json:
    """Make any JSON value."""
    kind = dice.below(6 if depth > 3 else 8)
    if kind == 0:
        return text(dice, 5)
    if kind < 6:
        return dice.pick(_STRINGS if kind == 1 else _SCALARS)
    if kind == 6:
        return [value(dice, depth + 1) for _ in range(dice.below(4))]
    return {dice.pick((text(dice, 2), *words()[:40])): value(dice, depth + 1) for _ in range(dice.below(5))}


def turn(dice: Dice) -> Json:
    """Make a turn that keeps to the contract's shapes."""
    messages = [_message(dice, number) for number in range(dice.below(5))]
    conversation: dict[str, Json] = {"id": "c", "chatType": dice.pick(("private", "group")), "messages": messages}
    if dice.chance(2):
        conversation["subject"] = text(dice, 3)[:500]
    if dice.chance(3):
        slots = ("budget", "area", "rooms", "用途", "x")
        conversation["slots"] = {dice.pick(slots): {"value": value(dice), "source": dice.pick(("profile", "tool"))}}
    given = {"id": "t", "now": _moment(dice), "pack": dice.pick(PACKS), "conversation": conversation}
    return given | {"draft": _draft(dice, messages)}


def _moment(dice: Dice) -> str:
    if dice.chance(20):
        return dice.pick(("0001-01-01T00:00:00+00:00", "9999-12-31T23:59:59+00:00", "1999-12-31T23:59:59-12:00"))
    return (START + timedelta(hours=dice.below(20_000))).isoformat()


def _message(dice: Dice, number: int) -> Json:
    role = dice.pick(("customer", "agent", "human", "system", "customer"))
    return {"id": f"m{number}", "role": role, "text": text(dice), "at": _moment(dice)}


def _draft(dice: Dice, messages: Sequence[Json]) -> Json:
    citations = [_citation(dice, number) for number in range(dice.below(4))]
    tools = [_tool(dice, number) for number in range(dice.below(3))]
    said = text(dice, 20)
    if citations and dice.chance(2):
        said = citations[0]["text"][: dice.below(60)] + said
    draft: dict[str, Json] = {"text": said, "citations": citations, "toolResults": tools}
    draft["requiresHuman"] = dice.chance(4)
    if dice.chance(3):
        draft["actions"] = [
            {"type": dice.pick(("handoff", text(dice, 2) or "x")), "status": dice.pick(("done", "failed"))}
        ]
    if said and dice.chance(2):
        draft["grounding"] = [_declared(dice, said, citations, messages)]
    return draft


def _citation(dice: Dice, number: int) -> Json:
    found: dict[str, Json] = {"id": f"c{number}", "text": text(dice)}
    if dice.chance(2):
        found["subject"] = dice.pick(("general:", "L-1", text(dice, 3)))[:500]
    if dice.chance(4):
        found["validUntil"] = _moment(dice)
    if dice.chance(4):
        found["publishedAt"] = _moment(dice)
    if dice.chance(6):
        found["withdrawn"] = True
    return found


def _tool(dice: Dice, number: int) -> Json:
    status = dice.pick(("ok", "ok", "error", "empty"))
    return {"id": f"t{number}", "tool": "look_up", "status": status, "data": value(dice), "text": text(dice, 4)}


def _declared(dice: Dice, said: str, citations: Sequence[Json], messages: Sequence[Json]) -> Json:
    quote = said[dice.below(len(said)) :][: 1 + dice.below(30)] or said
    if messages and dice.chance(3):
        return {"quote": quote, "messageId": messages[0]["id"]}
    if citations and dice.chance(2):
        return {"quote": quote, "evidenceId": "c0", "evidenceQuote": citations[0]["text"][:20]}
    return {"quote": quote, "evidenceId": "t0", "path": dice.pick(("", "/0", "/a/~1b", "x", text(dice, 2)))}


def broken(dice: Dice, given: Json) -> Json:
    """Put any value in one place of a turn, or an unknown name into it."""
    places: list[tuple[Any, Any]] = []
    _walk(given, places)
    holder, name = dice.pick(places)
    if isinstance(holder, dict) and dice.chance(3):
        holder[text(dice, 2) or "unknown"] = value(dice)
    else:
        holder[name] = value(dice)
    return given


def _walk(node: Json, places: list[tuple[Any, Any]]) -> None:
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for name, child in children:
        places.append((node, name))
        _walk(child, places)


def one_input(data: bytes) -> None:
    """Judge what these bytes say. Raises AssertionError, or whatever the product raised, when something does not hold."""
    dice = Dice(data)
    target: Callable[[Dice], None] = dice.pick((_evaluate, _evaluate, _evaluate_broken, _read, _raw))
    target(dice)


def _bytes(document: Json) -> bytes:
    return json.dumps(document).encode()


def _evaluate(dice: Dice) -> None:
    judge(_bytes(turn(dice)))


def _evaluate_broken(dice: Dice) -> None:
    judge(_bytes(broken(dice, turn(dice))))


def _read(dice: Dice) -> None:
    words_ = text(dice, 30)
    try:
        read = read_line(_bytes({"id": "r", "text": words_, "now": _moment(dice)}))
    except InputError as error:
        must("\ud83d" in words_, error)  # half of a surrogate pair is no text
        return
    answer = ReadOut.model_validate(read, by_alias=True)
    for quantity in answer.quantities:
        must(words_[quantity.start : quantity.end] == quantity.quote, quantity)


def _raw(dice: Dice) -> None:
    given = bytearray(_bytes(turn(dice)))
    for _ in range(1 + dice.below(4)):
        given[dice.below(len(given))] = dice.byte()
    judge(bytes(given))


def judge(raw: bytes) -> None:
    """Evaluate and plan a body; it may be refused, it may not break, and it may not be sent without a pass."""
    try:
        given = to_turn(parse(TurnIn, raw), START)
        evaluated = evaluate_turn(given)
    except InputError as error:
        must(error.message, "an error without words")
        return
    PlanOut.model_validate(plan_record(evaluated.plan), by_alias=True)
    answer = EvaluationOut.model_validate(stateless_record(evaluated), by_alias=True)
    said = given.draft.text if given.draft else ""
    for claim in answer.claims:
        must(said[claim.start : claim.end] == claim.quote, claim)
    _fails_closed(evaluated)
    must("plan_unavailable" not in evaluated.plan.flags, "the turn could not be planned")


def _fails_closed(evaluated: Evaluated) -> None:
    verdict = evaluated.verdict
    if isinstance(verdict, Unavailable):
        must("could not be" not in verdict.reason, verdict.reason)
    for mode in Mode:
        situation = Situation(mode, ChatType.PRIVATE)
        decision = decide(evaluated.plan, verdict, situation, draft_requires_human=evaluated.draft_requires_human)
        if decision.action is Action.SEND:
            passed = isinstance(verdict, Judged) and verdict.passed and not verdict.requires_human
            must(passed, "sent without a pass")
