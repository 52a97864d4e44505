"""Evaluation as a service: one turn as ever, several in their order, a bad one alone; the schema tells no lies."""

import json
import threading
import time

import jsonschema
import pytest

from gateway import evaluate as module
from gateway.contract import parse, to_turn
from gateway.evaluate import evaluate_turn, stateless_record
from gateway.schema import evaluation_schema
from gateway.wire import TurnIn
from tests.gateway.desk import BAD, GOOD, GOOD_CITATION, HANDOFF, NOW

ASKED = {"id": "m-1", "role": "customer", "text": "小区人车分流吗", "at": "2026-11-30T10:00:00+08:00"}


def turn(text=GOOD, turn_id="t-1", asked=ASKED["text"], *, pack=None, slots=None, **draft):
    made = {
        "id": turn_id,
        "now": "2026-11-30T10:01:00+08:00",
        "conversation": {
            "id": "c-9",
            "chatType": "private",
            "subject": "松月里 5-1602",
            "messages": [ASKED | {"text": asked}],
            "slots": slots or {},
        },
        "draft": {"text": text, "citations": [GOOD_CITATION]} | draft,
    }
    return made | ({"pack": pack} if pack else {})


@pytest.fixture
def ask(api):
    """Post a body to `/v1/evaluate`."""

    def call(body, status=200, **query):
        response = api.post("/v1/evaluate", json=body, params=query, headers=api.agent)
        assert response.status_code == status, response.text
        return response

    return call


def expected(body):
    return stateless_record(evaluate_turn(to_turn(parse(TurnIn, json.dumps(body).encode()), NOW)))


def test_one_turn_is_answered_as_ever(ask):
    """The same bytes as the evaluation alone."""
    told = json.dumps(expected(turn()), ensure_ascii=False, separators=(",", ":"), default=str)
    assert ask(turn()).text == told


def test_several_are_answered_in_their_order(ask):
    bodies = [turn(GOOD, "a"), turn(BAD, "b"), turn(HANDOFF, "c", "还能再便宜点吗", requiresHuman=True)]
    results = ask({"turns": bodies}).json()["results"]
    assert [r["id"] for r in results] == ["a", "b", "c"]
    assert results == [json.loads(json.dumps(expected(b), default=str)) for b in bodies]


def test_a_bad_turn_spoils_no_other(ask):
    """Each wrong one names its field as the one-turn form would."""
    bad = [
        7,
        {"id": "x"},
        turn(turn_id="typo") | {"draft": {"text": GOOD, "requireHuman": True}},
        {name: value for name, value in turn(turn_id="none").items() if name != "draft"},
        turn(turn_id="pack", pack="no_such_trade"),
        turn(turn_id="now") | {"now": "yesterday"},
    ]
    results = ask({"turns": [turn(turn_id="first"), *bad, turn(turn_id="last")]}).json()["results"]
    assert results[0]["qualityPassed"] is results[-1]["qualityPassed"] is True
    assert [(r["id"], r["error"]["field"]) for r in results[1:-1]] == [
        (None, "body"),
        ("x", "conversation"),
        ("typo", "draft.requireHuman"),
        ("none", "draft"),
        ("pack", "pack"),
        ("now", "now"),
    ]


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({"turns": []}, 422, "turns"),
        ({"turns": [turn()] * 101}, 422, "turns"),
        ({"turns": "all"}, 422, "turns"),
        ({"turns": None}, 422, "turns"),
        ({"turns": [turn()], "turn": 1}, 422, "turn"),
        (turn() | {"turns": [turn()]}, 422, "id"),
        ({"turns": [turn("长" * 20_000)] * 40}, 413, "body"),
    ],
)
def test_a_wrong_body_names_its_field(ask, body, status, field):
    error = ask(body, status).json()["error"]
    assert (error["code"], error["field"]) == ("bad_input", field)


def test_a_body_that_is_no_sound_json_is_refused_whole(api):
    twice = b'{"turns": [{"id": "a", "id": "b"}]}'
    response = api.post("/v1/evaluate", content=twice, headers=api.agent)
    assert (response.status_code, response.json()["error"]["field"]) == (400, "id")


def test_a_turn_may_speak_of_turns(ask):
    """The word in a text, a slot or a tool's data makes no batch of it."""
    body = turn(slots={"turns": {"value": [1], "source": "tool"}})
    body["draft"]["toolResults"] = [{"id": "t", "tool": "list", "status": "ok", "data": {"turns": [1, 2]}}]
    assert ask(body).json()["id"] == "t-1"


