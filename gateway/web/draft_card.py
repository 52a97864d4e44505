"""One draft as its page shows it: everything a person needs in order to decide, loaded in one look."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row, select

from gateway import conversations, outbox, send_entry
from gateway.conversations import Talk
from gateway.counsels import counsel_again
from gateway.errors import NotFound, Refused
from gateway.evaluate import Evaluated, evaluate_turn
from gateway.jsonio import InputError
from gateway.tables import AuditRow, DraftRow, DraftText, OutboundRow
from gateway.turns import Context, message_record, stored_draft, stored_turn
from gateway.tx import Tx, table_of
from gateway.web.clauses import ClaimView, Fix, Stretch, claims_of, fixes_of, stretches
from gateway.web.diff import Change, changes
from gateway.web.evidence import Source, sources_of
from gateway.web.visible import hidden
from outbound.limits import quota_left, window_closes, window_open

APPROVABLE = ("held", "no_reply")
EDITABLE = ("held", "no_reply", "awaiting_rewrite")
REJECTABLE = (*EDITABLE, "send_failed", "sent_partial")
UNDOABLE = ("approved", "queued")
REOPENABLE = ("send_failed", "sent_partial")
AGENT_KINDS = ("first", "rewrite")
SOON = timedelta(hours=4)
SHOWN_HISTORY = 200


@dataclass(frozen=True, slots=True)
class Part:
    """One message that the customer would get."""

    text: str
    bytes: int
    hidden: int


@dataclass(frozen=True, slots=True)
class Preview:
    """What exactly would leave; `refused` is the channel's reason when nothing can."""

    parts: tuple[Part, ...]
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Allowance:
    """What the channel still allows: until when, and how many messages."""

    closes: datetime | None
    open: bool
    soon: bool
    left: int

    @classmethod
    def of(cls, last_customer_at: datetime | None, quota_used: int, now: datetime) -> "Allowance":
        """Read it from what is stored; a person may use the reserve of the quota."""
        closes = window_closes(last_customer_at) if last_customer_at is not None else None
        soon = closes is not None and closes - now < SOON
        return cls(closes, window_open(last_customer_at, now), soon, quota_left(quota_used, reserve=0))


@dataclass(frozen=True, slots=True)
class Card:
    """One draft with its conversation, judgement, texts, messages and history."""

    draft: Row[Any]
    talk: Talk
    text: Row[Any] | None
    texts: tuple[Row[Any], ...]
    evaluation: Mapping[str, Any]
    sources: Mapping[str, Source]
    claims: tuple[ClaimView, ...]
    stretches: tuple[Stretch, ...]
    fixes: tuple[Fix, ...]
    diff: tuple[Change, ...]
    preview: Preview
    claims_handoff: bool
    limits: tuple[str, ...]
    messages: tuple[Row[Any], ...]
    history: tuple[Row[Any], ...]
    writer: str

    @property
    def subject(self) -> str:
        """What the turn is about."""
        context = (self.text.context if self.text is not None else None) or {}
        return str(context.get("subject") or self.talk.row.subject or "")

    @property
    def newest_heard(self) -> str:
        """The message that a decision must have seen, empty for none."""
        return self.talk.newest_heard.id if self.talk.newest_heard else ""

    @property
    def since(self) -> frozenset[str]:
        """The customer's messages that came after this draft."""
        ids = [m.id for m in self.talk.messages]
        moment = self.draft.moment_id
        if not self.draft.stale or moment not in ids:
            return frozenset()
        return frozenset(m.id for m in self.talk.messages[ids.index(moment) + 1 :] if m.role == "customer")

    @property
    def may(self) -> frozenset[str]:
        """What the draft's state allows a person to do."""
        state, group = self.draft.state, self.talk.row.chat_type != "private"
        allowed = {
            "approve": state in APPROVABLE and self.draft.quality_passed is True and not group,
            "edit": state in EDITABLE and not group and self.text is not None,
            "reject": state in REJECTABLE,
            "undo": state in UNDOABLE,
            "reopen": state in REOPENABLE,
            "write": not group,
        }
        return frozenset(name for name, yes in allowed.items() if yes)


