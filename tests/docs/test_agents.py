"""docs/agents.md: what it says of the loop and of passing drafts is so."""

import httpx2
import pytest

from gateway.gate import Action
from tests.docs.conftest import ROOT
from tests.docs.markdown import cells, section

TEXT = (ROOT / "docs" / "agents.md").read_text("utf-8")
RECORD = {"id": "record-1", "subject": "松月里 5-1602", "text": "建筑面积89平，朝南。"}


def post(live, text, key="k-1", cid="c-1", *, shown=None, **draft):
    conversation = {"id": cid, "chatType": "private", "subject": "松月里 5-1602"}
    turn = {
        "id": key,
        "conversation": conversation | ({"messages": shown} if shown else {}),
        "draft": {"text": text, "agentId": "my-agent"} | draft,
    }
    return live.call("agent", "POST", "/v1/drafts", json=turn, headers={"Idempotency-Key": key}).json()


def inbox(live):
    return live.call("agent", "GET", "/v1/inbox").json()["items"]


def test_every_action_is_told():
    told = [row[0].strip("`") for row in cells(section(TEXT, "一个循环 · One loop"))[1:]]
    assert sorted(told) == sorted(str(action) for action in Action)


def test_the_sandbox_is_there(live):
    assert "sign-in" in httpx2.get(live.url + "/sandbox").headers["location"]


def test_a_row_stays_until_it_is_answered(live):
    """It is seen again until the draft comes; a newer message makes a new row of it."""
    live.says("这套建筑面积多大")
    [first] = inbox(live)
    assert inbox(live) == [first]
    live.says("人呢")
    [second] = inbox(live)
    assert second["id"] != first["id"]
    post(live, "这个我核实后回您。", inboxId=second["id"])
    assert inbox(live) == []


def test_a_repeat_gets_the_first_answer(live):
    live.says("这套建筑面积多大")
    first = post(live, "这套建筑面积89平。", citations=[RECORD])
    assert post(live, "这套建筑面积89平。", citations=[RECORD])["draftId"] == first["draftId"]


def test_there_is_no_second_rewrite(live):
    """The second one is 409; a further draft is held even if it passes."""
    live.says("这套建筑面积多大")
    draft = post(live, "这套建筑面积98平。", citations=[RECORD])
    assert draft["action"] == "rewrite"
    path = f"/v1/drafts/{draft['draftId']}/rewrite"
    assert (
        live.call("agent", "POST", path, json={"error": "no answer"}).json()["fallbackReason"]
        == "rewrite_limit_reached"
    )
    assert live.call("agent", "POST", path, json={"text": "这套建筑面积89平。"}).status_code == 409
    again = post(live, "这套建筑面积89平。", key="k-2", citations=[RECORD])
    assert (again["qualityPassed"], again["action"], again["holdReasons"]) == (True, "hold", ["rewrite_spent"])


def test_a_message_meanwhile_makes_a_draft_stale(live):
    shown = [live.says("这套建筑面积多大")]
    live.says("算了，我问的是朝向")
    draft = post(live, "这套建筑面积89平。", shown=shown, citations=[RECORD])
    assert (draft["action"], draft["holdReasons"]) == ("hold", ["stale"])
    assert len(inbox(live)) == 1


PASSES = [
    ("a fact with its passage", "这套建筑面积89平。", {"citations": [RECORD]}, True),
    ("a fact without", "这套建筑面积89平。", {}, False),
    ("another item's passage", "这套建筑面积89平。", {"citations": [RECORD | {"subject": "松月里 2-101"}]}, False),
    ("pending in its own clause", "建筑面积我核实后回您。", {}, True),
    ("a hedge beside it", "这套建筑面积98平，具体以实际为准。", {"citations": [RECORD]}, False),
    (
        "grounded",
        "这套建筑面积89平。",
        {
            "citations": [RECORD],
            "grounding": [{"quote": "这套建筑面积89平", "evidenceId": "record-1", "evidenceQuote": "建筑面积89平"}],
        },
        True,
    ),
    (
        "an invented declaration",
        "这套建筑面积89平。",
        {
            "citations": [RECORD],
            "grounding": [{"quote": "这套建筑面积89平", "evidenceId": "record-1", "evidenceQuote": "精装修"}],
        },
        False,
    ),
    ("a handoff that is not done", "建筑面积89平，已经为您转接顾问了。", {"citations": [RECORD]}, False),
    ("markup", "这套建筑面积**89平**。", {"citations": [RECORD]}, False),
]


@pytest.mark.parametrize(("text", "draft", "passed"), [row[1:] for row in PASSES], ids=[row[0] for row in PASSES])
def test_how_a_draft_passes(live, text, draft, passed):
    live.says("这套建筑面积多大")
    assert post(live, text, **draft)["qualityPassed"] is passed
