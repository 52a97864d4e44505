"""The benchmark's turns: the demo's drafts with ten messages and four citations around them, about 1.8 KB each."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from gateway.contract import parse, to_turn
from gateway.demo.scenes import load_scenes
from gateway.wire import TurnIn
from planner.turn import Turn

FILLER = [
    "小区有几个门",
    "东门和南门两个",
    "好的",
    "还有什么想了解的",
    "周边有菜场吗",
    "出东门右手边就是",
    "挺方便",
    "是的",
    "我再问一下",
]


def bodies() -> list[dict[str, Any]]:
    """Give one turn per demo scene, each with its rewrite where there is one."""
    found = []
    for scene in load_scenes():
        for draft in (scene.draft, scene.rewrite):
            if draft is None or "error" in draft:
                continue
            found.append(_body(len(found), scene.customer, scene.subject, scene.account, draft))
    return found


def turns() -> list[Turn]:
    """Give the same as domain values."""
    return [to_turn(parse(TurnIn, json.dumps(body).encode()), datetime.now(UTC)) for body in bodies()]


def _body(number: int, customer: str, subject: str | None, account: str, draft: dict[str, Any]) -> dict[str, Any]:
    start = datetime(2026, 11, 30, 2, 0, tzinfo=UTC)
    said = [*FILLER, customer]
    messages = [
        {
            "id": f"m-{number}-{i}",
            "role": "customer" if i % 2 == 0 or i == 9 else "agent",
            "text": text,
            "at": (start + timedelta(minutes=i)).isoformat(),
        }
        for i, text in enumerate(said)
    ]
    citations = [
        *draft.get("citations", []),
        *(
            {"id": f"more-{i}", "text": f"小区第{i}期 {2000 + i} 年交付，绿化率 {30 + i}%，物业费每平米 {i}.5 元。"}
            for i in range(1, 5)
        ),
    ]
    conversation = {"id": f"c-{number}", "chatType": "private", "messages": messages}
    if subject:
        conversation["subject"] = subject
    return {
        "id": f"t-{number}",
        "pack": "used_car" if account == "cars" else "property",
        "conversation": conversation,
        "draft": {**draft, "citations": citations},
    }
