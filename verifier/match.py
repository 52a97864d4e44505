"""Hold one statement against the units that may back it: subject first, then role, then value.

Every part of the statement (term, amount, name, rest of its words) is a facet with its own finding. A statement is
supported when every facet is; one contradicted facet contradicts it; one without evidence leaves it unsupported.
"""

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from verifier.amounts import dimension, equal, same_dimension, same_family
from verifier.claims import Located
from verifier.evidence import Source, Unit
from verifier.lexicon import Lexicon
from verifier.statements import IDENTIFIERS, Amount, Statement, Term

OK, CONFLICT, MISSING, SOFT = "ok", "conflict", "missing", "soft"


@dataclass(frozen=True, slots=True)
class Facet:
    """What one part of a statement found. `state` is ok, conflict, missing, or soft (only a topic, not found)."""

    state: str
    rule: str
    reason: str
    located: tuple[Located, ...] = ()
    nearest: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Witness:
    """A unit in its source."""

    source: Source
    unit: Unit

    @property
    def located(self) -> Located:
        """The literal words."""
        return Located(self.source.id, self.unit.quote)


def witnesses(sources: Iterable[Source]) -> tuple[Witness, ...]:
    """List all units of some sources."""
    return tuple(Witness(s, u) for s in sources for u in s.units)


def parts_meet(claim: Statement, unit: Statement) -> bool:
    """Whether a unit speaks of the part that the claim speaks of; one that names no part speaks of all."""
    if "rest" in claim.flags:
        return "rest" in unit.flags or not unit.parts
    if "rest" in unit.flags and claim.parts:
        return False
    return all(mine <= theirs or theirs <= mine for mine, theirs in _by_kind(claim.parts, unit.parts))


def _by_kind(claim: frozenset[str], unit: frozenset[str]) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """Pair the parts of one kind that both name (sides with sides, rooms with rooms)."""
    for kind in {p.partition(":")[0] for p in claim} & {p.partition(":")[0] for p in unit}:
        yield (
            frozenset(p for p in claim if p.partition(":")[0] == kind),
            frozenset(p for p in unit if p.partition(":")[0] == kind),
        )


def agreement(term: Term, other: Term, lexicon: Lexicon) -> int:
    """Give 1 when the other term says the same, -1 when it says the contrary, 0 when it says neither."""
    if term.option == other.option:
        return 1 if term.sign == other.sign else -1
    if not term.option:
        return 1 if term.sign == other.sign else -1
    if not other.option:
        return -1 if other.sign < 0 < term.sign else 0
    if lexicon.concepts[term.concept].open or other.sign < 0:
        return 0
    return -1 if term.sign > 0 else 1


_QUALIFIED = ("unknown", "planned", "attributed", "unverified", "only")
_SAID = frozenset({"attributed", "unverified"})


def qualified(claim: Statement, unit: Statement, other: Term | None = None) -> str:
    """Name a qualification of the source that the claim drops; a word that is the compared value itself is none."""
    for flag in _QUALIFIED:
        if flag not in unit.flags or flag in claim.flags or (flag in _SAID and claim.flags & _SAID):
            continue
        if flag == "only" and "only_softly" in claim.flags:
            continue
        own = other is not None and all(
            start < other.end and other.start < end for name, start, end in unit.flagged if name == flag
        )
        if not own or flag not in {name for name, _, _ in unit.flagged}:
            return flag
    return ""


_DROPPED = {
    "unknown": ("value_unknown", "the source says that this is not known or was not checked"),
    "planned": ("planned_as_real", "the source says that this is only planned or in progress"),
    "only": ("limit_dropped", "the source limits this to some cases, and the draft drops that"),
    "unverified": ("attribution_dropped", "the source says that this is not verified, and the draft drops that"),
    "attributed": ("attribution_dropped", "the source only reports what someone says, and the draft drops that"),
}


