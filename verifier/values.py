"""Judge a quantity of a claim: the same value in the same role, printed or computed, with its limits kept."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal

from verifier.amounts import counts_alike, dimension, equal, same_dimension, same_family
from verifier.bounds import against_bound
from verifier.claims import Located
from verifier.days import weekdays
from verifier.evidence import Source
from verifier.facets import CONFLICT, DROPPED, MISSING, OK, Facet, Witness, parts_meet, qualified
from verifier.lexicon import Lexicon
from verifier.rows import each_named
from verifier.statements import IDENTIFIERS, Amount, Statement
from verifier.tallies import one_of_many, side_pair
from verifier.terms import newest

_Found = list[tuple[Witness, Amount]]


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
    same, other, different = _sort(amount, claim, pool, lexicon)
    if same:
        return _misplaced(amount, claim, pool, same, different) or _found(amount, claim, same, different)
    return (
        derived(amount)
        or _both_ends(amount, claim, pool, lexicon)
        or against_bound(amount, claim, pool, lexicon)
        or side_pair(amount, claim, pool)
        or _absent(amount, other, different)
    )


def _misplaced(
    amount: Amount, claim: Statement, pool: Sequence[Witness], same: _Found, different: _Found
) -> Facet | None:
    """Find a value that is printed, but for something else, or in one row of the list that is summed."""
    said, where = amount.quantity.quote, (same[0][0].located,)
    if _better_elsewhere(claim, same, different):
        places = tuple(w.located for w, _ in different[:1])
        reason = f"{said} is printed for something else"
        return Facet(CONFLICT, "role", reason, places, (different[0][1].quantity.quote,))
    if _one_end(amount, pool, same):
        return Facet(CONFLICT, "value", f"only one end of {said} is printed", where)
    if _looser_role(amount, claim, same, different):
        printed = tuple(dict.fromkeys(a.quantity.quote for _, a in different))[:3]
        return Facet(CONFLICT, "role", f"{said} is printed for something wider, {printed[0]} for this", where, printed)
    if len(claim.amounts) == 1 and _missing_branch(claim, same):
        return Facet(CONFLICT, "role", f"{said} is printed for one of them only", where)
    if one_of_many(claim, [w for w, _ in same], pool):
        return Facet(CONFLICT, "role", f"{said} is one row of a list, not the sum of all", where)
    return None


def _missing_branch(claim: Statement, same: _Found) -> bool:
    """Whether a claim says of several things at once what is printed for some of them only."""
    for witness, _ in same:
        for named in each_named(witness.source.families, claim):
            told = [any(branch.holds(w.unit.path) for w, _ in same) for branch in named]
            if any(told) and not all(told):
                return True
    return False


def _one_end(amount: Amount, pool: Sequence[Witness], same: _Found) -> bool:
    """Whether a source prints one end of a claimed range and another value than its other end."""
    value = amount.quantity.value
    if not isinstance(value, tuple) or not isinstance(value[0], Decimal) or not isinstance(value[1], Decimal):
        return False
    rows = [(w.unit.group, w.unit.path.rpartition("/")[0]) for w, _ in same if w.unit.path]
    printed = {
        a.quantity.value
        for w in pool
        if (w.unit.group, w.unit.path.rpartition("/")[0]) in rows
        for a in w.unit.statement.amounts
        if same_dimension(amount.quantity, a.quantity)
    }
    points = {v for v in printed if isinstance(v, Decimal)}
    return len(points) > 1 and len(points & set(value)) == 1


def _looser_role(amount: Amount, claim: Statement, same: _Found, different: _Found) -> bool:
    """Whether a value stands under a wider role only, where its own role has another value in that source."""
    if not amount.role or any(a.role in ("", amount.role) for _, a in same):
        return False
    here = {w.source.id for w, _ in same}
    own = [a for w, a in different if a.role == amount.role and w.source.id in here]
    said = {a.quantity.value for a in claim.amounts}
    return bool(own) and not any(a.quantity.value in said for a in own)


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
    first, last = (_sort(half, claim, pool, lexicon)[0] for half in halves)
    sources = {w.source.id for w, _ in first} & {w.source.id for w, _ in last}
    if not sources:
        return None
    return Facet(OK, "value", f"found both ends of {amount.quantity.quote}", (first[0][0].located, last[0][0].located))


def _absent(amount: Amount, other: _Found, different: _Found) -> Facet:
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


def _better_elsewhere(claim: Statement, same: _Found, different: _Found) -> bool:
    """Whether another value in the same source stands with more of the claim's words (地面 150, 地下 300)."""
    here = {w.source.id for w, _ in same}
    said = {a.quantity.value for a in claim.amounts} | ({Decimal(1)} if _ONE.search(claim.text) else set())
    rivals = [w for w, a in different if w.source.id in here and a.quantity.value not in said]
    best = max(_words_shared(claim, w) for w, _ in same)
    return bool(rivals) and max(_words_shared(claim, w) for w in rivals) > best


def _words_shared(claim: Statement, witness: Witness) -> int:
    unit = witness.unit.statement
    shared = sum(g in unit.text or g in unit.grains for g in set(claim.grains))
    return shared + len({t.concept + t.option for t in claim.terms} & {t.concept + t.option for t in unit.terms})


def _sort(amount: Amount, claim: Statement, pool: Sequence[Witness], lexicon: Lexicon) -> tuple[_Found, _Found, _Found]:
    same: _Found = []
    other: _Found = []
    different: _Found = []
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
_ONE = re.compile(r"一[把个条台套间扇部辆张位次只]")
# Kinds that say nothing about what is counted; two such values are rivals only in one role.
_GENERIC = frozenset(
    {"money", "number", "count", "percent", "area", "date", "datetime", "duration", "distance", "year", "ratio", "time"}
)


def _rival(amount: Amount, candidate: Amount) -> bool:
    """Whether another value of the same role stands against the claimed one."""
    if amount.quantity.kind in (candidate.quantity.kind, "number"):
        return True
    if {amount.quantity.kind, candidate.quantity.kind} == {"count", "number"} and amount.quantity.unit == "个":
        return True
    return bool(amount.role) and same_family(amount.quantity, candidate.quantity)


def _found(amount: Amount, claim: Statement, same: _Found, different: _Found) -> Facet:
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
    told = amount.role or amount.quantity.kind not in _GENERIC
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
