"""The judge in the flow: asked before the transaction, kept with the text, looked at again by whoever sends."""

import json
import threading
from dataclasses import replace

import pytest
from fastapi.testclient import TestClient

from gateway import people
from gateway.app import create_app
from gateway.counsels import counsel_of
from gateway.evaluate import evaluate_turn
from gateway.gate import Action, Mode, Situation, decide
from gateway.tables import AuditRow, DraftText
from gateway.tables_log import EvaluationRow
from gateway.tx import table_of
from planner.turn import ChatType
from tests.gateway import judge_stand_in as kit
from tests.gateway.desk import GOOD, GOOD_CITATION
from tests.gateway.judge_stand_in import opinion
from tests.gateway.test_judge import turn
from verifier.counsel import Heard, Kept, Unheard

VIEW = "客厅正对中央花园，前方空旷"
CITATIONS = [GOOD_CITATION, {"id": "doc-2", "text": VIEW, "subject": "松月里 5-1602"}]
PARAPHRASE = "是的，小区人车分流，客厅视野很开阔。"
CONFIRM = opinion(confirmed=[(3, "doc-2", VIEW)])


@pytest.fixture
def stand_in():
    made = kit.StandIn()
    yield made
    made.close()


class Shop:
    """A gateway with a judge, asked over HTTP as an agent does."""

    def __init__(self, desk, stand_in):
        self.desk, self.stand_in = desk, stand_in
        self.keys = {
            scope: desk.run(lambda tx, s=scope: people.add_key(tx, name=s, scopes=[s], actor="t"))[1]
            for scope in ("agent", "operator")
        }
        self.http = TestClient(create_app(desk.service, scheduler=False))
        self.count = 0

    def post(self, text=PARAPHRASE, citations=CITATIONS, key=None, **draft):
        self.count += 1
        body = self.desk.turn(text, citations=citations, **draft)
        headers = {"authorization": f"Bearer {self.keys['agent']}", "idempotency-key": key or f"k-{self.count}"}
        return self.http.post("/v1/drafts", json=body, headers=headers).json()

    def rewrite(self, draft_id, text=PARAPHRASE):
        body = {"text": text, "agentId": "ag-1", "citations": CITATIONS}
        headers = {"authorization": f"Bearer {self.keys['agent']}"}
        return self.http.post(f"/v1/drafts/{draft_id}/rewrite", json=body, headers=headers).json()

    def evaluate(self, text=PARAPHRASE):
        body = self.desk.turn(text, citations=CITATIONS)
        headers = {"authorization": f"Bearer {self.keys['agent']}"}
        return self.http.post("/v1/evaluate", json=body, headers=headers).json()

    def may_confirm(self, *, yes):
        self.desk.run(lambda tx: people.change_account(tx, "shop", "op-1", may_confirm=yes))


@pytest.fixture
def open_shop(make_desk, stand_in):
    def make(may_confirm=False, mode="auto", **values):
        given = {"judge_model": "m", "judge_url": stand_in.url, "judge_from_clauses": 1, "judge_seconds": 20} | values
        desk = make_desk(**given)
        desk.account(mode=mode)
        desk.conversation()
        shop = Shop(desk, stand_in)
        shop.may_confirm(yes=may_confirm)
        desk.says("小区人车分流吗，客厅视野怎么样")
        return shop

    return make


def test_an_opted_in_account_sends_what_the_judge_confirms(open_shop) -> None:
    """The claim is marked, the send entry finds the quote again, and nobody calls the judge a second time."""
    shop = open_shop(may_confirm=True)
    shop.stand_in.say = CONFIRM
    answer = shop.post()
    assert (answer["state"], answer["qualityPassed"], answer["judge"]["state"]) == ("queued", True, "heard")
    assert [c["quote"] for c in answer["claims"] if c["via"] == "judge"] == ["客厅视野很开阔"]
    shop.desk.carry()
    assert shop.desk.arrived == [PARAPHRASE] and len(shop.stand_in.calls) == 1


def test_no_other_account_does(open_shop) -> None:
    shop = open_shop()
    shop.stand_in.say = CONFIRM
    answer = shop.post()
    assert (answer["state"], answer["qualityPassed"]) == ("awaiting_rewrite", False)
    assert not shop.stand_in.calls, "its word could not matter"


