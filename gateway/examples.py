"""One example per body, shown in the OpenAPI page; a test posts each of them."""

from typing import Any

TURN: dict[str, Any] = {
    "id": "turn-1",
    "conversation": {
        "id": "c-1",
        "chatType": "private",
        "subject": "松月里 5-1602",
        "messages": [
            {"id": "m-1", "role": "customer", "text": "小区有没有人车分流", "at": "2026-11-30T10:00:00+08:00"}
        ],
        "slots": {"budget": {"value": "300万以内", "source": "conversation"}},
    },
    "draft": {
        "text": "有的，松月里是人车分流。",
        "requiresHuman": False,
        "agentId": "estate-agent",
        "citations": [{"id": "doc-1", "text": "松月里小区人车分流，地下车位 620 个。", "subject": "松月里 5-1602"}],
        "grounding": [{"quote": "松月里是人车分流", "evidenceId": "doc-1", "evidenceQuote": "小区人车分流"}],
    },
}
EXAMPLES: dict[str, Any] = {
    "TurnIn": TURN,
    "DraftIn": TURN["draft"],
    "ConversationCreateIn": {"id": "c-1", "account": "shop-1", "recipient": "wm_customer_1", "chatType": "private"},
    "MessageIn": TURN["conversation"]["messages"][0],
    "ApproveIn": {"version": 1, "textSha256": "0" * 64, "lastSeenMessageId": "m-1"},
    "RejectIn": {"version": 1, "reason": "off the point"},
    "GroupTurnIn": {
        "conversation": {"id": "g-1", "chatType": "group", "messages": TURN["conversation"]["messages"]},
        "members": ["host", "lawyer"],
        "replies": [{"replyId": "r-1", "agentId": "host", "draft": {"text": "人车分流我核实后回您。"}}],
        "crossReplyPlan": {
            "enabled": True,
            "plans": [{"agentId": "lawyer", "respondToAgentId": "host", "angle": "what the papers say"}],
            "reason": "two views",
        },
    },
    "CrossRepliesIn": {
        "replies": [
            {
                "replyId": "x-1",
                "agentId": "lawyer",
                "respondToAgentId": "host",
                "draft": {"text": "产权证上的登记我也核实一下。"},
            }
        ]
    },
    "ManualSendIn": {
        "text": "您好，我是门店的同事，马上给您回电。",
        "clientRequestId": "r-1",
        "lastSeenMessageId": "m-1",
    },
}
