"""Check a pack before anybody relies on it: every section known, every row readable, every row true to its examples.

A room that reads sections of packs lists them as {section: row model}; the caller puts the lists together, so that the
planner needs to know no other room.
"""

import difflib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from planner.pack import Pack, PackError, Row, load_pack
from planner.playbook import Stage
from planner.policy import Manners, ScenarioPolicy
from planner.risks import ScenarioRow, Trigger
from planner.slot_words import BlockRow, DetailRow, FormRow, SlotDef, SlotRow, ValueRow
from planner.spelling import respell
from planner.talk import FlagRow
from planner.text import normalize

# The sections of rows that the planner reads, each with its model.
PLANNER_SECTIONS: Mapping[str, type[BaseModel]] = {
    "ask_blocks": BlockRow,
    "ask_forms": FormRow,
    "ask_frames": Row,
    "asking": Row,
    "denials": ScenarioRow,
    "draft_triggers": Trigger,
    "flags": FlagRow,
    "manners": Manners,
    "no_answer": Row,
    "no_preference": Row,
    "offers": ScenarioRow,
    "scenarios": ScenarioPolicy,
    "search_failed": Row,
    "slot_all_dropped": Row,
    "slot_asks": SlotRow,
    "slot_details": DetailRow,
    "slot_dropped": Row,
    "slot_other_asked": Row,
    "slot_others": Row,
    "slot_topics": SlotRow,
    "slot_values": ValueRow,
    "slots": SlotDef,
    "stagePlaybook": Stage,
    "triggers": Trigger,
    "withdrawals": ScenarioRow,
}
# Sections that are no lists of rows; whoever reads them says what is wrong with them.
PLAIN_SECTIONS = frozenset(
    {
        "name",
        "slot_aliases",
        "slot_leanings",
        "slot_scenarios",
        "leanings",
        "terms",
        "fragments",
        "spelling",
        "acks",
        "agreements",
        "businessGoal",
        "confidence",
        "maxSegments",
    }
)


_POINTS_AT = {"slots": "slot", "alwaysHuman": "scenario"}


def check_pack(
    source: str | Path | Pack,
    sections: Mapping[str, type[BaseModel]] = PLANNER_SECTIONS,
    plain: Iterable[str] = PLAIN_SECTIONS,
) -> list[str]:
    """List what is wrong with a pack, one line each, naming the section, the row and the field; empty when sound.

    `sections` are all lists of rows that anybody reads, `plain` the other sections.
    """
    try:
        pack = source if isinstance(source, Pack) else load_pack(source)
    except PackError as error:
        return [str(error)]
    known = {*sections, *plain}
    problems = [_unknown(name, known) for name in pack.sections if name not in known]
    for name, model in sections.items():
        problems += _section(pack, name, model)
    return problems + _crossed(pack, sections)


def _unknown(name: str, known: set[str]) -> str:
    near = difflib.get_close_matches(name, known, 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    return f"{name}: nothing reads a section of this name{hint}"


def _section(pack: Pack, name: str, model: type[BaseModel]) -> list[str]:
    rows = pack.sections.get(name, [])
    if rows is None:
        return []
    if not isinstance(rows, list):
        return [f"{name}: must be a list of rows"]
    problems: list[str] = []
    seen: set[str] = set()
    for number, raw in enumerate(rows, 1):
        label = f"{name}[{raw.get('id', number) if isinstance(raw, dict) else number}]"
        row_id = str(raw.get("id", number)) if isinstance(raw, dict) else str(number)
        if row_id in seen:
            problems.append(f"{label}.id: another row of this section has the same id")
        seen.add(row_id)
        problems += [f"{label}{problem}" for problem in _row(pack, raw, model)]
    return problems


def _row(pack: Pack, raw: Any, model: type[BaseModel]) -> list[str]:
    try:
        row = model.model_validate(pack.expanded(raw), strict=False)
    except ValidationError as error:
        return [f".{'.'.join(str(part) for part in e['loc'])}: {e['msg']}" for e in error.errors()]
    except PackError as error:
        return [f": {error}"]
    return _examples(pack, row) if isinstance(row, Row) else []


def _examples(pack: Pack, row: Row) -> list[str]:
    for field in ("pattern", "unless"):
        try:
            re.compile(getattr(row, field))
        except re.error as error:
            return [f".{field}: no regular expression: {error}"]
    if not row.source:
        return []
    if re.search(row.source, "") is not None:
        return [".pattern: matches an empty text; look for an empty alternative (||)"]
    problems = [f".{field}: is missing" for field in ("example", "counter") if not getattr(row, field)]
    if row.example and not _found(pack, row, row.example):
        problems.append(f".example: the row does not match its own example {row.example!r}")
    if row.counter and row.search(normalize(row.counter).norm) is not None:
        problems.append(f".counter: the row matches its counter-example {row.counter!r}")
    return problems


def _found(pack: Pack, row: Row, example: str) -> bool:
    norm = normalize(example).norm
    return row.search(norm) is not None or row.search(respell(norm, pack).norm) is not None


def _crossed(pack: Pack, sections: Mapping[str, type[BaseModel]]) -> list[str]:
    """Check the names by which rows point at slots and scenarios."""
    if not {"slots", "scenarios"} <= set(sections):
        return []
    slots = _ids(pack, "slots")
    scenarios = _ids(pack, "scenarios") | {"*"}
    problems: list[str] = []
    for name in sections:
        for raw in pack.sections.get(name) or []:
            if not isinstance(raw, dict):
                continue
            label = f"{name}[{raw.get('id')}]"
            wanted = [("slot", raw.get("slot"), slots), ("scenario", raw.get("scenario"), scenarios)]
            if name == "stagePlaybook":
                wanted += [("slots", slot, slots) for slot in raw.get("slots") or []]
                wanted += [("alwaysHuman", scenario, scenarios) for scenario in raw.get("alwaysHuman") or []]
            problems += [
                f"{label}.{field}: the pack has no {_POINTS_AT.get(field, field)} {value!r}"
                for field, value, names in wanted
                if value is not None and value not in names
            ]
    return problems


def _ids(pack: Pack, section: str) -> set[str]:
    return {row["id"] for row in pack.sections.get(section) or [] if isinstance(row, dict) and "id" in row}