def test_a_confirmation_ends_with_the_opt_in(open_shop) -> None:
    """What was queued on the judge's word is held when the account takes the word back before it leaves."""
    shop = open_shop(may_confirm=True)
    shop.stand_in.say = CONFIRM
    draft_id = shop.post()["draftId"]
    shop.may_confirm(yes=False)
    shop.desk.carry()
    assert not shop.desk.arrived and shop.desk.draft(draft_id)["state"] == "held"


@pytest.mark.parametrize("changed", ["quote", "fingerprint", "evidence"])
def test_a_kept_confirmation_is_looked_at_again(open_shop, changed) -> None:
    """A stored opinion counts for exactly its text and evidence, and its quote must stand in the evidence still."""
    shop = open_shop(may_confirm=True)
    shop.stand_in.say = CONFIRM
    draft_id = shop.post()["draftId"]

    def tamper(tx):
        table = table_of(DraftText)
        row = tx.conn.execute(table.select()).one()
        evaluation, draft = json.loads(json.dumps(row.evaluation)), json.loads(json.dumps(row.draft))
        if changed == "quote":
            evaluation["judge"]["confirmed"][0]["sourceQuote"] = "客厅视野很开阔"
        elif changed == "fingerprint":
            evaluation["judge"]["fingerprint"] = "0" * 64
        else:
            draft["citations"][1]["withdrawn"] = True
        tx.change(DraftText, {"seq": row.seq}, evaluation=evaluation, draft=draft)

    shop.desk.run(tamper)
    shop.desk.carry()
    assert not shop.desk.arrived and shop.desk.draft(draft_id)["state"] == "held"


def test_a_person_may_approve_what_the_judge_confirmed(open_shop) -> None:
    shop = open_shop(may_confirm=True, mode="review")
    shop.stand_in.say = CONFIRM
    answer = shop.post()
    assert (answer["state"], answer["holdReasons"]) == ("held", ["review_mode"])
    shop.desk.approve(answer["draftId"])
    shop.desk.carry()
    assert shop.desk.arrived == [PARAPHRASE]


def test_a_low_score_holds_where_a_band_is_asked_for(open_shop) -> None:
    """The judge lowers; the least band then holds. Score, checks and pass are untouched."""
    shop = open_shop(min_band_to_send="high")
    shop.stand_in.say = opinion(0.2, doubts=[(2, "人车分流只写了地面")])
    answer = shop.post(GOOD, [GOOD_CITATION])
    assert (answer["state"], answer["holdReasons"], answer["band"]) == ("held", ["low_band"], "low")
    assert answer["qualityPassed"] and answer["qualityScore"] == 100 and answer["fallbackReason"] == ""
    assert any("look here" in claim["reason"] for claim in answer["claims"])


@pytest.mark.parametrize("required", [True, False])
def test_a_silent_judge_holds_unless_it_is_not_required(open_shop, required) -> None:
    """Fail closed by default: auto does not send what was to be judged twice and was not."""
    shop = open_shop(judge_required=required)
    shop.stand_in.status = 500
    answer = shop.post(GOOD, [GOOD_CITATION])
    assert answer["qualityPassed"] and answer["judge"] == {
        "state": "unavailable",
        "reason": "the endpoint answered with status 500",
        "fingerprint": answer["judge"]["fingerprint"],
    }
    assert answer["holdReasons"] == (["judge_unavailable"] if required else [])
    shop.desk.carry()
    assert shop.desk.arrived == ([] if required else [GOOD])
    if required:
        shop.desk.approve(answer["draftId"])
        shop.desk.carry()
        assert shop.desk.arrived == [GOOD], "a person may send it"


def test_the_log_tells_what_became_of_the_second_opinion(open_shop) -> None:
    shop = open_shop(judge_from_clauses=2)
    shop.post(GOOD, [GOOD_CITATION])
    shop.stand_in.say = "没问题，可以发。"
    shop.post("是的，小区人车分流的。", [GOOD_CITATION])
    shop.post("小区人车分流。", [GOOD_CITATION])
    query = table_of(EvaluationRow).select().order_by("seq")
    rows = shop.desk.service.look(lambda tx: tx.conn.execute(query).all())
    assert [row.judge for row in rows] == ["heard", "unavailable: the answer is not JSON", None]


