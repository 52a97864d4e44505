"""What a judge may speak about at all: a plain clause without any number, date, amount, or named thing.

Whatever might be one counts as one: a clause that is refused here waits for a person, which costs little; a number or
a name that slips through would rest on the word of a model.
"""

import re
from collections.abc import Iterator
from typing import Any

from planner.pack import Pack
from planner.reading import Reading
from verifier.acts import Act
from verifier.assertions import Assertion
from verifier.judge_pack import judge_rules
from verifier.lexicon import Lexicon
from verifier.paraphrase import is_wider
from verifier.people import read_people
from verifier.scope import Scope
from verifier.statements import Statement
from verifier.subjects import named, tokens

# Closed classes: words that count without being numerals, and words of the calendar and the clock.
_COUNTS = re.compile(
    r"[两俩仨半双倍几廿卅%％‰¥￥$€£]|数[十百千万]|好多|许多|免[费息税]|全免|便宜|优惠|折扣|打折|[降涨]价|"
    r"\b(?:half|quarter|dozens?|twice|double|triple|once|both|single|couple|several|pair|hundreds?|thousands?|millions?|"
    r"first|second|third|last|next|free|cheap|discount|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|"
    r"(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty)\b"
)
_DATES = re.compile(
    r"[今明昨后前当次隔][天日年晚早]|[年月周季]|星期|礼拜|工作日|平日|节假|假期|上午|下午|中午|晚上|早上|早晨|凌晨|夜里|"
    r"小时|分钟|钟头|刻钟|点钟|号[前后]|期[前后内限]|刚刚?|最近|近期|马上|立刻|随时|"
    r"\b(?:to(?:day|morrow|night)|yesterday|now|recent(?:ly)?|soon|days?|weeks?|weekends?|weekdays?|months?|years?|hours?|"
    r"minutes?|morning|noon|afternoon|evening|night|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|jan(?:uary)?|"
    r"feb(?:ruary)?|march|april|may|june|july|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b"
)
# What begins like an answer says what its question says, numbers and names included.
_ANSWERS = re.compile(
    r"(?:yes|yeah|yep|no|nope|not|right|correct|sure|indeed|true|it is|it does|it has)\b|是|对|没|不|有|嗯|行|能|会|可以|确实|当然"
)
_QUOTED = re.compile(r"[《》「」『』“”\"]")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_RUN = re.compile(r"[\u4e00-\u9fff]+|[a-z]{2,}")
_CAPITAL = re.compile(r"(?<=[\w,;] )(?!I\b)[A-Z]")
_LONGEST = 6


def is_plain(assertion: Assertion, reading: Reading, lexicon: Lexicon, scope: Scope) -> bool:
    """Whether a clause asserts something in full words, and nothing in it counts, dates or names anything."""
    said = assertion.statement
    if assertion.act is not Act.ASSERT or assertion.short is not None or assertion.deed is not None:
        return False
    if _ANSWERS.match(said.text) or is_wider(said.text) or said.flags & {"all", "attributed"}:
        return False
    return not (_counts(assertion, reading, lexicon) or _names(assertion, reading, lexicon, scope))


def _counts(assertion: Assertion, reading: Reading, lexicon: Lexicon) -> bool:
    """Whether a clause holds a number or a date, or speaks of what is counted (a price, an area, a term)."""
    said = assertion.statement
    start, end = assertion.start, assertion.end
    words = reading.draft.norm[start:end]
    read = any(q.start < end and start < q.end for q in reading.draft.quantities)
    numerals = any(char.isnumeric() for char in words)
    counted = any(lexicon.concepts[term.concept].kinds for term in said.terms)
    return read or bool(said.amounts) or numerals or counted or bool(_COUNTS.search(words) or _DATES.search(words))


def _names(assertion: Assertion, reading: Reading, lexicon: Lexicon, scope: Scope) -> bool:
    """Whether a clause names a thing or a person, or holds a word that might be a name."""
    said = assertion.statement
    original = reading.draft.text.quote(assertion.start, assertion.end)
    labels = {s.label: tokens(f"{s.label} {s.alias}") for s in scope.sources if s.label}
    labels |= {scope.subject: tokens(scope.subject)} if scope.subject else {}
    makers = judge_rules(reading.pack).named
    if any(term.concept in makers for term in said.terms):
        return True
    if said.names or named(said.text, labels) or _QUOTED.search(original) or _CAPITAL.search(original):
        return True
    if _HAN.search(said.text) and re.search("[a-z]", said.text):
        return True
    if any(True for _ in read_people(said.text, original, reading.pack)):
        return True
    return _unknown_word(said, lexicon, reading.pack)


def _unknown_word(said: Statement, lexicon: Lexicon, pack: Pack) -> bool:
    """Whether a character or word of content belongs to no word that the pack knows: it may be part of a name."""
    known = pack.derive(vocabulary)
    content = lexicon.content(said.text)
    for run in _RUN.findall(said.text):
        if run.isascii():
            if run in content and run not in known and not _plural_of(run, known):
                return True
        elif any(char in content and not taken for char, taken in zip(run, _covered(run, known), strict=True)):
            return True
    return False


def _covered(run: str, known: frozenset[str]) -> bytearray:
    """Mark the characters that stand in a known word."""
    taken = bytearray(len(run))
    for at in range(len(run)):
        for size in range(2, _LONGEST + 1):
            if run[at : at + size] in known and at + size <= len(run):
                taken[at : at + size] = b"\x01" * size
    return taken


def _plural_of(word: str, known: frozenset[str]) -> bool:
    return word.endswith("s") and word[:-1] in known


def vocabulary(pack: Pack) -> frozenset[str]:
    """Give the words that a pack knows as common ones."""
    return frozenset(word for text in _common_words(pack) for word in _RUN.findall(text.lower()))


def _common_words(pack: Pack) -> Iterator[str]:
    """Give the words of concepts, senses, grammar and glossary; lists of brands and places stand in other sections."""
    sections = pack.sections
    for section in ("concepts", "senses", "fact_acts"):
        for row in sections.get(section) or ():
            for field in ("words", "absent", "asks", "options", "contrary"):
                yield from _strings(row.get(field))
    for row in sections.get("fact_words") or ():
        yield from _strings(row.get("words") if row.get("kind") != "domain" else None)
    glossary = sections.get("glossary") or {}
    yield from _strings(list(glossary.values()))
    yield from glossary
    yield from _strings(judge_rules(pack).plain_words)


def _strings(node: Any) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    elif isinstance(node, dict | list | tuple):
        for child in node.values() if isinstance(node, dict) else node:
            yield from _strings(child)