def load_card(tx: Tx, draft_id: str) -> Card:
    """Load a draft's card. Raises NotFound."""
    draft = tx.one(DraftRow, id=draft_id)
    if draft is None:
        raise NotFound("unknown_draft", f"no draft is called {draft_id[:60]!r}")
    talk = load_talk(tx, draft.conversation_id)
    texts = _listed(tx, DraftText, "draft_id", draft_id, "seq")
    text = next((t for t in texts if t.seq == draft.text_seq), None)
    judged = _judged_text(texts, text)
    evaluation = dict((judged.evaluation if judged is not None else None) or {})
    evaluated = evaluate_now(tx, talk, judged, judged.text) if judged is not None and text is judged else None
    handoff = evaluated.claims_handoff if evaluated else False
    sources = sources_of(judged.draft or {} if judged is not None else {}, [message_record(m) for m in talk.messages])
    claims = claims_of(evaluation, sources)
    shown = text.text if text is not None else ""
    parts = preview(tx, talk, shown, handoff=handoff)
    return Card(
        draft=draft,
        talk=talk,
        text=text,
        texts=tuple(texts),
        evaluation=evaluation,
        sources=sources,
        claims=claims,
        stretches=tuple(stretches(shown, evaluation, claims) if text is judged else [Stretch(shown)]),
        fixes=fixes_of(evaluation),
        diff=tuple(_difference(texts)),
        preview=parts,
        claims_handoff=handoff,
        limits=send_entry.limits(tx, talk, segments=max(1, len(parts.parts)), person=True),
        messages=tuple(_listed(tx, OutboundRow, "draft_id", draft_id, "created_at")),
        history=tuple(_listed(tx, AuditRow, "draft_id", draft_id, "seq")),
        writer=talk.writer or "",
    )


def load_talk(tx: Tx, conversation_id: str) -> Talk:
    """Load a conversation for looking at it, without a lock. Raises NotFound."""
    return conversations.load(tx, conversation_id, lock=False)


def allowance(tx: Tx, talk: Talk) -> Allowance:
    """Say what the channel still allows in a conversation."""
    return Allowance.of(talk.row.last_customer_at, talk.row.quota_used, tx.now)


def preview(tx: Tx, talk: Talk, text: str, *, handoff: bool) -> Preview:
    """Say what exactly would be sent for a text."""
    pack = tx.shelf.get(talk.row.pack or talk.account.pack)
    most = 1 if handoff else int(pack.sections.get("maxSegments", 1))
    try:
        parts = outbox.cut(text, most)
    except Refused as refused:
        return Preview((), refused.code)
    return Preview(tuple(Part(part, len(part.encode()), hidden(part)) for part in parts))


def evaluate_now(tx: Tx, talk: Talk, source: Row[Any], text: str) -> Evaluated | None:
    """Judge a text in the place of a stored one, by the running rules and the clock; None where that cannot be done."""
    context = Context.read(source.context) if source.context else Context("-", talk.row.pack, None, None, {}, ())
    body = dict(source.draft or {}) | {"text": text}
    try:
        return evaluate_turn(
            stored_turn(talk, context, stored_draft(body), tx.local_now),
            tx.shelf,
            tx.settings.pass_score,
            counsel=counsel_again(tx, talk, source.evaluation) if text == source.text else None,
        )
    except InputError:
        return None


def _judged_text(texts: list[Row[Any]], current: Row[Any] | None) -> Row[Any] | None:
    """The text that the shown judgement belongs to: the current one, or the agent's last when a person edited."""
    if current is not None and current.kind != "edited":
        return current
    return next((t for t in reversed(texts) if t.kind in AGENT_KINDS), None)


def _difference(texts: list[Row[Any]]) -> list[Change]:
    """Compare the first text with the one that stands last among rewrites and edits."""
    compared = [t for t in texts if t.kind in (*AGENT_KINDS, "edited")]
    if len(compared) < 2 or compared[0].text == compared[-1].text:
        return []
    return changes(compared[0].text, compared[-1].text)


def _listed(tx: Tx, model: Any, column: str, value: str, order: str) -> list[Row[Any]]:
    table = table_of(model)
    query = select(table).where(table.c[column] == value).order_by(table.c[order]).limit(SHOWN_HISTORY)
    return list(tx.conn.execute(query).all())
