"""The frozen contract, byte for byte, and every kind of bad input with the name of its field."""

import json

import pytest

from gateway.contract import parse, quality_fields, quantity_record, to_turn
from gateway.evaluate import evaluate_turn, stateless_record
from gateway.jsonio import InputError
from gateway.wire import ApproveIn, DraftIn, TurnIn
from planner.reading import read_text
from tests.gateway.desk import BAD, GOOD, GOOD_CITATION, NOW
from verifier.verdict import Unavailable

CHECKS = [
    ("fact_evidence", 14, True),
    ("evidence_freshness", 6, True),
    ("consistency", 8, True),
    ("slot_repeat", 12, True),
    ("human_handoff", 14, True),
    ("promise_limits", 8, True),
    ("internal_leak", 8, True),
    ("privacy", 6, True),
    ("answers_question", 8, False),
    ("sentence_budget", 4, False),
    ("question_limit", 4, False),
    ("advice_limit", 2, False),
    ("tone", 4, False),
    ("channel_format", 2, True),
]
FROZEN_ORDER = ["qualityScore", "qualityChecks", "qualityPassed", "rewriteCount", "fallbackReason"]
EVALUATION_FIELDS = {
    "id",
    "risks",
    "flags",
    "requiresHuman",
    "noReplyNeeded",
    "knownSlots",
    "limits",
    "forbiddenMoves",
    "stage",
    "rulesVersion",
    *FROZEN_ORDER,
    "failedCheckIds",
    "hardFailureIds",
    "claims",
    "slotQuestions",
    "metrics",
    "status",
    "dimensions",
    "confidence",
    "band",
    "fixActions",
    "groundingNotes",
}


def a_turn(text=GOOD, **changes):
    turn = {
        "id": "t-1",
        "now": "2026-11-30T10:00:00+08:00",
        "conversation": {
            "id": "c-1",
            "chatType": "private",
            "subject": "松月里 5-1602",
            "messages": [
                {"id": "m-1", "role": "customer", "text": "小区人车分流吗", "at": "2026-11-30T09:59:00+08:00"}
            ],
        },
        "draft": {"text": text, "citations": [GOOD_CITATION]},
    }
    return turn | changes


def raw(value):
    return json.dumps(value, ensure_ascii=False).encode()


def evaluated(turn):
    return evaluate_turn(to_turn(parse(TurnIn, raw(turn)), NOW))


def test_a_passing_evaluation_byte_for_byte():
    """The five frozen fields of a pass: names, order, types, values."""
    record = stateless_record(evaluated(a_turn()))
    frozen = json.dumps({name: record[name] for name in FROZEN_ORDER if name != "qualityChecks"}, separators=(",", ":"))
    assert frozen == '{"qualityScore":100,"qualityPassed":true,"rewriteCount":0,"fallbackReason":""}'
    for check, (name, weight, hard) in zip(record["qualityChecks"], CHECKS, strict=True):
        detail = json.dumps(check["detail"], ensure_ascii=False)
        expected = f'{{"id":"{name}","passed":true,"weight":{weight},"hard":{str(hard).lower()},"detail":{detail}}}'
        assert json.dumps(check, ensure_ascii=False, separators=(",", ":")) == expected
    assert set(record) == EVALUATION_FIELDS


def test_a_failing_evaluation_keeps_the_reasons_out_of_the_fallback():
    """The code is one of five words; the ids stand in their own lists."""
    record = stateless_record(evaluated(a_turn(BAD)))
    assert (record["fallbackReason"], record["qualityPassed"], record["status"]) == (
        "quality_gate_failed",
        False,
        "fail",
    )
    assert record["hardFailureIds"] == ["fact_evidence"]
    total = sum(weight for _, weight, _ in CHECKS)
    lost = sum(c["weight"] for c in record["qualityChecks"] if not c["passed"])
    assert record["qualityScore"] == round(100 * (total - lost) / total)


def test_no_total_outweighs_a_hard_failure():
    """A hard failure alone makes it fail, also when the score alone would pass."""
    made = evaluate_turn(to_turn(parse(TurnIn, raw(a_turn(BAD))), NOW), pass_score=0)
    assert not made.verdict.passed


def test_unavailable_is_null_and_nothing_else():
    """Null is never 0, an empty list or false."""
    from gateway.contract import evaluation_record

    made = evaluated(a_turn())
    record = evaluation_record(
        made.plan,
        Unavailable("a check raised", "r1"),
        draft_requires_human=False,
        rewrite_count=1,
        fallback_reason="quality_unavailable",
    )
    nulls = {name for name, value in record.items() if value is None}
    assert {"qualityScore", "qualityChecks", "qualityPassed", "status", "dimensions", "confidence", "band"} <= nulls
    assert (record["rewriteCount"], record["fallbackReason"]) == (1, "quality_unavailable")


