"""What a clause shows by itself: a number that nobody read, an ordinal without source, a fall to a higher value."""

import re
from collections.abc import Sequence
from decimal import Decimal

from planner.grammar import marks
from verifier.amounts import scaled
from verifier.facets import CONFLICT, MISSING, Facet, Witness
from verifier.statements import Statement
from verifier.tallies import torn_apart

# Closed class: number words that are left over when the quantity grammar has read all it can.
_DIGIT_OF = dict(zip("零一二三四五六七八九十两", map(str, (*range(11), 2)), strict=True))
_CHINESE = frozenset("零二三四五六七八九十百千万亿半两")
_ENGLISH = frozenset(
    (
        "half",
        "quarter",
        "dozen",
        "twice",
        "double",
        "triple",
        "first",
        "second",
        "third",
        "fourth",
        "fifth",
        "sixth",
        "zero",
        "two",
        "three",
        "four",
        "five",
        "six",
    )
)
_POINTING = frozenset("这那哪您你咱另每各")
_WAN = Decimal(10_000)
_ONCE = re.compile(r"一[处条道扇]")
_LETTER = re.compile(r"(?<![a-z0-9'])[a-z](?![a-z0-9'])")
_ORDINAL = re.compile(
    r"第(?!一(?:笔|次[付交给要总]|期[付交]))[一二三四五六七八九十\d]{1,3}|首[任次手套位]|头[一]?[手任]"
)
_NUMBERED = re.compile(r"(?<![一二三四五六七八九十\d])([一二三四五六七八九十])(小|中|甲|乙|幼)(?![个于间区学心介时])")
_GRADE = re.compile(r"([一二三])级甲等?")
_FELL = re.compile(r"从.{1,12}(?:降|跌|减|下调).{0,3}到|from .{1,16}(?:down|reduced|cut) to|down from")
_ROSE = re.compile(r"从.{1,12}(?:涨|升|加|上调).{0,3}到|from .{1,16}up to|up from")


def alone(statement: Statement, pool: Sequence[Witness]) -> list[Facet]:
    """Judge what can be seen in the clause alone."""
    found = (
        _unread(statement, pool),
        _once(statement, pool),
        _letter(statement, pool),
        _numbered(statement, pool),
        torn_apart(statement, pool),
        _ordinal(statement, pool),
        _direction(statement, pool),
    )
    return [facet for facet in found if facet is not None]


def _unread(statement: Statement, pool: Sequence[Witness]) -> Facet | None:
    """A number that the reader skipped fails closed, unless the source prints it just so."""
    for grain in statement.grains:
        read = not is_number_word(grain) or _counts_nothing(grain, statement.text)
        if not read and not any(_prints(grain, w, statement) for w in pool):
            return Facet(MISSING, "unreadable_number", f"the number {grain} cannot be read")
    return None


def _counts_nothing(grain: str, words: str) -> bool:
    """Whether a number word only points (这两套) or is part of an idiom, wherever it stands."""
    places = [m.start() for m in re.finditer(re.escape(grain), words)]
    idioms = marks(words).idioms
    return all(words[at - 1 : at] in _POINTING or any(a <= at < b for a, b in idioms) for at in places)


def is_number_word(grain: str) -> bool:
    """Whether a left-over word is a number."""
    return grain[0].isdigit() or grain in _CHINESE or grain in _ENGLISH


def _prints(grain: str, witness: Witness, claim: Statement) -> bool:
    unit = witness.unit.statement
    if grain in unit.grains:
        return True
    token = re.search(rf"(?<![a-z\d]){grain}[a-z]+", claim.text)
    if token is not None and token.group() in unit.text:
        return True
    digit = _DIGIT_OF.get(grain, grain)
    shared = {t.concept for t in unit.terms} & {t.concept for t in claim.terms}
    values = {str(a.quantity.value) for a in unit.amounts}
    if shared and digit in values:
        return True
    return re.search(rf"(?<!\d){digit}/\d|\d/{digit}(?!\d)", unit.text) is not None


