"""Judge what no concept covers: proper names, parts, and the content words that are left."""

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace

from verifier.facets import CONFLICT, DROPPED, MISSING, OK, Facet, Witness, by_kind, parts_meet, qualified
from verifier.lexicon import Lexicon
from verifier.likeness import Likeness, lacks
from verifier.statements import Statement


def name_facet(name: str, claim: Statement, pool: Sequence[Witness], known: str, lexicon: Lexicon) -> Facet:
    """Judge a proper name: it must be printed in the evidence, or be known from the conversation."""
    core = _core(name, lexicon)
    other = next((w for w in pool if _of_another_kind(name, core, w, lexicon)), None)
    if other is not None:
        return Facet(CONFLICT, "name", f"the source prints another kind than {name}", (other.located,))
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


def _of_another_kind(name: str, core: str, witness: Witness, lexicon: Lexicon) -> bool:
    """Whether a source prints the name with another kind of the same ending (某路小学, not 某路中学)."""
    printed = [n for n in witness.unit.statement.names if core in n]
    endings = {n[-2:] for n in printed}
    mine = name[-2:]
    kinds = endings | {mine}
    known = kinds <= lexicon.cores.keys() and not any(kind[0] in core for kind in kinds)
    return bool(printed) and known and mine not in endings


def part_facet(claim: Statement, pool: Sequence[Witness]) -> Facet:
    """Judge a clause that speaks only of parts: that one is there or not (没有书房), or where (主卧在南边)."""
    found = Facet(MISSING, "no_evidence", "no source names this part")
    kinds = {part.partition(":")[0] for part in claim.parts}
    for witness in pool:
        unit = witness.unit.statement
        shared = {part.partition(":")[0] for part in claim.parts & unit.parts}
        if not shared:
            continue
        if any(mine & theirs and mine - theirs for mine, theirs in by_kind(claim.parts, unit.parts)):
            continue  # 南侧：次卧 says nothing of the 主卧
        if unit.negated == claim.negated and (shared == kinds or len(kinds) == 1):
            return Facet(OK, "part", "found the part", (witness.located,))
        if unit.negated != claim.negated or kinds <= {part.partition(":")[0] for part in unit.parts}:
            found = Facet(CONFLICT, "polarity", "the source says the contrary", (witness.located,))
    return found


def rest_facet(claim: Statement, pool: Sequence[Witness], backed: bool, asked: str) -> Facet:
    """Judge the content words that no concept covers: most must stand in one source, with the same polarity."""
    if not claim.grains:
        named = backed or not claim.domain
        return Facet(OK, "rest", "nothing left") if named else Facet(MISSING, "no_evidence", "nothing to compare")
    pool = [w for w in pool if parts_meet(claim, w.unit.statement)]
    if "all" in claim.flags and not claim.parts and _partial(claim, pool):
        return Facet(MISSING, "universal", "the source says this of some parts only")
    if backed:
        loose = _loose_words(claim, pool)
        if loose:
            return Facet(MISSING, "words_without_source", f"no source says {loose!r}")
        return _free_negation(claim, pool) or Facet(OK, "rest", "the other words carry no fact")
    return _each_item(claim, pool, asked)


def _free_negation(claim: Statement, pool: Sequence[Witness]) -> Facet | None:
    """Find a no that belongs to no concept (车位不用摇号): the source must say no to the same words, or not at all."""
    if not any(not g.startswith("=") for g in claim.grains):
        return None
    best = max(pool, key=lambda w: Likeness(claim, w.unit.statement).share(claim.grains), default=None)
    if best is None or Likeness(claim, best.unit.statement).share(claim.grains) < _HALF:
        return None
    if best.unit.path and best.unit.statement.amounts:
        return None
    mine = claim.negated and all(t.sign > 0 for t in claim.terms)
    unit = best.unit.statement
    theirs = unit.negated and all(t.sign > 0 for t in unit.terms) and _negated_near(claim.grains, unit)
    if mine == theirs or (mine and unit.negated):
        return None
    return Facet(CONFLICT, "polarity", "the source says the contrary", (best.located,), (best.unit.quote,))


def _each_item(claim: Statement, pool: Sequence[Witness], asked: str) -> Facet:
    found = Facet(OK, "words", "nothing left")
    for item in _items(claim):
        best = _best(item, pool, asked)
        found = _said(item, best) if best is not None else Facet(MISSING, "no_evidence", "no source says this")
        if found.state != OK:
            break
    return found