def test_an_old_record_keeps_five_nulls():
    """A row without the fields is not a row with zeros."""
    fields = quality_fields({"id": "old-1", "text": "您好"})
    assert json.dumps(fields) == (
        '{"qualityScore": null, "qualityChecks": null, "qualityPassed": null, "rewriteCount": null, "fallbackReason": null}'
    )


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("qualityScore", 101),
        ("qualityScore", "90"),
        ("qualityScore", True),
        ("qualityPassed", 1),
        ("rewriteCount", 2),
        ("rewriteCount", True),
        ("fallbackReason", "fact_evidence"),
        ("qualityChecks", {}),
        ("qualityChecks[0]", [{"id": "x"}]),
        ("qualityChecks[0].weight", [{"id": "x", "passed": True, "weight": "1", "hard": True, "detail": ""}]),
    ],
)
def test_an_old_record_with_a_wrong_type_is_refused(field, value):
    """Import names the field."""
    with pytest.raises(InputError) as caught:
        quality_fields({field.split("[")[0]: value})
    assert caught.value.field == field


def without(path):
    turn = a_turn()
    node = turn
    *parents, last = path.split(".")
    for name in parents:
        node = node[name]
    del node[last]
    return turn


def changed(path, value):
    turn = a_turn()
    node = turn
    *parents, last = path.split(".")
    for name in parents:
        node = node[int(name)] if isinstance(node, list) else node[name]
    node[last] = value
    return turn


@pytest.mark.parametrize(
    ("turn", "field"),
    [
        (changed("draft.requireHuman", True), "draft.requireHuman"),
        (changed("draft.requires_human", True), "draft.requires_human"),
        (changed("conversation.messages.0.mood", "x"), "conversation.messages[0].mood"),
        (changed("draft.requiresHuman", "true"), "draft.requiresHuman"),
        (changed("draft.text", 5), "draft.text"),
        (changed("draft.text", "好" * 20_001), "draft.text"),
        (changed("conversation.chatType", "public"), "conversation.chatType"),
        (changed("conversation.messages.0.at", "2026-11-30T10:00:00"), "conversation.messages[0].at"),
        (changed("conversation.messages.0.at", 1764), "conversation.messages[0].at"),
        (changed("draft.citations", [GOOD_CITATION, GOOD_CITATION]), "draft"),
        (changed("draft.grounding", [{"quote": "x", "evidenceId": "doc-1"}]), "draft.grounding[0]"),
        (changed("draft.grounding", [{"quote": "x", "messageId": "m", "path": "/a"}]), "draft.grounding[0]"),
        (changed("draft.actions", [{"type": "handoff", "status": "maybe"}]), "draft.actions[0].status"),
        (without("conversation.id"), "conversation.id"),
        (without("draft.text"), "draft.text"),
        ([], "body"),
    ],
)
def test_bad_input_names_its_field(turn, field):
    """Unknown names, wrong types, missing and oversized fields, in the caller's spelling."""
    with pytest.raises(InputError) as caught:
        parse(TurnIn, raw(turn))
    assert (caught.value.field, 400 <= caught.value.status < 500) == (field, True)


@pytest.mark.parametrize(
    ("body", "field", "status"),
    [
        (b'{"id": "a", "id": "b"}', "id", 400),
        (b'{"id": "a", "draft": {"text": "x", "text": "y"}}', "text", 400),
        (b'{"score": NaN}', "body", 400),
        (b'{"score": -Infinity}', "body", 400),
        (b'{"score": 1e999}', "body", 400),
        (b"{", "body", 400),
        (b'{"draft": {"citations": [{"text": "a\\u0000b"}]}}', "draft.citations[0].text", 400),
        (b"\xff\xfe", "body", 400),
        (b"[" * 100_000, "body", 400),
        (b"[" * 70 + b"]" * 70, "body", 400),
        (b'"' + b"x" * 5_000_000 + b'"', "body", 413),
    ],
    ids=[
        "twice",
        "twice inside",
        "NaN",
        "-Infinity",
        "1e999",
        "cut",
        "NUL",
        "not UTF-8",
        "deep",
        "rather deep",
        "5 MB",
    ],
)
def test_bad_json_is_refused_at_the_door(body, field, status):
    """Whatever JSON itself leaves open is closed here."""
    with pytest.raises(InputError) as caught:
        parse(TurnIn, body)
    assert (caught.value.field, caught.value.status) == (field, status)


def test_open_places_stay_open():
    """Slot names and tool data are the caller's."""
    turn = changed("conversation.slots", {"anything at all": {"value": {"a": [1, None]}, "source": "tool"}})
    turn["draft"]["toolResults"] = [{"id": "t", "tool": "x", "status": "ok", "data": {"键": [{"deep": 1.5}]}}]
    parsed = to_turn(parse(TurnIn, raw(turn)), NOW)
    assert parsed.draft.tool_results[0].data == {"键": [{"deep": 1.5}]}
    assert parsed.conversation.slots["anything at all"].value == {"a": [1, None]}


def test_every_draft_field_reaches_the_domain():
    """No field of the wire is dropped on the way."""
    from dataclasses import fields

    from planner.turn import Draft

    assert {f.name for f in fields(Draft)} == set(DraftIn.model_fields)


def test_a_digest_must_be_one():
    """An approval names a sha256."""
    with pytest.raises(InputError) as caught:
        parse(ApproveIn, raw({"version": 1, "textSha256": "abc"}))
    assert caught.value.field == "textSha256"


def test_quantities_are_json_numbers():
    """Money in yuan as a number, spans in the original text."""
    text = read_text("总价２９８万", NOW)
    record = quantity_record(text.text, text.quantities[0])
    assert (record["value"], record["quote"]) == (2_980_000, "总价２９８万"[record["start"] : record["end"]])
