"""Actions that a draft claims as done: each needs an action or a tool result that did it.

A handoff is left to its own check. What is only requested may rest on a pending action; what is called done may not.
"""

import functools
import json
from collections.abc import Sequence
from dataclasses import dataclass

from planner.lexicon import Lexicon
from planner.pack import Pack, Row
from planner.turn import Action, Draft, ToolResult
from verifier.claims import Located
from verifier.evidence import Source
from verifier.facets import CONFLICT, MISSING, OK, Facet
from verifier.statements import Statement


class ActionRow(Row):
    """Words that claim an action. `types` are pieces of action types or tool names that do it.

    `requested` claims only that it was asked for. `lookup` is a search: any usable tool result did it, when the words
    of the clause stand in it.
    """

    types: tuple[str, ...] = ()
    requested: bool = False
    lookup: bool = False


_PENDING = ("pending", "待", "submitted", "requested", "in_progress", "处理中", "processing", "waiting")
_FAILED = ("fail", "error", "reject", "cancel", "失败", "取消")


@dataclass(frozen=True, slots=True)
class Deed:
    """A claimed action with the row that recognised it."""

    row: ActionRow


@functools.lru_cache(maxsize=16)
def _rows(pack: Pack) -> Lexicon[ActionRow]:
    return Lexicon(pack.rows("fact_actions", ActionRow))


def deed_of(statement: Statement, pack: Pack) -> Deed | None:
    """Recognise an action claimed as done or as requested."""
    hit = _rows(pack).first(statement.text)
    return Deed(hit.row) if hit is not None else None


def deed_facet(deed: Deed, statement: Statement, draft: Draft, live: Sequence[Source]) -> Facet:
    """Judge a claimed action against what was really done."""
    row = deed.row
    acted = _by_action(row, draft.actions)
    if acted is None:
        acted = _by_tool(row, draft.tool_results)
    if acted is not None:
        return acted
    if row.lookup:
        return _lookup(statement, live)
    return Facet(MISSING, "action_not_done", f"no action or tool result did this ({row.id})")


def _by_action(row: ActionRow, actions: Sequence[Action]) -> Facet | None:
    matching = [a for a in actions if any(piece in a.type.lower() for piece in row.types)]
    if any(a.status == "done" or (row.requested and a.status == "pending") for a in matching):
        return Facet(OK, "action", f"the action was recorded ({row.id})")
    if matching:
        return Facet(CONFLICT, "action_not_done", f"the action {matching[0].type} is {matching[0].status}")
    return None


def _by_tool(row: ActionRow, results: Sequence[ToolResult]) -> Facet | None:
    for result in results:
        if result.status != "ok" or not any(piece in result.tool.lower() for piece in row.types):
            continue
        said = json.dumps(result.data, ensure_ascii=False).lower() if result.data is not None else (result.text or "")
        where = (Located(result.id, said[:200]),)
        if any(word in said for word in _FAILED):
            return Facet(CONFLICT, "action_not_done", f"{result.tool} did not succeed", where)
        if any(word in said for word in _PENDING) and not row.requested:
            return Facet(CONFLICT, "action_pending", f"{result.tool} is still pending", where)
        return Facet(OK, "action", f"{result.tool} did it", where)
    return None


def _lookup(statement: Statement, live: Sequence[Source]) -> Facet:
    for source in live:
        held = source.scanned.norm
        have = sum(g in held for g in statement.grains)
        if have * 2 >= len(statement.grains):
            return Facet(OK, "lookup", "the source that was looked up", (Located(source.id, source.units[0].quote),))
    return Facet(MISSING, "action_not_done", "nothing shows that this was looked up")