def test_a_turn_that_is_not_wanted_costs_no_call(open_shop) -> None:
    shop = open_shop(judge_from_clauses=9)
    answer = shop.post(GOOD, [GOOD_CITATION])
    assert answer["state"] == "queued" and "judge" not in answer and not shop.stand_in.calls


def test_a_repeat_is_not_asked_about_again(open_shop) -> None:
    shop = open_shop()
    first, again = (shop.post(GOOD, [GOOD_CITATION], key="same") for _ in range(2))
    assert first == again and len(shop.stand_in.calls) == 1


def test_a_rewrite_is_judged_too_and_told_what_failed(open_shop) -> None:
    shop = open_shop(may_confirm=True)
    first = shop.post("这套挂牌价289万。")
    assert first["state"] == "awaiting_rewrite" and not shop.stand_in.calls
    shop.stand_in.say = CONFIRM
    answer = shop.rewrite(first["draftId"])
    assert answer["qualityPassed"] and "fact_evidence" in shop.stand_in.told["failed"]


def test_no_transaction_waits_for_the_judge(open_shop) -> None:
    """While the judge thinks, others write: the call is made before the transaction begins."""
    shop = open_shop(judge_seconds=5)
    answers = []

    def slow(handler, stand_in):
        stand_in.over.wait(0.1)
        shop.desk.says("补充一句，老人同住", mid="m-while")  # blocks if a transaction were open
        stand_in.send(handler, kit.completion(opinion()))

    shop.stand_in.say = slow
    worker = threading.Thread(target=lambda: answers.append(shop.post(GOOD, [GOOD_CITATION])))
    worker.start()
    worker.join(20)
    assert not worker.is_alive() and answers[0]["state"] == "held" and "stale" in answers[0]["holdReasons"]


def test_inside_a_transaction_no_call_can_be_made(open_shop) -> None:
    shop = open_shop()
    talk = shop.desk.talk()
    kept = Kept("0" * 64, Heard({}))
    counsel = shop.desk.service.look(lambda tx: counsel_of(tx, talk, kept))
    assert counsel.kept is kept and counsel.ask is None and not counsel.may_confirm


def test_evaluate_asks_and_stores_nothing(open_shop) -> None:
    """No account stands behind it: it may lower, never confirm."""
    shop = open_shop(may_confirm=True)
    shop.stand_in.say = opinion(0.3)
    answer = shop.evaluate(GOOD)
    assert answer["judge"]["state"] == "heard" and answer["band"] == "low" and answer["qualityPassed"]
    shop.stand_in.say = CONFIRM
    assert not shop.evaluate()["qualityPassed"]


def test_a_judge_that_is_switched_off_has_no_say(open_shop, make_desk) -> None:
    shop = open_shop(may_confirm=True)
    shop.stand_in.say = CONFIRM
    draft_id = shop.post()["draftId"]
    later = make_desk()
    later.carry()
    assert not later.arrived and later.draft(draft_id)["state"] == "held"


def test_the_opt_in_is_audited(open_shop) -> None:
    shop = open_shop(may_confirm=True)
    table = table_of(AuditRow)
    query = table.select().where(table.c.event == "account_changed")
    row = shop.desk.service.look(lambda tx: tx.conn.execute(query).one())
    assert row.actor == "op-1" and row.detail == {"before": {"may_confirm": False}, "after": {"may_confirm": True}}


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("second", [None, Unheard("late"), Heard({})])
@pytest.mark.parametrize("required", [True, False])
def test_the_gate_sends_nothing_that_was_wanted_and_unheard(mode, second, required) -> None:
    evaluated = evaluate_turn(turn())
    situation = Situation(mode, ChatType.PRIVATE, judge_required=required)
    verdict = replace(evaluated.verdict, second=second)
    decision = decide(evaluated.plan, verdict, situation, draft_requires_human=False)
    sends = mode is not Mode.REVIEW and not (required and isinstance(second, Unheard))
    assert (decision.action is Action.SEND) == sends
    assert ("judge_unavailable" in decision.hold_reasons) == (required and isinstance(second, Unheard))
