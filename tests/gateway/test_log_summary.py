"""What the log says over a span, on both databases: shares, failed checks, weakest topics, each agent's cross replies."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import settings as calm
from hypothesis import strategies as st
from sqlalchemy import insert, text

from gateway import evaluation_log, migrate, people
from gateway.cross_figures import CrossFigures, cross_figures
from gateway.jsonio import InputError
from gateway.log_summary import ENOUGH, MOST, summary_of
from gateway.packs import PackShelf
from gateway.settings import Settings
from gateway.spans import Span, span_of
from gateway.store import Store
from gateway.tables_log import STATUSES, EvaluationRow
from gateway.tx import Tx
from tests.gateway.desk import BAD, NOW
from tests.gateway.test_groups import HONEST, INVENTED, cross, group, turn  # noqa: F401  # a fixture

ALL = Span(NOW - timedelta(days=30), NOW + timedelta(days=1))


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request, tmp_path):
    if request.param == "sqlite":
        made = Store(f"sqlite:///{tmp_path / 's.sqlite3'}")
    else:
        made = Store(request.getfixturevalue("postgres"))
        made.write(lambda c: c.execute(text("DROP SCHEMA public CASCADE; CREATE SCHEMA public")))
    migrate.upgrade(made.engine)
    yield made
    made.close()


def row(**given):
    """One row of the log; what is not given is an ordinary pass."""
    plain = {"at": NOW, "task_id": "t", "fingerprint": "sha256:0", "question": "", "round": 0, "status": "pass"}
    empty = {"evidence": {}, "failed": [], "scenarios": [], "subjects": [], "sources": [], "rules_version": "r"}
    names = ("conversation_id", "agent_id", "model", "pack", "account_id", "fact_support", "band")
    return plain | empty | dict.fromkeys(names) | given


def summed(store, rows, span=ALL, accounts=()):
    def tx_of(connection):
        return Tx(connection, NOW, Settings(), PackShelf())

    store.write(lambda c: c.execute(insert(EvaluationRow.__table__), rows))
    return store.read(lambda c: summary_of(tx_of(c), span, accounts))


def test_shares_by_agent_model_and_pack(store):
    rows = [
        row(agent_id="a", model="m", pack="property"),
        row(agent_id="a", model="n", pack="property", status="fail", failed=["fact_evidence", "tone"]),
        row(agent_id="a", model="m", pack="used_car", status="warn", failed=["tone"]),
        row(agent_id="b", model="m", pack="property", status="unavailable"),
        row(status="fail", failed=["fact_evidence"]),
    ]
    found = summed(store, rows)
    assert [(s.name, s.evaluations) for s in found.agents] == [("a", 3), ("", 1), ("b", 1)]
    assert found.agents[0].counts == {"pass": 1, "warn": 1, "fail": 1, "unavailable": 0}
    assert [(s.name, s.evaluations) for s in found.models] == [("m", 3), ("", 1), ("n", 1)]
    assert [(s.name, s.evaluations) for s in found.packs] == [("property", 3), ("", 1), ("used_car", 1)]
    assert found.checks == {"fact_evidence": 2, "tone": 2}
    told = found.record()
    assert told["whole"]["counts"] == {"pass": 1, "warn": 1, "fail": 2, "unavailable": 1}
    assert told["whole"]["shares"]["fail"] == 0.4
    assert told["failedChecks"] == [{"id": "fact_evidence", "count": 2}, {"id": "tone", "count": 2}]


def test_the_weakest_topics_come_first_and_few_say_nothing(store):
    """A topic needs enough evaluations that asserted something; an evaluation without claims says nothing of it."""
    rows = [row(scenarios=["title"], subjects=["A 1", "B 2"], sources=["doc"], fact_support=0.5) for _ in range(ENOUGH)]
    rows += [row(scenarios=["pricing"], subjects=["B 2"], fact_support=1.0) for _ in range(ENOUGH + 1)]
    rows += [row(scenarios=["viewing"], fact_support=0.0) for _ in range(ENOUGH - 1)]
    rows += [row(scenarios=["complaint"], fact_support=None) for _ in range(9)]
    found = summed(store, rows)
    assert [(t.name, t.evaluations, round(t.mean, 2)) for t in found.scenarios] == [
        ("title", 5, 0.5),
        ("pricing", 6, 1.0),
    ]
    assert [(t.name, t.evaluations) for t in found.subjects] == [("A 1", 5), ("B 2", 11)]
    assert found.subjects[1].record() == {"name": "B 2", "evaluations": 11, "factSupport": 0.7727}
    assert [t.name for t in found.sources] == ["doc"]


def test_bands_of_confidence_are_counted(store):
    """One that has no confidence is counted as none of them."""
    rows = [row(band=band) for band in ("high", "high", "low", None)]
    found = summed(store, rows)
    assert found.bands == {"high": 2, "middle": 0, "low": 1, "none": 1}
    assert found.record()["bands"] == found.bands


def test_a_span_and_accounts_bound_it(store):
    day = timedelta(days=1)
    rows = [row(at=NOW - n * day, account_id=who) for n in range(5) for who in ("shop", "else", None)]
    span = Span(NOW - 3 * day, NOW - day)
    assert summed(store, rows, span).whole.evaluations == 6
    assert summed(store, [row(account_id="late")], span, {"shop"}).whole.evaluations == 2


def test_lists_are_bounded(store):
    rows = [row(agent_id=f"a{n}", subjects=[f"s{n}"], fact_support=1.0) for n in range(30) for _ in range(ENOUGH)]
    found = summed(store, rows)
    assert len(found.agents) == len(found.subjects) == MOST


def test_nothing_is_no_division(store):
    told = summed(store, [row(at=NOW - timedelta(days=900))]).record()
    assert told["whole"]["evaluations"] == 0 and set(told["whole"]["shares"].values()) == {None}
    assert set(told["whole"]["counts"]) == set(STATUSES)


def test_old_and_unwanted_rows_go_on_both_databases(store, monkeypatch):
    """A tidying takes a bounded number of the oldest; a deletion takes a conversation's."""
    monkeypatch.setattr(evaluation_log, "BATCH", 2)
    old = NOW - timedelta(days=91)
    summed(store, [row(at=old - timedelta(days=n)) for n in range(3)] + [row(conversation_id="c-1"), row()])

    def run(job):
        return store.write(lambda c: job(Tx(c, NOW, Settings(), PackShelf())))

    assert [run(evaluation_log.tidy) for _ in range(3)] == [2, 1, 0]
    assert [run(lambda tx: evaluation_log.forget(tx, "c-1", "t")) for _ in range(2)] == [1, 0]
    assert len(store.read(lambda c: c.execute(EvaluationRow.__table__.select()).all())) == 1


