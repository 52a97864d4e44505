"""Group turns: several agents answer one moment, then at most two of them answer each other. All of it is advice.

Every reply is a draft of its own under its `replyId`: judged, rewritten and held apart from the others.
"""

from typing import Any

from sqlalchemy import Row

from gateway import conversations, flow, group_replies
from gateway.crossreply import MOST_CHARACTERS, MOST_SENTENCES, normalise
from gateway.drafts import same_words
from gateway.errors import NotFound, Refused
from gateway.jsonio import InputError
from gateway.people import Caller
from gateway.tables_groups import GroupTurn
from gateway.tx import Tx, new_id
from gateway.wire import ConversationIn, CrossRepliesIn, CrossReplyIn, DraftIn, GroupReplyIn, GroupTurnIn, TurnIn
from planner.reading import read_text


def post_turn(tx: Tx, wire: GroupTurnIn, caller: Caller) -> dict[str, Any]:
    """Judge the primary replies and bring the proposed cross replies within the limits.

    Raises Forbidden `unknown_group` (nothing is stored), Refused `not_a_group`, InputError for a reply by a stranger.
    """
    talk = conversations.load(tx, wire.conversation.id, chat_type=wire.conversation.chat_type)
    caller.must_reach(talk.account.id)
    if talk.row.chat_type != "group":
        raise Refused("not_a_group", "group turns belong to groups; post one draft to /v1/drafts")
    _must_be_members(wire)
    turn_id = new_id("g")
    primaries = list(dict.fromkeys(reply.agent_id for reply in wire.replies))
    planned = normalise(wire.members, primaries, wire.cross_reply_plan)
    answers = [_post_reply(tx, turn_id, wire.conversation, reply, _primary(reply)) for reply in wire.replies]
    record = planned.record()
    tx.add(
        GroupTurn,
        id=turn_id,
        conversation_id=talk.row.id,
        members=list(wire.members),
        primaries={reply.reply_id: reply.draft.text for reply in wire.replies},
        plans=record["plans"],
        dropped=record["dropped"],
        reason=planned.reason,
        context=wire.conversation.model_dump(mode="json", by_alias=True, exclude_unset=True),
        created_at=tx.now,
    )
    group_replies.keep(tx, turn_id, answers, record["dropped"])
    tx.audit(caller.id, "group_turn", conversation_id=talk.row.id, why=f"{len(answers)} primary replies")
    return {"id": turn_id, "conversationId": talk.row.id, "replies": answers, "crossReplyPlan": record}


def post_cross_replies(tx: Tx, turn_id: str, wire: CrossRepliesIn, caller: Caller) -> dict[str, Any]:
    """Judge the cross replies that the plan foresees; the others are dropped, each with its reason.

    Raises NotFound `unknown_group_turn`.
    """
    turn = _load(tx, turn_id, caller)
    plans, answers, dropped = list(turn.plans), [], []
    spoken = ConversationIn.model_validate(turn.context, strict=False)
    for reply in wire.replies:
        why = _against(tx, turn, plans, reply)
        if why:
            dropped.append({"plan": reply.proposal, "why": why})
            continue
        place = next(i for i, plan in enumerate(plans) if _fits(plan, reply))
        plans[place] = plans[place] | {"replyId": reply.reply_id}
        what = plans[place]["angle"] or turn.reason
        answers.append(_post_reply(tx, turn_id, spoken, reply, _cross(reply, what)))
    tx.change(GroupTurn, {"id": turn_id}, plans=plans, dropped=[*turn.dropped, *dropped])
    group_replies.keep(tx, turn_id, answers, dropped)
    return {"id": turn_id, "conversationId": turn.conversation_id, "replies": answers, "dropped": dropped}


def turn_record(tx: Tx, turn_id: str, caller: Caller) -> dict[str, Any]:
    """Write a group turn with what each reply is and where its draft stands. Raises NotFound `unknown_group_turn`."""
    turn = _load(tx, turn_id, caller)
    return {
        "id": turn.id,
        "conversationId": turn.conversation_id,
        "createdAt": turn.created_at.isoformat(),
        "members": list(turn.members),
        "replies": group_replies.records(tx, turn_id),
        "crossReplyPlan": {"enabled": bool(turn.plans), "plans": list(turn.plans), "reason": turn.reason},
        "dropped": list(turn.dropped),
    }


def _load(tx: Tx, turn_id: str, caller: Caller) -> Row[Any]:
    turn = tx.one(GroupTurn, lock=True, id=turn_id)
    if turn is None:
        raise NotFound("unknown_group_turn", f"no group turn is called {turn_id[:60]!r}")
    caller.must_reach(conversations.load(tx, turn.conversation_id).account.id)
    return turn


def _must_be_members(wire: GroupTurnIn) -> None:
    for number, reply in enumerate(wire.replies):
        if reply.agent_id not in wire.members:
            raise InputError(f"replies[{number}].agentId", "is not among the members")


def _post_reply(
    tx: Tx, turn_id: str, conversation: ConversationIn, reply: GroupReplyIn, draft: DraftIn
) -> dict[str, Any]:
    answer = flow.post_draft(tx, TurnIn(id=turn_id, conversation=conversation, draft=draft), draft)
    told: dict[str, Any] = {"replyId": reply.reply_id, "agentId": reply.agent_id, "replyKind": draft.reply_kind}
    if draft.respond_to_agent_id is not None:
        told |= {
            "respondToAgentId": draft.respond_to_agent_id,
            "crossReplyReason": draft.cross_reply_reason,
            "crossReplyRound": draft.cross_reply_round,
        }
    return answer | told


def _primary(reply: GroupReplyIn) -> DraftIn:
    nobody: dict[str, Any] = {"respond_to_agent_id": None, "cross_reply_reason": None, "cross_reply_round": 0}
    return reply.draft.model_copy(update=nobody | _named(reply) | {"reply_kind": "primary"})


def _cross(reply: CrossReplyIn, angle: str) -> DraftIn:
    whom: dict[str, Any] = {
        "respond_to_agent_id": reply.respond_to_agent_id,
        "cross_reply_reason": angle,
        "cross_reply_round": 1,
    }
    return reply.draft.model_copy(update=whom | _named(reply) | {"reply_kind": "cross_agent"})


def _named(reply: GroupReplyIn) -> dict[str, Any]:
    return {"agent_id": reply.agent_id, "reply_id": reply.reply_id}


def _fits(plan: dict[str, Any], reply: CrossReplyIn) -> bool:
    whom = (plan["agentId"], plan["respondToAgentId"])
    return whom == (reply.agent_id, reply.respond_to_agent_id) and "replyId" not in plan


def _against(tx: Tx, turn: Row[Any], plans: list[dict[str, Any]], reply: CrossReplyIn) -> str:
    """Say why a cross reply may not stand, empty if it may."""
    if not any(_fits(plan, reply) for plan in plans):
        spent = any((p["agentId"], p["respondToAgentId"]) == (reply.agent_id, reply.respond_to_agent_id) for p in plans)
        return "already_given" if spent else "not_planned"
    text = reply.draft.text
    if len(text) > MOST_CHARACTERS:
        return "too_long"
    if not 1 <= len({clause.sentence for clause in read_text(text, tx.local_now).clauses}) <= MOST_SENTENCES:
        return "too_many_sentences"
    taken = {*turn.primaries, *(plan.get("replyId") for plan in plans)}
    if reply.reply_id in taken:
        return "reply_id_used"
    return "repeats" if same_words(text) in map(same_words, turn.primaries.values()) else ""
