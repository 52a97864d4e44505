"""A Verdict is Judged or Unavailable: two types, so that "could not check" can never look like a pass or a fail."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from verifier.claims import Claim, Facts
from verifier.counsel import SecondOpinion


@dataclass(frozen=True, slots=True)
class FixAction:
    """One concrete step for the rewrite; `type` is from the contract's closed list, `target` the words to change."""

    type: str
    target: str
    detail: str
    check_id: str


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found. `detail` says in English what holds or what is wrong, naming the words."""

    passed: bool
    detail: str
    fixes: tuple[FixAction, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckResult:
    """A registered check with its finding."""

    id: str
    weight: int
    hard: bool
    finding: Finding

    @property
    def passed(self) -> bool:
        """Whether the check holds."""
        return self.finding.passed


@dataclass(frozen=True, slots=True)
class SlotAsk:
    """A slot question of the draft, in the original words; `again`: it is known and there is no good reason to ask."""

    slot: str
    quote: str
    already_known: bool
    again: bool = False


@dataclass(frozen=True, slots=True)
class Metrics:
    """Counts of the draft; bytes are UTF-8."""

    sentences: int
    questions: int
    advice: int
    chars: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Dimension:
    """A score from 0 to 1 with the evidence it was computed from."""

    score: float
    evidence: str


@dataclass(frozen=True, slots=True)
class Judged:
    """A usable evaluation. `passed`: no hard check failed and `score` (0..100) reaches the setting.

    `second` is the judge's opinion where one was wanted, None where none was.
    """

    score: int
    passed: bool
    results: tuple[CheckResult, ...]
    facts: Facts
    slot_questions: tuple[SlotAsk, ...]
    metrics: Metrics
    dimensions: Mapping[str, Dimension | None]
    confidence: float | None
    band: str | None
    fix_actions: tuple[FixAction, ...]
    requires_human: bool
    rules_version: str
    second: SecondOpinion | None = None

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The draft's claims in order."""
        return self.facts.claims

    @property
    def failed(self) -> tuple[str, ...]:
        """Ids of all failed checks, in registry order."""
        return tuple(r.id for r in self.results if not r.passed)

    @property
    def hard_failures(self) -> tuple[str, ...]:
        """Ids of the failed hard checks, in registry order."""
        return tuple(r.id for r in self.results if r.hard and not r.passed)

    @property
    def status(self) -> str:
        """`fail`: not passed; `warn`: passed with a failed check; `pass`."""
        return "fail" if not self.passed else "warn" if self.failed else "pass"


@dataclass(frozen=True, slots=True)
class Unavailable:
    """No usable evaluation; `reason` says what could not be checked. The only source of null in new records."""

    reason: str
    rules_version: str
    detail: Mapping[str, Any] | None = None


Verdict = Judged | Unavailable