# over HTTP


def test_the_api_counts_what_was_posted(desk, api):
    desk.says("小区有没有人车分流")
    desk.post_good()
    desk.conversation("c-2")
    desk.says("小区有没有人车分流", "c-2")
    desk.post(BAD, "c-2", agentId="ag-2")
    told = api.get("/v1/statistics", headers=api.operator).json()
    assert [(a["name"], a["counts"]["pass"], a["counts"]["fail"]) for a in told["agents"]] == [
        ("ag-1", 1, 0),
        ("ag-2", 0, 1),
    ]
    assert told["packs"][0]["name"] == "property"
    assert {"id": "fact_evidence", "count": 1} in told["failedChecks"]
    past = api.get("/v1/statistics?until=2026-11-29", headers=api.operator).json()
    assert past["whole"]["evaluations"] == 0


def test_a_key_counts_its_own_accounts(desk, api):
    desk.account("else")
    desk.conversation("c-2", "else")
    for cid in ("c-1", "c-2"):
        desk.says("小区有没有人车分流", cid)
        desk.post_good(cid)

    def whole(query="", **key):
        response = api.get(f"/v1/statistics{query}", headers=api.key("operator", **key))
        return response.json().get("whole", {}).get("evaluations") or response.json()["error"]["code"]

    assert (whole(), whole("?account=else"), whole(accounts=["shop"])) == (2, 1, 1)
    assert whole("?account=else", accounts=["shop"]) == "unknown_account"


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("since=yesterday", "since"),
        ("until=2026-02-30", "until"),
        ("since=2026-11-30T10:00:00", "since"),
        ("since=2026-12-24", "since"),
        ("until=9999-12-31", "until"),
    ],
)
def test_a_wrong_span_names_its_field(api, query, field):
    response = api.get(f"/v1/statistics?{query}", headers=api.operator)
    assert (response.status_code, response.json()["error"]["field"]) == (422, field)