def term_facet(term: Term, claim: Statement, pool: Sequence[Witness], lexicon: Lexicon) -> Facet:
    """Judge one concept of a claim; a mere topic (a role without its number) needs only to be mentioned."""
    if term.concept in lexicon.role_only:
        return _topic(term, claim, pool)
    votes: list[tuple[Witness, int]] = []
    dropped: list[tuple[Witness, str]] = []
    for witness in pool:
        unit = witness.unit.statement
        if not parts_meet(claim, unit):
            continue
        if term.concept in lexicon.predicates and not _same_object(claim, unit, lexicon):
            continue
        for other in unit.terms:
            if other.concept != term.concept and other.concept not in lexicon.concepts[term.concept].broader:
                continue
            vote = agreement(term, other, lexicon)
            lost = qualified(claim, unit, other)
            if lost and (vote > 0 or lost == "unknown"):
                dropped.append((witness, lost))
            elif vote:
                votes.append((witness, vote))
    found = _weigh(term.concept, claim, votes, dropped)
    topic = not term.option and term.sign > 0 and bool(lexicon.concepts[term.concept].options)
    if topic and found.state == OK:
        return replace(found, rule="topic")
    return replace(found, state=SOFT) if topic and found.state == MISSING else found


def _same_object(claim: Statement, unit: Statement, lexicon: Lexicon) -> bool:
    """Whether two statements say something about the same thing, or one does not name it."""
    plain = lexicon.predicates | lexicon.role_only
    mine = {t.concept for t in claim.terms} - plain
    theirs = {t.concept for t in unit.terms} - plain
    return not mine or not theirs or bool(mine & theirs)


def _topic(term: Term, claim: Statement, pool: Sequence[Witness]) -> Facet:
    for witness in pool:
        unit = witness.unit.statement
        found = next((t for t in unit.terms if t.concept == term.concept), None)
        if found is not None and found.sign != term.sign and not (claim.amounts or unit.amounts):
            return Facet(CONFLICT, "polarity", f"the source says the contrary about {term.concept}", (witness.located,))
        if found is not None:
            return Facet(OK, "topic", f"found {term.concept}", (witness.located,))
    return Facet(SOFT, "no_evidence", f"no evidence about {term.concept}")


def _weigh(name: str, claim: Statement, votes: list[tuple[Witness, int]], dropped: list[tuple[Witness, str]]) -> Facet:
    good, bad = [w for w, v in votes if v > 0], [w for w, v in votes if v < 0]
    if good and bad:
        settled = newest(good, bad)
        if settled is None and _closer(claim, good, bad):
            settled = True
        if settled is None and _one_list(good, bad):
            settled = True
        if settled is None:
            where = tuple(w.located for w in (good[0], bad[0]))
            return Facet(CONFLICT, "sources_disagree", f"the evidence says both yes and no about {name}", where)
        good, bad = (good, []) if settled else ([], bad)
    if bad:
        located = tuple(w.located for w in bad[:2])
        return Facet(
            CONFLICT,
            "polarity",
            f"the source says the contrary about {name}",
            located,
            tuple(w.unit.quote for w in bad[:3]),
        )
    if good:
        return Facet(OK, "term", f"found {name}", (good[0].located,))
    if dropped:
        rule, reason = _DROPPED[dropped[0][1]]
        return Facet(CONFLICT, rule, f"{reason} ({name})", (dropped[0][0].located,))
    return Facet(MISSING, "no_evidence", f"no evidence about {name}")


_CLEARLY = 2


def _closer(claim: Statement, good: Sequence[Witness], bad: Sequence[Witness]) -> bool:
    """Whether the agreeing sources share clearly more of the claim's own words: the others speak of something else."""
    apart = not {w.source.id for w in good} & {w.source.id for w in bad}
    return apart and _overlap(claim, good) >= _overlap(claim, bad) + _CLEARLY


def _overlap(claim: Statement, found: Sequence[Witness]) -> int:
    return max(sum(g in w.unit.statement.text for g in claim.grains) + _counts(claim, w) for w in found)


def _counts(claim: Statement, witness: Witness) -> int:
    printed = {a.quantity.value for a in witness.unit.statement.amounts}
    return sum(a.quantity.value in printed for a in claim.amounts)


