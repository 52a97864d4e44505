"""What an alert says: the product's own words, a short quote, a link. Never more of a customer's talk than that."""

from typing import Any
from urllib.parse import quote

from sqlalchemy import Row, select

from gateway.logs import mask_numbers
from gateway.tables import Account, ConversationRow, DraftRow, MessageRow, OutboundRow
from gateway.tx import Tx, table_of
from gateway.web.words import Language, language
from outbound.alerts import QUOTE_CHARACTERS, Alert

DETAIL = 60


def alert_text(tx: Tx, row: Row[Any]) -> Alert:
    """Write an alert's row as operators read it, Chinese first."""
    quoted = _quote(tx, row.conversation_id) if row.conversation_id and row.kind != "stopped" else ""
    return Alert(_title(tx, row), quoted, link(tx, row))


def summary_title(count: int) -> str:
    """Write the title of the one alert that stands for many."""
    return _both("summary", count=count)


def queue_link(tx: Tx) -> str:
    """Give the address of the queue; empty without DRAFTGATE_PUBLIC_URL."""
    return _at(tx, "/")


def link(tx: Tx, row: Row[Any]) -> str:
    """Give the address of the place where the work is done; empty without DRAFTGATE_PUBLIC_URL."""
    if row.kind == "stopped":
        return _at(tx, "/settings")
    if row.draft_id:
        return _at(tx, f"/drafts/{quote(row.draft_id, safe='')}")
    if row.conversation_id:
        return _at(tx, f"/conversations/{quote(row.conversation_id, safe='')}")
    return queue_link(tx)


def still_matters(tx: Tx, row: Row[Any]) -> bool:
    """Whether there is still something to do: a draft that was decided meanwhile needs no alert."""
    if row.kind == "held":
        draft = tx.one(DraftRow, id=row.draft_id)
        return draft is not None and draft.state == "held"
    if row.kind == "failed" and row.outbound_id:
        message = tx.one(OutboundRow, outbound_id=row.outbound_id)
        return message is not None and message.state in ("held", "channel_rejected", "unknown", "failed_later")
    return True


def account_of(tx: Tx, row: Row[Any]) -> str | None:
    """Give the account that an alert is about."""
    if row.account_id:
        return str(row.account_id)
    if not row.conversation_id:
        return None
    talk = tx.one(ConversationRow, id=row.conversation_id)
    return str(talk.account_id) if talk is not None else None


def _title(tx: Tx, row: Row[Any]) -> str:
    account = tx.one(Account, id=row.account_id) if row.account_id else None
    parts = [_both(row.kind), _because(tx, row), account.name if account is not None else ""]
    return " · ".join(part for part in parts if part)


def _because(tx: Tx, row: Row[Any]) -> str:
    words = language("zh")
    if row.kind == "held":
        draft = tx.one(DraftRow, id=row.draft_id)
        return _reasons(words, draft) if draft is not None else ""
    if row.kind == "failed" and row.outbound_id:
        message = tx.one(OutboundRow, outbound_id=row.outbound_id)
        return words.name("state", message.state) if message is not None else ""
    return " ".join(row.why[:DETAIL].split())


def _reasons(words: Language, draft: Row[Any]) -> str:
    codes = [draft.fallback_reason or "", *draft.hold_reasons]
    named = [words.first(f"hold.{c}", f"fallback.{c}") for c in codes if c and words.knows(f"hold.{c}")]
    return "、".join(dict.fromkeys(named))


def _quote(tx: Tx, conversation_id: str) -> str:
    table = table_of(MessageRow)
    query = select(table.c.text).where(table.c.conversation_id == conversation_id, table.c.role == "customer")
    query = query.where(table.c.recalled_at.is_(None))
    text = tx.conn.execute(query.order_by(table.c.seq.desc()).limit(1)).scalar()
    # Masked before it is cut: half a phone number is still one.
    return mask_numbers(str(text or "")[: QUOTE_CHARACTERS * 10])


def _both(kind: str, **values: object) -> str:
    return f"{language('zh').say(f'alert.{kind}', **values)} {language('en').say(f'alert.{kind}', **values)}"


def _at(tx: Tx, path: str) -> str:
    base = tx.settings.public_url.rstrip("/")
    return base + path if base else ""
