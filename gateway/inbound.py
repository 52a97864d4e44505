"""What the channel's log says: customers' words to the agent, colleagues' words as a person's, events to their effect."""

from datetime import UTC, datetime
from typing import Any

import structlog
from sqlalchemy import Row

from gateway import aftermath, conversations, handoff
from gateway.conversations import Talk
from gateway.tables import Account, ConversationRow, MessageRow
from gateway.tx import Tx, new_id
from outbound.session import EventKind, Item, Page
from planner.turn import Role

log = structlog.get_logger(__name__)
# What a message that is no text is called for people and for the planner, which asks for a person then.
KINDS = {
    "image": "[图片]",
    "voice": "[语音]",
    "video": "[视频]",
    "file": "[文件]",
    "location": "[位置]",
    "link": "[链接]",
    "business_card": "[名片]",
    "miniprogram": "[小程序]",
}
SESSION_CHANGE_ENDED = 3
ENDED = 4


def take_page(tx: Tx, account_id: str, page: Page) -> int:
    """Store a page and its cursor in this one transaction and act on its items; gives how many were new."""
    account = tx.one(Account, lock=True, id=account_id)
    if account is None:
        return 0
    new = sum(_take(tx, account, item) for item in page.items)
    tx.change(Account, {"id": account_id}, cursor=page.next_cursor)
    return new


def _take(tx: Tx, account: Row[Any], item: Item) -> bool:
    if item.event is not None:
        return _event(tx, account, item)
    if not item.customer:
        tx.audit("channel", "item_kept", why=f"{item.kind} without a customer", detail=dict(item.raw))
        return False
    talk = _talk(tx, account, item.customer)
    role = Role.CUSTOMER if item.from_customer else Role.HUMAN if item.by_person else Role.SYSTEM
    text = item.text if item.text is not None else KINDS.get(item.kind, f"[{item.kind}]")
    at = datetime.fromtimestamp(item.sent_at, UTC)
    if role is Role.CUSTOMER and talk.row.session_state == ENDED:
        # A customer who writes into an ended session starts a new one (document/path/94698).
        tx.change(ConversationRow, {"id": talk.row.id}, session_state=0)
    new = conversations.record(
        tx, talk, message_id=item.msgid, role=role, text=text, at=at, author=item.servicer or "channel"
    )
    if new and role is Role.HUMAN:
        handoff.open_handoff(
            tx, talk, actor=item.servicer or "channel", why="a colleague answers in the WeCom client", to=item.servicer
        )
    return new


def _talk(tx: Tx, account: Row[Any], recipient: str) -> Talk:
    row = tx.one(ConversationRow, account_id=account.id, recipient=recipient)
    conversation_id = row.id if row is not None else new_id("c")
    if row is None:
        conversations.create(
            tx, conversation_id=conversation_id, account=account.id, recipient=recipient, chat_type="private", pack=None
        )
    return conversations.load(tx, conversation_id)


def _event(tx: Tx, account: Row[Any], item: Item) -> bool:
    event = item.raw.get("event")
    told: dict[str, Any] = dict(event) if isinstance(event, dict) else {}
    seen = _remember(tx, account, item)
    if not seen:
        return False
    if item.event is EventKind.SEND_FAILED:
        fail_type = int(told.get("fail_type") or 0)
        aftermath.channel_failed(
            tx, str(told.get("fail_msgid", "")), fail_type, f"msg_send_fail, fail_type {fail_type}"
        )
    elif item.event is EventKind.SESSION and item.customer:
        ended = told.get("change_type") == SESSION_CHANGE_ENDED
        talk = _talk(tx, account, item.customer)
        tx.change(ConversationRow, {"id": talk.row.id}, session_state=4 if ended else 3)
    return True


def _remember(tx: Tx, account: Row[Any], item: Item) -> bool:
    """Keep an event once: as a system note where a customer is named, in the audit otherwise."""
    if item.customer:
        talk = _talk(tx, account, item.customer)
        if tx.one(MessageRow, conversation_id=talk.row.id, id=item.msgid) is not None:
            return False
        return conversations.record(
            tx,
            talk,
            message_id=item.msgid,
            role=Role.SYSTEM,
            text=f"[{item.event}]",
            at=datetime.fromtimestamp(item.sent_at, UTC),
            author="channel",
        )
    tx.audit("channel", "event", why=str(item.event), detail={"msgid": item.msgid})
    return True
