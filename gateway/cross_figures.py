"""Figures of cross replies: how often each agent of a group answers another one, and what was dropped and why."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select

from gateway.spans import Span
from gateway.tables import ConversationRow
from gateway.tables_groups import GroupReply, GroupTurn
from gateway.tx import Tx, table_of

MOST = 50  # agents listed


@dataclass(frozen=True, slots=True)
class CrossFigures:
    """One agent's part in groups; `dropped` counts what it was not allowed, by reason. No name: none could be read."""

    agent_id: str
    primary: int
    given: int
    dropped: Mapping[str, int]

    @property
    def share(self) -> float | None:
        """The share of cross replies among all that the agent said, None without any."""
        said = self.primary + self.given
        return self.given / said if said else None

    def record(self) -> dict[str, Any]:
        """Write it in the contract's spelling."""
        return {
            "agentId": self.agent_id or None,
            "primary": self.primary,
            "given": self.given,
            "dropped": dict(self.dropped),
            "share": None if self.share is None else round(self.share, 4),
        }


def cross_figures(tx: Tx, span: Span, accounts: Collection[str] = ()) -> tuple[CrossFigures, ...]:
    """Count each agent's replies of a span, those who answer others most first; `accounts` empty means all."""
    reply = table_of(GroupReply)
    columns = (reply.c.agent_id, reply.c.kind, reply.c.why)
    query = select(*columns, func.count().label("number")).group_by(*columns)
    query = query.where(reply.c.at >= span.since, reply.c.at < span.until)
    if accounts:
        turn, talk = table_of(GroupTurn), table_of(ConversationRow)
        query = query.join(turn, turn.c.id == reply.c.turn_id).join(talk, talk.c.id == turn.c.conversation_id)
        query = query.where(talk.c.account_id.in_(sorted(accounts)))
    counts: dict[str, Counter[tuple[str, str]]] = {}
    for row in tx.conn.execute(query):
        counts.setdefault(row.agent_id, Counter())[row.kind, row.why] = row.number
    found = [_figures(agent, known) for agent, known in counts.items()]
    return tuple(sorted(found, key=lambda one: (-one.given, -one.primary, one.agent_id))[:MOST])


def _figures(agent_id: str, counts: Counter[tuple[str, str]]) -> CrossFigures:
    dropped = {why: number for (kind, why), number in sorted(counts.items()) if kind == "dropped"}
    return CrossFigures(agent_id, counts["primary", ""], counts["cross_agent", ""], dropped)
