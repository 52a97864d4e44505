"""What each reply of a group turn was, and what was dropped: kept as rows, from which the figures are counted."""

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Select, insert, select

from gateway.crossreply import MOST_ANGLE
from gateway.tables import DraftRow
from gateway.tables_groups import GroupReply
from gateway.tx import Tx, table_of

MOST_NAME = 200  # characters kept of an id that a proposal made up


def keep(tx: Tx, turn_id: str, answers: Iterable[Mapping[str, Any]], dropped: Iterable[Mapping[str, Any]]) -> None:
    """Keep given replies, as they were answered, and dropped proposals with their reason."""
    rows = [*map(_given, answers), *map(_dropped, dropped)]
    if rows:
        tx.conn.execute(insert(table_of(GroupReply)), [{"turn_id": turn_id, "at": tx.now, **row} for row in rows])


def records(tx: Tx, turn_id: str) -> list[dict[str, Any]]:
    """Write the given replies of a turn in their order, each with where its draft stands."""
    reply, draft = table_of(GroupReply), table_of(DraftRow)
    query: Select[Any] = (
        select(reply, draft.c.state, draft.c.version)
        .join(draft, draft.c.id == reply.c.draft_id)
        .where(reply.c.turn_id == turn_id)
        .order_by(reply.c.seq)
    )
    return [
        {
            "replyId": row.reply_id,
            "agentId": row.agent_id,
            "replyKind": row.kind,
            "respondToAgentId": row.respond_to_agent_id,
            "crossReplyReason": row.reason,
            "crossReplyRound": row.round,
            "draftId": row.draft_id,
            "version": row.version,
            "state": row.state,
        }
        for row in tx.conn.execute(query)
    ]


def _given(answer: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "kind": answer["replyKind"],
        "agent_id": answer["agentId"],
        "reply_id": answer["replyId"],
        "draft_id": answer["draftId"],
        "respond_to_agent_id": answer.get("respondToAgentId"),
        "reason": answer.get("crossReplyReason"),
        "round": answer.get("crossReplyRound", 0),
        "why": "",
    }


def _dropped(one: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "kind": "dropped",
        "agent_id": _told(one["plan"], "agentId") or "",
        "reply_id": _told(one["plan"], "replyId"),
        "draft_id": None,
        "respond_to_agent_id": _told(one["plan"], "respondToAgentId"),
        "reason": _told(one["plan"], "angle", MOST_ANGLE),
        "round": 1,
        "why": one["why"],
    }


def _told(plan: Any, name: str, most: int = MOST_NAME) -> str | None:
    """Read a text of a proposal that may be anything."""
    value = plan.get(name) if isinstance(plan, Mapping) else None
    return value[:most] if isinstance(value, str) else None
