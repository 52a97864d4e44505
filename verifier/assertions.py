"""What a draft asserts: its clauses with their acts, short answers completed, roles and parts taken from the question."""

import functools
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from planner.reading import Reading
from planner.talk import asks
from planner.text import Clause
from verifier.actions import Deed, deed_of
from verifier.acts import Act, act_of
from verifier.handoff import Act as Handing
from verifier.handoff import Mention, read_handoffs
from verifier.lexicon import Lexicon
from verifier.questions import Question, Short, complete, is_presence, questions_of, short_answer
from verifier.scanning import scanned_of
from verifier.statements import MAX_CLAUSES, Amount, Statement, pieces


@dataclass(frozen=True, slots=True)
class Assertion:
    """One clause of the draft, read. `start` and `end` are offsets in the draft's norm.

    `short` is set when the clause only answers; `deed` when it claims an action; `ack` when the sentence takes up what
    the customer said.
    """

    statement: Statement
    act: Act
    start: int
    end: int
    sentence: int
    short: Short | None = None
    deed: Deed | None = None
    ack: bool = False
    own_parts: bool = False


_HANDED = frozenset({Handing.DONE, Handing.NOW})
_CALCULATES = re.compile(
    r"的[\d一二三四五六七八九十.]+(?:%|个点|成)|比|乘|×|\*|÷|从.{1,12}到|times|than|的(?:房子?|车|总价|话)?(?:就|也就)?是|comes to|which on"
)
_GAPPED = re.compile(
    r"(?:the )?(?P<thing>[\u4e00-\u9fffa-z0-9 -]{2,16}?)(?:那套|那台|那边|这边)?(?:就|也|是|倒)? ?"
    r"(?:(?P<no>没有?|不|无|doesn't|hasn't)(?:有|带|能|行|可以| have one)?|有|带|能|行|可以|has one|has it|does)"
    r"(?:的|了|呢|哈|哦|呀)*"
)


# Words that say, after the fact, who said it (猫可以，狗不让养，房东讲的); whose words they are stands in the pack.
_TRAILING = re.compile(
    r"(?:这|那)?(?:都|也)?是?.{1,8}(?:说|讲|称|写|报|告诉|承诺|答应)的?(?:了|哈|啊|呢)?|(?:so )?(?:the )?[a-z]{4,9} (?:says|said)(?: so)?"
)


def _said_by(found: tuple[Assertion, ...]) -> tuple[Assertion, ...]:
    """Carry an attribution that stands alone behind its clauses back to them."""
    ends = {a.sentence: a.start for a in found if _only_attributes(a.statement)}
    return tuple(_attributed(a) if a.start < ends.get(a.sentence, 0) else a for a in found)


def _only_attributes(said: Statement) -> bool:
    return (
        "attributed" in said.flags and not (said.terms or said.amounts) and _TRAILING.fullmatch(said.text) is not None
    )


def _attributed(assertion: Assertion) -> Assertion:
    said = assertion.statement
    return replace(assertion, statement=replace(said, flags=said.flags | {"attributed"}))


