"""What the channel's log says: customers' words to the agent, colleagues' words as a person's, events to their effect.

Each entry is taken once, by its account and id. One that cannot be taken is kept, told, and stops none behind it.
"""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import structlog
from sqlalchemy import Row
from sqlalchemy.exc import DataError

from gateway import channel_events, conversations, handoff
from gateway.conversations import Talk
from gateway.errors import GatewayError
from gateway.tables import Account, ConversationRow
from gateway.tables_calls import ChannelItem
from gateway.tx import Tx, new_id, table_of
from outbound.session import Item, Page
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
    "merged_msg": "[聊天记录]",
    "channels": "[视频号]",
}
UNKNOWN_KIND = "[未知消息]"
ENDED = 4
ENTRIES_KEPT = timedelta(days=30)  # how long an entry is kept as it came
UNREADABLE = (GatewayError, ValueError, TypeError, LookupError, OverflowError, DataError)
_ODD = re.compile(r"[^0-9A-Za-z_.-]")


def take_page(tx: Tx, account_id: str, page: Page, after: str | None = None) -> tuple[int, bool]:
    """Store a page and its cursor in this one transaction and act on its items.

    `after` is the cursor that the page was asked with. Gives how many items were new, and whether the log may be followed
    from here: not if somebody else has read on meanwhile, whose cursor then stays.
    """
    account = tx.one(Account, lock=True, id=account_id)
    if account is None:
        return 0, False
    new = sum(_take(tx, account, item) for item in page.items)
    current = after is None or (account.cursor or "") == after
    if current:
        tx.change(Account, {"id": account_id}, cursor=page.next_cursor)
    return new, current


def _take(tx: Tx, account: Row[Any], item: Item) -> bool:
    try:
        with tx.conn.begin_nested():
            return _taken(tx, account, item)
    except UNREADABLE as error:
        log.exception("item_not_read", account=account.id, kind=clean(item.kind))
        return _keep_unread(tx, account, item, f"could not be read: {type(error).__name__}")


def _taken(tx: Tx, account: Row[Any], item: Item) -> bool:
    if item.account != (account.channel_account or account.id):
        return _keep(tx, account, item, None, "of another account")
    talk = _talk(tx, account, clean(item.customer)) if item.customer else None
    if item.event is None and item.kind == "text" and talk is not None:
        return _said(tx, talk, item)
    if not _keep(tx, account, item, talk, ""):
        return False
    if item.event is not None:
        channel_events.act(tx, account, talk, item)
    elif talk is not None:
        _said(tx, talk, item)
    else:
        tx.audit("channel", "item_kept", why=f"{clean(item.kind)} without a customer", detail={"account": account.id})
    return True


def _said(tx: Tx, talk: Talk, item: Item) -> bool:
    """Store somebody's words; only a customer's reach the agent."""
    role = Role.CUSTOMER if item.from_customer else Role.HUMAN if item.by_person else Role.SYSTEM
    if role is Role.CUSTOMER and talk.row.session_state == ENDED:
        # A customer who writes into an ended session starts a new one (document/path/94698).
        tx.change(ConversationRow, {"id": talk.row.id}, session_state=0)
    author = clean(item.servicer or "") or "channel"
    new = conversations.record(
        tx, talk, message_id=item.msgid, role=role, text=words_of(item), at=sent_at(item), author=author
    )
    if new and role is Role.HUMAN:
        handoff.open_handoff(
            tx, talk, actor=author, why="a colleague answers in the WeCom client", to=item.servicer or None
        )
    return new


def words_of(item: Item) -> str:
    """Give a message's text, or what it is called when it is none."""
    if item.text is not None:
        return str(clean(item.text))
    return KINDS.get(item.kind) or f"{UNKNOWN_KIND} {_ODD.sub('', item.kind)[:60]}".strip()


def sent_at(item: Item) -> datetime:
    """Give the moment at which the platform took an item."""
    return datetime.fromtimestamp(item.sent_at, UTC)


def clean(value: Any) -> Any:
    """Take out what no database stores: NUL and halves of characters; in texts, and in all that a raw entry holds."""
    if isinstance(value, str):
        return value.replace("\0", "").encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {clean(name): clean(inside) for name, inside in value.items()}
    return [clean(inside) for inside in value] if isinstance(value, list) else value


def _keep(tx: Tx, account: Row[Any], item: Item, talk: Talk | None, note: str) -> bool:
    """Keep an entry as it came; False if it is here already."""
    msgid = clean(item.msgid)
    if tx.one(ChannelItem, account_id=account.id, msgid=msgid) is not None:
        return False
    tx.add(
        ChannelItem,
        account_id=account.id,
        msgid=msgid,
        kind=clean(item.kind)[:100],
        conversation_id=talk.row.id if talk is not None else None,
        raw=clean(dict(item.raw)),
        note=note,
        at=sent_at(item),
    )
    return True


def tidy(tx: Tx) -> int:
    """Forget what entries held that came more than a month ago; the rows stay against late repeats. Gives how many."""
    table = table_of(ChannelItem)
    old = table.update().where(table.c.at < tx.now - ENTRIES_KEPT, table.c.raw.is_not(None))
    return tx.conn.execute(old.values(raw=None)).rowcount


def _keep_unread(tx: Tx, account: Row[Any], item: Item, note: str) -> bool:
    known = tx.one(ConversationRow, account_id=account.id, recipient=clean(item.customer))
    if tx.one(ChannelItem, account_id=account.id, msgid=clean(item.msgid)) is not None:
        return False
    values = {"kind": clean(item.kind)[:100], "note": note, "at": tx.now}
    tx.add(ChannelItem, account_id=account.id, msgid=clean(item.msgid), **values)
    tx.audit(
        "channel",
        "item_not_read",
        conversation_id=known.id if known is not None else None,
        why=f"an entry of the log {note}",
        detail={"account": account.id, "msgid": clean(item.msgid)},
    )
    return False


def _talk(tx: Tx, account: Row[Any], recipient: str) -> Talk:
    row = tx.one(ConversationRow, account_id=account.id, recipient=recipient)
    conversation_id = row.id if row is not None else new_id("c")
    if row is None:
        conversations.create(
            tx, conversation_id=conversation_id, account=account.id, recipient=recipient, chat_type="private", pack=None
        )
    return conversations.load(tx, conversation_id)
