"""Comparisons without a number: 乙行放款快一些 holds when the sources print less time for it than for its rivals."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from verifier.amounts import dimension, printed
from verifier.claims import Located
from verifier.evidence import Source
from verifier.facets import CONFLICT, OK, Facet
from verifier.statements import Statement

# Closed class: comparative words, what they measure, and whether they say less (-1) or more (1).
_WORDS = {
    "便宜": ("CNY", -1), "贵": ("CNY", 1), "快": ("day", -1), "慢": ("day", 1), "大": ("m2", 1), "小": ("m2", -1),
    "近": ("m", -1), "远": ("m", 1), "低": ("%", -1), "高": ("%", 1), "cheaper": ("CNY", -1), "dearer": ("CNY", 1),
    "faster": ("day", -1), "slower": ("day", 1), "bigger": ("m2", 1), "larger": ("m2", 1), "smaller": ("m2", -1),
    "closer": ("m", -1), "nearer": ("m", -1), "further": ("m", 1),
}  # fmt: skip
_CHINESE = re.compile(
    r"(便宜|贵|快|慢|大|小|近|远|低|高)(?:一?些|一?点|多了|得多)|(?:更|比较|要)(便宜|贵|快|慢|大|小|近|远|低|高)"
)
_ENGLISH = re.compile(r"\b(cheaper|dearer|faster|slower|bigger|larger|smaller|closer|nearer|further)\b")


def comparison(statement: Statement, labels: frozenset[str], sources: Sequence[Source]) -> Facet | None:
    """Judge a comparison of one named thing with the others; None when the clause compares nothing that is printed."""
    match = _CHINESE.search(statement.text) or _ENGLISH.search(statement.text)
    if match is None or not labels or any(a.quantity.unit for a in statement.amounts):
        return None
    measure, sign = _WORDS[next(group for group in match.groups() if group)]
    mine = [s for s in sources if s.label in labels]
    others = [s for s in sources if s.label and s.label not in labels]
    for role, value, place in _values(mine, measure):
        rivals = [(other, where) for name, other, where in _values(others, measure) if name == role and other != value]
        if rivals:
            holds = all((value > other) == (sign > 0) for other, _ in rivals)
            state, rule = (OK, "comparison") if holds else (CONFLICT, "comparison")
            return Facet(state, rule, f"compared {role or measure} with the others", (place, rivals[0][1]))
    return None


def _values(sources: Sequence[Source], measure: str) -> Iterator[tuple[str, Decimal, Located]]:
    for source in sources:
        for unit in source.units:
            for amount in unit.statement.amounts:
                value = printed(amount.quantity)
                if value is not None and value.point and dimension(amount.quantity) == measure:
                    yield amount.role, value.low, Located(source.id, unit.quote)