def _once(statement: Statement, pool: Sequence[Witness]) -> Facet | None:
    """一处 is a count, though 一 alone seldom is: the source must print it or 1处."""
    match = _ONCE.search(statement.text)
    if match is None or any(
        a.quantity.start <= statement.start + match.start() < a.quantity.end for a in statement.amounts
    ):
        return None
    spellings = (match.group(), f"1{match.group()[1]}", f"1 {match.group()[1]}")
    if any(spelled in w.unit.statement.text for w in pool for spelled in spellings):
        return None
    return Facet(MISSING, "unreadable_number", f"{match.group()} is in no source")


def _letter(statement: Statement, pool: Sequence[Witness]) -> Facet | None:
    """A single letter in Chinese words is a grade or a code (B级): the source must print the same one."""
    if statement.text.isascii():
        return None
    printed = {m for w in pool for m in _LETTER.findall(w.unit.statement.text)}
    odd = next((m for m in _LETTER.findall(statement.text) if m not in printed), None)
    return Facet(MISSING, "code", f"{odd} is in no source") if odd and printed else None


def _numbered(statement: Statement, pool: Sequence[Witness]) -> Facet | None:
    """A name with a number (二甲, 三小, 七中): no source may print another number in that name instead."""
    printed: dict[str, set[str]] = {}
    for witness in pool:
        for number, kind in _NUMBERED.findall(_GRADE.sub(r"\1甲", witness.unit.statement.text)):
            printed.setdefault(kind, set()).add(number)
    for match in _NUMBERED.finditer(_GRADE.sub(r"\1甲", statement.text)):
        others = printed.get(match[2], set())
        if others and match[1] not in others:
            return Facet(CONFLICT, "ordinal", f"the source prints {'、'.join(sorted(others))}{match[2]}")
    return None


def _ordinal(statement: Statement, pool: Sequence[Witness]) -> Facet | None:
    """第三任 and 首任 are names of places in a row: the source must print the same one."""
    for match in _ORDINAL.finditer(statement.text):
        said = match.group()
        digit = _DIGIT_OF.get(said[1:], said[1:]) + statement.text[match.end() : match.end() + 1]
        spelled = (said, digit) if len(digit) > 1 and digit[0].isdigit() else (said,)
        if not any(word in w.unit.statement.text for w in pool for word in spelled) and not any(
            t.start <= statement.start + match.start() < t.end for t in statement.terms
        ):
            return Facet(MISSING, "ordinal", f"{said} is in no source")
    return None


def _direction(statement: Statement, pool: Sequence[Witness]) -> Facet | None:
    values = _in_one_scale([i.low for a in statement.amounts if (i := scaled(a.quantity)) is not None])
    fell, rose = _FELL.search(statement.text), _ROSE.search(statement.text)
    if len(values) < 2 or not (fell or rose):
        return None
    if (fell and values[0] <= values[1]) or (rose and values[0] >= values[1]):
        return Facet(CONFLICT, "direction", "the values move the other way than the words say")
    if any(_reversed(values, w) for w in pool):
        return Facet(CONFLICT, "direction", "the source prints the values in the other order")
    return None


def _in_one_scale(values: list[Decimal]) -> list[Decimal]:
    """Read 从398降到378 in ten thousands throughout."""
    if len(values) < 2 or not max(values) >= _WAN * 10 > min(values):
        return values
    return [value * _WAN if value < _WAN and value * _WAN < 3 * max(values) else value for value in values]


def _reversed(values: Sequence[Decimal], witness: Witness) -> bool:
    printed = [i.low for a in witness.unit.statement.amounts if (i := scaled(a.quantity)) is not None]
    both = values[0] in printed and values[1] in printed
    return both and printed.index(values[0]) > printed.index(values[1])
