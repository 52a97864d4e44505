"""Arbitrary bytes as turns: nothing breaks, answers keep to the contract's shapes, nothing is sent without a pass."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from bench.answers import EvaluationOut, ReadOut
from bench.fuzzing import Dice, broken, judge, one_input, turn
from gateway.contract import parse
from gateway.jsonio import InputError
from gateway.wire import TurnIn


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.binary(min_size=64, max_size=512))
def test_whatever_comes_is_answered_or_refused(data: bytes) -> None:
    one_input(data)


@settings(max_examples=30, deadline=None)
@given(st.binary(min_size=16, max_size=256))
def test_the_same_bytes_make_the_same_turn(data: bytes) -> None:
    assert turn(Dice(data)) == turn(Dice(data))


def test_a_whole_shape_is_accepted_and_a_broken_one_is_named() -> None:
    whole = turn(Dice(bytes(64)))
    assert parse(TurnIn, json.dumps(whole).encode()).id == "t"
    named = []
    for seed in range(1, 40):
        body = json.dumps(broken(Dice(bytes([seed] * 97)), turn(Dice(bytes(8))))).encode()
        try:
            parse(TurnIn, body)
        except InputError as error:
            named.append(error.field)
    assert len(named) > 10 and all(named)


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b'{"id": 1}', b'{"id": "a", "id": "b"}', b"\xff\xfe"])
def test_what_is_no_turn_is_refused(body: bytes) -> None:
    judge(body)


def test_the_shapes_of_answers_are_strict() -> None:
    quantity = {"kind": "money", "value": 1, "unit": "CNY", "quote": "1元", "start": 0, "end": 2}
    assert ReadOut.model_validate({"id": "r", "quantities": [quantity]}, by_alias=True).quantities[0].start == 0
    for bad in ({"start": -1}, {"quote": ""}, {"more": 1}, {"unit": 3}):
        with pytest.raises(ValidationError):
            ReadOut.model_validate({"id": "r", "quantities": [quantity | bad]}, by_alias=True)
    with pytest.raises(ValidationError):
        EvaluationOut.model_validate({"id": "t"}, by_alias=True)
