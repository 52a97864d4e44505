"""Which clauses assert: the speech act of each clause of a draft.

A clause asserts unless its own words make it something else. A hedge, an offer or a refusal excuses only its own
clause, and never one that says that something was done, or that states a number nobody can place.
"""

import functools
import re
from enum import StrEnum

from planner.lexicon import Lexicon
from planner.pack import Pack, Row
from verifier.statements import Statement


class Act(StrEnum):
    """What a clause does. Only ASSERT, ANSWER, ACTION and the amounts of QUESTIONED are claims."""

    ASSERT = "assert"
    ANSWER = "answer"
    ACTION = "action"
    ASK = "ask"
    QUESTIONED = "questioned"
    PENDING = "pending"
    NEXT_STEP = "next_step"
    ADVICE = "advice"
    REFUSE = "refuse"
    CORRECT = "correct"
    GREET = "greet"
    OPINION = "opinion"
    CONDITION = "condition"
    HANDOFF = "handoff"
    ACK = "ack"


class ActRow(Row):
    """Words that make a clause an act; earlier rows win. `unless` keeps claims that only look like it."""

    act: Act


# Closed-class grammar of asking: final particles, question words, and the address of the customer.
_ASKING = re.compile(r"(?:吗|么|嘛|呢|吧)?[?？]|(?:吗|么)$")
_HAVE_NOT = re.compile(r"(?:有|过|了).{0,8}(?<!还)(?<!都)(?<!也)没$")
_WISHED = re.compile(r"(?:打算|想|准备|希望|倾向|计划|要求|偏好|看重|习惯).{0,10}(?:几|多少|哪|什么|啥|多大|多久|怎么)")
_ENDS_ASKING = re.compile(
    r"(?:多少|哪里|哪儿|哪边|几点|几号|几套|几个|什么时候|多久|多大|哪个|哪些|怎么样)(?:呢|呀|啊)?$"
)
_WH = re.compile(
    r"哪|什么|啥|多少|几个|几套|几点|怎么|谁|为何|是不是|有没有|要不要|能不能|还是|what|which|how|when|where|who|would you|do you|are you|can you|could you"
)
_RHETORICAL = re.compile(r"不就是|难道|岂不|不正是|isn't it|aren't they")
_PROPOSED = re.compile(r"接受|考虑|可以吗|行吗|行不|合适吗|ok吗|okay|work for you|accept")
_CONDITION = re.compile(
    r"^(?:那|但|不过)?(?:如果|要是|假如|假设|若是?|万一|只要|除非|一旦|等您|if |when you|once you|unless )|的话$"
)


_UNSETTLED = frozenset({"unknown", "unverified"})


@functools.lru_cache(maxsize=16)
def _rows(pack: Pack) -> Lexicon[ActRow]:
    return Lexicon(pack.rows("fact_acts", ActRow))


def act_of(statement: Statement, mark: str, pack: Pack) -> Act:
    """Name what a clause does; `mark` is the punctuation behind it."""
    text = statement.text
    if _asks(text, mark):
        proposes = statement.amounts and _PROPOSED.search(text)
        return Act.QUESTIONED if proposes else Act.ASK
    if _CONDITION.search(text):
        return Act.CONDITION
    for row in _rows(pack).candidates(text):
        if row.search(text) is not None and not (row.act is Act.OPINION and (statement.amounts or statement.names)):
            return row.act
    if statement.open or statement.flags & _UNSETTLED:
        return Act.PENDING
    return Act.ASSERT


def _asks(text: str, mark: str) -> bool:
    if _RHETORICAL.search(text):
        return False
    if "?" in mark or "？" in mark or _ASKING.search(text):
        return True
    if _HAVE_NOT.search(text) or _WISHED.search(text) or _ENDS_ASKING.search(text):
        return True
    return bool(_WH.search(text)) and ("您" in text or "you" in text) and text.endswith(("呢", "呀", "啊"))


def is_rhetorical(text: str) -> bool:
    """Whether a question only states what it seems to ask."""
    return _RHETORICAL.search(text) is not None
