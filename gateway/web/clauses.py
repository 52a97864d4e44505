"""The draft's text cut into its claims: each stretch with the status of what it asserts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gateway.web.evidence import Passage, Source, passage

ORDER = ("contradicted", "stale", "unsupported", "pending", "supported")


@dataclass(frozen=True, slots=True)
class Fix:
    """A concrete step that the check proposes; `detail` is the record's own English sentence."""

    type: str
    target: str
    detail: str
    check_id: str


@dataclass(frozen=True, slots=True)
class ClaimView:
    """One claim with the passages that it stands or falls by."""

    number: int
    quote: str
    status: str
    kind: str
    rule: str
    reason: str
    via: str
    passages: tuple[Passage, ...]
    fixes: tuple[Fix, ...]

    @property
    def nearest(self) -> str:
        """The printed values that lie nearest to a contradicted one, as its fix lists them; empty for none."""
        return next((found for fix in self.fixes if (found := fix.detail.partition("; printed: ")[2])), "")


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of the draft; `claim` is None where nothing is asserted."""

    text: str
    claim: ClaimView | None = None


def fixes_of(evaluation: Mapping[str, Any]) -> tuple[Fix, ...]:
    """List the steps that the evaluation proposes."""
    return tuple(Fix(f["type"], f["target"], f["detail"], f["checkId"]) for f in evaluation.get("fixActions") or ())


def claims_of(evaluation: Mapping[str, Any], sources: Mapping[str, Source]) -> tuple[ClaimView, ...]:
    """Read the claims of an evaluation, in the order of the text."""
    fixes = fixes_of(evaluation)
    claims = sorted(evaluation.get("claims") or (), key=lambda c: (c["start"], -c["end"]))
    return tuple(_view(number, claim, sources, fixes) for number, claim in enumerate(claims, 1))


def stretches(text: str, evaluation: Mapping[str, Any], claims: Sequence[ClaimView]) -> list[Stretch]:
    """Cut a text along its claims; stretches joined are the text. Of overlapping claims the first is marked."""
    spans = sorted((c["start"], -c["end"]) for c in evaluation.get("claims") or ())
    found: list[Stretch] = []
    at = 0
    for (start, end), claim in zip(spans, claims, strict=True):
        if start < at or -end > len(text) or -end <= start:
            continue
        if start > at:
            found.append(Stretch(text[at:start]))
        found.append(Stretch(text[start:-end], claim))
        at = -end
    if at < len(text):
        found.append(Stretch(text[at:]))
    return found


def worst_first(claims: Sequence[ClaimView]) -> list[ClaimView]:
    """Order claims for reading: what does not stand comes first."""
    return sorted(claims, key=lambda claim: (ORDER.index(claim.status) if claim.status in ORDER else 0, claim.number))


def _view(number: int, claim: Mapping[str, Any], sources: Mapping[str, Source], fixes: Sequence[Fix]) -> ClaimView:
    quotes: dict[str, list[str]] = {}
    for located in claim.get("evidence") or ():
        quotes.setdefault(located["id"], []).append(located["quote"])
    passages = (passage(sources.get(i, Source(i, "citation", "", "\n".join(q))), q) for i, q in quotes.items())
    own = tuple(f for f in fixes if f.target == claim["quote"])
    return ClaimView(
        number,
        claim["quote"],
        claim["status"],
        claim["kind"],
        claim.get("ruleId") or "",
        claim["reason"],
        claim["via"],
        tuple(passages),
        own,
    )
