"""A stored reply is read strictly: a misspelt label is an error, not an unlabelled row."""

import json

import pytest

from gateway.audit.stored import id_of, read_stored
from gateway.jsonio import InputError
from tests.gateway.audit.kit import turn


def raw(value):
    return json.dumps(value, ensure_ascii=False).encode(errors="surrogatepass")


@pytest.mark.parametrize(
    ("row", "right", "passed"),
    [
        ({"turn": turn(1)}, None, None),
        ({"turn": turn(1), "right": True}, True, None),
        (turn(1) | {"right": False}, False, None),
        ({"turn": turn(1), "right": True, "scenario": "pricing"}, True, None),
        ({"turn": turn(1), "right": None, "passed": None}, None, None),
        ({"turn": turn(1), "passed": True, "failedCheckIds": [], "rulesVersion": "1"}, None, True),
        ({"turn": turn(1), "expect": {"fails": []}, "class": "size", "confidence": "firm"}, True, None),
        ({"turn": turn(1), "expect": {"fails": [{"clause": "x"}]}}, False, None),
        ({"turn": json.dumps(turn(1))}, None, None),
    ],
)
def test_rows_that_can_be_read(row, right, passed):
    reply = read_stored(raw(row))
    assert (reply.turn.id, reply.right, reply.before.passed if reply.before else None) == ("t-1", right, passed)


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ({"turn": turn(1), "rihgt": True}, "rihgt"),
        ({"turn": turn(1), "class": "size"}, "class"),
        ({"turn": turn(1), "right": "yes"}, "right"),
        ({"turn": turn(1), "failedCheckIds": "tone"}, "failedCheckIds"),
        ({"turn": turn(1), "passed": True, "rulesVersion": 3}, "rulesVersion"),
        ({"turn": turn(1), "expect": {"scenarios": []}}, "expect.fails"),
        ({"turn": turn(1) | {"draft": {"text": 3}}}, "draft.text"),
        ({"turn": {k: v for k, v in turn(1).items() if k != "draft"}}, "draft"),
        ({"turn": []}, "turn"),
        ({"id": "x", "score": 90}, "turn"),
        ({"turn": turn(1, "\ud800")}, "body"),
        ([], "body"),
    ],
)
def test_rows_that_cannot(row, field):
    with pytest.raises(InputError) as caught:
        read_stored(raw(row))
    assert caught.value.field == field


def test_the_key_is_that_of_the_turn_alone():
    one = read_stored(raw({"turn": turn(1), "right": True}))
    shuffled = dict(reversed(turn(1).items()))
    assert read_stored(raw(shuffled)).key == one.key != read_stored(raw(turn(2))).key


def test_without_now_the_newest_message_tells_the_time():
    timeless = {k: v for k, v in turn(1).items() if k != "now"}
    assert read_stored(raw(timeless)).turn.now.isoformat() == "2026-09-14T10:00:00+08:00"
    timeless["conversation"] = timeless["conversation"] | {"messages": []}
    with pytest.raises(InputError, match="now"):
        read_stored(raw(timeless))


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (b'{"turn": {"id": "a"}}', "a"),
        (b'{"id": "b"}', "b"),
        (b'{"turn": "{\\"id\\": \\"c\\"}"}', "c"),
        (b"[1]", None),
        (b"{", None),
        (b'{"id": 7}', None),
    ],
)
def test_the_id_of_a_bad_row(line, found):
    assert id_of(line) == found
