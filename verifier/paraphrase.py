"""A clause in other words: most of its content stands in one passage, nothing that could change the fact is left over.

For clauses without a number only. What is left over must be no number word, no word for all or for more, and no word
that another sentence of the evidence is about; yes and no, parts and limits must agree.
"""

import re
from collections.abc import Sequence

from verifier.facets import Witness, parts_meet, qualified
from verifier.likeness import Likeness
from verifier.statements import Statement
from verifier.unread import is_number_word
from verifier.widening import widened

_MOST, _NEARLY_ALL = 0.6, 0.9
_WORDS = 2
# Words that widen what a passage says of one thing, one time or one person.
_WIDER = re.compile(
    r"都|全|每|所有|任何|随|整[天个]|一律|照样|各|俩|两样|也|最|绝对|肯定|保证|从来|一直|永远|"
    r"\b(?:all|any|both|every|each|always|never|too|also|whole|anywhere|anything|everything|best|most)\b"
)
_LIMITED = re.compile(r"[限仅只除]|以外|\bonly\b|\bexcept\b")


def paraphrased(
    claim: Statement, content: frozenset[str], asked: frozenset[str], pool: Sequence[Witness]
) -> Witness | None:
    """Find the passage that says a clause in other words.

    `content` are its characters and words that carry content, `asked` those of the questions: what only repeats them
    is no news, so that of what is left most must stand in the passage too.
    """
    if claim.amounts or claim.names or not content:
        return None
    return max(
        (w for w in pool if _fits(claim, content, asked, w)),
        key=lambda w: sum(map(Likeness(claim, w.unit.statement).says, content)),
        default=None,
    )


def is_wider(text: str) -> bool:
    """Whether a clause speaks of all, of always, or of more than one thing."""
    return _WIDER.search(text) is not None


def _fits(claim: Statement, content: frozenset[str], asked: frozenset[str], witness: Witness) -> bool:
    unit = witness.unit.statement
    likeness = Likeness(claim, unit)
    said = frozenset(filter(likeness.says, content))
    left = content - said
    news = content - asked
    needed = max(min(_WORDS, len(content)), (_MOST if news else _NEARLY_ALL) * len(content))
    if len(said) < needed or len(news & said) < _MOST * len(news) or any(map(is_number_word, left)):
        return False
    if _differ(claim, unit, said):
        return False
    if likeness.claim_denies() != likeness.unit_denies() or not parts_meet(claim, unit) or qualified(claim, unit):
        return False
    return not _wider(claim.text, unit.text) and widened(claim, [witness]) is None


def _differ(claim: Statement, unit: Statement, said: frozenset[str]) -> bool:
    """Whether a word of the trade stands only in the claim, or the two name different values of one thing."""
    options = {t.concept: t.option for t in unit.terms if t.option}
    words = (claim.text[t.start - claim.start : t.end - claim.start] for t in claim.terms)
    return any(said.isdisjoint(word) for word in words if not word.isascii()) or any(
        options.get(t.concept, t.option) != t.option for t in claim.terms if t.option
    )


def _wider(claim: str, unit: str) -> bool:
    widened = any(m.group() not in unit for m in _WIDER.finditer(claim))
    return widened or (_LIMITED.search(unit) is not None and _LIMITED.search(claim) is None)
