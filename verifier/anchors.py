"""The anchor rule: a clause without a domain word, a number, a name, or a word of question or evidence claims nothing."""

import re

from verifier.assertions import Assertion
from verifier.lexicon import Lexicon
from verifier.scope import Scope
from verifier.statements import Statement
from verifier.unread import is_number_word

_FEW = 3
# Shared characters that make a clause and a passage speak of one thing.
ANCHORED = 2


def shares_word(statement: Statement, text: str, *, strictly: bool = False) -> bool:
    """Whether a clause shares a content word with a text: two characters of which one is content, or a Latin word.

    A clause of a few content characters may share one of them, unless it is meant `strictly`.
    """
    grains = {g for g in statement.grains if not g.startswith("=")}
    if any(len(g) > 2 and g in text for g in grains):
        return True
    if any(word in text for latin, words in statement.gloss if _left(latin, grains) for word in words):
        return True
    words = statement.text
    pairs = (words[i : i + 2] for i in range(len(words) - 1) if words[i] in grains or words[i + 1] in grains)
    few = len(grains) <= (1 if strictly else _FEW)
    return any(pair in text for pair in pairs if " " not in pair) or (few and any(g in text for g in grains))


def _left(latin: str, grains: set[str]) -> bool:
    """Whether a Latin word is among the content words, of which English endings are cut off."""
    return any(latin.startswith(g) for g in grains if len(g) > 2)


def heard(statement: Statement) -> str:
    """Give a statement's words with what its Latin words are called in Chinese."""
    return " ".join([statement.text, *(word for _, words in statement.gloss for word in words)])


# Words that say that something is or is not there, and days that are no date by themselves.
_SPEAKS_OF = re.compile(r"有|没|无|含|带|需|要|不|是|在|位于|可以|能|支持|接受|\bno\b|\bhas\b")
# Talk between the two people; what is said without them, in answer to a question, is about the goods.
_PERSONAL = re.compile(r"您|你|我|他|她|咱|不好意思|理解|\byour?\b|\bi\b|\bwe\b|\bi'|\bus\b|\bme\b")
_ABOUT_IT = re.compile(r"(?:they|he|she|it|there|the)(?:'re|'s| )")
_TODAY = re.compile(r"今天|今日|现在|明天|昨天|后天|这周|本周|周末|today|now|tomorrow", re.IGNORECASE)


def anchored(assertion: Assertion, scope: Scope, lexicon: Lexicon) -> bool:
    """Whether a clause claims anything that a source could back."""
    statement = assertion.statement
    facts = any(t.concept not in lexicon.role_only or t.sign < 0 for t in statement.terms)
    numbers = any(not _TODAY.fullmatch(a.quantity.quote) for a in statement.amounts)
    if assertion.short is not None:
        return not statement.empty
    if assertion.deed or statement.domain or statement.names or facts or numbers:
        return True
    if any(g.startswith("=") for g in statement.grains):
        return True
    if (statement.terms or assertion.own_parts) and _SPEAKS_OF.search(statement.text):
        return True
    return bool(statement.grains) and (_points(assertion) or _takes_up(statement, scope))


def _points(assertion: Assertion) -> bool:
    """Whether a clause reports what someone says, speaks of a part, counts, or says what "it" is or they do."""
    statement = assertion.statement
    if "attributed" in statement.flags or assertion.own_parts or any(is_number_word(g) for g in statement.grains):
        return True
    return len(statement.grains) > 1 and _ABOUT_IT.match(statement.text) is not None


def _takes_up(statement: Statement, scope: Scope) -> bool:
    """Whether a clause uses a word of the question or of the evidence."""
    asking = any(q.asks for q in scope.questions)
    brief = len(statement.text.split()) < _FEW
    spoken = len(statement.grains) > 1 or (brief and any(len(g) > 2 for g in statement.grains))
    if asking and spoken and not _PERSONAL.search(statement.text):
        return True
    texts = [q.text for q in scope.questions if asking] + [s.scanned.norm for s in scope.sources]
    return any(shares_word(statement, text) for text in texts)
