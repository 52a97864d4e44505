"""Whose words a text is, the agent's or a person's, and what holds for each before it may be queued."""

from typing import Any

from sqlalchemy import Row

from gateway import drafts, outbox, send_entry
from gateway.conversations import Talk
from gateway.counsels import counsel_again
from gateway.errors import Refused
from gateway.evaluate import Evaluated, evaluate_turn
from gateway.turns import Context, stored_draft, stored_turn
from gateway.tx import Tx
from verifier.claims import Status

REASONS = {
    "not_allowed": "the recipient is not on the account's allowlist",
    "group_chat": "groups are not answered; copy the text or reject the draft",
    "window_closed": "the 48-hour window is closed: wait for the customer's next message",
    "quota_used": "the messages that one customer message allows are used up",
    "human_owns": "people hold this session: answer in the WeCom client",
    "channel_stopped": "the channel is stopped until its configuration is mended",
}


def agents_text(tx: Tx, talk: Talk, wanted: str, shown: Row[Any]) -> Row[Any] | None:
    """Give the agent's text that a person's wanted text is, the shown one or an earlier one; None: it is their own."""
    if shown.kind != "edited" and wanted == shown.text:
        return shown
    return equal_agent_text(tx, talk, wanted)


def equal_agent_text(tx: Tx, talk: Talk, wanted: str) -> Row[Any] | None:
    """Find an agent's text of this talk with the same words (contract section 4, People), or None."""
    key = drafts.same_words(wanted)
    return next((row for row in drafts.agent_texts(tx, talk.row.id) if drafts.same_words(row.text) == key), None)


def evaluated(tx: Tx, talk: Talk, source: Row[Any]) -> Evaluated:
    """Judge an agent's stored text now, with the passages it was written on."""
    context = Context.read(source.context) if source.context else Context("-", talk.row.pack, None, None, {}, ())
    body = source.draft or {"text": source.text}
    return evaluate_turn(
        stored_turn(talk, context, stored_draft(body), tx.local_now),
        tx.shelf,
        tx.settings.pass_score,
        counsel=counsel_again(tx, talk, source.evaluation),
    )


def must_be_within_limits(tx: Tx, talk: Talk, text: str, most: int, *, move: bool) -> None:
    """Raise Refused with the channel's reason against sending this text now."""
    parts = outbox.cut(text, 1 if move else most)
    reasons = send_entry.limits(tx, talk, segments=len(parts), person=True)
    if reasons:
        raise Refused(reasons[0], REASONS.get(reasons[0], reasons[0]), holdReasons=list(reasons))


def kept_failures(tx: Tx, draft: Row[Any], text: str) -> list[str]:
    """List the failing clauses of the agent's text that an edit leaves unchanged."""
    evaluation = drafts.text_of(tx, draft).evaluation or {}
    bad = (Status.CONTRADICTED, Status.UNSUPPORTED, Status.STALE)
    return [c["quote"] for c in evaluation.get("claims", []) if c["status"] in bad and c["quote"] in text]


def most_segments(tx: Tx, talk: Talk) -> int:
    """Say in how many messages a text of this talk may leave."""
    return int(tx.shelf.get(talk.row.pack or talk.account.pack).sections.get("maxSegments", 1))
