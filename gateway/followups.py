"""Follow-ups: in autopilot, ask the agent for a draft when a customer has been silent, as the pack's playbook says.

A follow-up is a row in the inbox and nothing more: the agent's draft passes the same gate as any other.
"""

from datetime import timedelta
from typing import Any

from sqlalchemy import Row, func, or_, select

from gateway import conversations, stages
from gateway.conversations import Talk
from gateway.tables import Account, ConversationRow, InboxRow
from gateway.touches import touch_rules
from gateway.tx import Tx, new_id, table_of
from outbound.limits import quota_left, window_open
from planner.playbook import FollowUp

BATCH = 200


def ask_due(tx: Tx) -> int:
    """Open an inbox row for each follow-up that is due now; gives how many."""
    rules = touch_rules(tx)
    if not rules.earliest <= tx.local_now.time() <= rules.latest:
        return 0
    conversation, account = table_of(ConversationRow), table_of(Account)
    rows = tx.conn.execute(
        select(conversation.c.id)
        .join(account, account.c.id == conversation.c.account_id)
        .where(
            func.coalesce(conversation.c.mode, account.c.mode) == "autopilot",
            conversation.c.chat_type == "private",
            conversation.c.handoff_open.is_(False),
            conversation.c.touches < rules.most,
            conversation.c.last_customer_at > tx.now - timedelta(hours=tx.settings.window_hours),
            or_(conversation.c.last_touch_at.is_(None), conversation.c.last_touch_at < tx.now - timedelta(minutes=30)),
        )
        .limit(BATCH)
    ).all()
    return sum(_ask(tx, conversations.load(tx, row.id)) for row in rows)


def _ask(tx: Tx, talk: Talk) -> bool:
    follow_up = _due(tx, talk)
    if follow_up is None:
        return False
    touch = talk.row.touches + 1
    moment = f"follow-up:{talk.row.last_customer_message_id}:{touch}"
    if tx.one(InboxRow, conversation_id=talk.row.id, moment_id=moment) is not None:
        return False
    tx.add(
        InboxRow,
        id=new_id("in"),
        conversation_id=talk.row.id,
        kind="follow_up",
        moment_id=moment,
        instruction=follow_up.ask,
        created_at=tx.now,
    )
    tx.change(ConversationRow, {"id": talk.row.id}, touches=touch, last_touch_at=tx.now)
    tx.audit("scheduler", "follow_up_asked", conversation_id=talk.row.id, why=follow_up.ask)
    return True


def _due(tx: Tx, talk: Talk) -> FollowUp | None:
    """Give the playbook's next follow-up if its time has come and the channel would take a message."""
    stage = stages.current(tx, talk)
    if stage is None or talk.row.touches >= len(stage.follow_ups) or not _may_write(tx, talk.row):
        return None
    follow_up = stage.follow_ups[talk.row.touches]
    spoken = talk.messages[-1] if talk.messages else None
    silent = spoken is not None and not talk.unanswered and tx.now - spoken.at >= timedelta(hours=follow_up.after_hours)
    return follow_up if silent else None


def _may_write(tx: Tx, row: Row[Any]) -> bool:
    return (
        row.session_state not in conversations.WITH_PEOPLE
        and window_open(row.last_customer_at, tx.now)
        and quota_left(row.quota_used, reserve=tx.settings.quota_reserve) > 0
    )
