"""Words that say more than their source: always for what ends, at once for what takes days, only for one of several.

Closed classes of both languages; nothing here knows a trade.
"""

import re
from collections.abc import Sequence

from verifier.facets import CONFLICT, Facet, Witness
from verifier.likeness import Likeness
from verifier.statements import Statement

_WITHOUT_LIMIT = re.compile(
    r"随(?:便|您|你|意)|任意|任何|不限|从头到尾|一直(?!以)|全天|全程|每天|每一|全(?:都|在|部|是)|统统|照样|"
    r"\bany (?!more|longer)|\ball\b|\bevery\b|\balways\b|\banytime\b"
)
_LIMITED = re.compile(
    r"[限仅除]|不可|不得|[以之]下|[以之]内|不超过|至\d|此后|截止|前[一二两三四五六七八九十\d]{1,2}[次年个回]|第.{1,3}[次年回]起|except|\bonly\b|\bunder\b|\bup to\b|\buntil\b"
)
_KEEPS_LIMIT = re.compile(r"[限仅只除]|其他|以下|以内|之内|不超过|别的|\bonly\b|\bunder\b|\bup to\b|\bexcept\b|\bother")
_AT_ONCE = re.compile(r"随时|当场|当天|马上|立刻|立马|即刻|right away|on the spot|immediately|same day|at once")
_TAKES = frozenset({"duration", "date"})
_ONLY = frozenset({"only", "only_softly"})


def widened(claim: Statement, pool: Sequence[Witness]) -> Facet | None:
    """Find that a clause says more than every passage that backs it."""
    for found in (_unlimited, _universal, _hurried, _singled, _all_of_only):
        if pool and all(found(claim, w.unit.statement) for w in pool):
            return Facet(
                CONFLICT, "limit_dropped", "the draft says more than the source, which limits it", (pool[0].located,)
            )
    return None


_HALF = 0.5
_EACH = re.compile(r"都|全|均|也|\bboth\b|\ball\b|\btoo\b")


def of_more_parts(claim: Statement, pool: Sequence[Witness]) -> Facet | None:
    """Find that a clause lists parts (卧室客厅都是木地板) of which the passages that say its words name only some."""
    if len(claim.parts) < 2 or not claim.grains or _EACH.search(claim.text) is None:
        return None
    saying = [w for w in pool if Likeness(claim, w.unit.statement).share(claim.grains) >= _HALF]
    told = frozenset[str]().union(*(w.unit.statement.parts for w in saying))
    if not told or claim.parts <= told:
        return None
    reason = "the draft says of several parts what the source says of fewer"
    return Facet(CONFLICT, "limit_dropped", reason, (saying[0].located,))


def _unlimited(claim: Statement, unit: Statement) -> bool:
    said = _WITHOUT_LIMIT.search(claim.text)
    if claim.negated or said is None or _KEEPS_LIMIT.search(claim.text):
        return False
    excepted = said.group() in unit.text and "除" not in unit.text
    return _LIMITED.search(unit.text) is not None and not excepted


# Of every place, time, size or kind: what one passage says of one of them does not back it.
_EVERY = re.compile(
    r"回回|次次|每次都|每回都|哪儿都|到处|处处|任何|所有|全部都|一律|通通|"
    r"\bany (?:size|kind|time|where|number|colour|color|breed|bank)|\banywhere\b|\beverywhere\b|\bevery (?:time|single)|\bno \w+ anywhere"
)
_EVERY_TOO = re.compile(r"[全都每均皆各]|任何|所有|一律|\ball\b|\bany\b|\bevery|\beach\b|\bthroughout\b")


def _universal(claim: Statement, unit: Statement) -> bool:
    return _EVERY.search(claim.text) is not None and _EVERY_TOO.search(unit.text) is None


def _hurried(claim: Statement, unit: Statement) -> bool:
    if claim.negated or claim.amounts or not _AT_ONCE.search(claim.text) or _AT_ONCE.search(unit.text):
        return False
    return any(a.quantity.kind in _TAKES for a in unit.amounts)


def _singled(claim: Statement, unit: Statement) -> bool:
    """Whether a clause says only of one part what its passage says of several."""
    more = len(unit.places) > len(claim.places) and claim.parts < unit.parts
    return bool(claim.flags & _ONLY and claim.parts and more)


_ALL = re.compile(r"都|全(?!款|新|屋定制|景|程|天|年)|\ball\b|\bboth\b")


def _all_of_only(claim: Statement, unit: Statement) -> bool:
    """Whether a clause says of all what its passage says of some only (座椅都 of 仅前排座椅)."""
    named = bool(claim.parts) and unit.parts <= claim.parts
    kept = claim.flags & _ONLY or named or claim.negated or _KEEPS_LIMIT.search(claim.text)
    return bool(unit.flags & _ONLY) and not kept and _ALL.search(claim.text) is not None
