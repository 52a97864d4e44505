"""The contract's input shapes: strict, camelCase, unknown names refused. The only place where input camelCase lives."""

from typing import Annotated, Any, Literal, Self

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints, model_validator
from pydantic.alias_generators import to_camel

MAX_TEXT = 20_000
Id = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Short = Annotated[str, StringConstraints(max_length=500)]
Body = Annotated[str, StringConstraints(max_length=MAX_TEXT)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=100)]


class Wire(BaseModel):
    """Base of every input shape."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        extra="forbid",
        strict=True,
        frozen=True,
        allow_inf_nan=False,
        validate_by_name=False,
        validate_by_alias=True,
    )


class MessageIn(Wire):
    """One message of the conversation, oldest first."""

    id: Id
    role: Literal["customer", "agent", "human", "system"]
    text: Body
    at: AwareDatetime
    agent_id: Id | None = None


class SlotIn(Wire):
    """A known value; names of slots are open."""

    value: Any
    source: Literal["conversation", "profile", "tool"]
    at: AwareDatetime | None = None


class CitationIn(Wire):
    """A cited passage."""

    id: Id
    text: Body = ""
    title: Short | None = None
    subject: Short | None = None
    url: Annotated[str, StringConstraints(max_length=2048)] | None = None
    published_at: AwareDatetime | None = None
    valid_until: AwareDatetime | None = None
    withdrawn: bool = False


class ToolResultIn(Wire):
    """What a tool answered."""

    id: Id
    tool: Name
    status: Literal["ok", "error", "empty"]
    subject: Short | None = None
    data: Any = None
    text: Body | None = None
    at: AwareDatetime | None = None


class GroundingIn(Wire):
    """A declaration: evidenceId with evidenceQuote or path, or messageId alone."""

    quote: Annotated[str, StringConstraints(min_length=1, max_length=MAX_TEXT)]
    evidence_id: Id | None = None
    evidence_quote: Body | None = None
    path: Annotated[str, StringConstraints(max_length=1000)] | None = None
    message_id: Id | None = None

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        passage = self.evidence_id is not None and (self.evidence_quote is None) != (self.path is None)
        message = self.message_id is not None
        if message == passage or (message and (self.evidence_quote, self.path, self.evidence_id) != (None, None, None)):
            raise ValueError("give evidenceId with evidenceQuote, or evidenceId with path, or messageId alone")
        return self


class ActionIn(Wire):
    """What the agent did."""

    type: Name
    status: Literal["done", "pending", "failed"]
    at: AwareDatetime | None = None


class DraftIn(Wire):
    """What would be sent."""

    text: Body
    requires_human: bool = False
    agent_id: Id | None = None
    model: Name | None = None
    citations: Annotated[tuple[CitationIn, ...], Field(max_length=200, strict=False)] = ()
    tool_results: Annotated[tuple[ToolResultIn, ...], Field(max_length=200, strict=False)] = ()
    grounding: Annotated[tuple[GroundingIn, ...], Field(max_length=200, strict=False)] = ()
    actions: Annotated[tuple[ActionIn, ...], Field(max_length=100, strict=False)] = ()
    inbox_id: Id | None = None
    reply_id: Id | None = None
    reply_kind: Literal["primary", "cross_agent"] | None = None
    respond_to_agent_id: Id | None = None
    cross_reply_reason: Short | None = None
    cross_reply_round: Annotated[int, Field(ge=0, le=1)] | None = None

    @model_validator(mode="after")
    def _ids_once(self) -> Self:
        ids = [c.id for c in self.citations] + [t.id for t in self.tool_results]
        if len(ids) != len(set(ids)):
            raise ValueError("citations and toolResults need ids of their own, each used once")
        return self


class ConversationIn(Wire):
    """The talk so far."""

    id: Id
    chat_type: Literal["private", "group"]
    messages: Annotated[tuple[MessageIn, ...], Field(max_length=2000, strict=False)] = ()
    subject: Short | None = None
    stage: Name | None = None
    slots: dict[Name, SlotIn] = Field(default_factory=dict, max_length=200)

    @model_validator(mode="after")
    def _ids_once(self) -> Self:
        ids = [m.id for m in self.messages]
        if len(ids) != len(set(ids)):
            raise ValueError("messages need ids of their own, each used once")
        return self


class TurnIn(Wire):
    """A turn: one customer moment and the agent's drafted answer to it."""

    id: Id
    now: AwareDatetime | None = None
    pack: Name | None = None
    conversation: ConversationIn
    draft: DraftIn | None = None


class TurnsIn(Wire):
    """Several turns to evaluate; each is read on its own, so that a bad one does not spoil the others."""

    turns: Annotated[tuple[Any, ...], Field(min_length=1, max_length=100, strict=False)]


class ReadIn(Wire):
    """A text whose quantities are to be read."""

    id: Id
    text: Body
    now: AwareDatetime | None = None


class RewriteErrorIn(Wire):
    """The agent could not carry out its rewrite."""

    error: Short


class ConversationCreateIn(Wire):
    """Register a conversation; account, recipient and chat type are fixed from then on."""

    id: Id
    account: Id
    recipient: Id
    chat_type: Literal["private", "group"]
    pack: Name | None = None


class ApproveIn(Wire):
    """A person's approval of exactly the text that was shown."""

    version: Annotated[int, Field(ge=1)]
    text_sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")] = Field(alias="textSha256")
    last_seen_message_id: Id | None = None
    text: Body | None = None
    confirm_stale: bool = False
    handoff: bool | None = None


class RejectIn(Wire):
    """A person's rejection."""

    version: Annotated[int, Field(ge=1)]
    reason: Short = ""


class ManualSendIn(Wire):
    """A person's own words."""

    text: Body
    client_request_id: Id
    last_seen_message_id: Id | None = None


class GroupReplyIn(Wire):
    """One agent's reply in a group; its draft's own reply fields are overwritten."""

    reply_id: Id
    agent_id: Id
    draft: DraftIn


class GroupTurnIn(Wire):
    """A moment of a group: members, their primary replies, and a proposal who answers whom (never trusted)."""

    conversation: ConversationIn
    members: Annotated[tuple[Id, ...], Field(min_length=1, max_length=50, strict=False)]
    replies: Annotated[tuple[GroupReplyIn, ...], Field(min_length=1, max_length=50, strict=False)]
    cross_reply_plan: Any = None

    @model_validator(mode="after")
    def _ids_once(self) -> Self:
        ids = [reply.reply_id for reply in self.replies]
        if len(ids) != len(set(ids)):
            raise ValueError("replies need replyIds of their own, each used once")
        return self


class CrossReplyIn(GroupReplyIn):
    """One agent's answer to another agent's primary reply."""

    respond_to_agent_id: Id

    @property
    def proposal(self) -> dict[str, str]:
        """Who answers whom, as the contract writes it."""
        return {"agentId": self.agent_id, "respondToAgentId": self.respond_to_agent_id, "replyId": self.reply_id}


class CrossRepliesIn(Wire):
    """The one round of cross replies."""

    replies: Annotated[tuple[CrossReplyIn, ...], Field(min_length=1, max_length=50, strict=False)]
