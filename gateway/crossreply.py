"""Which agents may answer each other in a group: a caller's proposal brought within the contract's limits. Pure.

One round of at most two cross replies after the primary ones; each by a member, at most one per agent, each answering
an agent that gave a primary reply and is not itself (contract section 6).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

MOST_CROSS_REPLIES = 2
MOST_SENTENCES = 2
MOST_CHARACTERS = 800
MOST_ANGLE = 500  # characters kept of what an agent is to add


@dataclass(frozen=True, slots=True)
class Pairing:
    """One agent answers another; `angle` is what it is to add."""

    agent_id: str
    respond_to: str
    angle: str = ""

    def record(self) -> dict[str, Any]:
        """Write it in the contract's shape."""
        return {"agentId": self.agent_id, "respondToAgentId": self.respond_to, "angle": self.angle}


@dataclass(frozen=True, slots=True)
class Dropped:
    """What was proposed and will not happen; `plan` is as it came."""

    plan: Any
    why: str

    def record(self) -> dict[str, Any]:
        """Write it in the contract's shape."""
        return {"plan": self.plan, "why": self.why}


@dataclass(frozen=True, slots=True)
class CrossPlan:
    """The cross replies that may come, in order; none is a plan too."""

    pairings: tuple[Pairing, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    reason: str = ""

    def record(self) -> dict[str, Any]:
        """Write it in the contract's shape."""
        return {
            "enabled": bool(self.pairings),
            "plans": [pairing.record() for pairing in self.pairings],
            "reason": self.reason,
            "dropped": [dropped.record() for dropped in self.dropped],
        }


def normalise(members: Sequence[str], primaries: Sequence[str], proposal: Any) -> CrossPlan:
    """Keep what the contract allows of a proposal, whatever it says; a missing or broken one plans nothing."""
    if proposal is None:
        return CrossPlan(reason="no cross replies were proposed")
    if not isinstance(proposal, dict) or not isinstance(proposal.get("plans", []), list):
        return CrossPlan(dropped=(Dropped(proposal, "broken"),), reason="the proposal cannot be read")
    reason = proposal.get("reason")
    told = reason[:MOST_ANGLE] if isinstance(reason, str) else ""
    if proposal.get("enabled") is not True:
        return CrossPlan(dropped=tuple(Dropped(plan, "disabled") for plan in proposal.get("plans", [])), reason=told)
    kept: list[Pairing] = []
    dropped: list[Dropped] = []
    for plan in proposal.get("plans", []):
        pairing = _pairing(plan)
        why = "broken" if pairing is None else _against(pairing, members, primaries, kept)
        if pairing is None or why:
            dropped.append(Dropped(plan, why))
        else:
            kept.append(pairing)
    return CrossPlan(tuple(kept), tuple(dropped), told)


def _pairing(plan: Any) -> Pairing | None:
    if not isinstance(plan, dict):
        return None
    agent, respond_to, angle = plan.get("agentId"), plan.get("respondToAgentId"), plan.get("angle") or ""
    if not isinstance(agent, str) or not isinstance(respond_to, str) or not isinstance(angle, str):
        return None
    return Pairing(agent, respond_to, angle[:MOST_ANGLE])


def _against(pairing: Pairing, members: Sequence[str], primaries: Sequence[str], kept: Sequence[Pairing]) -> str:
    """Say why a pairing may not be, empty if it may: the first reason of the contract's list."""
    return next(_reasons(pairing, members, primaries, kept), "")


def _reasons(
    pairing: Pairing, members: Sequence[str], primaries: Sequence[str], kept: Sequence[Pairing]
) -> Iterator[str]:
    if pairing.agent_id not in members:
        yield "not_a_member"
    if pairing.agent_id == pairing.respond_to:
        yield "answers_itself"
    if pairing.respond_to not in primaries:
        crossed = any(pairing.respond_to == one.agent_id for one in kept)
        yield "second_round" if crossed else "no_primary_reply"
    if any(pairing.agent_id == one.agent_id for one in kept):
        yield "one_per_agent"
    if len(kept) >= MOST_CROSS_REPLIES:
        yield "limit"
