"""Find where a draft contradicts itself, or what was sent before in this conversation.

Statements of the draft are held against each other and against the newest earlier word of our side on the same
concept. A draft that says that it corrects an earlier word may differ from it. The customer's questions only lend
their words to our short answers; what customers say about a thing contradicts nothing.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from planner.pack import Pack
from planner.reading import Reading, ReadText
from planner.text import normalize
from planner.turn import Conversation, Draft, Message, Role
from verifier.acts import Act
from verifier.amounts import equal, same_dimension
from verifier.assertions import Assertion, assertions_of
from verifier.claims import Claim
from verifier.evidence import sources_of
from verifier.facets import parts_meet
from verifier.lexicon import Lexicon, lexicon_of
from verifier.scanning import scanned_of
from verifier.statements import Amount, Statement
from verifier.subjects import distinctive, named
from verifier.terms import agreement

_ALWAYS_SAID = re.compile(r"一直(?:都)?(?:是)?这么说|从来没说过|一直说的|i(?:'ve| have) always said|i never said")
_SAYING = frozenset({Act.ASSERT, Act.ANSWER})
_MOVES = re.compile(r"从.{1,14}(?:降|涨|调|改).{0,3}到|之前|原来|原先|以前|现在|最新|was|used to|down from|up from|now")
# One of several (一套338万，另一套345万): the two are different things.
_LISTED = re.compile(r"一[套台份个次间]|另|其中|有的|one\b|another|the other")
_MAX_PAIRED = 40
_MIN_REPEAT = 6


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Words of the draft that contradict other words; `start` and `end` count code points of the draft."""

    quote: str
    detail: str
    start: int
    end: int


def find_contradictions(reading: Reading, backed: Sequence[Claim] = ()) -> tuple[Contradiction, ...]:
    """Find where a draft contradicts itself or an earlier message, or repeats our last message to a new question.

    Of the `backed` claims, which sources support, none contradicts another (北阳台封了，南阳台没封).
    """
    if reading.turn.draft is None:
        return ()
    found = list(_repeat(reading))
    if reading.turn.conversation.last_sent is None and len(reading.draft.clauses) < 2:
        return tuple(found)
    lexicon = lexicon_of(reading.pack)
    mine = _statements(reading, lexicon)
    found.extend(_within(reading, mine, lexicon, backed))
    if not any(a.act is Act.CORRECT for a in mine):
        found.extend(_before(reading, mine, lexicon))
    return tuple(found)


def _statements(reading: Reading, lexicon: Lexicon) -> tuple[Assertion, ...]:
    labels = [reading.turn.conversation.subject or "", *(s.label for s in sources_of(reading, lexicon))]
    return assertions_of(reading, lexicon, " ".join(labels))[0]


def _repeat(reading: Reading) -> Iterator[Contradiction]:
    """The same words again, to a question that is not the same again."""
    last = reading.turn.conversation.last_sent
    if last is None or last.role is not Role.AGENT:
        return
    text = reading.draft.text
    said, now = _letters(_norm_of(reading, last)), _letters(text.norm)
    if said != now or len(now) < _MIN_REPEAT or _asked_again(reading, last):
        return
    yield Contradiction(
        text.original, "repeats our last message word for word to a new question", 0, len(text.original)
    )


def _asked_again(reading: Reading, last: Message) -> bool:
    """Whether the customer asked the same thing again in the same words."""
    messages = reading.turn.conversation.messages
    at = next(i for i, m in enumerate(messages) if m is last)
    before = [_letters(text.norm) for m, text in reading.messages[:at] if m.role is Role.CUSTOMER]
    after = [_letters(text.norm) for text in reading.unanswered]
    return bool(after) and all(text in before for text in after)


def _norm_of(reading: Reading, message: Message) -> str:
    return next(text.norm for m, text in reading.messages if m is message)


def _letters(norm: str) -> str:
    return "".join(c for c in norm if c.isalnum())


def _within(
    reading: Reading, mine: Sequence[Assertion], lexicon: Lexicon, backed: Sequence[Claim]
) -> Iterator[Contradiction]:
    held = {(c.start, c.end) for c in backed}
    things = _things(reading, lexicon)
    saying = [a for a in mine[:_MAX_PAIRED] if a.act is Act.ASSERT and not _LISTED.match(a.statement.text)]
    for index, later in enumerate(saying):
        for earlier in saying[:index]:
            if named(later.statement.text, things) != named(earlier.statement.text, things):
                continue
            if {reading.draft.text.span(a.start, a.end) for a in (earlier, later)} <= held:
                continue
            clash = clashes(later.statement, earlier.statement, lexicon)
            if clash:
                yield _at(reading, later, f"{clash}: the same draft says {earlier.statement.text!r}")
                break


