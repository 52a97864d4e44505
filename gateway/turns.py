"""The turn as the gateway knows it: stored messages are the truth, what the caller adds is read beside them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from gateway.contract import to_draft
from gateway.conversations import Talk
from gateway.errors import Conflict
from gateway.wire import DraftIn, MessageIn, SlotIn, TurnIn
from planner.turn import Action, ChatType, Conversation, Draft, Message, Role, Slot, Turn

HANDOFF = "handoff"
SPOKEN = (Role.AGENT, Role.HUMAN)


@dataclass(frozen=True, slots=True)
class Context:
    """What a caller's turn holds beside draft and stored messages; kept with each text so that it can be judged again."""

    turn_id: str
    pack: str | None
    subject: str | None
    stage: str | None
    slots: Mapping[str, Any]
    messages: tuple[dict[str, Any], ...]

    def record(self) -> dict[str, Any]:
        """Write it for the store."""
        return {
            "turnId": self.turn_id,
            "pack": self.pack,
            "subject": self.subject,
            "stage": self.stage,
            "slots": dict(self.slots),
            "messages": list(self.messages),
        }

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> "Context":
        """Read it back from the store."""
        return cls(
            record["turnId"],
            record["pack"],
            record["subject"],
            record["stage"],
            record["slots"],
            tuple(record["messages"]),
        )


def context_of(wire: TurnIn, talk: Talk) -> Context:
    """Take from a caller's turn what the store lacks.

    Raises Conflict when a message differs from the one stored under its id.
    """
    stored = {m.id: m for m in talk.messages}
    lacking = []
    for number, message in enumerate(wire.conversation.messages):
        known = stored.get(message.id)
        if message.id in talk.recalled:
            continue
        if known is None:
            lacking.append(message.model_dump(mode="json", by_alias=True))
        elif known.text != message.text or known.role != message.role:
            raise Conflict(
                "message_differs",
                "another text is stored under this message id",
                field=f"conversation.messages[{number}].id",
            )
    return Context(
        wire.id,
        talk.row.pack or wire.pack or talk.account.pack,
        wire.conversation.subject or talk.row.subject,
        wire.conversation.stage or talk.row.stage,
        {name: slot.model_dump(mode="json", by_alias=True) for name, slot in wire.conversation.slots.items()},
        tuple(lacking),
    )


def stored_draft(record: Mapping[str, Any]) -> Draft:
    """Read a draft back from the store."""
    return to_draft(DraftIn.model_validate_json(_dumps(record)))


def stored_turn(talk: Talk, context: Context, draft: Draft, now: datetime) -> Turn:
    """Build the turn that is judged: stored messages, the caller's context, the draft."""
    slots = {name: SlotIn.model_validate_json(_dumps(value)) for name, value in context.slots.items()}
    known = {name: Slot(s.value, s.source, s.at) for name, s in slots.items()}
    stored = {name: Slot(value, "profile") for name, value in (talk.row.slots or {}).items()}
    extra = tuple(MessageIn.model_validate_json(_dumps(m)) for m in context.messages)
    conversation = Conversation(
        talk.row.id,
        ChatType(talk.row.chat_type),
        _merge(talk.messages, tuple(Message(m.id, Role(m.role), m.text, m.at, m.agent_id) for m in extra)),
        context.subject,
        context.stage,
        stored | known,
    )
    return Turn(context.turn_id, now, conversation, real_actions(draft, talk), context.pack)


def real_actions(draft: Draft, talk: Talk) -> Draft:
    """Put what the gateway knows in the place of the agent's word: a handoff is done when people hold the session."""
    others = tuple(a for a in draft.actions if a.type != HANDOFF)
    done = (Action(HANDOFF, "done"),) if talk.with_people else ()
    return replace(draft, actions=(*others, *done))


def stale_on_arrival(wire: TurnIn, talk: Talk) -> bool:
    """Whether the customer wrote something that the agent's turn does not show, or took back something that it shows."""
    newest = talk.latest_customer
    shown = {m.id for m in wire.conversation.messages}
    if shown & talk.recalled:
        return True
    return bool(shown) and newest is not None and talk.unanswered and newest.id not in shown


def moment_of(wire: TurnIn, talk: Talk) -> str | None:
    """Give the id of the message that the draft answers: the newest customer message that the turn shows.

    A turn without messages answers the newest one stored; None when no customer has written.
    """
    shown = [m.id for m in wire.conversation.messages if m.role == "customer"]
    if shown:
        return shown[-1]
    return talk.latest_customer.id if talk.latest_customer else None


def _merge(stored: tuple[Message, ...], extra: tuple[Message, ...]) -> tuple[Message, ...]:
    """Set unknown messages among the stored ones by time; those of an agent or a person never answer anything."""
    if not extra:
        return stored
    merged = list(stored)
    for message in extra:
        at = len(merged)
        while at and merged[at - 1].at > message.at:
            at -= 1
        merged.insert(at, message)
    claimed = {m.id for m in extra if m.role in SPOKEN}
    first = _first_open(merged, claimed, {m.id for m in stored})
    late = [m for m in merged[first:] if m.id in claimed]
    return (*merged[:first], *late, *(m for m in merged[first:] if m.id not in claimed))


def _first_open(merged: list[Message], claimed: set[str], stored: set[str]) -> int:
    """Find where the unanswered stretch begins: no answer that only the caller knows may stand behind it."""
    answered = max((i + 1 for i, m in enumerate(merged) if m.role in SPOKEN and m.id not in claimed), default=0)
    asked = [i for i in range(answered, len(merged)) if merged[i].role is Role.CUSTOMER]
    waiting = [i for i in asked if merged[i].id in stored]
    if waiting or not asked:
        return waiting[0] if waiting else len(merged)
    first = asked[-1]  # nothing stored waits: the caller's history stands as told, up to its last customer's words
    while first - 1 in asked:
        first -= 1
    return first


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def message_record(message: Message) -> dict[str, Any]:
    """Write a message in the contract's shape."""
    record = {"id": message.id, "role": str(message.role), "text": message.text, "at": message.at.isoformat()}
    return record | ({"agentId": message.agent_id} if message.agent_id else {})
