"""What a conversation's playbook tells the agent before it drafts."""

from typing import Any

from sqlalchemy import Row

from gateway.tx import Tx
from planner.playbook import stage_of


def playbook_record(tx: Tx, talk: Row[Any], account_pack: str) -> dict[str, Any]:
    """Write what an agent should know before it drafts: the shop's goal, the stage, its goal, what may be asked for.

    `slots` is null where anything may be asked.
    """
    pack = tx.shelf.get(talk.pack or account_pack)
    stage = stage_of(pack, talk.stage)
    return {
        "businessGoal": pack.sections.get("businessGoal"),
        "stage": stage.id if stage is not None else None,
        "goal": stage.goal if stage is not None else None,
        "slots": list(stage.slots) if stage is not None and stage.slots is not None else None,
    }
