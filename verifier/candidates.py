"""Sort the printed amounts beside a claimed one: the same value, the same for something else, and its rivals."""

import re
from collections.abc import Sequence

from verifier.amounts import counts_alike, equal, same_dimension, same_family
from verifier.days import weekdays
from verifier.facets import Witness, parts_meet
from verifier.lexicon import Lexicon
from verifier.statements import Amount, Statement

Found = list[tuple[Witness, Amount]]


def sort(amount: Amount, claim: Statement, pool: Sequence[Witness], lexicon: Lexicon) -> tuple[Found, Found, Found]:
    """Give the amounts that say the same, those that do of something else, and those that differ in the same role."""
    same: Found = []
    other: Found = []
    different: Found = []
    days = weekdays(claim.text) if amount.quantity.kind in ("date", "datetime") else frozenset()
    role = amount.role or _role_beside(amount, claim, lexicon)
    for witness in pool:
        unit = witness.unit.statement
        if not parts_meet(claim, unit) or _other_day(days, witness):
            continue
        for candidate in unit.amounts:
            alike = same_dimension(amount.quantity, candidate.quantity) or _run(amount, candidate, claim, pool)
            if not alike and not (
                amount.role and amount.role == candidate.role and same_family(amount.quantity, candidate.quantity)
            ):
                continue
            related = not role or not candidate.role or lexicon.related(role, candidate.role)
            related = related and not _other_code(claim, unit) and not _whole_for_rest(amount, claim, unit)
            related = related and not _whole_house(amount, candidate)
            same_value = equal(amount.quantity, candidate.quantity, claim.text)
            if same_value or counts_alike(amount.quantity, candidate.quantity, unit.text):
                (same if related else other).append((witness, candidate))
            elif related and _rival(amount, candidate):
                different.append((witness, candidate))
    exact = [f for f in same if f[1].role == amount.role]
    return exact or same, other, [f for f in different if f[1].role == amount.role] or different


# A single letter beside Chinese words names one of several (A户型); in English it is a word.
_CODE = re.compile(r"(?<![a-z0-9'])[a-z](?![a-z0-9'])")


def _other_code(claim: Statement, unit: Statement) -> bool:
    """Whether a claim and a unit name two things by different letters."""
    mine, theirs = (set(_CODE.findall(s.text)) if not s.text.isascii() else set() for s in (claim, unit))
    return bool(mine and theirs) and not mine & theirs


def _other_day(days: frozenset[int], witness: Witness) -> bool:
    """Whether a unit speaks of other days of the week than a claim does."""
    theirs = weekdays(f"{witness.unit.statement.text} {witness.unit.path.lower()}") if days else frozenset()
    return bool(theirs) and not days & theirs


def _whole_house(amount: Amount, candidate: Amount) -> bool:
    """Whether a claim takes how many floors there are for the floor that it is (十一楼 of 共11层)."""
    at = amount.quantity.kind == "floor" and amount.quantity.quote.endswith(("楼", "floor"))
    return at and candidate.quantity.kind == "floors_total"


def _role_beside(amount: Amount, claim: Statement, lexicon: Lexicon) -> str:
    """Give the role whose word stands right before a bare number (绿化率2.1), whatever that role usually counts."""
    if amount.quantity.kind != "number":
        return ""
    near = [t.concept for t in claim.terms if t.end == amount.quantity.start and t.concept in lexicon.role_only]
    return near[0] if near else ""


# Closed class: words for what is left of a length of time.
_REST = re.compile(r"还剩|剩下|仅剩|只剩|剩余|余下|\b(?:left|remain|remaining|to go)\b")
_RESTING = re.compile(r"剩|余|还有|尚有|left|remain|to go")


def _whole_for_rest(amount: Amount, claim: Statement, unit: Statement) -> bool:
    """Whether a claim takes a whole term for what is left of it (还剩40年 of 产权40年)."""
    spans = amount.quantity.kind in ("duration", "tenure")
    return spans and _REST.search(claim.text) is not None and _RESTING.search(unit.text) is None


def _run(amount: Amount, candidate: Amount, claim: Statement, pool: Sequence[Witness]) -> bool:
    """Whether a sum without its unit (表上六万八) is the distance that its clause speaks of."""
    if amount.quantity.unit != "CNY" or _MONEY.search(amount.quantity.quote) or amount.role:
        return False
    alone = not any((a.quantity.unit or "").startswith("CNY") for w in pool for a in w.unit.statement.amounts)
    about = candidate.role in {t.concept for t in claim.terms} or any(
        a.quantity.kind in ("duration", "date", "datetime", "year") for a in claim.amounts
    )
    return candidate.quantity.unit == "km" and (about or alone)


_MONEY = re.compile(r"[元块钱¥￥$]|rmb|cny|yuan", re.IGNORECASE)
# Kinds that say nothing about what is counted; two such values are rivals only in one role.
GENERIC = frozenset(
    {"money", "number", "count", "percent", "area", "date", "datetime", "duration", "distance", "year", "ratio", "time"}
)


def _rival(amount: Amount, candidate: Amount) -> bool:
    """Whether another value of the same role stands against the claimed one."""
    if amount.quantity.kind in (candidate.quantity.kind, "number"):
        return True
    if {amount.quantity.kind, candidate.quantity.kind} == {"count", "number"} and amount.quantity.unit == "个":
        return True
    return bool(amount.role) and same_family(amount.quantity, candidate.quantity)
