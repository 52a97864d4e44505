"""What a clause denies: two clauses that deny the same words say the same (还没开通; 未开通), whatever their concepts."""

from collections.abc import Iterator, Sequence

from verifier.facets import CONFLICT, OK, Facet, Witness
from verifier.lexicon import Lexicon
from verifier.statements import Statement
from verifier.units import Unit

_AHEAD, _BACK = 6, 4
_AHEAD_LATIN, _BACK_LATIN = 18, 18


def agreed(facets: Sequence[Facet], claim: Statement, pool: Sequence[Witness], lexicon: Lexicon) -> list[Facet]:
    """Take back the contradictions that rest on a passage which denies just what the claim denies."""
    return [_agreed(f, claim, pool, lexicon) if f.state == CONFLICT and f.rule in _SIGNS else f for f in facets]


_SIGNS = frozenset({"polarity", "topic_polarity"})


def _agreed(facet: Facet, claim: Statement, pool: Sequence[Witness], lexicon: Lexicon) -> Facet:
    places = {(p.id, p.quote) for p in facet.located}
    behind = [w for w in pool if (w.source.id, w.unit.quote) in places]
    if behind and all(any(deny_alike(claim, u.statement, lexicon) for u in _sentence(w)) for w in behind):
        return Facet(OK, "denied_alike", "both deny the same", facet.located)
    return facet


def _sentence(witness: Witness) -> Iterator[Unit]:
    """Give the units of a witness's sentence: 已拆除，不随车 is one fact in talk (拆了不跟车)."""
    yield witness.unit
    if not witness.unit.path:
        yield from (u for u in witness.source.units if u.segment == witness.unit.segment and not u.path)


def deny_alike(claim: Statement, unit: Statement, lexicon: Lexicon) -> bool:
    """Whether two statements deny the same words: those behind their negation, or, where none follow, those before it."""
    mine, theirs = _denied(claim, lexicon), _denied(unit, lexicon)
    return any(m & t for m in mine for t in theirs)


def _denied(statement: Statement, lexicon: Lexicon) -> list[frozenset[str]]:
    found = []
    for at in statement.negs:
        latin = statement.text[at].isascii()
        ahead = lexicon.content(statement.text[at : at + (_AHEAD_LATIN if latin else _AHEAD)])
        back = statement.text[max(0, at - (_BACK_LATIN if latin else _BACK)) : at]
        found.append(ahead or frozenset("<" + c for c in lexicon.content(back)))
    return found
