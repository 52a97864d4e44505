"""What the customer asked, as statements, and what a short answer to it asserts.

Ellipsis asserts the question: 有电梯吗 → 有的 claims a lift; an agreement takes the question's sign, a repeated verb
says yes, a denial says no (没抵押吧 → 没有呢 denies the mortgage).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from planner.pack import Pack
from planner.reading import Reading, ReadText
from verifier.scanning import scanned_of
from verifier.statements import MAX_CLAUSE, MAX_CLAUSES, Amount, Statement, Term


@dataclass(frozen=True, slots=True)
class Question:
    """One clause of an unanswered message. `polar`: it can be answered by yes or no."""

    statement: Statement
    polar: bool
    text: str
    asks: bool = True

    @property
    def choice(self) -> bool:
        """Whether it offers several answers (租赁还是买断): repeating one of them is an answer, not an echo."""
        return _CHOICE.search(self.text) is not None


# Closed classes: particles, calls, fillers, and the words that agree, affirm or deny.
_TAIL = re.compile(r"(?:的|了|呢|呀|啊|哦|噢|哈|嘛|哒|啦|吧|哟|诶|哥|姐|亲|老板|先生|女士|[\s,，.。!！~])+$")
_LEAD = re.compile(r"^(?:嗯+|哦|哎|诶|噢|您好|你好|亲|哥|姐|well|oh|hi|hello|[\s,，!！~])+")
_AGREE = re.compile(
    r"(?:是|对|没错|确实|当然|正是|可不|right|correct|yes|yeah|yep|sure|indeed|exactly|of course|absolutely)(?:的?(?:是|对|没错)|, (?:it|they) (?:is|does|has|do|are)| (?:it|they) (?:is|does|has|do|are))?(?:这样)?|(?:yes|yeah|yep)?[, ]*it has one|(?:yes|yeah|yep)?[, ]*(?:it|they|there|you|we|i) (?:is|does|has|do|are|can|will|may)"
)
_DENY = re.compile(
    r"(?:没有?|不是?|不会|不用|不行|不能|不可以|无|没|暂无|no|nope|afraid not|not (?:yet|really|any ?more)|no longer|(?:no[, ]*)?(?:it|they|there|that|we|you) (?:is|does|do|are|has|have|can|was|were|will)(?:n't| not)|(?:no[, ]*)?(?:it|that)'s not)(?:过|这回事)?"
)
_AFFIRM = re.compile(
    r"(?:都|全|全部|也|还|就|肯定|当然|随时|现在|目前|一直|马上|直接|两样|各项|统统|早|早就|已经|已|可以|能|行|会|有|在|带|送|通|包|齐|开|办|做|收|接|过|下来|没问题|ok|够|含|支持|用|成|好|对|让|许|卖){1,4}"
)
_NEGATED_TAG = re.compile(r"(?:没有|没|无|不|未)(?:吧|吗|的吧)$")
_PARTICLE = re.compile(r"(?:没有|没|不|否|吗|么|嘛|呢|吧|呀|啊|哈|哦|了没|[?？\s])+$")
_POLAR = re.compile(
    r"[吗么吧没不呢][?？\s]*$|[\u4e00-\u9fff]不|[\u4e00-\u9fff]没|是否|能否|^(?:is|are|does|do|did|has|have|can|could|was|were|will|would|any|still)\b|[?？]$"
)
_PRESENT = re.compile(r"(?:我?在[的呢嘞哒呀哦哈啊]{0,2}[,，\s]?){1,3}|(?:yes|yep|hi|hello)?[,\s]?i'm here")
# What the customer asks us to do: a yes to it is a promise, no fact.
_REQUEST = re.compile(
    r"帮我|帮忙|给我|发我|发下|发一下|发[几点个份张]|拍[几点个张下]|录个|传[我给几个]|转人工|转接|人工|真人|找个人|安排|推荐|介绍下|打给我|\bcan you\b|could you|please"
)
_EXISTENCE = re.compile(r"有|带|配|含|没|is there|are there|\bhas\b|\bhave\b|\bany\b|come with")
_CHOICE = re.compile(r"还是|或者|\bor\b")
# A question about the one who answers is no question about the goods.
_TO_YOU = re.compile(
    r"^(?:你|您)(?:们)?是(?!.{0,4}(?:店|家店))|^(?:有人|人)在?(?:吗|么|没|不|嘛|伐)|^在(?:不在|吗|么|不|没|嘛|伐)[?？]*$"
    r"|^are you\b|^who are you|^anyone there"
)
_ALL = re.compile(r"都|全|两样|各项|统统|both|all")
_WH = re.compile(r"多少|几|哪|什么|啥|怎么|为何|谁|how|what|which|where|when|who|why")


def is_presence(text: str, questions: Sequence[Question]) -> bool:
    """Whether a clause only says that we are here (在的在的), to one who asked for nothing else."""
    return _PRESENT.fullmatch(text) is not None and all(_TO_YOU.search(q.text) for q in questions)


def about_us(question: Question) -> bool:
    """Whether a question is about the one who answers (在吗) or asks for something to be done, not for a fact."""
    return _TO_YOU.search(question.text) is not None or _REQUEST.search(question.text) is not None


def questions_of(reading: Reading) -> tuple[Question, ...]:
    """Read each clause of the unanswered messages."""
    found = [question for text in reading.unanswered for question in text.once(_questions, reading.pack)]
    return tuple(found[-MAX_CLAUSES:])


def _questions(text: ReadText, pack: Pack) -> list[Question]:
    scanned = scanned_of(text, pack)
    found: list[Question] = []
    for clause in text.clauses[:MAX_CLAUSES]:
        end = clause.end
        tail = _PARTICLE.search(clause.text)
        if tail is not None and tail.start() > 0 and not _NEGATED_TAG.search(clause.text):
            end = clause.start + tail.start()
        polar = bool(clause.asked or _POLAR.search(clause.text)) and not _WH.search(clause.text)
        asks = polar or clause.asked or bool(_WH.search(clause.text) or _CHOICE.search(clause.text))
        end = min(end, clause.start + MAX_CLAUSE)
        words = clause.text[:MAX_CLAUSE]
        found.append(Question(scanned.statement(clause.start, end), polar, words, asks))
    return found


@dataclass(frozen=True, slots=True)
class Short:
    """A short answer: `kind` is agree, affirm or deny; `echo` when it repeats the question's own verb (改不了)."""

    kind: str
    everything: bool
    echo: bool = False


