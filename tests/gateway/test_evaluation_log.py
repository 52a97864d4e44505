"""The evaluation log: a row for each evaluation in the transaction that used it, kept for so long, deleted on request."""

import hashlib
from datetime import timedelta

import pytest

from gateway import evaluation_log
from gateway.jobs import tidy
from gateway.tables import AuditRow, DraftRow
from gateway.tables_log import EvaluationRow
from tests.gateway.desk import BAD, GOOD, GOOD_CITATION, HANDOFF
from tests.gateway.test_evaluate_many import turn


def rows(desk, model=EvaluationRow):
    table = model.__table__
    return desk.service.look(lambda tx: tx.conn.execute(table.select().order_by(*table.primary_key)).all())


def fingerprint(text):
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def test_a_draft_leaves_a_row_with_what_was_asked_found_and_decided(desk):
    desk.says("您好")
    desk.says("小区有没有人车分流")
    draft = desk.post_good(model="m-1")
    [row] = rows(desk)
    assert (row.task_id, row.conversation_id, row.draft_id, row.account_id) == ("t-1", "c-1", draft["draftId"], "shop")
    assert (row.question, row.fingerprint) == ("您好\n小区有没有人车分流", fingerprint(GOOD))
    assert (row.round, row.status, row.score, row.passed, row.band) == (0, "pass", 100, True, draft["band"])
    assert (row.action, row.state, row.fallback_reason, row.failed) == ("send", "queued", "", [])
    told = draft["dimensions"]
    assert row.fact_support == told["factSupport"]["score"] and row.confidence == draft["confidence"]
    assert row.logic_consistency == told["logicConsistency"]["score"]
    assert row.retrieval_coverage == told["retrievalCoverage"]["score"]
    assert row.instruction_adherence == told["instructionAdherence"]["score"]
    assert row.evidence == {name: found["evidence"] for name, found in told.items()}
    assert (row.agent_id, row.model, row.pack, row.rules_version) == ("ag-1", "m-1", "property", draft["rulesVersion"])
    assert (row.subjects, row.sources, row.scenarios) == (["松月里 5-1602"], ["doc-1"], [])
    assert row.at == desk.clock()


def test_a_rewrite_is_a_row_of_its_own(desk):
    """Round 0 failed and asked for a rewrite, round 1 says what came of it."""
    desk.says("小区有没有人车分流")
    draft = desk.post(BAD)
    desk.rewrite(draft["draftId"], citations=[GOOD_CITATION])
    first, second = rows(desk)
    assert (first.round, first.status, first.action, first.fallback_reason) == (
        0,
        "fail",
        "rewrite",
        "quality_gate_failed",
    )
    assert first.failed == draft["failedCheckIds"] and "fact_evidence" in first.failed
    assert (second.round, second.status, second.state, second.fingerprint) == (1, "pass", "queued", fingerprint(GOOD))
    assert first.draft_id == second.draft_id


def test_scenarios_are_kept(desk):
    desk.says("价格还能再便宜点吗")
    desk.post(HANDOFF, requiresHuman=True)
    [row] = rows(desk)
    assert (row.scenarios, row.action, row.fallback_reason) == (["pricing"], "hold", "requires_human")


def test_what_could_not_be_judged_is_null(desk, monkeypatch):
    def boom(_reading):
        raise ZeroDivisionError

    monkeypatch.setattr("gateway.evaluate.plan", boom)
    desk.says("小区人车分流吗")
    desk.post_good()
    [row] = rows(desk)
    assert (row.status, row.score, row.passed, row.confidence, row.band) == ("unavailable", None, None, None, None)
    assert (row.fact_support, row.instruction_adherence, row.evidence) == (None, None, {})
    assert row.fallback_reason == "quality_unavailable" and row.question == "小区人车分流吗"


def test_what_is_rolled_back_leaves_no_row(desk, monkeypatch):
    """The row belongs to the transaction of the draft."""
    desk.says("小区人车分流吗")

    def boom(*_given):
        raise ValueError("no")

    monkeypatch.setattr("gateway.flow._carry_out", boom)
    with pytest.raises(ValueError, match="no"):
        desk.post_good()
    assert rows(desk) == [] and rows(desk, DraftRow) == []


def test_long_words_are_cut_in_the_log_alone(desk):
    desk.says("长" * 9000)
    desk.post("我看看。")
    assert len(rows(desk)[0].question) == evaluation_log.MOST_WORDS


# /v1/evaluate


