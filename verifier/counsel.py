"""The second opinion of a judge, as values: who is asked, what it answered, what it may do.

A judge is a model at some endpoint: it may be wrong, silent, or talked into something. Its word is therefore one of two
types, Heard or Unheard, and what each may change is decided in `verifier.second_opinion`, not by what it says.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

DIMENSIONS = ("factSupport", "logicConsistency", "retrievalCoverage", "instructionAdherence")


@dataclass(frozen=True, slots=True)
class Score:
    """What the judge gives one dimension, from 0 to 1, and the words on which it says this rests."""

    evidence: str
    score: float


@dataclass(frozen=True, slots=True)
class Doubt:
    """A clause at which a person should look; `start` and `end` count code points of the original draft text."""

    start: int
    end: int
    why: str


@dataclass(frozen=True, slots=True)
class Confirmation:
    """A clause that the judge finds in a source: where it stands in the original draft, and the quote of that source.

    It is a claim about the sources like any other: code looks whether it is true (see verifier.confirming).
    """

    start: int
    end: int
    source: str
    quote: str


@dataclass(frozen=True, slots=True)
class Heard:
    """A readable answer: a score for each dimension, doubts, and what the judge would confirm."""

    scores: Mapping[str, Score]
    doubts: tuple[Doubt, ...] = ()
    confirmations: tuple[Confirmation, ...] = ()


@dataclass(frozen=True, slots=True)
class Unheard:
    """The judge was wanted and gave no usable opinion; `reason` says why. Never an opinion for or against."""

    reason: str


SecondOpinion = Heard | Unheard


class SilentError(Exception):
    """The judge did not answer in time, or not at all; the message says why in a few words, without what was sent."""


class Ask(Protocol):
    """Asks the judge: what it is to do, then what it is to judge. Raises SilentError."""

    def __call__(self, orders: str, told: str) -> str:
        """Give the answer as the judge wrote it."""
        ...


@dataclass(frozen=True, slots=True)
class Kept:
    """An opinion given earlier, and the fingerprint of the text and evidence for which it was given."""

    fingerprint: str
    opinion: SecondOpinion


@dataclass(frozen=True, slots=True)
class Counsel:
    """How a turn may be judged a second time.

    `ask` is None where no call may be made (inside a transaction): then only a `kept` opinion counts. `may_confirm` is
    the account's opt-in. `from_clauses`, if set, stands for the pack's own number. `earlier` are the ids of the checks
    that the text before this rewrite failed.
    """

    ask: Ask | None = None
    kept: Kept | None = None
    may_confirm: bool = False
    from_clauses: int | None = None
    earlier: tuple[str, ...] = ()
