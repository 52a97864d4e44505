"""Behaviours of `POST /v1/evaluate`."""

import json
from functools import partial

from tests.behaviour.case import LINES
from verifier.registry import CHECKS, Check
from verifier.verify import verify


def evaluated(shop, text, citations=(), said="这套几楼"):
    now = shop.clock().isoformat()
    message = {"id": "m-1", "role": "customer", "text": said, "at": now}
    turn = {
        "id": "t-1",
        "now": now,
        "conversation": {"id": "c", "chatType": "private", "subject": "L-1001", "messages": [message]},
        "draft": {"text": text, "citations": list(citations)},
    }
    return shop.call("agent", "POST", "/v1/evaluate", json=turn)


def strict(text):
    """Read JSON as every reader does: NaN and the like are none."""

    def no_constant(name):
        raise AssertionError(name)

    return json.loads(text, parse_constant=no_constant)


def test_v_eval_01_no_claims_in_the_draft(case, shop):
    """Nothing was asserted, so there is no fact support to measure: null, and the answer is plain JSON."""
    response = evaluated(shop, case.given["draft"], case.given["citations"])
    answer = strict(response.text)
    case.equals("json_valid", response.status_code == 200 and answer["qualityScore"] is not None)
    case.holds("fact_support", answer["dimensions"]["factSupport"] in (None, 1.0))
    empty = strict(evaluated(shop, "您好。").text)
    assert empty["dimensions"]["factSupport"] is None and empty["claims"] == []


def test_v_eval_03_judge_reply_that_cannot_be_parsed(case, shop, monkeypatch):
    """A check that asks a judge and gets prose: nothing was checked, so there is no score at all."""

    def ask_a_judge(_case):
        raise ValueError(json.loads(LINES["v-eval-03"]["given"]["judge_raw"]))

    judge = Check("judge", 1, hard=False, run=ask_a_judge)
    monkeypatch.setattr("gateway.evaluate.verify", partial(verify, checks=(*CHECKS, judge)))
    citation = {"id": "d", "text": "L-1001 总价298万。", "subject": "L-1001"}
    answer = evaluated(shop, case.given["draft"], [citation]).json()
    case.equals("score", answer["qualityScore"])
    case.holds("passed", answer["qualityPassed"] is None)
    case.equals("fallbackReason", answer["fallbackReason"])
    nothing = ("status", "dimensions", "confidence", "band", "qualityChecks")
    assert [answer[name] for name in nothing] == [None] * 5