def newest(good: Sequence[Witness], bad: Sequence[Witness]) -> bool | None:
    """Decide between sources by time: True for the good ones, False for the bad, None when neither is newer."""
    best, worst = _latest(good), _latest(bad)
    if {w.source.id for w in good} & {w.source.id for w in bad}:
        return None
    if best is None or worst is None or best == worst:
        return None
    return best > worst


def _latest(found: Sequence[Witness]) -> datetime | None:
    times = [w.source.at for w in found if w.source.at is not None]
    return max(times) if times else None


def _one_list(good: Sequence[Witness], bad: Sequence[Witness]) -> bool:
    """Whether the two stand in different rows of one list, where each row is its own thing."""
    rows = {(w.source.id, w.unit.group) for w in good}
    others = {(w.source.id, w.unit.group) for w in bad}
    return not rows & others and all(group for _, group in rows | others)


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
    literal = _literal(amount, pool)
    if literal is not None:
        return literal
    often = _frequency(quantity.quote, pool)
    if often is not None:
        return often
    same, other, different = _sort(amount, claim, pool, lexicon)
    if same and _better_elsewhere(claim, same, different):
        where = tuple(w.located for w, _ in different[:1])
        return Facet(
            CONFLICT, "role", f"{said} is printed for something else", where, (different[0][1].quantity.quote,)
        )
    if same:
        return _found(amount, claim, same, different)
    computed = derived(amount)
    if computed is not None:
        return computed
    if different:
        printed = tuple(dict.fromkeys(a.quantity.quote for _, a in different))[:3]
        where = tuple(w.located for w, _ in different[:2])
        return Facet(CONFLICT, "value", f"the draft says {said}, the evidence {', '.join(printed)}", where, printed)
    if other and amount.role:
        where = (other[0][0].located,)
        reason = f"{said} is printed as {other[0][1].role or 'something else'}, not as {amount.role}"
        return Facet(CONFLICT, "role", reason, where)
    return Facet(MISSING, "no_evidence", f"no evidence for {said}")


def _literal(amount: Amount, pool: Sequence[Witness]) -> Facet | None:
    """Find a code or a bare number (the 330 of a trim) as it is written."""
    quantity = amount.quantity
    pieces = _ADDRESS.findall(quantity.quote) if quantity.kind in ("room_no", "building") else []
    whole = " ".join(w.unit.statement.text for w in pool)
    if pieces and all(re.search(rf"(?<!\d){piece}", whole) for piece in pieces):
        return Facet(OK, "value", f"found {quantity.quote}")
    bare = quantity.kind == "number" and not amount.role and quantity.quote.isdigit()
    if not bare and quantity.kind not in ("code", *IDENTIFIERS):
        return None
    said = re.escape(quantity.quote.lower())
    for witness in pool:
        if re.search(rf"(?<![\d.,]){said}(?![\d.,])", witness.unit.statement.text):
            return Facet(OK, "value", f"found {quantity.quote}", (witness.located,))
    return None


_ADDRESS = re.compile(r"\d+(?:号楼|栋|单元|室|号|幢)")
_EACH = {"一年": "每年", "一个月": "每月", "一天": "每天", "一周": "每周", "1年": "每年", "1个月": "每月"}


def _frequency(said: str, pool: Sequence[Witness]) -> Facet | None:
    """Find how often something happens: 一年一次 is 每年一次."""
    each = _EACH.get(said)
    found = next((w for w in pool if each and each in w.unit.statement.text), None)
    return Facet(OK, "value", f"found {each}", (found.located,)) if found else None


def _better_elsewhere(claim: Statement, same: "_Found", different: "_Found") -> bool:
    """Whether another value in the same source stands with more of the claim's words (地面 150, 地下 300)."""
    here = {w.source.id for w, _ in same}
    rivals = [w for w, _ in different if w.source.id in here]
    best = max(_words_shared(claim, w) for w, _ in same)
    return bool(rivals) and max(_words_shared(claim, w) for w in rivals) > best


def _words_shared(claim: Statement, witness: Witness) -> int:
    unit = witness.unit.statement
    shared = sum(g in unit.text or g in unit.grains for g in set(claim.grains))
    return shared + len({t.concept + t.option for t in claim.terms} & {t.concept + t.option for t in unit.terms})


