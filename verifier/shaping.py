"""Shape a claim before and after it is judged: labels out, part by part, what a denial denies, the one wrong number."""

from collections.abc import Sequence
from dataclasses import replace

from verifier.assertions import Assertion
from verifier.facets import CONFLICT, MISSING, OK, Facet, Witness, parts_meet
from verifier.questions import Question
from verifier.statements import Amount, Statement


def denied(
    facets: list[Facet], claim: Statement, pool: Sequence[Witness], questions: Sequence[Question]
) -> list[Facet]:
    """A denial of several things at once (does the balcony face south?) holds when one of them is denied.

    Where the question named a value (物业是万盛吧), a source that prints another value under the same topic denies it.
    """
    if any(f.state == OK for f in facets) and len(facets) > 1:
        return [f for f in facets if f.state == OK]
    content = [g for g in claim.grains if not g.startswith("=")]
    about = {t.concept for t in claim.terms}
    units = [w for w in pool if about & {t.concept for t in w.unit.statement.terms}]
    named = any("是" in q.text and "有" not in q.text for q in questions)
    if named and len(content) > 1 and units and not any(g in w.unit.statement.text for w in units for g in content):
        return [Facet(OK, "other_value", "the source prints another value", (units[0].located,))]
    return facets


def denied_numbers(facets: Sequence[Facet]) -> list[Facet]:
    """Turn round what was found for the numbers that a no denies (是五楼吗 → 不是): the number printed contradicts it."""
    found = []
    for facet in facets:
        if facet.state == OK:
            found.append(Facet(CONFLICT, "polarity", "the source prints the number that is denied", facet.located))
        elif facet.state == CONFLICT and facet.rule == "value":
            found.append(Facet(OK, "other_value", "the source prints another number", facet.located))
        else:
            found.append(facet)
    return found


def covered_by_rest(pool: Sequence[Witness], claim: Statement) -> tuple[Witness, ...]:
    """Let "all others" (其余原漆) speak of the claim's part where no sentence of its source names that part."""
    rest = {w.source.id: w.source for w in pool if "rest" in w.unit.statement.flags}
    if not rest or not claim.parts or "rest" in claim.flags:
        return tuple(pool)
    covering = {s.id for s in rest.values() if not any(_lists(u.statement, claim) for u in s.units)}
    return tuple(_plain(w) if w.source.id in covering else w for w in pool)


def _lists(unit: Statement, claim: Statement) -> bool:
    return bool(unit.parts) and parts_meet(claim, unit)


def _plain(witness: Witness) -> Witness:
    statement = witness.unit.statement
    flags = statement.flags - {"rest"}
    return replace(witness, unit=replace(witness.unit, statement=replace(statement, flags=flags)))


def by_part(statement: Statement) -> list[Statement]:
    """A claim about several parts of one kind (客厅主卧都朝南) must hold for each."""
    # A word may name two kinds (主卧 is a bedroom too); always the same one of them counts.
    kinds = [min(place).partition(":")[0] for place in statement.places]
    if len(set(kinds)) == len(kinds):
        return [statement]
    single = [place for place, kind in zip(statement.places, kinds, strict=True) if kinds.count(kind) == 1]
    shared = frozenset().union(*single)
    several = [place for place, kind in zip(statement.places, kinds, strict=True) if kinds.count(kind) > 1]
    return [replace(statement, parts=place | shared) for place in several]


def narrowed(facet: Facet, amount: Amount, statement: Statement) -> Facet:
    """Point at the one number that is wrong among several (三房两厅两卫)."""
    several = len(statement.amounts) > 1 and facet.state == CONFLICT
    return replace(facet, span=(amount.quantity.start, amount.quantity.end)) if several else facet


def uncounted(facets: list[Facet]) -> list[Facet]:
    """Let the length of a list speak of the thing that it lists, though no row names it (做过三次保养)."""
    if not any(f.rule == "derived" and f.reason.startswith("counted") for f in facets):
        return facets
    return [f for f in facets if f.state != MISSING or not f.reason.startswith("no evidence about")]


def without_labels(assertion: Assertion, about: frozenset[str]) -> Assertion:
    """Take the name of the thing out of the words that need a source."""
    statement = assertion.statement
    said = "".join(about)
    if not said:
        return assertion
    left = tuple(g for g in statement.grains if not _in_label(g, statement.text, said))
    kept = tuple(a for a in statement.amounts if not _is_label(a, said))
    return replace(assertion, statement=replace(statement, grains=left, amounts=kept))


def _in_label(grain: str, words: str, said: str) -> bool:
    """Whether a content word is part of the name; a single character only with a neighbour (湖 of 镜湖里, not of 看湖)."""
    if grain not in said or len(grain) > 1:
        return grain in said
    pairs = (words[max(at - 1, 0) : at + 1] for at in _places(grain, words))
    behind = (words[at : at + 2] for at in _places(grain, words))
    return any(len(pair) > 1 and pair in said for pair in (*pairs, *behind))


def _places(grain: str, words: str) -> list[int]:
    return [at for at, char in enumerate(words) if char == grain]


_ADDRESS = frozenset({"building", "floor", "room_no", "number", "phase", "unit_no", "count", "year", "model_year"})


def _is_label(amount: Amount, said: str) -> bool:
    """Whether a number only names the thing (5栋, 三楼那套)."""
    return amount.quantity.kind in _ADDRESS and amount.quantity.quote.lower() in said
