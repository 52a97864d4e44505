"""Drafts in the store: their rows, their texts, and each change of state with its audit row."""

import functools
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Row, Select, bindparam, select

from gateway.errors import NotFound
from gateway.tables import DraftRow, DraftText, OutboundRow
from gateway.tx import Tx, table_of
from outbound.message import text_sha256
from planner.text import normalize

Values = Mapping[str, Any]
_NEVER_IN_NUMBERS = frozenset("。！!；;…~～")  # such a mark beside a number changes nothing in it
_WIDE = {"，": ",", "：": ":", "％": "%"}


def load(tx: Tx, draft_id: str) -> Row[Any]:
    """Load and lock a draft, its conversation before it. Raises NotFound `unknown_draft`."""
    row = tx.held(DraftRow, id=draft_id)
    if row is None:
        raise NotFound("unknown_draft", f"no draft is called {draft_id!r}")
    return row


def text_of(tx: Tx, draft: Row[Any]) -> Row[Any]:
    """Load the draft's current text."""
    row = tx.one(DraftText, seq=draft.text_seq)
    if row is None:
        raise NotFound("no_text", "this draft was imported without a text")
    return row


def with_text(tx: Tx, draft_id: str) -> Row[Any] | None:
    """Load a draft beside its current text, what was posted, its context and evaluation; None if either is missing."""
    return tx.conn.execute(_with_text(), {"id": draft_id}).first()


@functools.cache
def _with_text() -> Select[Any]:
    draft, text = table_of(DraftRow), table_of(DraftText)
    return (
        select(draft, text.c.text, text.c.draft, text.c.context, text.c.evaluation)
        .join(text, text.c.seq == draft.c.text_seq)
        .where(draft.c.id == bindparam("id"))
    )


def add_text(  # one row, by name
    tx: Tx,
    draft_id: str,
    *,
    version: int,
    kind: str,
    text: str,
    author: str,
    draft: Values | None = None,
    context: Values | None = None,
    evaluation: Values | None = None,
) -> int:
    """Keep a text for good and give its number."""
    return int(
        tx.add(
            DraftText,
            draft_id=draft_id,
            version=version,
            kind=kind,
            text=text,
            sha256=text_sha256(text),
            author=author,
            draft=draft,
            context=context,
            evaluation=evaluation,
            created_at=tx.now,
        )
    )


def agent_texts(tx: Tx, conversation_id: str) -> list[Row[Any]]:
    """List the agent's texts of a conversation since its last sent message, newest first."""
    texts, drafts, out = table_of(DraftText), table_of(DraftRow), table_of(OutboundRow)
    last_sent = (
        select(out.c.updated_at)
        .where(out.c.conversation_id == conversation_id, out.c.state == "accepted")
        .order_by(out.c.updated_at.desc())
        .limit(1)
    )
    since = tx.conn.execute(last_sent).scalar()
    query = (
        select(texts)
        .join(drafts, drafts.c.id == texts.c.draft_id)
        .where(drafts.c.conversation_id == conversation_id, texts.c.kind.in_(("first", "rewrite", "late")))
        .order_by(texts.c.seq.desc())
        .limit(50)
    )
    if since is not None:
        query = query.where(texts.c.created_at >= since)
    return list(tx.conn.execute(query).all())


def change_state(tx: Tx, draft: Row[Any], to: str, *, actor: str, why: str, bump: bool = False, **values: Any) -> None:
    """Move a draft to a state; `bump` makes it a new version, so that nothing decided before still fits."""
    version = draft.version + 1 if bump else draft.version
    tx.change(DraftRow, {"id": draft.id}, state=to, version=version, updated_at=tx.now, **values)
    tx.audit(
        actor,
        "state",
        draft_id=draft.id,
        conversation_id=draft.conversation_id,
        from_state=draft.state,
        to_state=to,
        why=why,
    )


def same_words(text: str) -> str:
    """Reduce a text to what makes it the same words for a person.

    Case, width, script, white space, invisible characters and punctuation do not count; punctuation in or next to a
    number does, and so does a question mark.
    """
    norm = normalize(text).norm
    kept = []
    for index, char in enumerate(norm):
        if char.isalnum():
            kept.append(char)
        elif char in "?？":
            kept.append("?")
        elif (
            not char.isspace()
            and char not in _NEVER_IN_NUMBERS
            and (_digit(norm, index - 1) or _digit(norm, index + 1))
        ):
            kept.append(_WIDE.get(char, char))
    return "".join(kept)


def _digit(text: str, index: int) -> bool:
    return 0 <= index < len(text) and text[index].isnumeric()