ZONE = ZoneInfo("Asia/Shanghai")


def test_days_are_the_shops():
    span = span_of("2026-11-01", "2026-11-02", NOW, ZONE)
    assert (span.since, span.until) == (datetime(2026, 10, 31, 16, tzinfo=UTC), datetime(2026, 11, 2, 16, tzinfo=UTC))
    week = span_of("", "", datetime(2026, 11, 30, 17, tzinfo=UTC), ZONE)  # the first of December there
    assert (week.since, week.until) == (datetime(2026, 11, 24, 16, tzinfo=UTC), datetime(2026, 12, 1, 16, tzinfo=UTC))
    assert span_of("", "", NOW, ZONE, whole=True).since.year == 1970
    exact = span_of("2026-11-30T10:00:00+08:00", "2026-11-30T10:00:01+08:00", NOW, ZONE)
    assert exact.until - exact.since == timedelta(seconds=1)


@calm(max_examples=60, deadline=None)
@given(st.text(max_size=30), st.text(max_size=30))
def test_any_words_are_a_span_or_a_named_error(since, until):
    named = ""
    try:
        span = span_of(since, until, NOW, ZONE)
    except InputError as error:
        named = error.field
    assert named in {"since", "until"} or span.since < span.until


# groups


def figures(desk, accounts=()):
    return {f.agent_id: f for f in desk.service.look(lambda tx: cross_figures(tx, ALL, accounts))}


def test_each_agents_part_in_a_group(group):  # noqa: F811  # the fixture
    """Given, dropped and why, and the share of cross replies among all that it said."""
    body = turn(
        ("host", HONEST), ("lawyer", INVENTED), plans=[("lawyer", "host"), ("lender", "host"), ("host", "host")]
    )
    body["crossReplyPlan"]["plans"].append("nonsense")
    made = group.call("", body)
    path = f"/{made['id']}/cross-replies"
    group.call(path, cross("lawyer", "host"))
    group.call(path, cross("lender", "host", "长" * 801, "x-2"))
    found = figures(group)
    assert found["host"] == CrossFigures("host", 1, 0, {"answers_itself": 1})
    assert found["lawyer"] == CrossFigures("lawyer", 1, 1, {}) and found["lawyer"].share == 0.5
    assert found["lender"] == CrossFigures("lender", 0, 0, {"too_long": 1}) and found["lender"].share is None
    assert found[""] == CrossFigures("", 0, 0, {"broken": 1})
    assert next(iter(found)) == "lawyer", "who answers others most comes first"
    assert figures(group, {"else"}) == {}
    assert figures(group, {"shop"}) == found


def test_a_group_turn_shows_what_each_reply_is(group):  # noqa: F811
    made = group.call("", turn(("host", HONEST), plans=[("lawyer", "host")]))
    group.call(f"/{made['id']}/cross-replies", cross("lawyer", "host"))
    client = group.client
    told = client.get(f"/v1/group-turns/{made['id']}", headers={"Authorization": f"Bearer {group.key}"}).json()
    first, second = told["replies"]
    assert (first["replyKind"], first["respondToAgentId"], first["crossReplyRound"]) == ("primary", None, 0)
    assert (second["replyKind"], second["respondToAgentId"], second["crossReplyRound"]) == ("cross_agent", "host", 1)
    assert (second["crossReplyReason"], second["replyId"], second["state"]) == ("more", "x-1", "held")
    assert told["crossReplyPlan"]["plans"][0]["replyId"] == "x-1" and told["dropped"] == []
    other = group.run(lambda tx: people.add_key(tx, name="b", scopes=["agent"], accounts=["else"], actor="t"))[1]
    hidden = client.get(f"/v1/group-turns/{made['id']}", headers={"Authorization": f"Bearer {other}"})
    assert hidden.json()["error"]["code"] == "unknown_conversation"


def test_a_cross_reply_without_an_angle_has_the_plans_reason(group):  # noqa: F811
    body = turn(("host", HONEST), plans=[("lawyer", "host")])
    body["crossReplyPlan"]["plans"][0]["angle"] = ""
    body["crossReplyPlan"]["reason"] = "the customer asked for everybody's view"
    made = group.call("", body)
    answer = group.call(f"/{made['id']}/cross-replies", cross("lawyer", "host"))["replies"][0]
    assert answer["crossReplyReason"] == "the customer asked for everybody's view"
