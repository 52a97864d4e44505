"""The example agent: takes what the inbox asks, posts a scripted draft, carries out the one rewrite. Plain HTTP."""

from datetime import UTC, datetime
from typing import Any

import httpx2

from gateway.demo.scenes import Scene


class ExampleAgent:
    """Answers the demo's turns over HTTP, as any agent in any language would."""

    def __init__(self, client: httpx2.Client, scenes: tuple[Scene, ...]) -> None:
        self._client = client
        self._scenes = {scene.recipient: scene for scene in scenes}

    def work(self) -> dict[str, dict[str, Any]]:
        """Answer every open inbox row; gives the last answer of the gateway per scene."""
        answers = {}
        for item in self._client.get("/v1/inbox").raise_for_status().json()["items"]:
            talk = self._client.get(f"/v1/conversations/{item['conversationId']}").raise_for_status().json()
            scene = self._scenes[talk["recipient"]]
            if scene.meanwhile is None or len(talk["messages"]) == 1:
                answers[scene.id] = self._answer(item, talk, scene)
        return answers

    def late(self, scene: Scene, talk: dict[str, Any], inbox_id: str) -> dict[str, Any]:
        """Post the draft of a turn whose customer has written again since the agent read the conversation."""
        return self._post(scene, talk, inbox_id)

    def _answer(self, item: dict[str, Any], talk: dict[str, Any], scene: Scene) -> dict[str, Any]:
        answer = self._post(scene, talk, item["id"])
        if answer["action"] == "rewrite":
            body = scene.rewrite or {"error": "this agent cannot rewrite"}
            rewritten = self._client.post(f"/v1/drafts/{answer['draftId']}/rewrite", json=body)
            answer = rewritten.raise_for_status().json()
        return answer

    def _post(self, scene: Scene, talk: dict[str, Any], inbox_id: str) -> dict[str, Any]:
        turn = {
            "id": scene.id,
            "conversation": {
                "id": talk["id"],
                "chatType": talk["chatType"],
                "messages": talk["messages"],
                **({"subject": scene.subject} if scene.subject else {}),
            },
            "draft": {"agentId": "demo-agent", "model": "scripted", "inboxId": inbox_id, **scene.draft},
        }
        key = f"{scene.id}-{inbox_id}-{int(datetime.now(UTC).timestamp())}"
        response = self._client.post("/v1/drafts", json=turn, headers={"Idempotency-Key": key})
        return dict(response.raise_for_status().json())
