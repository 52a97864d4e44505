"""What the gateway answers, with names for what an agent acts on; the whole record stays beside them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class FixAction:
    """One concrete change; `target` is the words to change, `""` for the whole text."""

    type: str
    target: str
    detail: str
    check_id: str


@dataclass(frozen=True, slots=True, repr=False)
class Answer:
    """An evaluation, or a draft with its evaluation; `record` is the contract's flat object as it came.

    What the record lacks is read strictly: nothing unknown has passed, and it needs a person.
    """

    record: Mapping[str, Any]

    def __repr__(self) -> str:
        return f"Answer({self.draft_id or self.id!r}, action={self.action!r}, passed={self.passed!r})"

    @property
    def id(self) -> str:
        """The id of the turn."""
        return str(self.record.get("id", ""))

    @property
    def passed(self) -> bool | None:
        """Whether the quality gate was passed; None when it could not be evaluated."""
        passed = self.record.get("qualityPassed")
        return passed if isinstance(passed, bool) else None

    @property
    def score(self) -> int | None:
        """The quality score, 0..100."""
        score = self.record.get("qualityScore")
        return score if isinstance(score, int) else None

    @property
    def requires_human(self) -> bool:
        """Whether a person must take over."""
        return self.record.get("requiresHuman") is not False

    @property
    def action(self) -> str:
        """What to do: `send`, `hold`, `rewrite` or `no_reply`.

        For a draft it is what the gateway decided. For a bare evaluation it is what an account in mode `auto` would
        decide about a first try in a private chat: who has rewritten once already takes `rewrite` for `hold`.
        """
        decided = self.record.get("action")
        return str(decided) if decided is not None else self._suggested()

    def _suggested(self) -> str:
        if self.passed is None:
            return "hold"
        if self.record.get("noReplyNeeded") is True and not (self.requires_human or self.record.get("risks")):
            return "no_reply"
        if not self.passed:
            return "rewrite"
        return "hold" if self.requires_human else "send"

    @property
    def state(self) -> str | None:
        """Where the draft stands; None for a bare evaluation."""
        return self._text("state")

    @property
    def draft_id(self) -> str | None:
        """The draft's id; None for a bare evaluation."""
        return self._text("draftId")

    @property
    def fallback_reason(self) -> str | None:
        """Why it does not go out by itself; `""` is nothing, None an older record."""
        return self._text("fallbackReason")

    @property
    def hold_reasons(self) -> tuple[str, ...]:
        """Other causes of holding."""
        return tuple(self.record.get("holdReasons") or ())

    @property
    def failed_check_ids(self) -> tuple[str, ...]:
        """The checks that failed."""
        return tuple(self.record.get("failedCheckIds") or ())

    @property
    def fix_actions(self) -> tuple[FixAction, ...]:
        """What to change before it can pass; `record["fixActions"]` holds the same as JSON, for a prompt."""
        rows = self.record.get("fixActions") or ()
        return tuple(FixAction(row["type"], row["target"], row["detail"], row["checkId"]) for row in rows)

    @property
    def confidence(self) -> float | None:
        """How sure the evaluation is, 0..1."""
        return self.record.get("confidence")

    @property
    def band(self) -> str | None:
        """`high`, `middle` or `low`."""
        return self._text("band")

    @property
    def deadline_at(self) -> str | None:
        """Until when a rewrite, or a person's decision, is waited for."""
        return self._text("deadlineAt")

    def _text(self, name: str) -> str | None:
        value = self.record.get(name)
        return None if value is None else str(value)


@dataclass(frozen=True, slots=True)
class TurnError:
    """Why one turn of a batch could not be evaluated; the others were."""

    id: str | None
    field: str
    message: str


class Playbook(TypedDict):
    """What the pack says about a conversation now; `slots` may be asked for, None means anything."""

    businessGoal: str | None
    stage: str | None
    goal: str | None
    slots: list[str] | None


class InboxRow(TypedDict):
    """What an agent is asked to answer; `kind` is `reply` or `follow_up`, a follow-up has an `instruction`."""

    id: str
    kind: str
    account: str
    conversationId: str
    momentId: str | None
    instruction: str | None
    playbook: Playbook
    createdAt: str


@dataclass(frozen=True, slots=True)
class Deliveries:
    """Deliveries newest first, and the count of all that stand."""

    count: int
    items: Sequence[Json]


@dataclass(frozen=True, slots=True)
class GroupAnswer:
    """A group's replies, each judged for itself, with what was planned and what was dropped and why."""

    record: Mapping[str, Any]

    @property
    def id(self) -> str:
        """The id under which cross replies are posted."""
        return str(self.record["id"])

    @property
    def replies(self) -> tuple[Answer, ...]:
        """The replies; `record["replyId"]` of each says which one it is."""
        return tuple(Answer(reply) for reply in self.record["replies"])

    @property
    def plans(self) -> tuple[Mapping[str, Any], ...]:
        """The cross replies that may come: `agentId`, `respondToAgentId`, `angle`."""
        return tuple(self.record.get("crossReplyPlan", {}).get("plans", ()))

    @property
    def dropped(self) -> tuple[Mapping[str, Any], ...]:
        """What was dropped: `plan` and `why`."""
        return tuple(self.record.get("crossReplyPlan", self.record).get("dropped", ()))
