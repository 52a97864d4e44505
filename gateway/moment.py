"""The moment: what a draft answers, and whether that was answered before."""

import functools
from dataclasses import dataclass
from typing import Any

from sqlalchemy import BindParameter, Column, Row, Select, bindparam, or_, select

from gateway import conversations
from gateway.conversations import Talk
from gateway.errors import Conflict
from gateway.tables import DraftRow, InboxRow, OutboundRow
from gateway.turns import moment_of
from gateway.tx import Tx, table_of
from gateway.wire import DraftIn, TurnIn

_NAMED = ("agent_id", "reply_id", "moment_id")


@dataclass(frozen=True, slots=True)
class Moment:
    """What a draft answers. A follow-up's moment is its inbox row, else the conversation's customer message."""

    id: str | None
    message_id: str | None
    agent_id: str | None
    reply_id: str | None
    inbox_id: str | None

    @classmethod
    def of(cls, draft: Row[Any]) -> "Moment":
        """Give the moment of a stored draft."""
        return cls(draft.moment_id, draft.moment_id, draft.agent_id, draft.reply_id, draft.inbox_id)

    @property
    def author(self) -> str:
        """Whose words the draft holds."""
        return self.agent_id or "agent"

    def siblings(self, tx: Tx, conversation_id: str) -> list[Row[Any]]:
        """List the agent's drafts under this `replyId` that answer this moment or are undecided, newest first."""
        given = {"conversation_id": conversation_id, "moment_id": self.id}
        given |= {"agent_id": self.agent_id, "reply_id": self.reply_id}
        return list(tx.conn.execute(_siblings(), given).all())

    def answered(self, tx: Tx, talk: Talk, draft_id: str | None) -> bool:
        """Whether anything but this draft was sent for the moment, or somebody spoke after it."""
        given = {"conversation_id": talk.row.id, "moment_id": self.id}
        answers = tx.conn.execute(_answers(), given).scalars()
        if any(answer != draft_id or draft_id is None for answer in answers):
            return True
        return self.id is not None and self.id == self.message_id and talk.answered_after(self.id)


def moment_for(tx: Tx, wire: TurnIn, draft: DraftIn, talk: Talk) -> Moment:
    """Give the moment that a posted draft answers. Raises Conflict for another conversation's inbox row."""
    inbox = tx.one(InboxRow, id=draft.inbox_id) if draft.inbox_id else None
    if draft.inbox_id and (inbox is None or inbox.conversation_id != talk.row.id):
        raise Conflict("unknown_inbox_row", "this inbox row does not belong to the conversation", field="draft.inboxId")
    message_id = moment_of(wire, talk)
    moment_id = inbox.moment_id if inbox is not None and inbox.kind == "follow_up" else message_id
    return Moment(moment_id, message_id, draft.agent_id, draft.reply_id, draft.inbox_id)


@functools.cache
def _siblings() -> Select[Any]:
    table = table_of(DraftRow)
    names = ("id", "state", "moment_id", "rewrite_count", "quality_passed")
    same = {name: table.c[name].is_not_distinct_from(_given(table.c[name])) for name in _NAMED}
    return (
        select(*(table.c[name] for name in names))
        .where(
            table.c.conversation_id == bindparam("conversation_id"),
            same["agent_id"],
            same["reply_id"],
            or_(same["moment_id"], table.c.state.in_(conversations.OPEN_STATES)),
        )
        .order_by(table.c.created_at.desc(), table.c.id.desc())
    )


def _given(column: Column[Any]) -> BindParameter[Any]:
    return bindparam(column.name, type_=column.type)


@functools.cache
def _answers() -> Select[Any]:
    table = table_of(OutboundRow)
    return select(table.c.draft_id).where(
        table.c.conversation_id == bindparam("conversation_id"),
        table.c.moment_id.is_not_distinct_from(_given(table.c.moment_id)),
        table.c.state.in_(conversations.LIVE_MESSAGE_STATES),
    )
