"""What a draft asserts, clause by clause: the typed result of the fact check."""

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """How a claim stands to the evidence. `pending` is hedged in its own clause; `stale` rests on dead evidence only."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    UNSUPPORTED = "unsupported"
    STALE = "stale"
    PENDING = "pending"


class Via(StrEnum):
    """Which way a claim was supported or refuted."""

    READ = "read"
    GROUNDING = "grounding"
    JUDGE = "judge"


@dataclass(frozen=True, slots=True)
class Located:
    """A passage of a source: its `id` and the literal words found there."""

    id: str
    quote: str


@dataclass(frozen=True, slots=True)
class Claim:
    """One asserted fact; `start` and `end` count code points of the original draft text.

    `nearest` lists the printed values closest to a contradicted one, for the fix. `firmness`, 0..1, says how much of a
    supported clause its evidence says (see verifier.firmness); it is no part of the contract's record.
    """

    quote: str
    start: int
    end: int
    kind: str
    status: Status
    reason: str
    via: Via
    rule_id: str
    evidence: tuple[Located, ...] = ()
    nearest: tuple[str, ...] = ()
    firmness: float = 1.0


@dataclass(frozen=True, slots=True)
class Aspect:
    """Something that the customer asks about, in their words, and whether a live source speaks to it."""

    quote: str
    covered: bool


@dataclass(frozen=True, slots=True)
class Facts:
    """All claims of a draft; `false_groundings` names declarations that point at nothing (they fail fact_evidence).

    `notes` names declarations that exist but do not fit, which are ignored; `aspects` is what was asked.
    `asked`: the customer asks something, be it readable or not.
    """

    claims: tuple[Claim, ...] = ()
    false_groundings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    aspects: tuple[Aspect, ...] = ()
    asked: bool = False
