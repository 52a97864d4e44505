"""What models hand to the MCP tools and get back: the contract's names, with descriptions written for a model."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from gateway.client import FIX_ACTIONS, Answer, FixAction

Moment = Annotated[str | None, Field(description="RFC 3339 with offset, like 2026-11-30T10:00:00+08:00")]
Subject = Annotated[
    str | None,
    Field(description="the one item it is about, as in the conversation's subject; `general:…` for a shop's rule"),
]


class Shape(BaseModel):
    """Base: camelCase on the wire, unknown names refused."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid")


class Passage(Shape):
    """A passage that you looked up."""

    id: Annotated[str, Field(description="your own, each used once")]
    text: Annotated[str, Field(description="the passage, literally; without it nothing is backed")]
    subject: Subject = None
    published_at: Moment = None
    valid_until: Moment = None


class ToolAnswer(Shape):
    """What one of your other tools answered."""

    id: Annotated[str, Field(description="your own, each used once")]
    tool: str
    status: Literal["ok", "error", "empty"]
    subject: Subject = None
    data: Annotated[Any, Field(description="the answer as JSON")] = None
    text: Annotated[str | None, Field(description="the answer as text")] = None


class Declared(Shape):
    """Which passage a clause of your text rests on. An invented one fails the draft by itself."""

    quote: Annotated[str, Field(description="the clause, literally as in your text")]
    evidence_id: Annotated[str | None, Field(description="id of the citation or tool result")] = None
    evidence_quote: Annotated[str | None, Field(description="its words, literally")] = None
    path: Annotated[str | None, Field(description="or a JSON pointer into the tool result's data")] = None
    message_id: Annotated[
        str | None, Field(description="alone, instead: the customer's message, for what they said of themselves")
    ] = None


class Words(Shape):
    """What you want to say to the customer, with all that it rests on."""

    text: Annotated[str, Field(description="plain text in the customer's language, as it would be sent")]
    requires_human: Annotated[bool, Field(description="true if a person must take over; say so in the text too")] = (
        False
    )
    citations: list[Passage] = []
    tool_results: list[ToolAnswer] = []
    grounding: list[Declared] = []

    def draft(self, **more: str | None) -> dict[str, Any]:
        """Write it as the contract's draft."""
        told = self.model_dump(by_alias=True, exclude_defaults=True) | {"text": self.text}
        return told | {name: value for name, value in more.items() if value is not None}


class Fix(Shape):
    """One change that the gate asks for; `target` is the words to change, empty for the whole text."""

    type: str
    target: str
    detail: str
    do: Annotated[str, Field(description="what this kind of change means")]

    @classmethod
    def of(cls, fix: FixAction) -> "Fix":
        """Tell a fix action to a model."""
        return cls(type=fix.type, target=fix.target, detail=fix.detail, do=FIX_ACTIONS.get(fix.type, fix.detail))


class Told(Shape):
    """What the gate decided. Do what `whatNext` says."""

    action: str
    what_next: str
    passed: Annotated[bool | None, Field(description="null: it could not be checked")]
    requires_human: bool
    fix_actions: list[Fix]
    failed_check_ids: list[str]
    fallback_reason: str | None
    hold_reasons: list[str]
    draft_id: str | None
    state: str | None
    deadline_at: str | None
    confidence: float | None
    band: str | None

    @classmethod
    def of(cls, answer: Answer, next_steps: dict[str, str]) -> "Told":
        """Tell an answer to a model; `next_steps` says what each action means where it was asked."""
        return cls(
            action=answer.action,
            what_next=next_steps.get(answer.action, "A person decides. Do nothing."),
            passed=answer.passed,
            requires_human=answer.requires_human,
            fix_actions=[Fix.of(fix) for fix in answer.fix_actions],
            failed_check_ids=list(answer.failed_check_ids),
            fallback_reason=answer.fallback_reason,
            hold_reasons=list(answer.hold_reasons),
            draft_id=answer.draft_id,
            state=answer.state,
            deadline_at=answer.deadline_at,
            confidence=answer.confidence,
            band=answer.band,
        )