_LISTED = re.compile(r"[、和跟及与]|\band\b")


def _items(claim: Statement) -> list[Statement]:
    """Take a claim about several things at once (车窗膜和车衣都贴了) apart: it must hold for each."""
    parts = _LISTED.split(claim.text)
    if len(parts) < 2 or "都" not in claim.text:
        return [claim]
    tail = parts[-1].partition("都")[2]
    shared = tuple(g for g in claim.grains if g in tail)
    own = [tuple(g for g in claim.grains if g in part.partition("都")[0]) for part in parts]
    return [replace(claim, grains=(*grains, *shared)) for grains in own if grains] or [claim]


def _partial(claim: Statement, pool: Sequence[Witness]) -> bool:
    """Whether all units that share the claim's words speak of single parts."""
    sharing = [w for w in pool if any(g in w.unit.statement.text for g in claim.grains)]
    return bool(sharing) and all(_limited(w.unit.statement) for w in sharing)


def _limited(unit: Statement) -> bool:
    return bool(
        unit.parts or "only" in unit.flags or any(a.limits or a.quantity.kind == "distance" for a in unit.amounts)
    )


def _best(claim: Statement, pool: Sequence[Witness], asked: str) -> Witness | None:
    """Give the unit that says most of a claim's words, if it says enough of them."""
    new = tuple(g for g in claim.grains if g not in asked) or claim.grains
    found, covered = None, -1.0
    for witness in pool:
        likeness = Likeness(claim, witness.unit.statement)
        share = likeness.share(new) + likeness.share(claim.grains)
        if share > covered:
            found, covered = witness, share
    return found if found is not None and _well_covered(claim, found.unit.statement, asked) else None


def _said(claim: Statement, best: Witness) -> Facet:
    unit = best.unit.statement
    lost = qualified(claim, unit)
    if lost and (lost != "expected" or any(name == lost for name, _, _ in unit.flagged)):
        return Facet(CONFLICT, DROPPED[lost][0], DROPPED[lost][1], (best.located,))
    likeness = Likeness(claim, unit)
    negs = likeness.unit_negs()
    mine, theirs = likeness.claim_denies(), len(negs) % 2 == 1
    left = replace(unit, negs=negs, negated=theirs)
    denies = theirs if best.unit.path else _negated_near(claim.grains, left)
    denies = denies or (mine and theirs) or (not negs and not likeness.met.contrary and lacks(claim, unit))
    if (denies != likeness.met.contrary) != mine:
        return Facet(CONFLICT, "polarity", "the source says the contrary", (best.located,), (best.unit.quote,))
    return Facet(OK, "words", "the words stand in the source", (best.located,))


_MOST, _HALF, _ECHOED = 0.6, 0.5, 0.75


def _well_covered(claim: Statement, unit: Statement, asked: str) -> bool:
    """Whether a unit says enough of a claim's words: most of those that are new, or nearly all of an echo."""
    new = tuple(g for g in claim.grains if g not in asked)
    likeness = Likeness(claim, unit)
    covered = likeness.share(claim.grains)
    if len(claim.grains) > 1 and covered * len(claim.grains) < 2:
        return False
    if not new:
        return covered >= _ECHOED
    return covered >= _HALF and likeness.share(new) >= _MOST


_FEW = 2


def _loose_words(claim: Statement, pool: Sequence[Witness]) -> str:
    """Give content words that stand in no source: two characters side by side, or a Latin word."""
    texts = [w.unit.statement for w in pool]
    loose = [g for g in claim.grains if not any(Likeness(claim, u).says(g) for u in texts)]
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
_LATIN_WINDOW = 16


def _negated_near(grains: tuple[str, ...], unit: Statement) -> bool:
    """Whether the unit denies the shared words: an odd number of negations near them."""
    places = sorted((at, at + len(g)) for g in set(grains) if (at := unit.text.find(g)) >= 0)
    if not places:
        return unit.negated
    first, last = places[0][0], places[0][1]
    window = _LATIN_WINDOW if unit.text[first].isascii() else _WINDOW
    for start, end in places[1:]:
        if start - last <= window:
            last = end
    near = [n for n in unit.negs if first - window <= n < last or (last <= n <= last + window and _ends(unit, n))]
    return len(near) % 2 == 1


def _ends(unit: Statement, neg: int) -> bool:
    """Whether nothing of content follows a negation: then it denies what stands before it."""
    return not any(g in unit.text[neg + 1 :] for g in unit.grains)
