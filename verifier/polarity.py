"""A no that belongs to no concept: it must stand in the source too, and a no of the source must not be lost.

公里数不是8.7万 denies the number that the source prints; 下午两点半不可以看 denies what stands beside it. Signs of concepts
are judged with the concepts; this reads what is left of the negations of a clause.
"""

import re
from collections.abc import Sequence

from verifier.facets import CONFLICT, Facet, Witness, denies
from verifier.lexicon import Lexicon
from verifier.statements import Statement

# What follows such a no is a matter of taste (不贵, not far), a bound, or a turn of phrase; it denies no fact.
_TASTE = re.compile(
    r"(?:不|没|没有|并不|未)(?:是)?(?:算|太|怎么|那么|很|特别|用(?:愁|担心|怕|急|管)|愁|急|[贵远高大低小多少错难差晚早久快慢新旧重轻吵闹暗挤]"
    r"|[足满超过止光仅但管论限]|影响|耽误|问题|关系|啥|什么)"
    r"|\bnot (?:too|that|so|very|far|bad|much|only|just|more|less|over|above|under|expensive|big|old|long|yet|a problem)\b"
)
# A bound by its denial, straight before its number: 没跑过500公里, 不到8年.
_BOUND = re.compile(
    r"(?:没|不|未|别)(?:有|能|可|得|会|要)?[跑开骑用住租]?(?:过|超|满|到|超出|高)了?|(?:not|n't) (?:over|above|beyond|exceed(?:ing)?) "
)
_NO = re.compile(r"[没不未无非]")
# A no in the key of a line is part of its name (未处理：2).
_KEYED = re.compile(r"[^：]{0,60}[没不未无非][^：]{0,30}：")


def contrary(claim: Statement, pool: Sequence[Witness], lexicon: Lexicon) -> Facet | None:
    """Find that a clause denies what every passage behind it says, or says what every one of them denies."""
    if not pool or claim.flags & {"only", "only_softly"}:
        return None
    mine = _denies_freely(claim, lexicon)
    units = [w.unit.statement for w in pool]
    if mine:
        lost = not any(denies(u) or u.open or any(t.sign < 0 for t in u.terms) or _KEYED.match(u.text) for u in units)
    else:
        lost = not claim.negated and all(_denied_by(claim, u, lexicon) for u in units)
    if not lost:
        return None
    return Facet(CONFLICT, "polarity", "the source says the contrary", (pool[0].located,), (pool[0].unit.quote,))


def _denied_by(claim: Statement, unit: Statement, lexicon: Lexicon) -> bool:
    """Whether a unit denies the number of a claim, or says its words in one word for their absence (未见损伤)."""
    if claim.amounts:
        return _denies_freely(unit, lexicon)
    said = {g for g in claim.grains if not g.startswith("=")}
    absent = [unit.text[t.start - unit.start : t.end - unit.start] for t in unit.terms if t.sign < 0]
    denied = [words for words in absent if _NO.search(words)]
    return not claim.terms and all(g in unit.text for g in said) and any(said & set(words) for words in denied)


def _denies_freely(statement: Statement, lexicon: Lexicon) -> bool:
    """Whether a statement says no to something that is no concept of the pack."""
    if not statement.negated or any(t.sign < 0 and t.concept not in lexicon.role_only for t in statement.terms):
        return False
    return not all(_TASTE.match(statement.text, at) or _bounds(statement, at) for at in statement.negs)


def _bounds(statement: Statement, at: int) -> bool:
    match = _BOUND.match(statement.text, at)
    return match is not None and any(a.quantity.start == statement.start + match.end() for a in statement.amounts)
