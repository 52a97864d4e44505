"""The opinion on one clause: the sum of its facets, with the rule that said so."""

from collections.abc import Sequence
from dataclasses import dataclass

from verifier.claims import Located, Status, Via
from verifier.facets import CONFLICT, MISSING, OK, SOFT, Facet


@dataclass(frozen=True, slots=True)
class Opinion:
    """How one clause stands to the evidence, with the rule that said so."""

    status: Status
    rule: str
    reason: str
    via: Via = Via.READ
    located: tuple[Located, ...] = ()
    nearest: tuple[str, ...] = ()
    span: tuple[int, int] | None = None


def summary(facets: Sequence[Facet]) -> Opinion:
    """Sum facets up: one contradicted part contradicts the clause, one without evidence leaves it unsupported."""
    located = tuple(dict.fromkeys(place for f in facets for place in f.located))
    nearest = tuple(dict.fromkeys(value for f in facets for value in f.nearest))
    hard = [f for f in facets if f.state != SOFT] or facets
    if not any(f.state == OK and f.rule != "rest" for f in hard):
        hard = facets
    for state, status in ((CONFLICT, Status.CONTRADICTED), (MISSING, Status.UNSUPPORTED), (SOFT, Status.UNSUPPORTED)):
        worst = next((f for f in hard if f.state == state), None)
        if worst is not None:
            where = worst.located if status is Status.CONTRADICTED else ()
            return Opinion(status, worst.rule, worst.reason, located=where, nearest=nearest, span=worst.span)
    rule = facets[0].rule if facets else "nothing"
    return Opinion(Status.SUPPORTED, rule, "; ".join(f.reason for f in facets[:3]), located=located)