_Found = list[tuple[Witness, Amount]]


def _sort(amount: Amount, claim: Statement, pool: Sequence[Witness], lexicon: Lexicon) -> tuple[_Found, _Found, _Found]:
    same: _Found = []
    other: _Found = []
    different: _Found = []
    for witness in pool:
        unit = witness.unit.statement
        if not parts_meet(claim, unit):
            continue
        for candidate in unit.amounts:
            alike = same_dimension(amount.quantity, candidate.quantity)
            if not alike and not (
                amount.role and amount.role == candidate.role and same_family(amount.quantity, candidate.quantity)
            ):
                continue
            related = not amount.role or not candidate.role or lexicon.related(amount.role, candidate.role)
            if equal(amount.quantity, candidate.quantity, claim.text):
                (same if related else other).append((witness, candidate))
            elif related and _rival(amount, candidate):
                different.append((witness, candidate))
    exact = [f for f in same if f[1].role == amount.role]
    return exact or same, other, [f for f in different if f[1].role == amount.role] or different


# Kinds that say nothing about what is counted; two such values are rivals only in one role.
_GENERIC = frozenset(
    {"money", "number", "count", "percent", "area", "date", "datetime", "duration", "distance", "year", "ratio", "time"}
)


def _rival(amount: Amount, candidate: Amount) -> bool:
    """Whether another value of the same role stands against the claimed one."""
    if amount.quantity.kind == candidate.quantity.kind:
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
    clean = [(w, a) for w, a in kept if qualified(claim, w.unit.statement) in ("", "unverified", "only")]
    if not clean:
        rule, reason = _DROPPED[qualified(claim, kept[0][0].unit.statement)]
        return Facet(CONFLICT, rule, reason, (kept[0][0].located,))
    told = amount.role or amount.quantity.kind not in _GENERIC
    rivals = [w for w, a in different if told and (a.role or not amount.role) and "past" not in claim.flags]
    against = [
        w
        for w in rivals
        if w.source.id not in {g.source.id for g, _ in clean} and w.source.label == clean[0][0].source.label
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


def dropped_limits(amount: Amount, printed: Amount, claim: Statement) -> frozenset[str]:
    """Give the limits of a printed amount that a claim leaves out; an approximate value keeps an expectation."""
    kept = amount.limits | claim.flags
    if dimension(amount.quantity) == "date":
        kept |= {"at_most", "from"}
    if amount.quantity.approx or isinstance(amount.quantity.value, tuple):
        kept |= {"expected"}
    return printed.limits - kept


def name_facet(name: str, claim: Statement, pool: Sequence[Witness], known: str, lexicon: Lexicon) -> Facet:
    """Judge a proper name: it must be printed in the evidence, or be known from the conversation."""
    core = _core(name, lexicon)
    for witness in pool:
        if core in witness.unit.statement.text:
            if parts_meet(claim, witness.unit.statement):
                return Facet(OK, "name", f"found {name}", (witness.located,))
            return Facet(CONFLICT, "name_elsewhere", f"the source prints {name} for another part", (witness.located,))
    if core in known:
        return Facet(OK, "name", f"{name} is what the conversation is about")
    for witness in pool:
        for printed in witness.unit.statement.names:
            if printed[-2:] == name[-2:]:
                return Facet(
                    CONFLICT, "name", f"the draft says {name}, the source {printed}", (witness.located,), (printed,)
                )
    return Facet(MISSING, "no_evidence", f"{name} is in no source")


def _core(name: str, lexicon: Lexicon) -> str:
    """Give what tells a name apart: the characters before its ending, three for a street's shop, a title with it."""
    ending = next(m for m in lexicon.ending.finditer(name) if m.end() == len(name))
    size = lexicon.cores[ending.group()]
    if size == 1:
        return name[ending.start() - 1 :]
    core = name[: ending.start()] + (ending.group()[0] if ending.group()[0] in "路街" else "")
    return core[-3:] if core[-1:] in ("路", "街") else core[-size:]


def part_facet(claim: Statement, pool: Sequence[Witness]) -> Facet:
    """Judge a clause that says only that a part is there or not (没有书房)."""
    for witness in pool:
        unit = witness.unit.statement
        if claim.parts & unit.parts:
            said = unit.negated == claim.negated
            rule, reason = ("part", "found the part") if said else ("polarity", "the source says the contrary")
            return Facet(OK if said else CONFLICT, rule, reason, (witness.located,))
    return Facet(MISSING, "no_evidence", "no source names this part")


def rest_facet(claim: Statement, pool: Sequence[Witness], backed: bool, asked: str) -> Facet:
    """Judge the content words that no concept covers: most must stand in one source, with the same polarity."""
    if not claim.grains:
        return Facet(OK, "rest", "nothing left")
    best, covered = None, -1.0
    new = tuple(g for g in claim.grains if g not in asked) or claim.grains
    for witness in pool:
        share = _share(new, witness.unit.statement) + _share(claim.grains, witness.unit.statement)
        if share > covered:
            best, covered = witness, share
    if backed:
        loose = _loose_words(claim, pool, asked)
        if loose:
            return Facet(MISSING, "words_without_source", f"no source says {loose!r}")
        return Facet(OK, "rest", "the other words carry no fact")
    if best is None or not _well_covered(claim, best.unit.statement, asked):
        return Facet(MISSING, "no_evidence", "no source says this")
    unit = best.unit.statement
    lost = qualified(claim, unit)
    if lost:
        return Facet(CONFLICT, _DROPPED[lost][0], _DROPPED[lost][1], (best.located,))
    denies = unit.negated if best.unit.path else _negated_near(claim.grains, unit)
    if denies != claim.negated:
        return Facet(CONFLICT, "polarity", "the source says the contrary", (best.located,), (best.unit.quote,))
    return Facet(OK, "words", "the words stand in the source", (best.located,))


_MOST, _HALF, _ECHOED = 0.6, 0.5, 0.75


def _well_covered(claim: Statement, unit: Statement, asked: str) -> bool:
    """Whether a unit says enough of a claim's words: most of those that are new, or nearly all of an echo."""
    new = tuple(g for g in claim.grains if g not in asked)
    covered = _share(claim.grains, unit)
    if len(claim.grains) > 1 and covered * len(claim.grains) < 2:
        return False
    if not new:
        return covered >= _ECHOED
    return covered >= _HALF and _share(new, unit) >= _MOST


_FEW = 2


def _loose_words(claim: Statement, pool: Sequence[Witness], asked: str) -> str:
    """Give content words that stand in no source and no question: two characters side by side, or a Latin word."""
    texts = [w.unit.statement for w in pool]
    loose = [g for g in claim.grains if g not in asked and not any(g in u.text or g in u.grains for u in texts)]
    if loose and "only_softly" in claim.flags and not any("only" in u.flags for u in texts):
        return "".join(loose)
    listed = _loose_item(claim, loose)
    if listed:
        return listed
    for one, other in itertools.pairwise(loose):
        if one + other in claim.text:
            return one + other
    latin = next((g for g in loose if len(g) > 3 and not g.startswith("=")), "")
    return latin or ("".join(loose) if len(loose) > _FEW else "")


def _loose_item(claim: Statement, loose: Sequence[str]) -> str:
    """Give an item of a list (脚垫、坐垫都送) of which a part stands in no source."""
    items = claim.text.split("、")
    if len(items) < 2:
        return ""
    return next((item for item in items if any(g in item for g in loose)), "")


_WINDOW = 4


def _negated_near(grains: tuple[str, ...], unit: Statement) -> bool:
    """Whether the unit denies the shared words: an odd number of negations near them."""
    places = [(at, at + len(g)) for g in grains if (at := unit.text.find(g)) >= 0]
    if not places:
        return unit.negated
    first, last = min(a for a, _ in places) - _WINDOW, max(b for _, b in places) + _WINDOW
    near = [n for n in unit.negs if first <= n <= last]
    return len(near) % 2 == 1


def _share(grains: tuple[str, ...], unit: Statement) -> float:
    return sum(g in unit.text or g in unit.grains for g in grains) / len(grains)
