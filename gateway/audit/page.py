"""The audit's summary: one self-contained page and the same figures as JSON."""

import json
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from gateway.audit.drift import STORED, Drift
from gateway.audit.figures import RELAXED, Figures, Policy, Topic
from gateway.calibration.intervals import Share
from gateway.web.words import Language, language

PAGE, DATA = "summary.html", "summary.json"
BAR = 200  # pixels of a whole
_POLICIES = {
    "review": ("审核：一律由人批准", "review: people approve everything"),
    "auto": ("自动：回答客户时自动发", "auto: answers to customers go by themselves"),
    "autopilot": ("全自动：跟进也自动发", "autopilot: follow-ups too"),
    "band:low": ("自动，置信度不限", "auto, any band"),
    "band:middle": ("自动，置信度中以上", "auto, band middle and up"),
    "band:high": ("自动，只发高置信度", "auto, band high only"),
}
_templates = Environment(
    loader=FileSystemLoader(Path(__file__).parent), autoescape=True, undefined=StrictUndefined, trim_blocks=True
)


def policy_name(policy: str, words: Language) -> tuple[str, str]:
    """Name a policy in Chinese and in English."""
    if policy.startswith(RELAXED):
        scenario = policy.removeprefix(RELAXED)
        return (
            f"自动，放宽“{words.name('scenario', scenario)}”（只问情况）",
            f"auto, {scenario} relaxed (human: decide)",
        )
    return _POLICIES.get(policy, (policy, policy))


def shown(share: Share) -> str:
    """Write a share with its exact interval."""
    if share.value is None:
        return "–"
    low, high = share.interval
    return f"{share.value:.1%} [{low:.1%}, {high:.1%}]"


def write_page(out: Path, found: Figures, changed: Drift | None) -> None:
    """Write summary.html and summary.json into the audit's folder."""
    (out / DATA).write_text(json.dumps(record(found, changed), ensure_ascii=False, indent=1), "utf-8")
    zh = language("zh")
    page = _templates.get_template("summary.html.j2").render(
        f=found,
        drift=changed,
        against="行里存着的判决" if changed and changed.against == STORED else changed.against if changed else "",
        made=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        zh=zh,
        names={policy.id: policy_name(policy.id, zh) for policy in found.policies},
        topics=_by_kind(found),
        shown=shown,
        bar=BAR,
        relaxed=[policy for policy in found.policies if policy.id.startswith(RELAXED)],
    )
    (out / PAGE).write_text(page, "utf-8")


def _by_kind(found: Figures) -> list[tuple[str, str, list[Topic]]]:
    kinds = {
        "scenario": "情形 · scenario",
        "topic": "主题（房源、车源）· topic",
        "source": "引用的来源 · cited source",
        "pack": "业务包 · pack",
        "agent": "智能体 · agent",
    }
    grouped = [(kind, title, [t for t in found.topics if t.kind == kind]) for kind, title in kinds.items()]
    return [group for group in grouped if group[2]]


def record(found: Figures, changed: Drift | None) -> dict[str, Any]:
    """Write the figures for JSON; the same audit gives the same bytes."""
    return {
        "rows": found.rows,
        "bad": found.bad,
        "labelledWrong": _share(found.labelled),
        "statuses": dict(found.statuses),
        "rulesVersions": dict(found.rules),
        "policies": [_policy(policy) for policy in found.policies],
        "checks": [{"id": c.id, "failed": _share(c.failed), "onRight": _share(c.right)} for c in found.checks],
        "topics": [
            {
                "kind": t.kind,
                "name": t.name,
                "failed": _share(t.failed),
                "wrong": _share(t.wrong),
                "factSupport": t.fact_support,
            }
            for t in found.topics
        ],
        "drift": None if changed is None else asdict(changed),
    }


def _policy(policy: Policy) -> dict[str, Any]:
    return {
        "id": policy.id,
        "sent": _share(policy.sent),
        "wrongOfSent": _share(policy.wrong),
        "rightHeld": _share(policy.held),
        "more": policy.more,
        "wrongOfMore": _share(policy.wrong_more),
    }


def _share(share: Share) -> dict[str, Any]:
    if share.value is None:
        return {"count": share.count, "of": share.total, "share": None, "low": None, "high": None}
    low, high = share.interval
    ends = {"share": round(share.value, 6), "low": round(low, 6), "high": round(high, 6)}
    return {"count": share.count, "of": share.total} | ends
