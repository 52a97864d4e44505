"""What the client asks for: paths that stay where they belong, keys, batches within the API's limits."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.client import calls

TURN = {"id": "t-1"}


@pytest.mark.parametrize(
    ("given_id", "path"),
    [
        ("c-1", "/v1/conversations/c-1"),
        ("会话", "/v1/conversations/%E4%BC%9A%E8%AF%9D"),
        ("a b?c#d", "/v1/conversations/a%20b%3Fc%23d"),
        ("..%2f..", "/v1/conversations/..%252f.."),
        ("...", "/v1/conversations/..."),
    ],
)
def test_an_id_is_one_part_of_the_path(given_id, path):
    assert calls.get_conversation(given_id).path == path


@pytest.mark.parametrize("bad", ["", ".", "..", "a/b", "/", "c-1/messages"])
def test_an_id_that_would_make_another_path_is_refused(bad):
    for call in (calls.get_conversation, calls.get_draft):
        with pytest.raises(ValueError, match="cannot stand in an address"):
            call(bad)
    for call in (calls.post_message, calls.cross_replies):
        with pytest.raises(ValueError, match="cannot stand in an address"):
            call(bad, {})
    with pytest.raises(ValueError, match="cannot stand in an address"):
        calls.rewrite(bad, {"text": ""}, None)


def test_a_key_is_made_for_each_post():
    first, second = calls.post_draft(TURN, None), calls.post_draft(TURN, None)
    assert first.key != second.key
    assert len(first.headers["Idempotency-Key"]) == 36
    assert calls.post_draft(TURN, "in_1").headers["Idempotency-Key"] == "in_1"


@pytest.mark.parametrize("key", ["", "k" * 201, "键", "a\r\nX: y"])
def test_a_key_that_no_header_carries_is_refused(key):
    with pytest.raises(ValueError, match="idempotency_key"):
        calls.post_draft(TURN, key)


def test_a_rewrite_is_a_draft_or_an_error():
    assert json.loads(calls.rewrite("d", {"text": "好"}, None).body) == {"text": "好"}
    assert json.loads(calls.rewrite("d", None, "late").body) == {"error": "late"}
    for new, error in ((None, None), ({"text": ""}, "late")):
        with pytest.raises(ValueError, match="give the new draft"):
            calls.rewrite("d", new, error)


@pytest.mark.parametrize("body", [{"id": float("nan")}, {"id": object()}])
def test_what_is_no_json_is_refused_before_it_leaves(body):
    with pytest.raises((ValueError, TypeError)):
        calls.evaluate(body, None)


def test_what_is_not_said_is_left_out():
    assert json.loads(calls.create_conversation("c", "a", "r", "private", None).body) == {
        "id": "c",
        "account": "a",
        "recipient": "r",
        "chatType": "private",
    }
    assert json.loads(calls.create_conversation("c", "a", "r", "group", "used_car").body)["pack"] == "used_car"
    assert calls.deliveries(None, None, 100, None).params == {"limit": "100"}
    assert calls.deliveries("c", "accepted", 5, "2026-11-30T10:00:00+08:00").params["before"].endswith("+08:00")


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 400_000), max_size=12), st.integers(0, 250))
def test_a_batch_keeps_the_limits_and_the_order(large, small):
    """Never more than a hundred turns or a million bytes in a call, save one turn that is larger by itself."""
    turns = [{"id": str(n), "text": "x" * size} for n, size in enumerate([*large, *[1] * small])]
    bodies = [call.body for call in calls.evaluate_many(turns, None)]
    parts = [json.loads(body)["turns"] for body in bodies]
    assert [turn for part in parts for turn in part] == turns
    assert all(1 <= len(part) <= 100 for part in parts)
    assert all(len(body) <= 1_000_000 for body in bodies)


def test_a_turn_that_is_too_large_spoils_no_other():
    sizes = [len(call.body) for call in calls.evaluate_many([TURN, {"id": "x" * 2_000_000}, TURN], None)]
    assert [size > 1_000_000 for size in sizes] == [False, True, False]


def test_a_bad_turn_of_a_batch_is_told_in_its_place():
    [call] = calls.evaluate_many([TURN, TURN], None)
    good, bad = call.read(
        {
            "results": [
                {"id": "a", "qualityPassed": True},
                {"id": "b", "error": {"field": "draft", "message": "is missing"}},
            ]
        }
    )
    assert good.passed is True
    assert (bad.id, bad.field, bad.message) == ("b", "draft", "is missing")


@pytest.mark.parametrize(
    ("log", "params", "repeatable"), [(None, {}, True), (False, {"log": "false"}, True), (True, {"log": "true"}, False)]
)
def test_a_row_of_the_log_is_not_asked_for_twice(log, params, repeatable):
    for call in (calls.evaluate(TURN, log), *calls.evaluate_many([TURN], log)):
        assert (call.params, call.repeatable) == (params, repeatable)
