"""Rules with exceptions (自营车支持退车，寄售车除外): where the item is the exception, the rule says the contrary."""

import re
from dataclasses import replace

from verifier.evidence import Source
from verifier.statements import Statement
from verifier.units import Unit

_EXCEPT = re.compile(r"除外|不适用|不在此列|不享受|\bexcept\b|\bexcluding\b|does not apply")


def except_for(sources: tuple[Source, ...]) -> tuple[Source, ...]:
    """Turn around the rules of each source whose exception is what another source says about the item."""
    if not any(_EXCEPT.search(s.scanned.norm) for s in sources):
        return sources
    return tuple(replace(s, units=_turned(s, sources)) for s in sources)


def _turned(source: Source, sources: tuple[Source, ...]) -> tuple[Unit, ...]:
    facts = {f for other in sources if other is not source for u in other.units for f in _options(u.statement)}
    lost = {u.segment for u in source.units if _EXCEPT.search(u.statement.text) and facts & _options(u.statement)}
    return tuple(
        replace(u, statement=_denied(u.statement)) if u.segment in lost and not _EXCEPT.search(u.statement.text) else u
        for u in source.units
    )


def _options(statement: Statement) -> set[tuple[str, str]]:
    return {(t.concept, t.option) for t in statement.terms if t.option and t.sign > 0}


def _denied(statement: Statement) -> Statement:
    return replace(
        statement,
        terms=tuple(replace(t, sign=-t.sign) for t in statement.terms),
        negated=not statement.negated,
        negs=() if statement.negated else (0,),
    )
