"""Rules with exceptions (自营车支持退车，寄售车除外): where the item is the exception, the rule says the contrary."""

import re
from dataclasses import replace

from verifier.evidence import Source
from verifier.statements import Statement
from verifier.units import Unit

_EXCEPT = re.compile(r"除外|不适用|不在此列|不享受|\bexcept\b|\bexcluding\b|does not apply")


# What is excepted, by name: 特价车不适用. Its last noun (车, 房) is what every item is.
_NAMED = re.compile(
    r"(?P<what>[\u4e00-\u9fff]{2,6}?)(?:类|的)?[车房盘单]?(?:源|辆|型)?(?:均|都|也|则|一律)?(?:除外|不适用|不在此列|不享受)"
)


def except_for(sources: tuple[Source, ...]) -> tuple[Source, ...]:
    """Turn around the rules of each source whose exception is what another source says about the item."""
    if not any(_EXCEPT.search(s.scanned.norm) for s in sources):
        return sources
    return tuple(replace(s, units=_turned(s, sources)) for s in sources)


def _turned(source: Source, sources: tuple[Source, ...]) -> tuple[Unit, ...]:
    facts = {f for other in sources if other is not source for u in other.units for f in _options(u.statement)}
    items = "\n".join(other.scanned.norm for other in sources if other is not source and not other.general)
    lost: set[int] = set()
    for unit in source.units:
        if _EXCEPT.search(unit.statement.text) and facts & _options(unit.statement):
            lost |= {unit.segment}
        if _names(unit.statement.text, items):  # the exception may stand in the sentence behind its rule
            lost |= {unit.segment, unit.segment - 1}
    return tuple(
        replace(u, statement=_denied(u.statement)) if u.segment in lost and not _EXCEPT.search(u.statement.text) else u
        for u in source.units
    )


def _names(exception: str, items: str) -> bool:
    """Whether the items' own sources say in so many words that they are what is excepted."""
    named = _NAMED.search(exception)
    return named is not None and re.search(rf"(?<![非不无未])(?<!不是){re.escape(named['what'])}", items) is not None


def _options(statement: Statement) -> set[tuple[str, str]]:
    return {(t.concept, t.option) for t in statement.terms if t.option and t.sign > 0}


def _denied(statement: Statement) -> Statement:
    return replace(
        statement,
        terms=tuple(replace(t, sign=-t.sign) for t in statement.terms),
        negated=not statement.negated,
        negs=() if statement.negated else (0,),
    )
