"""One stored reply under today's rules: its verdict, what each mode would do with it, and what a relaxed scenario would.

A scenario that always needs a person can be relaxed in a pack (`human: decide`). Whether that lets a reply go is asked
of the same plan, verifier and gate: the plan without the need for a person, judged again.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gateway.audit.errors import AuditError
from gateway.audit.stored import StoredReply
from gateway.evaluate import Evaluated, evaluate_turn
from gateway.gate import Decision, Mode, Situation, decide
from gateway.packs import PackShelf
from planner.plan import ReplyPlan
from planner.playbook import named_stage
from planner.policy import needs_human
from planner.risks import Level, Risk
from planner.turn import Draft, Turn
from planner.version import rules_version
from verifier.verdict import Judged, Unavailable, Verdict
from verifier.verify import verify

MOST_SOURCES, MOST_WORDS, MOST_NAME = 20, 160, 80


@dataclass(frozen=True, slots=True)
class Rules:
    """By what replies are judged: the shop's own packs, if any, and the least score that passes.

    `expected` are the versions (pack, rulesVersion) with which the audit began.
    """

    packs_dir: str | None = None
    pass_score: int = 90
    expected: tuple[tuple[str, str], ...] = ()

    def shelf(self) -> PackShelf:
        """Open the packs; each is loaded when it is first asked for."""
        return PackShelf(Path(self.packs_dir) if self.packs_dir else None)

    def checked_shelf(self) -> PackShelf:
        """Open the packs where they are those with which the audit began.

        Raises AuditError where a worker has other ones: another release on its machine, or one that changed meanwhile.
        """
        found = versions(self)
        if dict(self.expected) != found:
            raise AuditError(f"a worker judges by other rules ({found}) than those the audit began with")
        return self.shelf()


def versions(rules: Rules) -> dict[str, str]:
    """Give the rulesVersion of every pack. Raises PackError for one that cannot be used."""
    shelf = rules.shelf()
    return {name: rules_version(shelf.get(name)) for name in shelf.names()}


def judge(reply: StoredReply, shelf: PackShelf, pass_score: int) -> dict[str, Any]:
    """Judge a reply and give its row, without its place. Raises InputError for a pack that nobody has."""
    evaluated = evaluate_turn(reply.turn, shelf, pass_score)
    decided = {str(mode): _decided(evaluated, evaluated.plan, evaluated.verdict, mode) for mode in Mode}
    return {
        "id": reply.turn.id,
        "key": reply.key,
        **_about(reply.turn, evaluated),
        **_verdict(evaluated.verdict),
        **{mode: str(decision.action) for mode, decision in decided.items()},
        "fallbackReason": decided[str(Mode.AUTO)].fallback_reason,
        **_relaxed(evaluated, pass_score),
        "requiresHuman": _requires_human(evaluated),
        "noReplyNeeded": evaluated.plan.no_reply_needed,
        "risks": [f"{risk.scenario}/{risk.level}/{risk.source}" for risk in evaluated.plan.risks],
        "right": reply.right,
        "wasPassed": reply.before.passed if reply.before else None,
        "wasFailed": list(reply.before.failed) if reply.before and reply.before.failed is not None else None,
        "wasRulesVersion": reply.before.rules_version if reply.before else None,
    }


def _decided(evaluated: Evaluated, reply_plan: ReplyPlan, verdict: Verdict, mode: Mode) -> Decision:
    talk = evaluated.turn.conversation
    situation = Situation(mode, talk.chat_type, unanswered=bool(talk.unanswered))
    return decide(reply_plan, verdict, situation, draft_requires_human=evaluated.draft_requires_human)


def _requires_human(evaluated: Evaluated) -> bool:
    if isinstance(evaluated.verdict, Judged):
        return evaluated.verdict.requires_human
    return evaluated.plan.requires_human or evaluated.draft_requires_human


def _relaxed(evaluated: Evaluated, pass_score: int) -> dict[str, str | None]:
    """Name the one scenario whose relaxing would spare the person, and what auto mode would do then."""
    scenario = _alone(evaluated.plan, evaluated)
    if scenario is None:
        return {"relaxable": None, "relaxedAction": None}
    freed = replace(evaluated.plan, requires_human=False)
    verdict = verify(evaluated.reading, freed, pass_score)
    return {"relaxable": scenario, "relaxedAction": str(_decided(evaluated, freed, verdict, Mode.AUTO).action)}


def _alone(reply_plan: ReplyPlan, evaluated: Evaluated) -> str | None:
    if not reply_plan.requires_human or not isinstance(evaluated.verdict, Judged):
        return None
    asked = dict.fromkeys(risk.scenario for risk in reply_plan.risks if risk.level is Level.INFORM)
    pack, flags = evaluated.reading.pack, reply_plan.flags
    stage = named_stage(pack, evaluated.turn.conversation.stage)
    strict = stage.always_human if stage else ()
    left = {scenario: _without(reply_plan.risks, scenario) for scenario in asked if scenario not in strict}
    return next((scenario for scenario, risks in left.items() if not needs_human(risks, flags, pack, strict)), None)


def _without(risks: Iterable[Risk], scenario: str) -> list[Risk]:
    return [risk for risk in risks if not (risk.scenario == scenario and risk.level is Level.INFORM)]


def _verdict(verdict: Verdict) -> dict[str, Any]:
    judged = verdict if isinstance(verdict, Judged) else None
    support = judged.dimensions.get("factSupport") if judged else None
    return {
        "passed": judged.passed if judged else None,
        "score": judged.score if judged else None,
        "status": judged.status if judged else None,
        "failedCheckIds": list(judged.failed) if judged else [],
        "hardFailureIds": list(judged.hard_failures) if judged else [],
        "confidence": judged.confidence if judged else None,
        "band": judged.band if judged else None,
        "factSupport": support.score if support else None,
        "unavailable": verdict.reason if isinstance(verdict, Unavailable) else None,
        "rulesVersion": verdict.rules_version,
    }


def _about(turn: Turn, evaluated: Evaluated) -> dict[str, Any]:
    draft = turn.draft or Draft("")
    sources = _sources(draft)
    scenes = [risk.scenario for risk in evaluated.plan.risks]
    return {
        "conversation": turn.conversation.id,
        "pack": evaluated.reading.pack.name,
        "topic": (turn.conversation.subject or next(iter([*sources, *scenes]), ""))[:MOST_NAME],
        "sources": sources,
        "agent": draft.agent_id,
        "model": draft.model,
        "at": turn.now.isoformat(),
        "question": " ".join(m.text for m in turn.conversation.unanswered)[:MOST_WORDS],
        "reply": draft.text[:MOST_WORDS],
    }


def _sources(draft: Draft) -> list[str]:
    """Name what the draft cites: by title, else by subject, else by tool or id."""
    cited = [c.title or c.subject or c.id for c in draft.citations]
    asked = [t.subject or t.tool for t in draft.tool_results]
    return list(dict.fromkeys(name[:MOST_NAME] for name in (*cited, *asked)))[:MOST_SOURCES]
