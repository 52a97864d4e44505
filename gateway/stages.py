"""Which stage of its playbook a conversation is at. Whoever spoke last is right: the agent in a turn, or an operator."""

from gateway.conversations import Talk
from gateway.tables import ConversationRow
from gateway.tx import Tx
from planner.playbook import Stage, named_stage, stage_of, stages


def stages_of(tx: Tx, talk: Talk) -> tuple[Stage, ...]:
    """Give the stages of a conversation's playbook in order."""
    return stages(tx.shelf.get(talk.row.pack or talk.account.pack))


def current(tx: Tx, talk: Talk) -> Stage | None:
    """Give the stage that a conversation is at, the playbook's first until somebody has said; None without a playbook."""
    return stage_of(tx.shelf.get(talk.row.pack or talk.account.pack), talk.row.stage)


def move(tx: Tx, talk: Talk, to: str | None, actor: str) -> bool:
    """Keep the stage that somebody names, with an audit row if it is another than before.

    None says nothing. False for a name that the pack does not have: nothing is kept.
    """
    if to is None or to == talk.row.stage:
        return True
    if named_stage(tx.shelf.get(talk.row.pack or talk.account.pack), to) is None:
        return False
    tx.change(ConversationRow, {"id": talk.row.id}, stage=to)
    detail = {"before": {"stage": talk.row.stage}, "after": {"stage": to}}
    tx.audit(
        actor, "stage_changed", conversation_id=talk.row.id, why=f"{talk.row.stage or 'none'} → {to}", detail=detail
    )
    return True