def test_nobody_waits_for_a_long_batch(api, ask, monkeypatch):
    """While turns are judged the event loop answers others."""
    real, busy = module.evaluate_turn, threading.Event()

    def slow(*given, **_named):
        busy.set()
        time.sleep(0.05)
        return real(*given)

    monkeypatch.setattr("gateway.api_evaluate.evaluate_turn", slow)
    answers = []
    batch = threading.Thread(target=lambda: answers.append(ask({"turns": [turn()] * 20}).json()))
    batch.start()
    assert busy.wait(5)
    begun = time.monotonic()
    assert api.get("/healthz").status_code == 200
    assert time.monotonic() - begun < 0.5
    batch.join()
    assert len(answers[0]["results"]) == 20


def test_several_need_a_key_of_their_own_scope(api):
    assert api.post("/v1/evaluate", json={"turns": [turn()]}).status_code == 401
    channel = api.post("/v1/evaluate", json={"turns": [turn()]}, headers=api.key("channel"))
    assert channel.json()["error"]["scope"] == "agent"


# the schema


def validator(part):
    schema = evaluation_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(
        {"$schema": schema["$schema"], "$ref": f"#/$defs/{part}", "$defs": schema["$defs"]}
    )


VARIED = [
    turn(),
    turn(BAD),
    turn("您预算多少？想看几室的？", asked="有没有合适的", slots={"budget": {"value": "300万", "source": "profile"}}),
    turn(HANDOFF, asked="我要投诉你们", requiresHuman=True),
    turn("", asked="在吗"),
    turn("好的。", asked="好的谢谢"),
    turn("满五唯一，税费大概3万。", toolResults=[{"id": "t", "tool": "tax", "status": "ok", "data": {"税费": 30000}}]),
    turn(GOOD, citations=[GOOD_CITATION | {"validUntil": "2026-01-01T00:00:00+08:00"}]),
    turn(GOOD, grounding=[{"quote": "小区人车分流", "evidenceId": "doc-1", "evidenceQuote": "人车分流"}]),
    turn(GOOD, grounding=[{"quote": "小区人车分流", "evidenceId": "doc-7", "evidenceQuote": "没有这句"}]),
    turn("It has a separate walkway, 620 parking spaces.", asked="is there parking?"),
    turn("已为您转接人工。"),
    turn('作为语言模型，我调用 search_listing 查到 {"price": 1}。'),
    turn("这台车手续齐全，里程 3.2 万公里。", pack="used_car", asked="车况怎么样"),
]


@pytest.mark.parametrize("body", VARIED, ids=range(len(VARIED)))
def test_what_the_code_answers_fits_the_schema(ask, body):
    """Passes, warnings and failures, with every kind of claim and fix: nothing missing, nothing beside."""
    answer = ask(body).json()
    validator("Request").validate(body)
    validator("Evaluation").validate(answer)
    validator("JudgedShape").validate(answer)


def test_the_varied_turns_are_varied():
    """They reach what the schema must tell apart."""
    records = [expected(body) for body in VARIED]
    assert {r["status"] for r in records} >= {"pass", "fail"}
    assert {c["status"] for r in records for c in r["claims"]} >= {"supported", "unsupported", "stale"}
    assert any(r["knownSlots"] for r in records) and any(r["slotQuestions"] for r in records)
    assert (
        any(None in r["dimensions"].values() for r in records) and any(r["groundingNotes"] for r in records) is not None
    )
    assert len({f["type"] for r in records for f in r["fixActions"]}) >= 4


def test_an_unavailable_answer_fits_the_schema(ask, monkeypatch):
    def boom(_reading):
        raise ZeroDivisionError

    monkeypatch.setattr("gateway.evaluate.plan", boom)
    answer = ask(turn()).json()
    assert answer["qualityPassed"] is None
    validator("UnavailableShape").validate(answer)
    with pytest.raises(jsonschema.ValidationError):
        validator("JudgedShape").validate(answer)


def test_the_answer_to_several_fits_the_schema(ask):
    body = {"turns": [turn(), {"id": 7}, turn(BAD)]}
    validator("TurnsIn").validate({"turns": [turn(), turn(BAD)]})
    validator("ResultsShape").validate(ask(body).json())


@pytest.mark.parametrize(
    ("part", "wrong"),
    [
        ("Request", {"id": "t"}),
        ("Request", {"turns": []}),
        ("Request", {name: value for name, value in turn().items() if name != "draft"}),
        ("Request", turn() | {"nwo": 1}),
        ("Request", turn(requireHuman=True)),
        ("Evaluation", {}),
        ("Evaluation", expected(turn()) | {"status": "good"}),
        ("Evaluation", expected(turn()) | {"qualityScore": 101}),
        ("Evaluation", expected(turn()) | {"qualityPassed": None}),
        ("Evaluation", expected(turn()) | {"more": 1}),
    ],
)
def test_what_is_wrong_does_not_fit(part, wrong):
    assert not validator(part).is_valid(wrong)


def test_the_schema_is_served(api):
    response = api.get("/v1/evaluate/schema", headers=api.agent)
    assert response.json() == json.loads(json.dumps(evaluation_schema()))
    assert api.get("/v1/evaluate/schema").status_code == 401
