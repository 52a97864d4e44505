"""Whether, and how, a stored turn is judged a second time where no call may be made: inside a transaction."""

from collections.abc import Mapping
from typing import Any

from gateway.conversations import Talk
from gateway.judge_record import kept_in
from gateway.tx import Tx
from planner.turn import ChatType
from verifier.counsel import Counsel, Kept


def counsel_of(tx: Tx, talk: Talk, kept: Kept | None) -> Counsel | None:
    """Give what the judge said earlier its say; None where there is no judge.

    Without a configured judge nothing kept counts, and groups are not answered anyway.
    """
    if not tx.settings.judge_url or talk.row.chat_type != ChatType.PRIVATE:
        return None
    return Counsel(kept=kept, may_confirm=talk.account.may_confirm, from_clauses=tx.settings.judge_from_clauses)


def counsel_again(tx: Tx, talk: Talk, evaluation: Mapping[str, Any] | None) -> Counsel | None:
    """Give what stands in a stored evaluation its say once more."""
    return counsel_of(tx, talk, kept_in(evaluation))
