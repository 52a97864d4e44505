"""The sections of a pack that this room reads, each with its row model: for whoever checks a pack whole."""

from collections.abc import Mapping

from pydantic import BaseModel

from planner.pack import Row
from verifier.actions import ActionRow
from verifier.acts import ActRow
from verifier.checks.internal_leak import Secret
from verifier.checks.privacy import Party
from verifier.checks.promise_limits import Lure, Promise
from verifier.checks.tone import ToneRule
from verifier.handoff import Frame, Verb
from verifier.judge_pack import JudgeExample
from verifier.lexicon import Concept, NameEnding, WordClass
from verifier.rules import Rule
from verifier.senses import SenseRow

VERIFIER_SECTIONS: Mapping[str, type[BaseModel]] = {
    "advice": Rule,
    "amount_questions": Row,
    "concepts": Concept,
    "fact_actions": ActionRow,
    "fact_acts": ActRow,
    "fact_names": NameEnding,
    "fact_words": WordClass,
    "handoff_frames": Frame,
    "handoff_verbs": Verb,
    "judge_examples": JudgeExample,
    "leaks": Rule,
    "owner_only": Secret,
    "parties": Party,
    "private_matters": Rule,
    "promise_agreements": Row,
    "promise_commitments": Row,
    "promise_guards": Row,
    "promise_questions": Lure,
    "promises": Promise,
    "question_forms": Row,
    "question_words": Rule,
    "reply_forms": Row,
    "senses": SenseRow,
    "tone": ToneRule,
}
VERIFIER_PLAIN = frozenset(
    {
        "claiming",
        "double_surnames",
        "function_characters",
        "glossary",
        "given_name_characters",
        "judge",
        "no_names",
        "rare_surnames",
        "surnames",
        "tone_weights",
    }
)
