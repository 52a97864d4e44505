"""The judge on the pages: the account's opt-in, and what it said about a draft."""

import json

import pytest

from gateway.tables import Account, AuditRow, DraftText
from gateway.tx import table_of

DIMENSIONS = ("factSupport", "logicConsistency", "retrievalCoverage", "instructionAdherence")


def test_an_account_opts_in_and_out_and_both_are_recorded(desk, browser_of):
    boss = browser_of("boss", "admin", "店长")
    assert "允许复核模型确认" in boss.get("/settings").text
    for ticked in (True, False):
        boss.press("/settings", "/settings/accounts/shop", mode="review", may_confirm="on" if ticked else "")
        row = desk.service.look(lambda tx: tx.one(Account, id="shop"))
        assert row.may_confirm is ticked
    table = table_of(AuditRow)
    query = table.select().where(table.c.event == "account_changed").order_by(table.c.seq)
    rows = desk.service.look(lambda tx: tx.conn.execute(query).all())
    assert [row.detail["after"]["may_confirm"] for row in rows[-2:]] == [True, False]


@pytest.fixture
def with_judge(desk, held):
    """Put an opinion beside a held draft's evaluation, as the flow stores it."""

    def put(judge):
        draft_id = held()["draftId"]

        def job(tx):
            row = tx.one(DraftText, draft_id=draft_id)
            tx.change(DraftText, {"seq": row.seq}, evaluation=json.loads(json.dumps(row.evaluation)) | {"judge": judge})

        desk.run(job)
        return draft_id

    return put


def test_a_draft_shows_where_the_judge_says_to_look(lin, with_judge):
    """Its words are shown as words: a model may write anything."""
    scores = {name: {"evidence": "看过<b>资料</b>", "score": 0.4} for name in DIMENSIONS}
    doubt = {"start": 0, "end": 2, "quote": "是的", "why": "<script>alert(1)</script>再核对"}
    found = {"start": 0, "end": 2, "quote": "是的", "source": "doc-1", "sourceQuote": "小区人车分流", "accepted": True}
    refused = found | {"sourceQuote": "没有这句话", "accepted": False}
    judge = {"state": "heard", "scores": scores, "doubts": [doubt], "confirmed": [found, refused], "fingerprint": "f"}
    page = lin.get(f"/drafts/{with_judge(judge)}")
    assert "请看一眼" in page.text and "再核对" in page.text and "看过<b>资料</b>" in page.text
    assert "小区人车分流" in page.text and "没有这句话" not in page.text
    assert not [tag for tag, attributes in page.tags if tag == "script" and "src" not in attributes]


def test_a_missing_opinion_is_told(lin, with_judge):
    judge = {"state": "unavailable", "reason": "no answer within 8 s", "fingerprint": "f"}
    page = lin.get(f"/drafts/{with_judge(judge)}")
    assert "没有拿到复核意见" in page.text and "no answer within 8 s" in page.text


def test_without_a_judge_nothing_is_said(lin, held):
    assert "judge-title" not in lin.get(f"/drafts/{held()['draftId']}").text