def _things(reading: Reading, lexicon: Lexicon) -> dict[str, frozenset[str]]:
    labels = {s.label: f"{s.label} {s.alias}" for s in sources_of(reading, lexicon) if s.label}
    subject = normalize(reading.turn.conversation.subject or "").norm.strip()
    return distinctive({**labels, **({subject: subject} if subject else {})})


def _before(reading: Reading, mine: Sequence[Assertion], lexicon: Lexicon) -> Iterator[Contradiction]:
    """Hold the draft against our earlier messages, the newest first; evidence may have changed, an honest draft says so."""
    wanted = frozenset(t.concept for a in mine if a.act in _SAYING for t in a.statement.terms)
    sent = list(_sent(reading, lexicon, wanted)) if wanted else []
    clashing = False
    for assertion in mine:
        if assertion.act not in _SAYING:
            continue
        for earlier, statement in sent:
            if not {t.concept for t in assertion.statement.terms} & {t.concept for t in statement.terms}:
                continue
            clash = clashes(assertion.statement, statement, lexicon)
            if clash:
                clashing = True
                yield _at(reading, assertion, f"{clash}: we said {earlier.text!r} before")
            break
    always = _ALWAYS_SAID.search(reading.draft.norm)
    if always is not None and clashing:
        start, end = reading.draft.text.span(*always.span())
        yield Contradiction(reading.draft.text.original[start:end], "an earlier message said the contrary", start, end)


def _sent(reading: Reading, lexicon: Lexicon, wanted: frozenset[str]) -> Iterator[tuple[Message, Statement]]:
    """Read our earlier messages, newest first, each as the answer to what was asked before it.

    One that, with the question before it, names nothing of what the draft speaks of is not read.
    """
    messages = reading.turn.conversation.messages
    told = [text.once(_named_in, reading.pack) for _, text in reading.messages]
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        if message.role not in (Role.AGENT, Role.HUMAN) or not wanted & _with_question(messages, told, index):
            continue
        past = replace(
            reading.turn,
            now=message.at,
            draft=Draft(message.text),
            conversation=Conversation(
                reading.turn.conversation.id,
                reading.turn.conversation.chat_type,
                messages[:index],
                reading.turn.conversation.subject,
            ),
        )
        for assertion in assertions_of(Reading(past, reading.pack), lexicon, reading.turn.conversation.subject or "")[
            0
        ]:
            if assertion.act in _SAYING:
                yield message, assertion.statement


def _named_in(text: ReadText, pack: Pack) -> frozenset[str]:
    return frozenset(hit.entry.id for hit in scanned_of(text, pack).hits)


def _with_question(messages: Sequence[Message], told: Sequence[frozenset[str]], index: int) -> frozenset[str]:
    """Give what a message of ours and the customer's words right before it name: 有的 is about what was asked."""
    found = told[index]
    for before in range(index - 1, -1, -1):
        if messages[before].role in (Role.AGENT, Role.HUMAN):
            break
        found |= told[before]
    return found


def clashes(one: Statement, other: Statement, lexicon: Lexicon) -> str:
    """Say how two statements about the same thing contradict each other, "" when they do not."""
    if not parts_meet(one, other) or _MOVES.search(one.text) or _MOVES.search(other.text):
        return ""
    for term in one.terms:
        for rival in other.terms:
            same = term.concept == rival.concept and term.concept not in lexicon.role_only | lexicon.predicates
            if same and not (one.amounts or other.amounts) and agreement(term, rival, lexicon) < 0:
                return f"the contrary about {term.concept}"
    for amount in one.amounts:
        for rival_amount in other.amounts:
            if _differ(amount, rival_amount, one.text):
                return f"{amount.quantity.quote} is not {rival_amount.quantity.quote}"
    return ""


def _differ(one: Amount, other: Amount, words: str) -> bool:
    same = one.role and one.role == other.role and one.quantity.kind == other.quantity.kind
    plain = not (one.quantity.approx or other.quantity.approx)
    if not same or not plain or not same_dimension(one.quantity, other.quantity):
        return False
    return not equal(one.quantity, other.quantity, words) and not equal(other.quantity, one.quantity, words)


def _at(reading: Reading, assertion: Assertion, detail: str) -> Contradiction:
    text = reading.draft.text
    start, end = text.span(assertion.start, assertion.end)
    return Contradiction(text.original[start:end], detail, start, end)