@pytest.mark.parametrize(
    ("setting", "query", "kept"),
    [(False, {}, 0), (False, {"log": "true"}, 1), (True, {}, 1), (True, {"log": "false"}, 0)],
)
def test_a_stateless_evaluation_is_logged_only_when_asked(make_desk, make_api, setting, query, kept):
    desk = make_desk(log_evaluate=setting)
    api = make_api(desk)
    assert api.post("/v1/evaluate", json=turn(BAD, agentId="a", model="m"), params=query, headers=api.agent).is_success
    found = rows(desk)
    assert len(found) == kept
    for row in found:
        assert (row.task_id, row.conversation_id, row.draft_id, row.account_id) == ("t-1", "c-9", None, None)
        assert (row.action, row.state, row.fallback_reason) == (None, None, "quality_gate_failed")
        assert (row.agent_id, row.model, row.at) == ("a", "m", desk.clock())


def test_of_several_turns_those_are_logged_that_could_be_judged(desk, api):
    body = {"turns": [turn(GOOD, "a"), {"id": "b"}, turn(BAD, "c")]}
    api.post("/v1/evaluate?log=true", json=body, headers=api.agent).raise_for_status()
    assert [row.task_id for row in rows(desk)] == ["a", "c"]


def test_the_account_of_a_stateless_row_is_its_keys(desk, api):
    for accounts in (["shop"], ["shop", "else"]):
        headers = api.key("agent", accounts=accounts)
        api.post("/v1/evaluate?log=true", json=turn(), headers=headers).raise_for_status()
    assert [row.account_id for row in rows(desk)] == ["shop", None]


def test_log_is_yes_or_no(api):
    error = api.post("/v1/evaluate?log=perhaps", json=turn(), headers=api.agent).json()["error"]
    assert (error["code"], error["field"]) == ("bad_input", "log")


# how long, and until when


def test_old_rows_are_tidied_away(make_desk):
    desk = make_desk(log_days=30)
    desk.account()
    desk.conversation()
    desk.says("小区有没有人车分流")
    desk.post_good()
    desk.clock.forward(days=20)
    desk.says("小区有没有人车分流")
    desk.post_good()
    desk.clock.forward(days=11)
    assert desk.run(tidy) >= 1
    [left] = rows(desk)
    assert desk.clock() - left.at == timedelta(days=11)
    assert len(rows(desk, DraftRow)) == 2, "drafts stay"


def test_a_tidying_takes_a_bounded_number(desk, monkeypatch):
    monkeypatch.setattr(evaluation_log, "BATCH", 2)
    for number in range(3):
        desk.conversation(f"k-{number}")
        desk.says("小区有没有人车分流", f"k-{number}")
        desk.post_good(f"k-{number}")
    desk.clock.forward(days=91)
    assert [desk.run(evaluation_log.tidy) for _ in range(3)] == [2, 1, 0]


def test_a_conversations_rows_are_deleted_on_request(desk, api):
    """Question and evidence go with them, another conversation's stay, and the audit says who did it."""
    desk.conversation("c-2")
    for cid in ("c-1", "c-2"):
        desk.says("小区有没有人车分流", cid)
        desk.post_good(cid)
    api.post(
        "/v1/evaluate?log=true", json=turn() | {"conversation": {"id": "c-1", "chatType": "private"}}, headers=api.agent
    )
    answer = api.delete("/v1/conversations/c-1/evaluations", headers=api.key("admin"))
    assert answer.json() == {"id": "c-1", "deleted": 2}
    assert [row.conversation_id for row in rows(desk)] == ["c-2"]
    [told] = [row for row in rows(desk, AuditRow) if row.event == "log_deleted"]
    assert (told.actor, told.conversation_id, told.why) == ("k", "c-1", "2 rows of the evaluation log")
    again = api.delete("/v1/conversations/c-1/evaluations", headers=api.key("admin"))
    assert again.json()["deleted"] == 0


def test_only_admins_of_the_account_delete(desk, api):
    path = "/v1/conversations/c-1/evaluations"
    desk.says("小区有没有人车分流")
    desk.post_good()
    assert api.delete(path, headers=api.operator).status_code == 403
    other = api.delete(path, headers=api.key("admin", accounts=["else"]))
    assert (other.status_code, other.json()["error"]["code"]) == (404, "unknown_conversation")
    assert len(rows(desk)) == 1
    assert api.delete(path, headers=api.key("admin", accounts=["shop"])).json()["deleted"] == 1
