"""What a pack says about the judge: which turns ask it, what it is told to do, and the examples that calibrate it."""

import json
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from planner.pack import Pack, PackError

_STRICT = ConfigDict(extra="forbid", frozen=True)


class JudgeRules(BaseModel):
    """Section `judge`. A turn asks when its draft or its talk is long enough; 0 switches a number off.

    `from_clauses` counts the draft's clauses, `from_questions` what the customer asks at once, `from_messages` the
    customer's messages in this talk. `instructions` is what the judge is told to do; without it nothing is asked.
    `named` lists the concepts whose options are names (makers), about which a judge may confirm nothing; `plain_words`
    are common words that are no names, beside those that the pack knows anyhow.
    """

    model_config = _STRICT

    from_clauses: int = Field(0, ge=0)
    from_questions: int = Field(0, ge=0)
    from_messages: int = Field(0, ge=0)
    instructions: str = ""
    named: tuple[str, ...] = ()
    plain_words: tuple[tuple[str, ...], ...] = ()


class ExamplePassage(BaseModel):
    """A passage of evidence in an example."""

    model_config = _STRICT

    source: str
    text: str


class JudgeExample(BaseModel):
    """Section `judge_examples`: a draft, the answer that is right for it, and why; `good` drafts and plausible wrong ones."""

    model_config = _STRICT

    id: str
    good: bool
    question: tuple[str, ...]
    clauses: tuple[str, ...]
    passages: tuple[ExamplePassage, ...] = ()
    open: tuple[int, ...] = ()
    answer: dict[str, Any]
    why: str

    def told(self) -> dict[str, Any]:
        """Give what the judge is told about it, in the shape of a real turn."""
        return {
            "question": list(self.question),
            "clauses": [{"clause": n, "text": text} for n, text in enumerate(self.clauses, 1)],
            "passages": [p.model_dump() for p in self.passages],
            "failed": [],
            "open": list(self.open),
        }


def judge_rules(pack: Pack) -> JudgeRules:
    """Read the pack's section `judge`. Raises PackError that names the field."""
    return pack.derive(_rules)


def _rules(pack: Pack) -> JudgeRules:
    try:
        return JudgeRules.model_validate(pack.sections.get("judge") or {})
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise PackError(f"pack {pack.name}: judge.{where}: {first['msg']}") from error


def orders(pack: Pack) -> str:
    """Write what the judge is to do: the pack's instructions and its examples."""
    return pack.derive(_orders)


def _orders(pack: Pack) -> str:
    parts = [judge_rules(pack).instructions.strip()]
    for number, example in enumerate(pack.rows("judge_examples", JudgeExample), 1):
        kind = "正确的草稿 a good draft" if example.good else "像对其实错的草稿 plausible but wrong"
        parts.append(
            f"例 {number}（{kind}）\n{fenced(example.told())}\n{_compact(example.answer)}\n说明 why: {example.why}"
        )
    return "\n\n".join(parts)


def fenced(told: dict[str, Any]) -> str:
    """Write data so that nothing in it can end its fence: one line of JSON without any angle bracket."""
    line = _compact(told)
    for char in "<>&\u2028\u2029":
        line = line.replace(char, f"\\u{ord(char):04x}")
    return f"<data>{line}</data>"


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
