"""The moment: what a draft answers, and whether that was answered before."""

import functools
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, Select, bindparam, select

from gateway import conversations
from gateway.conversations import Talk
from gateway.errors import Conflict
from gateway.tables import DraftRow, InboxRow, OutboundRow
from gateway.turns import moment_of
from gateway.tx import Tx, table_of
from gateway.wire import DraftIn, TurnIn


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

    def drafts(self, tx: Tx, conversation_id: str) -> list[Row[Any]]:
        """List the drafts posted for this moment, newest first."""
        table = table_of(DraftRow)
        return list(
            tx.conn.execute(
                select(table)
                .where(
                    table.c.conversation_id == conversation_id,
                    table.c.moment_id.is_not_distinct_from(self.id),
                    table.c.agent_id.is_not_distinct_from(self.agent_id),
                    table.c.reply_id.is_not_distinct_from(self.reply_id),
                )
                .order_by(table.c.created_at.desc(), table.c.id.desc())
            ).all()
        )

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
def _answers() -> Select[Any]:
    table = table_of(OutboundRow)
    return select(table.c.draft_id).where(
        table.c.conversation_id == bindparam("conversation_id"),
        table.c.moment_id.is_not_distinct_from(bindparam("moment_id", type_=table.c.moment_id.type)),
        table.c.state.in_(conversations.LIVE_MESSAGE_STATES),
    )
