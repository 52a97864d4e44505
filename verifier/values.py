"""Judge a quantity of a claim: the same value in the same role, printed or computed, with its limits kept."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from verifier.amounts import dimension
from verifier.bounds import against_bound
from verifier.candidates import GENERIC, Found, sort
from verifier.claims import Located
from verifier.evidence import Source
from verifier.facets import CONFLICT, DROPPED, MISSING, OK, Facet, Witness, parts_meet, qualified
from verifier.lexicon import Lexicon
from verifier.misplaced import misplaced
from verifier.statements import IDENTIFIERS, Amount, Statement
from verifier.tallies import side_pair
from verifier.terms import newest


def amount_facet(
    amount: Amount,
    claim: Statement,
    pool: Sequence[Witness],
    lexicon: Lexicon,
    derived: Callable[[Amount], Facet | None],
) -> Facet:
    """Judge one quantity of a claim."""
    quantity = amount.quantity
    said = quantity.quote
    if quantity.value is None and quantity.low is None and quantity.high is None:
        return Facet(MISSING, "unreadable_number", f"the number in {said!r} cannot be read")
    if _speaks_now(amount, claim) or _is_base(amount, claim):
        return Facet(OK, "value", "a moment or a measure, no fact of its own")
    as_written = _literal(amount, [w for w in pool if parts_meet(claim, w.unit.statement)])
    as_written = as_written or _frequency(quantity.quote, pool)
    if as_written is not None:
        return as_written
    same, other, different = sort(amount, claim, pool, lexicon)
    if same:
        return misplaced(amount, claim, pool, same, different) or _found(amount, claim, same, different)
    return (
        derived(amount)
        or _both_ends(amount, claim, pool, lexicon)
        or against_bound(amount, claim, pool, lexicon)
        or side_pair(amount, claim, pool)
        or _absent(amount, other, different)
    )


def _speaks_now(amount: Amount, claim: Statement) -> bool:
    """Whether 今年 only says when an age is told (到今年15年了)."""
    spans = any(a.quantity.kind in ("duration", "age", "holding_years") for a in claim.amounts)
    return spans and amount.quantity.quote.lower() in ("今年", "this year", "今天", "today")


def _is_base(amount: Amount, claim: Statement) -> bool:
    """Whether 一年 only says what a sum beside it is for (一年利息3600)."""
    if amount.quantity.quote not in _EACH:
        return False
    sums = (a.quantity for a in claim.amounts if a.quantity.kind in ("money", "number"))
    gaps = (q.start - amount.quantity.end for q in sums)
    return any(0 <= gap <= _BESIDE for gap in gaps)


def _both_ends(amount: Amount, claim: Statement, pool: Sequence[Witness], lexicon: Lexicon) -> Facet | None:
    """Find a span (九点半到五点) whose two ends are printed apart in one source."""
    value = amount.quantity.value
    if not isinstance(value, tuple) or not isinstance(value[0], str):
        return None
    halves = [replace(amount, quantity=replace(amount.quantity, value=end, approx=None)) for end in value]
    first, last = (sort(half, claim, pool, lexicon)[0] for half in halves)
    sources = {w.source.id for w, _ in first} & {w.source.id for w, _ in last}
    if not sources:
        return None
    return Facet(OK, "value", f"found both ends of {amount.quantity.quote}", (first[0][0].located, last[0][0].located))


def _absent(amount: Amount, other: Found, different: Found) -> Facet:
    """Say what the sources print instead of a value that they do not print."""
    said = amount.quantity.quote
    if different:
        printed = tuple(dict.fromkeys(a.quantity.quote for _, a in different))[:3]
        where = tuple(w.located for w, _ in different[:2])
        return Facet(CONFLICT, "value", f"the draft says {said}, the evidence {', '.join(printed)}", where, printed)
    if other and amount.role:
        where = (other[0][0].located,)
        reason = f"{said} is printed as {other[0][1].role or 'something else'}, not as {amount.role}"
        return Facet(MISSING if amount.lent else CONFLICT, "role", reason, where)
    return Facet(MISSING, "no_evidence", f"no evidence for {said}")


def _literal(amount: Amount, pool: Sequence[Witness]) -> Facet | None:
    """Find a code or a bare number (the 330 of a trim) as it is written."""
    quantity = amount.quantity
    pieces = _ADDRESS.findall(quantity.quote) if quantity.kind in ("room_no", "building") else []
    if pieces and (whole := _holding(pool, [rf"(?<!\d){piece}(?!\d)" for piece in pieces])):
        return Facet(OK, "value", f"found {quantity.quote}", whole)
    short = _SHORT_YEAR.fullmatch(quantity.quote)
    if short and (year := _holding(pool, [rf"(?<!\d)20{short[1]}(?!\d)"])):
        return Facet(OK, "value", f"found 20{quantity.quote}", year)
    bare = quantity.kind == "number" and not amount.role and quantity.quote.isdigit()
    if not bare and quantity.kind not in ("code", *IDENTIFIERS):
        return None
    said = re.escape(quantity.quote.lower())
    for witness in pool:
        if re.search(rf"(?<![\d.,]){said}(?![\d.,])", witness.unit.statement.text):
            return Facet(OK, "value", f"found {quantity.quote}", (witness.located,))
    return None


def _holding(pool: Sequence[Witness], patterns: Sequence[str]) -> tuple[Located, ...]:
    """Locate the first unit of each pattern; empty when one of them stands nowhere."""
    found = [next((w for w in pool if re.search(p, w.unit.statement.text)), None) for p in patterns]
    places = tuple(dict.fromkeys(w.located for w in found if w is not None))
    return () if None in found else places


_ADDRESS = re.compile(r"\d+(?:号楼|栋|单元|室|号|幢)?")


_SHORT_YEAR = re.compile(r"(\d\d)年")
_BESIDE = 4
_EACH = {"一年": "每年", "一个月": "每月", "一天": "每天", "一周": "每周", "1年": "每年", "1个月": "每月"}


def _frequency(said: str, pool: Sequence[Witness]) -> Facet | None:
    """Find how often something happens: 一年一次 is 每年一次."""
    each = _EACH.get(said)
    found = next((w for w in pool if each and each in w.unit.statement.text), None)
    return Facet(OK, "value", f"found {each}", (found.located,)) if found else None


def _found(amount: Amount, claim: Statement, same: Found, different: Found) -> Facet:
    said = amount.quantity.quote
    kept = [(w, a) for w, a in same if not dropped_limits(amount, a, claim)]
    if not kept:
        lost = ", ".join(sorted(dropped_limits(amount, same[0][1], claim)))
        return Facet(
            CONFLICT,
            "limit_dropped",
            f"the source limits {said} ({lost}) and the draft drops that",
            (same[0][0].located,),
        )
    if "all" in claim.flags and all("only" in w.unit.statement.flags for w, _ in kept):
        return Facet(CONFLICT, "limit_dropped", f"the source gives {said} in some cases only", (kept[0][0].located,))
    clean = [
        (w, a)
        for w, a in kept
        if qualified(claim, w.unit.statement) in ("", "unverified", "only", "expected", "condition")
    ]
    if not clean:
        rule, reason = DROPPED[qualified(claim, kept[0][0].unit.statement)]
        return Facet(CONFLICT, rule, reason, (kept[0][0].located,))
    told = amount.role or amount.quantity.kind not in GENERIC
    rivals = [w for w, a in different if told and (a.role or not amount.role) and "past" not in claim.flags]
    against = [
        w
        for w in rivals
        if w.source.id not in {g.source.id for g, _ in clean} and same_subject(w.source, clean[0][0].source)
    ]
    if against:
        settled = newest([w for w, _ in clean], against)
        if settled is None:
            where = (clean[0][0].located, against[0].located)
            return Facet(CONFLICT, "sources_disagree", f"two live sources disagree about {said}", where)
        if not settled:
            return Facet(
                CONFLICT,
                "newer_source",
                f"a newer source differs from {said}",
                (against[0].located,),
                (against[0].unit.quote,),
            )
    return Facet(OK, "value", f"found {said}", (clean[0][0].located,))


def same_subject(one: Source, other: Source) -> bool:
    """Whether two sources are about one thing; headings of documents (登记摘要, 车况表) set nothing apart."""
    return one.label == other.label or not (one.named or other.named)


def dropped_limits(amount: Amount, printed: Amount, claim: Statement) -> frozenset[str]:
    """Give the limits of a printed amount that a claim leaves out; an approximate value keeps an expectation."""
    kept = amount.limits | claim.flags | ({"at_most", "from"} if claim.negated else frozenset())
    if dimension(amount.quantity) == "date" or amount.quantity.kind == "duration":
        kept |= {"at_most", "from"}
    if amount.quantity.approx or isinstance(amount.quantity.value, tuple):
        kept |= {"expected"}
    if claim.negated:
        kept |= {"expected"}
    return printed.limits - kept
