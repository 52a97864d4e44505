"""The acceptance table: each line counts the fixtures of one group that came out as they must."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from gateway.evaluate import Evaluated, evaluate_turn
from gateway.gate import Action, Decision, Mode, Situation, decide
from gateway.smoke.fixtures import Fixture, load_fixtures
from gateway.smoke.person import sends_own_words
from verifier.verdict import Judged


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the table; `ok` says whether `got` is what is `expected`."""

    name: str
    expected: str
    got: str

    @property
    def ok(self) -> bool:
        """Whether the line is as it must be."""
        return self.expected == self.got


def run_smoke(fixtures: Iterable[Fixture] | None = None) -> list[Line]:
    """Run the fixtures, the shipped ones unless others are given, and fill the table."""
    groups: dict[str, list[Fixture]] = {}
    for fixture in load_fixtures() if fixtures is None else fixtures:
        groups.setdefault(fixture.group, []).append(fixture)
    return [_line(name, groups.get(group, []), holds, wanted) for name, group, holds, wanted in _LINES]


def _line(name: str, fixtures: list[Fixture], holds: Callable[[Fixture], bool], wanted: str) -> Line:
    count = sum(holds(fixture) for fixture in fixtures)
    total = len(fixtures)
    return Line(name, f"{total if wanted == 'all' else 0}/{total}", f"{count}/{total}")


def caught(fixture: Fixture) -> bool:
    """Whether the draft fails its evaluation."""
    verdict = evaluate_turn(fixture.turn()).verdict
    return isinstance(verdict, Judged) and not verdict.passed


def exactly(fixture: Fixture) -> bool:
    """Whether exactly the named checks fail."""
    verdict = evaluate_turn(fixture.turn()).verdict
    return isinstance(verdict, Judged) and set(verdict.failed) == set(fixture.fails)


def sent_anywhere(fixture: Fixture) -> bool:
    """Whether any mode would send the draft."""
    return any(_decide(fixture, mode).action is Action.SEND for mode in Mode)


def held_everywhere(fixture: Fixture) -> bool:
    """Whether the draft passes its evaluation and every mode holds it for a person."""
    decisions = [_decide(fixture, mode) for mode in Mode]
    return all((d.action, d.fallback_reason) == (Action.HOLD, "requires_human") for d in decisions)


def sent_by_itself(fixture: Fixture) -> bool:
    """Whether auto and autopilot send the draft, and review holds it."""
    actions = {mode: _decide(fixture, mode).action for mode in Mode}
    return actions == {Mode.REVIEW: Action.HOLD, Mode.AUTO: Action.SEND, Mode.AUTOPILOT: Action.SEND}


def needs_no_reply(fixture: Fixture) -> bool:
    """Whether the plan says that no reply is needed, and every mode stays silent."""
    silent = all(_decide(fixture, mode).action is Action.NO_REPLY for mode in Mode)
    return silent and evaluate_turn(fixture.turn()).plan.no_reply_needed


def person_may(fixture: Fixture) -> bool:
    """Whether words that fail as the agent's leave as a person's."""
    return caught(fixture) and sends_own_words(fixture)


def _decide(fixture: Fixture, mode: Mode) -> Decision:
    evaluated: Evaluated = evaluate_turn(fixture.turn())
    situation = Situation(mode, evaluated.turn.conversation.chat_type)
    return decide(evaluated.plan, evaluated.verdict, situation, draft_requires_human=evaluated.draft_requires_human)


_LINES: tuple[tuple[str, str, Callable[[Fixture], bool], str], ...] = (
    ("固定低质量样本拦截 low-quality drafts caught", "low", caught, "all"),
    ("固定合格样本误杀 good drafts blocked", "good", caught, "none"),
    ("坏回复精确覆盖 bad replies: exactly the expected checks", "bad", exactly, "all"),
    ("坏回复直接放行 bad replies sent", "bad", sent_anywhere, "none"),
    ("风险轮次三种模式均保留 risk turns held in all modes", "risk", held_everywhere, "all"),
    ("风险轮次外发 risk turns sent", "risk", sent_anywhere, "none"),
    ("合格普通回复可外发 ordinary replies sent in auto and autopilot", "ordinary", sent_by_itself, "all"),
    ("人工发送不受质量分阻断 a person's words sent", "person", person_may, "all"),
    ("纯确认致谢无需回复 pure thanks: no_reply_needed", "thanks", needs_no_reply, "all"),
)
CHECK_OF = {group: holds for _, group, holds, wanted in reversed(_LINES) if wanted == "all"} | {
    "good": lambda fixture: not caught(fixture)
}
