"""answers_question: the draft responds to what the customer asked."""

import re

from planner.lexicon import Lexicon
from planner.pack import Pack, Row
from verifier.case import Case
from verifier.fixes import fix
from verifier.verdict import Finding

_CJK = re.compile(r"[\u4e00-\u9fff]")
_PAIR = re.compile(r"[\u4e00-\u9fff]{2}")
_WORD = re.compile(r"[a-z]{4,}|\d+")


def _questions(pack: Pack) -> Lexicon[Row]:
    return Lexicon(pack.rows("question_forms", Row))


def _replies(pack: Pack) -> Lexicon[Row]:
    return Lexicon(pack.rows("reply_forms", Row))


def _amounts(pack: Pack) -> Lexicon[Row]:
    return Lexicon(pack.rows("amount_questions", Row))


def _grain(pack: Pack) -> frozenset[str]:
    return frozenset("".join(pack.sections.get("function_characters") or ()))


def answers_question(case: Case) -> Finding:
    """It responds to what the customer asked in the unanswered messages.

    Fails: 感谢关注，祝您生活愉快 to 这套有电梯吗. Passes: 有的 to the same.
    """
    asked = case.open_norm
    if not asked:
        return Finding(passed=True, detail="no customer message waits for an answer")
    if next(case.pack.derive(_questions).find(asked), None) is None and not any(
        c.asked for text in case.reading.unanswered for c in text.clauses
    ):
        return Finding(passed=True, detail="the customer asked nothing")
    how = _responds(case, asked)
    if how:
        return Finding(passed=True, detail=how)
    step = fix("answer_question", "answers_question", case.draft.text, f"answer what was asked: {asked}")
    return Finding(passed=False, detail=f"does not respond to: {asked}", fixes=(step,))


def _responds(case: Case, asked: str) -> str:
    """Say in what way the draft responds; empty when in none."""
    if case.handoff_claimed:
        return "hands the question to a person"
    wanted = _content(case, asked)
    shared = wanted & _content(case, case.read.norm)
    if shared:
        return f"takes up the customer's words: {' '.join(sorted(shared))}"
    backed = (words for claim in case.facts.claims for words in (claim.quote, *(e.quote for e in claim.evidence)))
    if any(wanted & _content(case, words.lower()) for words in backed):
        return "makes a claim about what was asked"
    reply = case.pack.derive(_replies).first(case.read.norm)
    if reply is not None:
        return f"responds by its form: {case.quote(reply.start, reply.end)}"
    if case.read.quantities and next(case.pack.derive(_amounts).find(asked), None) is not None:
        return "gives a figure where one was asked for"
    return ""


def _content(case: Case, norm: str) -> set[str]:
    """Content characters, pairs of neighbouring characters, and words: what two texts on one topic share."""
    empty = case.pack.derive(_grain)
    chars = {c for c in _CJK.findall(norm) if c not in empty}
    return chars | set(_PAIR.findall(norm)) | set(_PAIR.findall(norm, 1)) | set(_WORD.findall(norm))