def short_answer(statement: Statement, questions: Sequence[Question]) -> Short | None:
    """Recognise a clause that only answers: nothing in it that the question did not say."""
    if statement.terms or statement.names or not questions or any(a.quantity.quote != "one" for a in statement.amounts):
        return None
    core = _LEAD.sub("", _TAIL.sub("", statement.text))
    everything = bool(_ALL.search(core))
    half = core[: len(core) // 2]
    said = half.rstrip("的") if half and half in core[len(half) :] else core
    for kind, words in (("agree", _AGREE), ("deny", _DENY), ("affirm", _AFFIRM)):
        if words.fullmatch(core) or words.fullmatch(said):
            return Short(kind, everything)
    asked = {g for q in questions for g in q.text if not q.choice}
    if statement.grains and all(g in asked for g in statement.grains):
        return Short("deny" if statement.negated else "affirm", everything, echo=True)
    return None


def complete(statement: Statement, answer: Short, questions: Sequence[Question]) -> Statement:
    """Give what a short answer asserts: the question's content with the answer's sign."""
    chosen = _answered(statement, answer, questions)
    terms = tuple(
        replace(t, sign=_sign(t, q, answer), start=statement.start, end=statement.end)
        for q in chosen for t in q.statement.terms
    )  # fmt: skip
    return replace(
        statement,
        terms=terms,
        amounts=_amounts(statement, answer, chosen),
        names=tuple(n for q in chosen for n in q.statement.names),
        parts=statement.parts.union(*(q.statement.parts for q in chosen)),
        places=(*statement.places, *(place for q in chosen for place in q.statement.places)),
        grains=statement.grains if answer.echo else tuple(g for q in chosen for g in q.statement.grains),
        negated=_negated(chosen, answer),
    )


# What a customer says of their own numbers (我预算300万对吧) is no claim of ours.
_OWN = re.compile(r"我|咱|预算|\b(?:i|my|we|our)\b")


def _amounts(statement: Statement, answer: Short, chosen: Sequence[Question]) -> tuple[Amount, ...]:
    """Give the numbers that a yes or no takes over from its question (是五楼吧 → 对)."""
    if answer.kind == "affirm":
        return ()
    asked = (a for q in chosen if q.polar and not _OWN.search(q.text) for a in q.statement.amounts if not a.worded)
    start, end = statement.start, statement.end
    return tuple(replace(a, quantity=replace(a.quantity, start=start, end=end)) for a in asked)


def _negated(chosen: Sequence[Question], answer: Short) -> bool:
    if answer.kind == "agree":
        return any(q.statement.negated for q in chosen)
    return answer.kind == "deny"


def _sign(term: Term, question: Question, answer: Short) -> int:
    if answer.kind == "agree":
        return term.sign
    negative = question.statement.negated
    if answer.kind == "deny" and not term.option and _says_more(question):
        return term.sign
    flip = (answer.kind == "deny") != negative
    return -term.sign if flip else term.sign


def _says_more(question: Question) -> bool:
    """Whether a question asks what a thing is like, not whether it is there: then a no does not deny the thing."""
    content = any(not g.startswith("=") for g in question.statement.grains)
    return content and _EXISTENCE.search(question.text) is None and not _asks_leave(question)


_LEAVE = re.compile(r"(?:能不能|可不可以|能|可以|让|许|can (?:i|we|you) )(?=$)")


def _asks_leave(question: Question) -> bool:
    """Whether a question asks if its one concept may be (能落户吗): a no denies that."""
    terms = question.statement.terms
    at = terms[-1].start - question.statement.start if terms else 0
    words = question.statement.text
    return bool(terms) and bool(_LEAVE.search(words[:at]) or _MAY.match(words, at))


_MAY = re.compile(r"能|可以")


def _answered(statement: Statement, answer: Short, questions: Sequence[Question]) -> Sequence[Question]:
    """Choose the question that is answered: the one that shares the answer's verb, else the last that asks."""
    questions = [q for q in questions if not _TO_YOU.search(q.text)]
    if answer.kind != "agree":
        questions = [q for q in questions if q.asks and not _REQUEST.search(q.text)]
    polar = [q for q in questions if q.polar and not q.statement.empty] or [
        q for q in questions if not q.statement.empty
    ]
    if not polar:
        return ()
    if answer.everything or answer.kind == "agree":
        return polar
    core = set(statement.text) - set("的了呢呀哦哈嗯不没")
    sharing = [q for q in polar if core & set(q.text)]
    return sharing[:1] or polar[-1:]
