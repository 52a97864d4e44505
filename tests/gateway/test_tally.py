"""Figures counted ahead: counting again changes nothing, a change moves a draft, nothing is counted twice."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from gateway import tally
from gateway.packs import PackShelf
from gateway.tables_web import Tally
from gateway.tx import table_of
from tests.gateway.desk import BAD, GOOD
from verifier.lexicon import lexicon_of


def counts(desk, *kinds):
    table = table_of(Tally)

    def look(tx):
        rows = tx.conn.execute(select(table).where(table.c.kind.in_(kinds)))
        return {(row.kind, row.name): row._mapping["count"] for row in rows if row._mapping["count"]}

    return desk.service.look(look)


def review(desk):
    from gateway.tables import Account

    desk.run(lambda tx: tx.change(Account, {"id": "shop"}, mode="review"))


def test_a_draft_moves_from_waiting_to_decided(desk):
    review(desk)
    desk.says("小区有没有人车分流")
    draft = desk.post_good()
    desk.service.tally()
    assert counts(desk, "verdict", "decision") == {("verdict", "pass"): 1}
    desk.clock.forward(seconds=20)
    desk.approve(draft["draftId"])
    desk.service.tally()
    desk.service.tally()
    assert counts(desk, "verdict", "decision", "wait") == {
        ("verdict", "pass"): 1,
        ("decision", "unchanged"): 1,
        ("wait", "30"): 1,
    }


def test_an_override_is_told_from_a_mended_edit(desk):
    review(desk)
    for cid, text in (("c-1", BAD), ("c-2", GOOD)):
        if cid != "c-1":
            desk.conversation(cid)
        desk.says("小区有没有人车分流", cid)
        draft = desk.post(BAD, cid)
        desk.rewrite(draft["draftId"], BAD)
        desk.approve(draft["draftId"], text=f"{text}您看呢？")
    desk.service.tally()
    found = counts(desk, "check", "check_edited", "check_kept", "verdict")
    assert found["verdict", "fail"] == 2 and found["check", "fact_evidence"] == 2
    assert found["check_edited", "fact_evidence"] == 2 and found["check_kept", "fact_evidence"] == 1


def test_claims_are_counted_by_topic(desk):
    desk.says("小区有没有人车分流")
    desk.post_good()
    desk.conversation("c-2")
    desk.says("小区有没有人车分流", "c-2")
    desk.post(GOOD, "c-2")
    desk.service.tally()
    found = counts(desk, "topic", "topic_backed")
    topics = {name for kind, name in found if kind == "topic"}
    assert topics and all(found["topic", name] == 2 for name in topics)
    assert all(found["topic_backed", name] == 1 for name in topics)


def test_a_mark_far_behind_catches_up_in_small_steps(desk, monkeypatch):
    monkeypatch.setattr(tally, "BATCH", 3)
    review(desk)
    for number in range(5):
        cid = desk.conversation(f"k-{number}")
        desk.says("小区有没有人车分流", cid)
        desk.post_good(cid)
    assert desk.service.look(tally.lag) > 3
    assert desk.run(lambda tx: tally.count_on(tx, 3)) == 3
    while desk.run(lambda tx: tally.count_on(tx, 3)):
        pass
    assert desk.service.look(tally.lag) == 0
    assert counts(desk, "verdict") == {("verdict", "pass"): 5}


@pytest.mark.parametrize(("seconds", "name"), [(0, "10"), (10, "10"), (10.5, "30"), (3600, "3600"), (3601, "")])
def test_waits_fall_into_buckets(seconds, name):
    assert tally.bucket(seconds) == name


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=60))
def test_any_clause_has_a_topic_of_the_pack_or_none(quote):
    lexicon = lexicon_of(PackShelf().get("property"))
    assert tally.topic_of(lexicon, quote) in {"", *lexicon.concepts}


def test_a_day_is_the_shops_day(desk):
    late = datetime(2026, 11, 30, 17, 0, tzinfo=UTC)
    desk.clock.forward(seconds=(late - desk.clock()) / timedelta(seconds=1))
    desk.says("小区有没有人车分流")
    desk.post_good()
    desk.service.tally()
    table = table_of(Tally)
    days = desk.service.look(lambda tx: {row.day for row in tx.conn.execute(select(table.c.day))})
    assert days == {"2026-12-01"}