@dataclass(frozen=True)
class Reader:
    """Reads the clauses of one draft, each after the one before it."""

    reading: Reading
    lexicon: Lexicon
    questions: tuple[Question, ...]
    labels: str

    def assertions(self) -> tuple[Assertion, ...]:
        """Read every clause with its act; clauses that claim nothing are kept, for their amounts."""
        scanned = scanned_of(self.reading.draft, self.reading.pack)
        found: list[Assertion] = []
        for start, end, sentence, mark in itertools.islice(_joined(self.reading.draft.clauses), MAX_CLAUSES):
            before = found[-1] if found and found[-1].sentence == sentence else None
            found.append(
                self._assertion(_unconditioned(_unprefaced(scanned.statement(start, end))), mark, sentence, before)
            )
        taken_up = {a.sentence for a in found if a.act is Act.ACK}
        if not any(asks(text, self.reading.pack) for text in self.reading.unanswered):
            # What comes before a step of our own takes up the wish behind it (带阳台的，我照这个找).
            taken_up |= {a.sentence for a in found if a.act is Act.NEXT_STEP}
        return _said_by(tuple(replace(a, ack=True) if a.sentence in taken_up else a for a in found))

    def _assertion(self, statement: Statement, mark: str, sentence: int, before: Assertion | None) -> Assertion:
        act = act_of(statement, mark, self.reading.pack)
        if act is Act.ASSERT and not statement.amounts and self._hands_over(statement):
            act = Act.HANDOFF
        if act is Act.ASSERT and is_presence(statement.text, self.questions):
            act = Act.GREET
        ack = act is Act.ACK or bool(before and before.ack)
        own = bool(statement.parts)
        plain = Assertion(statement, act, statement.start, statement.end, sentence, ack=ack, own_parts=own)
        if act is not Act.ASSERT:
            return replace(plain, statement=self._in_context(statement, before)) if statement.amounts else plain
        deed = deed_of(statement, self.reading.pack)
        if deed is not None:
            return replace(plain, act=Act.ACTION, deed=deed)
        follow = self._gapped(statement, before)
        if follow is not None:
            return replace(plain, statement=follow, act=Act.ANSWER)
        answer = short_answer(statement, self.questions)
        completed = complete(statement, answer, self.questions) if answer is not None else statement
        if answer is not None and not completed.empty:
            return replace(plain, statement=completed, act=Act.ANSWER, short=answer)
        return replace(plain, statement=self._in_context(statement, before))

    def _hands_over(self, statement: Statement) -> bool:
        """Whether a clause claims a handoff; the check for handoffs judges it."""
        return any(m.act in _HANDED and m.start < statement.end and statement.start < m.end for m in self._handoffs)

    @functools.cached_property
    def _handoffs(self) -> tuple[Mention, ...]:
        return read_handoffs(self.reading.draft, self.reading.pack)

    def _gapped(self, statement: Statement, before: Assertion | None) -> Statement | None:
        """Read a clause that only names another thing (和平里没有电梯，锦绣里有): it repeats the predicate before it."""
        match = _GAPPED.fullmatch(statement.text)
        if match is None or statement.terms or any(a.quantity.kind == "money" for a in statement.amounts):
            return None
        named = match.group("thing")
        placed = bool(statement.parts) and not statement.grains
        if not placed and not any(named[i : i + 2] in self.labels for i in range(len(named) - 1)):
            return None
        sign = -1 if match.group("no") else 1
        if before is None or before.act is not Act.ASSERT or not before.statement.terms:
            answer = Short("affirm" if sign > 0 else "deny", everything=False)
            return replace(complete(statement, answer, self.questions), amounts=statement.amounts)
        return replace(statement, terms=tuple(replace(t, sign=sign) for t in before.statement.terms), grains=())

    def _in_context(self, statement: Statement, before: Assertion | None) -> Statement:
        """Take from the question what a clause leaves unsaid: the role of a bare number, the part it speaks of."""
        amounts = tuple(self._with_role(a, statement) for a in statement.amounts)
        goes_on = before is not None and before.act in (Act.ASSERT, Act.ANSWER)
        carried = before.statement.parts if before is not None and goes_on else frozenset()
        parts = statement.parts or carried or self._asked_parts(statement)
        places = statement.places or self._asked_places(parts)
        flags = statement.flags
        if before is not None and "attributed" in before.statement.flags:
            flags |= {"attributed"}
        if amounts == statement.amounts and parts == statement.parts and flags == statement.flags:
            return statement
        return replace(statement, amounts=amounts, parts=parts, places=places, flags=flags)

    def _asked_places(self, parts: frozenset[str]) -> tuple[frozenset[str], ...]:
        asked = (q.statement.places for q in self.questions if q.statement.parts == parts)
        return next(asked, (parts,) if parts else ())

    def _with_role(self, amount: Amount, statement: Statement) -> Amount:
        if amount.role:
            return amount
        kind = amount.quantity.kind
        if _CALCULATES.search(statement.text):
            return amount
        asked = [t.concept for q in self.questions for t in q.statement.terms]
        roles = {c for c in asked if kind in self.lexicon.concepts[c].kinds}
        if len(roles) == 1:
            return replace(amount, role=roles.pop(), lent=True)
        return amount

    def _asked_parts(self, statement: Statement) -> frozenset[str]:
        mine = {t.concept for t in statement.terms}
        for question in self.questions:
            asked = {t.concept for t in question.statement.terms}
            if question.statement.parts and (mine & asked or _short_rest(statement, question)):
                return question.statement.parts
        return frozenset()


_PREFACE = re.compile(r"^[^：:]{1,12}[：:](?!\d)")


_THEIRS = re.compile(r"(?:要是|如果)?(?:您|你|侬)")
_IF = re.compile(r"^.{1,12}的话(?=.)")


def _unconditioned(statement: Statement) -> Statement:
    """Take the negations of a condition (没社保的话要流水) out of what the clause says."""
    match = _IF.match(statement.text)
    if match is None:
        return statement
    negs = tuple(n for n in statement.negs if n >= match.end())
    supposed = statement.start + match.end()
    terms = statement.terms
    if _THEIRS.match(statement.text):
        # What would hold on the customer's side (您那边只收国六的话) is no word about the thing.
        terms = tuple(t for t in terms if t.start >= supposed)
    return replace(statement, terms=terms, negs=negs, negated=len(negs) % 2 == 1)


def _unprefaced(statement: Statement) -> Statement:
    """Drop the words of a preface (给您整理好了：) that says nothing about the thing."""
    match = _PREFACE.match(statement.text)
    if match is None:
        return statement
    end = statement.start + match.end()
    if any(t.start < end for t in statement.terms) or any(a.quantity.start < end for a in statement.amounts):
        return statement
    left = tuple(g for g in statement.grains if g in statement.text[match.end() :] or g.startswith("="))
    return replace(statement, grains=left)


def _joined(clauses: Sequence[Clause]) -> Iterator[tuple[int, int, int, str]]:
    """Keep the items of a list (冰箱、洗衣机、空调都有) in one clause."""
    at = 0
    while at < len(clauses):
        last = at
        while _listed(clauses, last, at):
            last += 1
        for start, end in pieces(clauses[at].start, clauses[last].end):
            yield start, end, clauses[at].sentence, clauses[last].mark
        at = last + 1


def _listed(clauses: Sequence[Clause], index: int, first: int) -> bool:
    here = clauses[index].mark == "、" and index + 1 < len(clauses)
    return here and clauses[index + 1].sentence == clauses[first].sentence


def _short_rest(statement: Statement, question: Question) -> bool:
    return not statement.terms and len(statement.grains) <= 4 and any(g in question.text for g in statement.grains)


@functools.lru_cache(maxsize=16)  # the fact check and the consistency check ask for the same draft
def assertions_of(
    reading: Reading, lexicon: Lexicon, labels: str
) -> tuple[tuple[Assertion, ...], tuple[Question, ...]]:
    """Read a draft: its clauses as assertions, and the questions that they answer; `labels` name the things in it."""
    questions = questions_of(reading)
    return Reader(reading, lexicon, questions, labels).assertions(), questions
