"""Stored replies out of the gateway's own database: each judged text with the turn it was judged in, as it was then.

A text's messages are those that were there before it. One that was judged with words which were taken back since is left
out: they are not shown again, and without them it would be another turn. What the gate said about a text stands beside
it, so that `draftgate replay` can tell what other rules say.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import Row, exists, select

from gateway.contract import slot_record
from gateway.conversations import Talk, messages
from gateway.tables import Account, ConversationRow, DraftRow, DraftText, MessageRow
from gateway.turns import HANDOFF, SPOKEN, Context, message_record, stored_draft, stored_turn
from gateway.tx import Tx, table_of
from planner.turn import Turn

BATCH = 200
SEEN = 400  # messages that a turn shows, as when a draft is judged
ALL = 1_000_000
JUDGED = ("first", "rewrite")


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which stored replies: of one account, written since a moment; None is all."""

    account: str | None = None
    since: datetime | None = None


def export(look: Callable[[Callable[[Tx], Any]], Any], wanted: Wanted, file: Path) -> int:
    """Write stored replies as JSON lines, a few hundred at a time, and give their number.

    The file appears whole or not at all.
    """
    half, count, after = file.with_name(file.name + ".half"), 0, 0
    with half.open("w", encoding="utf-8") as out:
        half.chmod(0o600)  # customers' words
        while True:
            rows, last = look(partial(batch, wanted=wanted, after=after))
            if last == after:
                break
            out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            count, after = count + len(rows), last
    half.replace(file)
    return count


def batch(tx: Tx, wanted: Wanted, after: int) -> tuple[list[dict[str, Any]], int]:
    """Give the rows behind a text's number, and the number of the last text that was looked at."""
    texts, drafts, talks = table_of(DraftText), table_of(DraftRow), table_of(ConversationRow)
    query = (
        select(texts, drafts.c.conversation_id, drafts.c.hold_reasons)
        .join(drafts, drafts.c.id == texts.c.draft_id)
        .join(talks, talks.c.id == drafts.c.conversation_id)
        .where(texts.c.seq > after, texts.c.kind.in_(JUDGED), ~_taken_back())
        .order_by(texts.c.seq)
        .limit(BATCH)
    )
    if wanted.account is not None:
        query = query.where(talks.c.account_id == wanted.account)
    if wanted.since is not None:
        query = query.where(texts.c.created_at >= wanted.since)
    found = tx.conn.execute(query).all()
    rows = [_row(tx, text) for text in found if text.draft is not None and text.context is not None]
    return rows, found[-1].seq if found else after


def _taken_back() -> Any:
    """Whether a message that a text was judged with was taken back later."""
    texts, drafts, said = table_of(DraftText), table_of(DraftRow), table_of(MessageRow)
    return exists().where(
        said.c.conversation_id == drafts.c.conversation_id,
        said.c.at <= texts.c.created_at,
        said.c.recalled_at > texts.c.created_at,
    )


def _row(tx: Tx, text: Row[Any]) -> dict[str, Any]:
    now = text.created_at.astimezone(tx.settings.zone)
    turn = stored_turn(_talk(tx, text), Context.read(text.context), stored_draft(text.draft), now)
    judged = text.evaluation or {}
    row: dict[str, Any] = {"turn": _turn_record(turn, _real(text.draft, text.hold_reasons))}
    if isinstance(judged.get("qualityPassed"), bool):
        row |= {"passed": judged["qualityPassed"], "failedCheckIds": list(judged.get("failedCheckIds") or [])}
        row |= {"rulesVersion": judged.get("rulesVersion") or ""}
    return row


def _talk(tx: Tx, text: Row[Any]) -> Talk:
    """Load the talk with what had been said when the text came."""
    row = tx.one(ConversationRow, id=text.conversation_id)
    account = tx.one(Account, id=row.account_id) if row is not None else None
    if row is None or account is None:
        raise LookupError(f"text {text.seq} belongs to no conversation, which the foreign keys forbid")
    # Our own words of the same moment are what became of the text.
    said = [m for m in messages(tx, row.id, ALL) if (m.at, m.role in SPOKEN) <= (text.created_at, False)]
    return Talk(row, account, tuple(said[-SEEN:]))


def _real(draft: Mapping[str, Any], holds: list[str]) -> dict[str, Any]:
    """Put what the gateway knew in the place of the agent's word, as `turns.real_actions` did then."""
    done = [{"type": HANDOFF, "status": "done"}] if "human_owns" in holds else []
    actions = [action for action in draft.get("actions") or [] if action.get("type") != HANDOFF] + done
    return dict(draft) | ({"actions": actions} if actions or "actions" in draft else {})


def _turn_record(turn: Turn, draft: Mapping[str, Any]) -> dict[str, Any]:
    talk = turn.conversation
    conversation: dict[str, Any] = {
        "id": talk.id,
        "chatType": str(talk.chat_type),
        "messages": [message_record(message) for message in talk.messages],
        "slots": {name: slot_record(slot) for name, slot in talk.slots.items()},
    }
    conversation |= {name: value for name in ("subject", "stage") if (value := getattr(talk, name)) is not None}
    record = {"id": turn.id, "now": turn.now.isoformat(), "conversation": conversation, "draft": dict(draft)}
    return record | ({"pack": turn.pack} if turn.pack else {})
