"""The judge's opinion on a draft: asked before the transaction that decides, kept with the text, read back afterwards.

No call leaves from inside a transaction. The opinion is given first, on the turn as the store then knows it; the deciding
transaction, an approval and the send entry get it as a kept value that holds for exactly this text and evidence, and
code looks again whether each quote is there.
"""

from collections.abc import Callable

from gateway import conversations, drafts
from gateway.contract import to_draft
from gateway.conversations import Talk
from gateway.errors import GatewayError
from gateway.evaluate import Evaluated, evaluate_turn
from gateway.jsonio import InputError
from gateway.service import Service
from gateway.turns import Context, context_of, stored_turn
from gateway.tx import Tx
from gateway.wire import DraftIn, TurnIn
from planner.turn import ChatType, Turn
from verifier.counsel import Counsel, Kept
from verifier.second_opinion import fingerprint

Found = tuple[Turn, bool, tuple[str, ...]]  # the turn, whether its account opted in, what an earlier text failed


def ask_about_draft(service: Service, wire: TurnIn, draft: DraftIn, is_known: Callable[[Tx], bool]) -> Kept | None:
    """Ask the judge about a draft that is about to be posted; None where it is not wanted, or nothing is posted."""

    def find(tx: Tx) -> Found | None:
        if is_known(tx):
            return None
        talk = conversations.load(tx, wire.conversation.id, chat_type=wire.conversation.chat_type)
        return _found(tx, talk, context_of(wire, talk), draft, ())

    return _ask(service, find)


def ask_about_rewrite(service: Service, draft_id: str, draft: DraftIn) -> Kept | None:
    """Ask the judge about a rewrite that is about to be posted, telling it which checks the first text failed."""

    def find(tx: Tx) -> Found | None:
        row = drafts.load(tx, draft_id)
        if row.state != "awaiting_rewrite":
            return None
        text = drafts.text_of(tx, row)
        failed = tuple((text.evaluation or {}).get("failedCheckIds") or ())
        talk = conversations.load(tx, row.conversation_id)
        return _found(tx, talk, Context.read(text.context or {}), draft, failed)

    return _ask(service, find)


def _found(tx: Tx, talk: Talk, context: Context, draft: DraftIn, failed: tuple[str, ...]) -> Found | None:
    if talk.row.chat_type != ChatType.PRIVATE:
        return None
    return stored_turn(talk, context, to_draft(draft), tx.local_now), bool(talk.account.may_confirm), failed


def _ask(service: Service, find: Callable[[Tx], Found | None]) -> Kept | None:
    if service.judge is None:
        return None
    try:
        found = service.look(find)
        if found is None:
            return None
        turn, may_confirm, failed = found
        counsel = Counsel(service.judge, None, may_confirm, service.settings.judge_from_clauses, failed)
        return kept_of(evaluate_turn(turn, service.shelf, service.settings.pass_score, counsel=counsel))
    except (GatewayError, InputError):  # whoever posts is told by the transaction that decides
        return None


def kept_of(evaluated: Evaluated) -> Kept | None:
    """Take what the judge said out of an evaluation."""
    second = getattr(evaluated.verdict, "second", None)
    return Kept(fingerprint(evaluated.reading), second) if second is not None else None
