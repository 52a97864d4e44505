"""What one part of a claim found, and when a unit of evidence speaks of the same thing at all."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from verifier.claims import Located
from verifier.evidence import Source
from verifier.rows import outside
from verifier.statements import Statement, Term
from verifier.units import Unit

OK, CONFLICT, MISSING, SOFT = "ok", "conflict", "missing", "soft"


@dataclass(frozen=True, slots=True)
class Facet:
    """What one part of a statement found. `state` is ok, conflict, missing, or soft (only a topic, not found); `span` narrows the claim."""

    state: str
    rule: str
    reason: str
    located: tuple[Located, ...] = ()
    nearest: tuple[str, ...] = ()
    span: tuple[int, int] | None = None


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
    """List all units of some sources, what a source repeats once."""
    found: dict[tuple[str, str, str, str], Witness] = {}
    given = tuple(sources)
    if len({source.id for source in given}) == len(given):
        return tuple([Witness(source, unit) for source in given for unit in source.distinct])
    for source in given:
        for unit in source.distinct:
            found.setdefault((source.id, unit.statement.text, unit.path, unit.group), Witness(source, unit))
    return tuple(found.values())


def same_rows(pool: tuple[Witness, ...], claim: Statement, asked: Sequence[Statement] = ()) -> tuple[Witness, ...]:
    """Keep of a list the rows that the claim speaks of (白的那台: the rows whose colour is white; B户型: its row)."""
    pool = meant_rows(pool, claim, asked)
    wanted = {(t.concept, t.option) for t in claim.terms if t.option and t.sign > 0}
    rows = {
        (w.source.id, w.unit.group)
        for w in pool
        if w.unit.group and wanted & {(t.concept, t.option) for t in w.unit.statement.terms}
    }
    if not rows or not claim.amounts:
        return pool
    return tuple(w for w in pool if not w.unit.group or (w.source.id, w.unit.group) in rows)


def meant_rows(pool: tuple[Witness, ...], claim: Statement, asked: Sequence[Statement] = ()) -> tuple[Witness, ...]:
    """Leave out the rows and branches that a claim does not speak of, because it names others beside them."""
    sources = {w.source.id: w.source for w in pool if w.source.families}
    others = {name: outside(source.families, claim, asked) for name, source in sources.items()}
    if not any(others.values()):
        return pool
    return tuple(w for w in pool if not any(b.holds(w.unit.path) for b in others.get(w.source.id, ())))


def parts_meet(claim: Statement, unit: Statement) -> bool:
    """Whether a unit speaks of the part that the claim speaks of; one that names no part speaks of all."""
    if "rest" in claim.flags:
        return "rest" in unit.flags or not unit.parts
    if "rest" in unit.flags and claim.parts:
        return False
    return all(mine <= theirs or theirs <= mine for mine, theirs in by_kind(claim.parts, unit.parts))


def by_kind(claim: frozenset[str], unit: frozenset[str]) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """Pair the parts of one kind that both name (sides with sides, rooms with rooms)."""
    for kind in {p.partition(":")[0] for p in claim} & {p.partition(":")[0] for p in unit}:
        yield (
            frozenset(p for p in claim if p.partition(":")[0] == kind),
            frozenset(p for p in unit if p.partition(":")[0] == kind),
        )


_QUALIFIED = ("unknown", "planned", "expected", "attributed", "unverified", "only", "condition")


_SAID = frozenset({"attributed", "unverified"})


def qualified(claim: Statement, unit: Statement, other: Term | None = None) -> str:
    """Name a qualification of the source that the claim drops; a word that is the compared value itself is none."""
    for flag in _QUALIFIED:
        if flag not in unit.flags or flag in claim.flags or (flag in _SAID and claim.flags & _SAID):
            continue
        if flag in ("planned", "expected") and (claim.negated or claim.flags & {"planned", "expected"}):
            continue
        if flag in ("only", "condition") and _LIMITS_ITSELF.search(claim.text):
            continue
        if flag == "only" and "only_softly" in claim.flags:
            continue
        if flag == "condition" and claim.flags & {"condition_softly", "only_softly", "only"}:
            continue
        own = other is not None and all(
            start < other.end and other.start < end for name, start, end in unit.flagged if name == flag
        )
        if not own or flag not in {name for name, _, _ in unit.flagged}:
            return flag
    return ""


DROPPED = {
    "unknown": ("value_unknown", "the source says that this is not known or was not checked"),
    "expected": ("planned_as_real", "the source only expects this"),
    "planned": ("planned_as_real", "the source says that this is only planned or in progress"),
    "condition": ("condition_dropped", "the source says this only under a condition, and the draft drops that"),
    "only": ("limit_dropped", "the source limits this to some cases, and the draft drops that"),
    "unverified": ("attribution_dropped", "the source says that this is not verified, and the draft drops that"),
    "attributed": ("attribution_dropped", "the source only reports what someone says, and the draft drops that"),
}


def dropped_by(claim: Statement, pool: tuple[Witness, ...] | list[Witness]) -> Facet | None:
    """Find a qualification that a claim drops from every passage declared for it, or a part that it widens to all."""
    lost = [qualified(claim, w.unit.statement) for w in pool]
    if lost and all(name in _HARD for name in lost):
        return Facet(CONFLICT, *DROPPED[lost[0]], (pool[0].located,))
    if "all" in claim.flags and not claim.parts and all(w.unit.statement.parts for w in pool):
        reason = "the passage says this of some parts only"
        return Facet(CONFLICT, "universal", reason, (pool[0].located,))
    return None


_LIMITS_ITSELF = re.compile(r"只|仅|才|得|须|\bonly\b|\bjust\b")
_HARD = frozenset({"unknown", "attributed", "only", "condition"})

EXCEPTED = re.compile(r"除外|不适用|\bexcept\b|\bexcluding\b")


def denies(unit: Statement) -> bool:
    """Whether a unit says no, by a negation or as an exception."""
    return unit.negated or EXCEPTED.search(unit.text) is not None
